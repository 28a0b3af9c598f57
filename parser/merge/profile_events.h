// The files of single calls that lie in a profile folder, beside the rank files. A merged file has
// none: those in its folder are of its run.
#pragma once

#include "merge/profile.h"
#include "read/time/events_file.h"

#include <map>
#include <string>
#include <utility>

namespace mprof {

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
