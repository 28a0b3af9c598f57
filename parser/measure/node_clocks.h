// One time for all ranks: from a rank's ticks to seconds after the beginning of the first rank's
// MPI_Init. For the run over time and for traces.
//
// Ranks of a node have one clock, whose ticks are converted in the same way, so that their order is
// exact. Nodes are placed by the clock of the day. Then each node is compared with the first one:
// a collective in which all ranks wait for each other ends on both at nearly the same moment
// (mprof_collective_time). The line through the differences is the offset and the drift that are
// taken off.
#pragma once

#include "read/rank_file.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

class NodeClocks {
public:
    // They are used here only.
    explicit NodeClocks(const std::vector<const RankFile *> &ranks);

    // `rank` is an index into the ranks.
    double seconds_at(size_t rank, uint64_t ticks) const;
    double begin_s(size_t rank) const { return ranks_[rank].begin_s; }    // of its MPI_Init
    double latest_s(size_t rank) const { return ranks_[rank].latest_s; }  // its second clock pair
    double seconds_of(size_t rank, uint64_t ticks) const;
    size_t node_of(size_t rank) const { return ranks_[rank].node; }
    const std::vector<std::string> &nodes() const { return nodes_; }
    // By how much clocks of nodes may still differ. None: one node, or no collectives to tell.
    std::optional<double> residual_s() const { return residual_s_; }

private:
    struct Clock {
        size_t node = 0;
        uint64_t start_ticks = 0;  // of the rank whose clock is used, as the next two
        double start_s = 0;
        double tick_s = 0;
        double begin_s = 0, latest_s = 0;
    };
    using Files = std::vector<const RankFile *>;

    void add_node(const Files &ranks, const std::vector<size_t> &of_node);
    void correct_nodes(const Files &ranks);

    std::vector<std::string> nodes_;
    std::vector<Clock> ranks_;
    std::optional<double> residual_s_;
};

}  // namespace mprof
