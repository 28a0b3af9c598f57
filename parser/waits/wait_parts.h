// The parts that find waiting, and what they share, made once (waits.cc, which calls them in its
// order). Each says in its own file how it finds what it tells, and where that ends:
// collective_waits.cc, waits.cc, message_waits.cc, program_waits.cc, entry_waits.cc,
// asking_waits.cc.
// Numbers of ranks here are indices into `ranks`.
#pragma once

#include "measure/call_paths.h"
#include "measure/merged_profile.h"
#include "waits/journal_lineup.h"
#include "waits/transfer_cost.h"

#include <functional>
#include <map>
#include <tuple>
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

// Who waited for whom in collectives, from journals that were laid side by side. See
// collective_waits.cc for how, and for the limits.

inline constexpr size_t nobody = SIZE_MAX;  // instead of a rank's index

// A rank that others waited for at one place.
struct LastRank {
    uint64_t times = 0;  // instances in which it was the last and somebody waited for long
    double weight = 0;   // of the waiting at this place, its part, in any unit
    double longest = 0;  // of `weight`, what the one waited that waited longest each time
};

// An instance that somebody was late for.
struct LateInstance {
    size_t last = nobody;  // who
    double late_s = 0;     // what the one waited that waited longest
};

// Few instances of a place, for which somebody was far later than for the others.
struct RareInstances {
    double instances = 0, all = 0;  // 0: there are none
    double late_s = 0;              // of the middle one
    double sum_s = 0;
    size_t last = nobody;  // who is late for most of them; nobody: no rank is
};

// `mean_s`: from one instance to the next. Those that are not in `late` had nobody who was late.
RareInstances find_rare_instances(std::vector<LateInstance> late, uint64_t instances,
                                  double mean_s);

struct CollectivePlace {
    uint64_t instances = 0;  // that were laid side by side
    uint64_t waited = 0;     // in which somebody waited for long
    std::map<size_t, LastRank> last;
    RareInstances rare;    // of the ranks of one program, those with most time
    double missing_s = 0;  // weight of the ranks whose files are missing
};

// The collectives of one rank that are alike: by communicator slot, function id, region, callsite.
using CollectiveKey = std::tuple<uint32_t, uint16_t, uint16_t, uint32_t>;

// What the kept instances of them tell, for all of them.
struct CollectiveShare {
    WaitRule rule = WaitRule::not_known;
    uint32_t comm_size = 0;
    bool one_node = true;
    double kept = 0, time_s = 0;
    double wait_s = 0;                     // of time_s; rules `everyone` and `lower`
    double giver_wait_s = 0;               // of time_s; rules `root` and `at_root`
    double waiter_kept = 0, waiter_s = 0;  // of kept and time_s, when this rank was one of those
                                           // that wait; the other collective rules
    double wait_share() const { return time_s > 0 ? wait_s / time_s : 0; }
};

// A place, as far as the ranks of one program wait there.
using ProgramPlace = std::pair<uint32_t, CallPlace>;

struct CollectiveWaits {
    std::vector<std::map<CollectiveKey, CollectiveShare>> shares;  // by rank
    std::vector<std::vector<float>> by_bin;  // by rank: the waiting in its time bins
                                             // (journal_lineup.h)
    std::map<CallPlace, CollectivePlace> places;
    std::map<ProgramPlace, CollectivePlace> of_programs;  // the same; empty with one program
    uint64_t disagreements = 0;  // instances on which ranks were in different functions
};

CollectiveWaits find_collective_waits(WaitContext &context, const Lineups &lineups);

// Waiting in MPI_Finalize, which needs no journal. Called by collective_waits.cc.

// Replaces what a journal says of MPI_Finalize, because thinning may have dropped that instance.
void add_finalize_waits(WaitContext &context, CollectiveWaits &result);

// For whom ranks waited in messages, and how long that can have been. See message_waits.cc.
struct MessageWaits {
    std::vector<double> caused_s;                             // by rank: what others waited for it
    std::map<size_t, std::map<CallPlace, double>> caused_at;  // where, for some of the ranks
    std::vector<std::map<size_t, double>> pairs;  // by waiter: for whom, before anything is passed
                                                  // on; empty with one program
};

// Of which ranks shall be told where others waited for them, by what they waited (`caused_s`)?
using ChooseRanks = std::function<std::vector<size_t>(const std::vector<double> &caused_s)>;

// Takes the waiting of entries down to what the partners' absence allows.
MessageWaits limit_message_waits(WaitContext &context, const ChooseRanks &choose);

// For which program of the job the ranks of each program waited.

// Of the ranks of one program, summed over them.
struct OfProgram {
    std::vector<double> wait_s;  // for each program, the own one included
    double unknown_wait_s = 0;   // nobody knows for whom: a rank without a file, an unknown partner
    double small_transfer_s = 0, large_transfer_s = 0;  // see verdict_thresholds.h
    double missing_s = 0;  // of unknown_wait_s, in collectives for ranks whose files are missing
};

struct ProgramWaits {
    JobPrograms programs;
    std::vector<OfProgram> of;  // one per program; with one program only the transfer is filled
};

// Runs when the waiting of all entries is known.
ProgramWaits find_program_waits(WaitContext &context, const CollectiveWaits &collectives,
                                const MessageWaits &messages);

// What part of each entry's time was waiting: MeasuredEntry.wait_s and completion_wait_s. Called by
// waits.cc, in this order.

// Everything but calls that complete requests; of messages the most that it can have been.
void judge_entries(WaitContext &context, const CollectiveWaits &collectives);

// MPI_Wait and relatives, by what is known of the requests that they completed.
void judge_completing_calls(WaitContext &context);

// Calls of a rank that only ask, again and again, and its computing between them: it waits there.
struct AskingCalls {
    uint64_t calls = 0;
    double work_s = 0, queue_s = 0, blocked_s = 0;

    double all_s() const { return work_s + queue_s + blocked_s; }
    void add(const AskingCalls &other)
    {
        calls += other.calls;
        work_s += other.work_s;
        queue_s += other.queue_s;
        blocked_s += other.blocked_s;
    }
};

// Of windows (asking_waits.cc). By rank; nothing: no rank asks so.
std::vector<AskingCalls> judge_asking_calls(WaitContext &context);

}  // namespace mprof
