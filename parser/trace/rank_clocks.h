// From a rank's ticks to the time of the trace, which counts from the beginning of the first rank's
// MPI_Init.
//
// Ranks of a node have one clock, whose ticks are converted in the same way, so that their order is
// exact. Nodes are placed by the clock of the day.
#pragma once

#include "merge/profile.h"

#include <string>
#include <vector>

namespace mprof {

class RankClocks {
public:
    explicit RankClocks(const Profile &profile);

    // `rank` is an index into the profile's ranks.
    double seconds_at(size_t rank, uint64_t ticks) const;
    double latest_s(size_t rank) const { return ranks_[rank].latest_s; }  // its second clock pair
    double seconds_of(size_t rank, uint64_t ticks) const;
    size_t node_of(size_t rank) const { return ranks_[rank].node; }
    const std::vector<std::string> &nodes() const { return nodes_; }

private:
    struct Clock {
        size_t node = 0;
        uint64_t start_ticks = 0;  // of the rank whose clock is used, as the next two
        double start_s = 0;
        double tick_s = 0;
        double latest_s = 0;
    };
    void add_node(const Profile &profile, size_t node);

    std::vector<std::string> nodes_;
    std::vector<Clock> ranks_;
};

}  // namespace mprof
