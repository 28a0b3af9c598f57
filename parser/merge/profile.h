// The rank files of one run, put together; what could not be used is named.
//
// What holds for a Profile: at least one rank; `ranks` are sorted by rank, no two alike, all of the
// same run, the same world and the same world size.
#pragma once

#include "read/rank_file.h"

#include <cstdint>
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
    std::vector<FileError> left_out;  // could be read, but are of another run or world, or there
                                      // twice

    uint64_t missing_count() const;
};

}  // namespace mprof
