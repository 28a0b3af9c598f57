// Which profiles lie in a folder, and which of them is the newest: for commands that are given no
// folder, and for `mprof run`, which looks for what its command left. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mprof {

// Profile folders and merged files in `folder`, the newest first. Names are below `folder`, and
// alone if that is ".".
std::vector<std::string> list_profiles(const std::string &folder);

// True if the folder has files of a run.
bool has_profile_files(const std::string &folder);

// The path that a command was given, else the newest profile in the working folder (or the working
// folder, if it is one), and a line on standard error says which. None, with a message, if there is
// no profile.
std::optional<std::string> given_or_newest(const std::string &path, const std::string &command);

}  // namespace mprof
