// The rank files of one run, put together in any order, of any run; what could not be used is
// named.
//
// What holds for a Profile: at least one rank; `ranks` are sorted by rank, no two alike, all of the
// same run, the same world and the same world size. `other_worlds` are of the same run.
#pragma once

#include "read/rank_file.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct RankRange {
    uint32_t first;
    uint32_t last;  // included
    bool operator==(const RankRange &) const = default;
};

struct Profile {
    uint64_t run_id = 0;
    uint32_t world = 0;
    uint32_t ranks_expected = 0;
    std::vector<RankFile> ranks;
    std::vector<RankRange> missing;
    std::vector<FileError> damaged;   // could not be read
    std::vector<FileError> left_out;  // could be read, but are of another run, or there twice
    // The run's other worlds, by number (MPI_Comm_spawn); what is damaged or left out in them is
    // above, and they have no other worlds.
    std::vector<Profile> other_worlds;
    std::vector<RankRange> missing_worlds;  // that were spawned and have no file
    // Of places, as merged files have them (struct mprof_names), not decoded.
    std::vector<std::vector<std::byte>> names;

    uint64_t missing_count() const;
};

// From rank files, in any order and from any run, to the Profile of one run.
//
// The run with most files is reported, and the newer one of two equal runs. Of its worlds the first
// is reported, or the requested one; the others are kept in `other_worlds`. A rank with two files
// counts once, and its finished file is preferred.

// `folder` is what an error calls the input as a whole. An error only if no file is usable, or if
// there is none of the world asked for.
Result<Profile> merge_ranks(std::vector<Result<RankFile>> files, const std::string &folder,
                            std::optional<uint32_t> world = std::nullopt);
// In pieces, whose memory is given back one by one: a million ranks never exist twice.
Result<Profile> merge_pieces(std::vector<std::vector<Result<RankFile>>> pieces,
                             const std::string &folder,
                             std::optional<uint32_t> world = std::nullopt);

}  // namespace mprof
