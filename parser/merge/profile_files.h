// What a path that a user gives holds: the files of a profile folder, or the file itself.
#pragma once

#include "read/file_result.h"

#include <string>
#include <string_view>
#include <vector>

namespace mprof {

// Regular files and whatever pretends to be one, shorter names first: rank 9 before rank 10.
// Folders, names that begin with a dot and files of events in it are left alone. A file of events
// alone is refused: it has no profile.
Result<std::vector<std::string>> profile_files(const std::string &path);

// The files of events in a profile folder, or beside a file.
std::vector<std::string> events_files(const std::string &path);

bool is_events_name(std::string_view path);

// libmprof names a file like this: of one rank, of the ranks of a node, or of a job. A merged
// file, which is a profile of its own, may have any other name.
bool is_rank_file_name(std::string_view name);

}  // namespace mprof
