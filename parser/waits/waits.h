// Waiting or transfer: finds what part of the MPI time ranks waited, for whom, and what messages
// cost. The table of contents of that part of the analysis; how each kind is judged is written in
// collective_waits.cc, entry_waits.cc, message_waits.cc and transfer_cost.cc.
//
// Runs first, because every other part adds up what it puts into MeasuredEntry.wait_s.
#pragma once

#include "report/report.h"
#include "waits/nccl_waits.h"
#include "waits/wait_parts.h"

#include <map>
#include <vector>

namespace mprof {

// Of a rank: in calls that move single messages, or complete such.
struct MessageTime {
    double time_s = 0, wait_s = 0;
};

// Of a rank; the vectors below are by rank.
struct CausedWait {
    double wait_s = 0;        // by others, for it
    uint64_t last_times = 0;  // collectives in which it was last, and somebody waited
};

struct Waits {
    bool known = false;  // false: the files are of a version that does not tell
    std::vector<CausedWait> caused;
    std::vector<size_t> main_causes;  // ranks that cause most, most first; at most most_causes
    std::map<size_t, std::map<CallPlace, double>> caused_at;  // where; of main_causes
    std::map<CallPlace, CollectivePlace> places;              // weights are seconds
    uint64_t waited_collectives = 0;  // instances in which somebody waited for long
    uint64_t collectives = 0, collectives_lined = 0, disagreements = 0, unusable_journals = 0;
    double missing_s = 0;                    // in collectives, for ranks whose files are missing
    std::vector<std::vector<float>> by_bin;  // as CollectiveWaits has it
    bool thinned = false, has_baseline = false;
    double short_transfer_s = 0;  // of small messages; see verdict_thresholds.h
    double large_transfer_s = 0;
    std::vector<TransferRow> transfers;
    std::vector<MessageTime> messages;
    std::vector<MessageCost> costs;
    ProgramWaits programs;
    NcclWaits nccl;                   // apart from all above, which is of MPI
    std::vector<AskingCalls> asking;  // by rank; empty: no rank asks again and again
};

// Fills wait_s and completion_wait_s of the ranks' entries.
Waits find_waits(std::vector<RankMeasure> &ranks, const MergedNames &names, const CallPaths &paths);

// Adds up waiting beside a time.
struct WaitSum {
    double wait_s = 0;
    bool judged = false, missed = false;  // some of the time is known, some is not

    void add(const MeasuredEntry &entry);
    void add(const WaitSum &other);
    // Nothing if it is not known of any of the time.
    std::optional<double> value() const;
};

}  // namespace mprof
