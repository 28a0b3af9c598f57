// The steps of all ranks once more, as if no message was buffered: each send of a kind that may
// wait for its receiver does wait. Where ranks then wait in a circle, the program depends on
// buffers. And which receives from MPI_ANY_SOURCE could have got the message of another rank.
//
// No false alarm: matching is as it was in the run, n-th message to n-th receive with the same
// source, tag and communicator. What is not known waits for nobody, and whoever went past such a
// place is taken to know all that happened before, so nothing of it is a race.
// For lint_steps.cc.
#pragma once

#include "measure/function_facts.h"
#include "mprof/format/format.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mprof {

inline constexpr uint32_t no_step = UINT32_MAX;

// A step with what its rank alone does not know.
struct ReplayStep {
    mprof_lint_step_kind kind = MPROF_LINT_SEND;
    uint8_t flags = 0;
    WaitRule rule = WaitRule::never;  // of collectives
    uint32_t communicator = 0;        // the same number on all ranks; 0 = not known
    uint32_t rank = no_step;  // index of the other side, of receives when they were complete
    uint32_t tag = 0;
    uint32_t started = no_step;    // COMPLETE: which step
    uint32_t root = no_step;       // index of the collective's root
    uint32_t asked_tag = 0;        // of receives; as `tag`
    uint32_t completed = no_step;  // of receives and sends: where; itself if it blocks
    uint32_t partner = no_step;    // of sends and receives: the step of the other side
    uint32_t instance = no_step;   // of collectives: number on its communicator, from 0

    bool has(mprof_lint_step_flags flag) const { return (flags & flag) != 0; }
    bool is_message() const { return kind == MPROF_LINT_SEND || kind == MPROF_LINT_RECEIVE; }
};

struct ReplayRank {
    std::vector<ReplayStep> steps;
    bool is_whole = false;  // nothing is missing at the end
};

// How many ranks take part in a communicator's collectives, by its number.
using ReplayMembers = std::vector<uint32_t>;

struct StepPlace {
    uint32_t rank = 0, step = 0;
};

// `from` could have been received by `receive` instead.
struct ReceiveRace {
    StepPlace receive, from;
};

struct ReplayResult {
    std::vector<std::vector<StepPlace>> cycles;  // the sends of each, in the order of the circle
    std::vector<ReceiveRace> races;              // at most one for each receive
    std::vector<StepPlace> wrong_tags;  // sends whose receiver never asks for their tag, at its end
};

// Fills in `completed`, `partner` and `instance`.
ReplayResult replay_steps(std::vector<ReplayRank> &ranks, const ReplayMembers &members);

// Which send belongs to which receive, and which instance of its communicator a collective is: what
// the replay needs before it begins.

// Fills in `completed`, `partner` and `instance`.
void match_steps(std::vector<ReplayRank> &ranks);

// Sends that no receive took, whose receiver told all and asked for no such tag of them.
std::vector<StepPlace> sends_with_wrong_tags(const std::vector<ReplayRank> &ranks);

}  // namespace mprof
