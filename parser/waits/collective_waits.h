// Who waited for whom in collectives, from journals that were laid side by side. See
// collective_waits.cc for how, and for the limits.
#pragma once

#include "waits/journal_lineup.h"
#include "waits/wait_context.h"

#include <map>
#include <tuple>
#include <vector>

namespace mprof {

inline constexpr size_t nobody = SIZE_MAX;  // instead of a rank's index

// A rank that others waited for at one place.
struct LastRank {
    uint64_t times = 0;  // instances in which it was the last and somebody waited for long
    double weight = 0;   // of the waiting at this place, its part, in any unit
    double longest = 0;  // of `weight`, what the one waited that waited longest each time
};

struct CollectivePlace {
    uint64_t instances = 0;  // that were laid side by side
    uint64_t waited = 0;     // in which somebody waited for long
    std::map<size_t, LastRank> last;
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
    double waiter_kept = 0, waiter_s = 0;  // of kept and time_s, when this rank was one of those
                                           // that wait; the other collective rules
    double wait_share() const { return time_s > 0 ? wait_s / time_s : 0; }
};

// A place, as far as the ranks of one program wait there.
using ProgramPlace = std::pair<uint32_t, CallPlace>;

struct CollectiveWaits {
    std::vector<std::map<CollectiveKey, CollectiveShare>> shares;  // by rank
    std::vector<std::vector<float>> by_bin;  // by rank: the waiting in its time bins (wait_bins.h)
    std::map<CallPlace, CollectivePlace> places;
    std::map<ProgramPlace, CollectivePlace> of_programs;  // the same; empty with one program
    uint64_t disagreements = 0;  // instances on which ranks were in different functions
};

CollectiveWaits find_collective_waits(WaitContext &context, const Lineups &lineups);

}  // namespace mprof
