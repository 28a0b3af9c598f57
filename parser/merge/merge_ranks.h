// From rank files, in any order and from any run, to the Profile of one run.
//
// The run with most files is reported, and the newer one of two equal runs. Of its worlds the first
// is reported, or the requested one; the others are kept in `other_worlds`. A rank with two files
// counts once, and its finished file is preferred.
#pragma once

#include "merge/profile.h"

#include <optional>
#include <string>

namespace mprof {

// `folder` is what an error calls the input as a whole. An error only if no file is usable, or if
// there is none of the world asked for.
Result<Profile> merge_ranks(std::vector<Result<RankFile>> files, const std::string &folder,
                            std::optional<uint32_t> world = std::nullopt);
// In pieces, whose memory is given back one by one: a million ranks never exist twice.
Result<Profile> merge_pieces(std::vector<std::vector<Result<RankFile>>> pieces,
                             const std::string &folder,
                             std::optional<uint32_t> world = std::nullopt);

}  // namespace mprof
