// What `mprof top` shows of a running job: the last few seconds, and where the ranks are now.
#pragma once

#include "report/report.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct LiveRow {
    std::string name;                   // a function, or a source line with its function
    double run_percent = 0;             // of the wallclock of all ranks since the start
    std::optional<double> now_percent;  // since the view before
    double calls_per_s = 0;             // since the view before, or else the start
    uint64_t calls = 0;                 // since the start
};

// Shares of the time since the view before, or else the start; they add up to 1 or are all 0.
using LiveSplit = TimeSplit;

struct LiveRank {
    uint32_t rank = 0;
    size_t node = 0;  // row of LiveView::nodes
    LiveSplit split;
    TimeState mostly = TimeState::computing;
    double over_median = 1;   // its computing / the median rank's
    bool waited_for = false;  // that others wait for it is worth a mark
    bool ended = false;
    std::string facts;               // "node09, CPU 1, 1.52 GiB"
    std::string now;                 // "in MPI_Allreduce at cg.c:211 for 24.1 ms"
    std::vector<std::string> stack;  // of that call, the innermost frame first
};

struct LiveNode {
    std::string host;
    uint64_t ranks = 0;
    LiveSplit split;
    bool waited_for = false;  // one of its ranks is
};

// Ranks that wait for another one.
struct LiveWait {
    std::string who;    // "63 ranks", "others"
    uint32_t rank = 0;  // that is waited for
    double wait_s = 0;  // since the view before, summed over those who waited
    std::string place;  // "MPI_Allreduce at cg.c:211"
};

// What ranks do at this moment, those that do the same together.
struct LiveNow {
    TimeState state = TimeState::computing;
    uint64_t ranks = 0;
    std::string words;  // "in MPI_Allreduce at cg.c:211"
    double longest_s = 0;
};

struct LiveSite {
    std::string place, function;
    TimeState state = TimeState::transfer;  // waiting, if most of it is that
    double percent = 0;                     // of the wallclock of all ranks, since the view before
    std::optional<double> wait_percent;     // likewise
};

struct LiveView {
    std::string headline;                   // "cg on 64 ranks, running, 312 s"
    std::string balance;                    // how the time is spread, in a sentence
    std::string waiting;                    // who waits for whom, "" while nobody waits for long
    std::vector<LiveRow> functions, lines;  // most time first
    std::vector<std::string> ranks;         // where they are, in sentences; most ranks first

    std::string program;  // "cg"
    std::string size;     // "64 ranks on 16 nodes"
    bool running = true;
    double run_s = 0, length_s = 0;       // since the start, since the view before or the start
    std::string steps;                    // "solve 3, 79.0 ms/step", "" if not known
    Judgement state = Judgement::good;    // of the answer
    std::string answer;                   // "LOAD IMBALANCE"
    std::string sentence;                 // what that is, without a class before it
    LiveSplit split;                      // mean of all ranks
    std::vector<double> waiting_by_time;  // share of each bin since the start; empty = not known
    std::vector<PhaseRow> phases;
    std::vector<LiveRank> rank_bars;  // by rank
    std::vector<LiveNode> nodes;
    std::vector<LiveWait> waits;  // most waiting first
    std::vector<LiveNow> now;     // most ranks first
    std::vector<LiveSite> sites;  // most time first
    std::vector<LastCallRow> last_calls;
};

// `before`: the report that the view before was made of.
LiveView make_live_view(const Report &now, const std::optional<Report> &before);

// ---- its parts (live_ranks.cc) ------------------------------------------------------------------

// What each rank did between two reports of a running job, what it does now, and the answer: who is
// waited for.

// Divides by the sum.
LiveSplit as_shares(const TimeSplit &seconds);
TimeState most_of(const LiveSplit &split);

// rank_bars, nodes, split
void note_ranks(const Report &now, const std::optional<Report> &before, LiveView &view);
// waits, and which of the ranks and nodes are waited for; after the ranks
void note_waits(const Report &now, const std::optional<Report> &before, LiveView &view);
// state, answer, sentence; after the waits
void note_answer(const Report &now, LiveView &view);

}  // namespace mprof
