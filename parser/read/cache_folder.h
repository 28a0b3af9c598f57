// What a command keeps for the next one, in the user's cache folder: $XDG_CACHE_HOME/mprof or
// ~/.cache/mprof. For the names of places (symbols/kept_names.h) and the verdicts of reports
// (list/kept_verdicts.h). Whatever fails is as if nothing had been kept, and nothing is said.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace mprof {

// Where the environment says that caches go; "" = nowhere: with MPROF_CACHE=off, or without a home.
std::string cache_folder();

// Writes a file beside its place and renames it, so that two commands at once leave one of both.
// The folder is made if it is not there, and is the user's alone then. False: nothing was changed.
bool keep_file(const std::string &folder, const std::string &name,
               std::span<const std::byte> content);

}  // namespace mprof
