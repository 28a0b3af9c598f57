// Reads all rank files of a profile folder, several at a time, and merges them.
#pragma once

#include "merge/profile.h"
#include "merge/profile_events.h"

#include <optional>
#include <string>

namespace mprof {

// `path` is a profile folder or a single rank file. With `show_progress` a reading of over a second
// tells on stderr how far it is (only if that is a terminal). `world`: see merge_ranks.h. What
// there is of single calls goes to `events`, unless that is nullptr.
Result<Profile> read_profile(const std::string &path, bool show_progress,
                             std::optional<uint32_t> world = std::nullopt,
                             ProfileEvents *events = nullptr);

}  // namespace mprof
