// The files of single calls that lie in a profile folder, beside the rank files. A merged file has
// none: those in its folder are of its run.
#pragma once

#include "merge/profile.h"
#include "read/time/events_file.h"

#include <map>
#include <string>
#include <utility>

namespace mprof {

inline constexpr std::string_view events_ending = ".events";

// By rank, of the profile's run and world. `path` is what the profile was read from.
using ProfileEvents = std::map<uint32_t, EventsFile>;
ProfileEvents events_of_profile(const std::string &path, const Profile &profile);

// Ranks with events that did not end have their last calls there.
void add_last_calls(const ProfileEvents &events, Profile &profile);

}  // namespace mprof
