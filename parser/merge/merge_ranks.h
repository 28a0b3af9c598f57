// From rank files, in any order and from any run, to the Profile of one run.
//
// The run with most files is reported, of two with as many the newer one; of its worlds the first,
// or the one asked for, and the others beside it. A rank that is there twice counts once: the
// finished file before the live one.
#pragma once

#include "merge/profile.h"

#include <optional>
#include <string>

namespace mprof {

// `folder` is what an error calls the input as a whole. An error only if no file is usable, or if
// there is none of the world asked for.
Result<Profile> merge_ranks(std::vector<Result<RankFile>> files, const std::string &folder,
                            std::optional<uint32_t> world = std::nullopt);

}  // namespace mprof
