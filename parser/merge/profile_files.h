// What lies in a profile folder, or beside a merged file: rank files, and files of single calls
// (events).
#pragma once

#include "merge/profile.h"
#include "read/events_file.h"
#include "read/file_result.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mprof {

// What a path that a user gives holds: the files of a profile folder, or the file itself.

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

// The files of single calls that lie in a profile folder, beside the rank files. A merged file has
// none: those in its folder are of its run.

// Of the profile's run and world. `path` is what the profile was read from.
struct ProfileEvents {
    std::map<uint32_t, EventsFile> files;  // by rank
    std::vector<FileError> damaged;        // of whatever run
};
ProfileEvents events_of_profile(const std::string &path, const Profile &profile);

// When the rank lived, and how many functions it knows.
EventLimits event_limits(const RankFile &rank);

// Ranks with events that did not end have their last calls there.
void add_last_calls(const ProfileEvents &events, Profile &profile);

}  // namespace mprof
