// What the parts that find waiting share, made once (waits.cc). Numbers of ranks here are indices
// into `ranks`.
#pragma once

#include "measure/call_paths.h"
#include "measure/merged_profile.h"
#include "waits/transfer_cost.h"

#include <map>
#include <utility>
#include <vector>

namespace mprof {

// Where a call is made: number of the function and node of its path, over all ranks.
struct CallPlace {
    uint32_t function = 0, node = 0;
    bool operator<(const CallPlace &other) const
    {
        return std::pair(function, node) < std::pair(other.function, other.node);
    }
};

// What a rank spends where; what is left is time in which others may wait for it.
struct RankTimes {
    double init_s = 0;     // MPI_Init and relatives
    double message_s = 0;  // blocking sends and receives, MPI_Wait*
    double finalize_s = 0;
    // How many of its threads send or receive messages, at least 1, and how long the one that was
    // away longest was away from them.
    double message_threads = 1, message_away_s = 0;
    std::map<uint32_t, double> collective_s;  // blocking ones, by communicator slot
};

struct WaitContext {
    std::vector<RankMeasure> &ranks;
    const MergedNames &names;
    const CallPaths &paths;
    FactsByNumber rules;
    MessageSites sites;
    TransferCost cost;
    std::vector<RankTimes> times;
    JobPrograms programs;

    WaitContext(std::vector<RankMeasure> &measures, const MergedNames &merged_names,
                const CallPaths &call_paths);
    const FunctionFacts &facts_of_entry(size_t rank, const MeasuredEntry &entry) const
    {
        return rules.of(rank, entry.key.function);
    }
    CallPlace place_of(size_t rank, const MeasuredEntry &entry) const
    {
        return {names.function(rank, entry.key.function), paths.node_of(rank, entry.key.callsite)};
    }
};

}  // namespace mprof
