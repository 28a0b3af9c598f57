#include "lint/step_replay.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mprof {
namespace {

// Where messages overtake nobody.
struct Channel {
    uint32_t communicator = 0, from = 0, to = 0, tag = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): there is no pointer
    auto operator<=>(const Channel &) const = default;
};

// What came to an end, and of receives, from whom.
void complete_steps(ReplayRank &rank)
{
    for (uint32_t i = 0; i < rank.steps.size(); i++) {
        ReplayStep &step = rank.steps[i];
        if (step.has(MPROF_LINT_BLOCKS))
            step.completed = i;
        if (step.kind != MPROF_LINT_COMPLETE || step.started >= i)
            continue;
        ReplayStep &started = rank.steps[step.started];
        started.completed = i;
        if (started.kind == MPROF_LINT_RECEIVE) {
            started.rank = step.rank;
            started.tag = step.tag;
        }
    }
}

// Behind a receive that never completed it is not known which message it took, of those that it
// could have taken. Returns from which step on.
bool may_take(const ReplayStep &open, const ReplayStep &receive)
{
    const bool same_source =
        open.has(MPROF_LINT_ANY_SOURCE) || open.rank == no_step || open.rank == receive.rank;
    const bool same_tag = open.has(MPROF_LINT_ANY_TAG) || open.asked_tag == receive.tag;
    return open.communicator == receive.communicator && same_source && same_tag;
}

using Queues = std::map<Channel, std::vector<StepPlace>>;

void add_receives(const ReplayRank &rank, uint32_t number, Queues &receives)
{
    std::vector<const ReplayStep *> open;
    for (uint32_t i = 0; i < rank.steps.size(); i++) {
        const ReplayStep &step = rank.steps[i];
        if (step.kind != MPROF_LINT_RECEIVE)
            continue;
        if (step.completed == no_step) {
            open.push_back(&step);
            continue;
        }
        const bool is_sure = step.communicator != 0 && step.rank != no_step &&
                             std::none_of(open.begin(), open.end(), [&](const ReplayStep *other) {
                                 return may_take(*other, step);
                             });
        const Channel channel{step.communicator, step.rank, number, step.tag};
        // A channel ends with the first receive that is not sure.
        if (is_sure && (receives.count(channel) == 0 || receives[channel].back().step != no_step))
            receives[channel].push_back({number, i});
        else
            receives[channel].push_back({number, no_step});
    }
}

void add_sends(const ReplayRank &rank, uint32_t number, Queues &sends)
{
    for (uint32_t i = 0; i < rank.steps.size(); i++) {
        const ReplayStep &step = rank.steps[i];
        if (step.kind == MPROF_LINT_SEND && step.communicator != 0 && step.rank != no_step)
            sends[{step.communicator, number, step.rank, step.tag}].push_back({number, i});
    }
}

void number_collectives(ReplayRank &rank)
{
    std::map<uint32_t, uint32_t> counts;
    for (ReplayStep &step : rank.steps)
        if (step.kind == MPROF_LINT_COLLECTIVE && step.communicator != 0)
            step.instance = counts[step.communicator]++;
}

// What a rank asked for on a communicator.
bool asks_for(const ReplayRank &rank, uint32_t source, const ReplayStep &send)
{
    return std::any_of(rank.steps.begin(), rank.steps.end(), [&](const ReplayStep &step) {
        if (step.kind != MPROF_LINT_RECEIVE)
            return false;
        if (step.has(MPROF_LINT_MATCHED))
            return true;  // a probe did, and nobody knows for what
        const bool same_tag = step.has(MPROF_LINT_ANY_TAG) || step.asked_tag == send.tag;
        const bool same_source =
            step.has(MPROF_LINT_ANY_SOURCE) || step.rank == no_step || step.rank == source;
        const bool same_comm = step.communicator == 0 || step.communicator == send.communicator;
        return same_tag && same_source && same_comm;
    });
}

}  // namespace

void match_steps(std::vector<ReplayRank> &ranks)
{
    Queues sends, receives;
    for (uint32_t r = 0; r < ranks.size(); r++) {
        complete_steps(ranks[r]);
        number_collectives(ranks[r]);
        add_sends(ranks[r], r, sends);
        add_receives(ranks[r], r, receives);
    }
    for (const auto &[channel, sent] : sends) {
        const auto received = receives.find(channel);
        if (received == receives.end())
            continue;
        for (size_t i = 0; i < std::min(sent.size(), received->second.size()); i++) {
            const StepPlace to = received->second[i];
            if (to.step == no_step)
                break;
            ranks[sent[i].rank].steps[sent[i].step].partner = to.step;
            ranks[to.rank].steps[to.step].partner = sent[i].step;
        }
    }
}

std::vector<StepPlace> sends_with_wrong_tags(const std::vector<ReplayRank> &ranks)
{
    std::vector<StepPlace> found;
    for (uint32_t r = 0; r < ranks.size(); r++)
        for (uint32_t i = 0; i < ranks[r].steps.size(); i++) {
            const ReplayStep &send = ranks[r].steps[i];
            if (send.kind != MPROF_LINT_SEND || send.partner != no_step || send.rank == no_step ||
                send.communicator == 0)
                continue;
            const ReplayRank &receiver = ranks[send.rank];
            if (receiver.is_whole && !asks_for(receiver, r, send))
                found.push_back({r, i});
        }
    return found;
}

}  // namespace mprof
