// What the accounts are made of, from the time bins of ranks: in two walks over them, which
// analyse_time_line() makes anyway. Both are on several threads.
//
// Some of what the report calls transfer is waiting: in polls, for locks, or, where CPUs are short,
// for one. MPI_Finalize is no part of the run.
#pragma once

#include "accounts/run_times.h"
#include "analyse/time/rank_bins.h"
#include "measure/merged_profile.h"
#include "report/report.h"

#include <mutex>

namespace mprof {

// What the ranks of a node did: by window, and by bin what all of them waited at once.
struct NodeWalk {
    size_t node = 0;
    bool lacks_cpus = false;
    double messages_per_call = 1;  // of the rank that has most
    NodeTime time;
    std::vector<StretchTimes> windows;
    std::vector<double> least_wait_s;
};

class TimesGatherer {
public:
    // `axis` and `waits` must outlive this; `report` has its ranks.
    TimesGatherer(const std::vector<RankMeasure> &ranks, const TimeAxis &axis, const Waits &waits,
                  const Report &report);

    // The first walk: each thread adds to a sum of its own, and these are put together.
    RunWork no_work() const { return RunWork(grid_, programs_.all.size()); }
    // By window, what of waiting for its GPU is a collective of NCCL that waits for the last rank.
    // Empty: no rank is known to wait so.
    std::vector<double> nccl_waits(size_t rank, const std::vector<double> &gpu_wait_s) const;
    // By window, work and what ranks wait for their GPUs and copy.
    void add_work(size_t rank, const std::vector<double> &work_s, const std::vector<double> &gpu_s,
                  RunWork &sum) const
    {
        sum.add_rank(rank, programs_.of_rank[rank], work_s, grid_, gpu_s);
    }
    const WindowGrid &grid() const { return grid_; }
    void add(const RunWork &sum) { work_.add(sum); }
    // `bins` are the means over ranks.
    void end_first_walk(const std::vector<TimeBin> &bins);

    // The second one, node by node.
    size_t nodes() const { return nodes_.size(); }
    const std::vector<size_t> &ranks_of(size_t node) const { return nodes_[node].ranks; }
    NodeWalk begin_node(size_t node) const;
    void add_rank(size_t rank, const std::vector<RankBin> &bins, NodeWalk &walk) const;
    void end_node(NodeWalk walk);  // on any thread

    RunTimes finish();

private:
    struct Node {
        std::vector<size_t> ranks;  // of the run
        double cpus = 0;
    };
    void find_nodes();
    double cpus_of(const std::vector<size_t> &ranks) const;
    bool lacks_cpus(const Node &node) const;
    void move_nccl_waiting(size_t rank, std::vector<RankTime> &windows) const;

    const std::vector<RankMeasure> &ranks_;
    const TimeAxis &axis_;
    const NcclWaits &nccl_;
    const Report &report_;
    const JobPrograms programs_;
    const WindowGrid grid_;
    double small_part_ = 1;
    std::vector<Node> nodes_;
    RunWork work_;
    std::vector<bool> is_crowded_, is_short_;  // by bin: CPUs, and what is between calls
    bool has_short_ = false;
    std::vector<double> least_wait_s_;  // by bin
    RunTimes times_;
    std::mutex mutex_;
};

}  // namespace mprof
