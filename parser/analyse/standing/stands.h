// The parts of `standing`, which analyse_standing.cc puts together: where each rank stands that has
// not ended, in which call since when, with whom, and the words for it that all sentences share
// (stands.cc); who waits for whom, whether the job hangs, which rank ended it, and the last calls.
#pragma once

#include "analyse/analysis_parts.h"
#include "measure/function_facts.h"
#include "report/report.h"
#include "stacks/thread_stacks.h"
#include "symbols/module_symbols.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mprof {

// One rank that has not ended.
struct Stand {
    size_t index = 0;  // into the ranks
    uint32_t rank = 0;
    RankState state = RankState::in_call;  // stopped, traced, gone: `in_call` says where
    bool in_call = false;
    bool polls = false;         // it does nothing but poll, and has done so for a while
    std::string function;       // of the call in progress, or of the last one that ended
    std::string starter;        // MPI_Wait, MPI_Test of one request: the call that started it
    uint32_t requests = 0;      // that the call waits for or tests
    uint32_t communicator = 0;  // row; 0 = none
    std::string communicator_name, on;  // `on` is "" for MPI_COMM_WORLD
    std::string place;
    std::string gpu;  // "waiting for its GPU at heat.c:12 after kernel stencil"; "" = not there
    int64_t peer = MPROF_NO_PEER;        // rank in the communicator
    std::optional<uint32_t> world_peer;  // the same in MPI_COMM_WORLD; none = not known
    uint32_t tag = 0;                    // as mprof_thread.call_tag
    uint32_t locked_window = 0;          // row of a window that it has locked
    uint32_t locked_rank = 0;            // the rank in it whose memory that is
    double since_s = 0;                  // on the clock of the day

    bool waits() const
    {
        return (in_call || polls) && state != RankState::gone && state != RankState::stopped &&
               state != RankState::traced;
    }
    // What its partner and tag belong to.
    const std::string &what() const { return starter.empty() ? function : starter; }
};

// When the run began, and its last sign of life, by the time of day.
struct Moments {
    bool running = false;
    double begin_s = 0, now_s = 0;
};

Moments find_moments(const RankMeasures &ranks, const Observation &observation);
std::vector<Stand> find_stands(const RankMeasures &ranks, const Merged &merged,
                               const Observation &observation, const Moments &moments);

// The ranks of MPI_COMM_WORLD in each communicator, as far as their files tell.
class Members {
public:
    Members(const RankMeasures &ranks, const Merged &merged);
    // None for another group's ranks of an intercommunicator.
    std::optional<uint32_t> world_rank(uint32_t communicator, int64_t rank) const;
    bool has(uint32_t communicator, uint32_t world_rank) const;

    // How many collectives of the communicator each rank has made tells whether `other` has come to
    // the one that `rank` is in. Neither is true where they were not all counted.
    bool counts_collectives(uint32_t communicator, uint32_t rank) const;
    bool has_left(uint32_t communicator, uint32_t rank, uint32_t other) const;
    bool has_not_come(uint32_t communicator, uint32_t rank, uint32_t other) const;

private:
    std::optional<uint64_t> collectives(uint32_t communicator, uint32_t rank) const;

    struct Group {
        std::map<int64_t, uint32_t> world_ranks;
        std::set<uint32_t> all;
        std::map<uint32_t, uint64_t> collectives;  // by rank of the world
    };
    std::map<uint32_t, Group> groups_;
};

// Where a thread of a rank stands, whether the rank has ended or not.
Stand stand_of(size_t index, const RankMeasure &rank, const mprof_thread &thread,
               const Merged &merged, const Members &members, const Moments &moments);

// ---- words --------------------------------------------------------------------------------------

void add_rank(std::vector<MissingRanks> &ranges, uint32_t rank);
std::string at_place(const std::string &place);
// " from rank 3, tag 7"
std::string partner_words(const Stand &stand);
// "MPI_Wait for MPI_Irecv from rank 3, tag 7, on rows at heat.c:12"
std::string call_words(const Stand &stand);
// "MPI_Barrier on rows at heat.c:12"
std::string short_call_words(const Stand &stand);
// For how long, while the job runs. If the job has ended, its end is not known.
std::string time_words(const Moments &moments, double since_s, double longest_s, double shortest_s);
std::string time_words(const Moments &moments, const Stand &stand);
// What a rank does instead of joining the call that others wait in.
std::string doing(const Stand &stand, const Moments &moments);
// "stopped (signal)", "" for others
std::string stopped_words(RankState state);

// ---- who waits for whom (wait_rings.cc) ---------------------------------------------------------

// Who waits for whom: rings and chains of ranks, and messages that will never meet.

// From one rank to the one that it waits for, and on: a ring, or a chain whose end is to blame.
struct WaitChain {
    std::vector<const Stand *> links;
    bool is_ring = false;
};

// Ranks that wait for each other, in messages and in collectives of all kinds of communicators; or
// a chain of ranks that wait for one in MPI_Finalize.
WaitChain find_ring(const std::vector<Stand> &stands, const Members &members,
                    const Moments &moments);
// Of messages and locks alone: the longest chain.
WaitChain find_chain(const std::vector<Stand> &stands);

// Who waits for whom, in a sentence, and who is to blame, first of all the first one.
struct Waiting {
    std::string headline;
    std::vector<uint32_t> blamed;
    std::vector<const Stand *> ring;  // that none of them will leave by itself
    // Without a ring: of those that wait, one that waits for `end`, which waits for nobody.
    const Stand *last = nullptr, *end = nullptr;
    bool does_not_match = false;  // the ring is of a message and a receive that never meet
    bool is_moment = false;       // a ring of a running job that may open: nobody is to blame
};

// Have all of them waited for longer than calls of healthy jobs take?
bool have_waited_long(const std::vector<const Stand *> &links, const Moments &moments);

// Of a chain or a ring; "" of an empty one.
Waiting waiting_of(const WaitChain &chain, const Moments &moments);
// A rank waits until its message is received, and the receiver waits for another one. "" if there
// is no such pair.
Waiting find_mismatch(const std::vector<Stand> &stands);

// ---- hangs (hung.cc) ----------------------------------------------------------------------------

// Whether a job hangs: none of its ranks that have not ended will come any further.
//
// A job that was killed while it computed or moved data does not hang. Nobody looked at it then,
// and what its ranks left does not say how long they had stood where they stand.

// While the job runs, time decides: ranks that wait for each other in a ring have done so for a
// while, or each rank has stood for a while where it is and none of them computes. Of a job that no
// longer exists, what its ranks left must prove it.
bool is_hung(const RankMeasures &ranks, const Members &members, const std::vector<Stand> &stands,
             const Waiting &waiting, const Observation &observation, const Moments &moments);

// Whether a job that no longer exists was hung, by what its ranks left. It is not known how
// long they had stood where they stand: that each of them was in a call tells nothing. What tells
// is that what they waited for could not come. Each rank of a ring waits for the next one, or a
// rank waits for one that is in MPI_Finalize. `waiting`: who waits for whom.
bool is_proven_hang(const RankMeasures &ranks, const Members &members, const Waiting &waiting);

// What to change in the program, for somebody who knows little of MPI.
std::string advice_of(const Waiting &waiting);

// ---- who ended the job (ended_by.cc) ------------------------------------------------------------

// Which rank ended a job that others were in the middle of: it called MPI_Abort, one of its calls
// failed so that the MPI ended the job, or it exited.
//
// The launcher ends the others, so these are not to blame. Of a rank that was killed by a signal
// nothing is recorded that tells it from those that the launcher killed.

struct EndedBy {
    uint32_t rank = 0;
    RankEnd how = RankEnd::none;  // abort, exit or died
    std::string words;            // "rank 2 called MPI_Abort(3) at solver.c:9"
};

std::optional<EndedBy> find_ended_by(const RankMeasures &ranks, const Merged &merged,
                                     const Observation &observation, const Moments &moments);

// ---- last calls (last_calls.cc) -----------------------------------------------------------------

// What ranks did last that have not ended normally, and which of them to look at first.

// Those that others wait for, no longer have a process, are stopped, called MPI_Abort, or stand
// where nobody else stands. `waited_for`: whom the headline blames, first.
std::vector<uint32_t> ranks_to_look_at(const RankMeasures &ranks, const std::vector<Stand> &stands,
                                       const std::vector<StandingRow> &rows,
                                       const std::vector<uint32_t> &waited_for);

// By rank, then in the order in which the calls began. Empty if no rank has a flight recorder.
std::vector<LastCallRow> find_last_calls(const RankMeasures &ranks, const Merged &merged,
                                         const std::vector<uint32_t> &look_at);

// ---- stacks (rank_stacks.cc) --------------------------------------------------------------------

// The stacks of ranks that are not in MPI: which ranks to look at, and the source lines of what is
// found. For mprof hang alone, because it stops the ranks' threads for a moment.

// At most four ranks that are outside MPI, those that others wait for first; or `wanted` alone.
std::vector<uint32_t> ranks_to_look_at(const Standing &standing, std::optional<uint32_t> wanted);

// `standing.stacks` and `stacks_remark`. Threads of libraries that only serve MPI or OpenMP are
// left out.
void add_stacks(const std::map<uint32_t, ProcessStacks> &by_rank, const SymbolOptions &options,
                Standing &standing);

}  // namespace mprof
