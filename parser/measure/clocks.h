// Ticks to seconds: of one rank, and on one axis of time for all ranks of a run.
#pragma once

#include "mprof/format/format.h"
#include "read/rank_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// Converts a rank's ticks into seconds: by the line through the middles of the two clock pairs, as
// format.h says.

inline double seconds_of_ns(uint64_t nanoseconds)
{
    return static_cast<double>(nanoseconds) * 1e-9;
}

class TickClock {
public:
    TickClock() = default;
    explicit TickClock(const mprof_clock &clock);

    // False for a live file whose second pair was never written: then ticks have no length.
    bool known() const { return seconds_per_tick_ > 0; }
    double seconds_per_tick() const { return seconds_per_tick_; }
    // Takes the rate of another rank; all cores of one kind of machine tick at nearly the same
    // rate.
    void borrow_rate(const TickClock &other) { seconds_per_tick_ = other.seconds_per_tick_; }

    // Seconds from the rank's MPI_Init to the tick; never below 0.
    double seconds_at(uint64_t ticks) const;
    double latest_s() const { return seconds_at(latest_ticks_); }
    // Cost of one read of the clock, and what libmprof adds to one call.
    double read_s() const { return static_cast<double>(read_ticks_) * seconds_per_tick_; }
    // Shorter times cannot be distinguished. A counter that ticks slowly (on ARM) is read in less
    // than a tick.
    double resolution_s() const
    {
        return static_cast<double>(std::max<uint64_t>(read_ticks_, 1)) * seconds_per_tick_;
    }
    double record_s() const { return static_cast<double>(record_ticks_) * seconds_per_tick_; }
    uint64_t latest_ticks() const { return latest_ticks_; }
    uint64_t read_ticks() const { return read_ticks_; }
    uint32_t kind() const { return kind_; }

private:
    double seconds_per_tick_ = 0;
    uint64_t start_ticks_ = 0;
    uint64_t latest_ticks_ = 0;
    uint64_t read_ticks_ = 0;
    uint64_t record_ticks_ = 0;
    uint32_t kind_ = 0;
};

// One time for all ranks: from a rank's ticks to seconds after the beginning of the first rank's
// MPI_Init. For the run over time and for traces.
//
// Ranks of a node have one clock, whose ticks are converted in the same way, so that their order is
// exact. Nodes are placed by the clock of the day. Then each node is compared with the first one:
// a collective in which all ranks wait for each other ends on both at nearly the same moment
// (mprof_collective_time). The line through the differences is the offset and the drift that are
// taken off.
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
