// Where each rank stands that has not ended: in which call since when, with whom; and the words for
// it that all sentences of `standing` share.
#pragma once

#include "analyse/analysis_parts.h"
#include "measure/function_facts.h"

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

}  // namespace mprof
