// An invented run, rank by rank, for any number of ranks. It is a conjugate-gradient solver on a
// grid, with halo exchange, reductions, a gather per row, random partners, check points, and one
// node whose ranks compute longer, or a single such rank. Its figures fit together: compute and MPI
// add up to a wallclock that is the same on all ranks. What a rank waits in a reduction is what the
// latest one computes longer. It is deterministic. Many threads use it at once.
#pragma once

#include "rank_file_writer.h"

#include <cstdint>
#include <optional>

namespace mprof_test {

class CgRun {
public:
    // With `slow_rank` that rank alone computes longer.
    explicit CgRun(uint32_t ranks, std::optional<uint32_t> slow_rank = std::nullopt);
    RankFileContent rank(uint32_t rank) const;

    uint32_t ranks_per_node() const { return ranks_per_node_; }
    uint32_t slow_node() const { return slow_node_; }  // 0xffffffff = none

private:
    bool is_slow(uint32_t rank) const
    {
        return rank / ranks_per_node_ == slow_node_ || rank == only_slow_rank_;
    }
    void add_bins(RankFileContent &rank, uint64_t wallclock_ns) const;
    double compute_ns(uint32_t rank, uint32_t iteration) const;
    double latest_ns(uint32_t iteration) const;
    uint32_t slow_rank(uint32_t iteration) const;

    uint32_t ranks_, ranks_per_node_, slow_node_;
    std::optional<uint32_t> only_slow_rank_;
    uint32_t row_length_;
    RankFileContent common_;  // what is the same on all ranks
};

}  // namespace mprof_test
