#include "analyse/standing/hung.h"

#include <algorithm>

namespace mprof {
namespace {

// Calls of healthy jobs seldom take that long, but those that move very much or wait for a disk.
constexpr double stuck_after_s = 1;
// A rank outside MPI may wait for a file or a service for a while.
constexpr double asleep_after_s = 5;

bool may_wait(const Stand &stand)
{
    const FunctionFacts facts = facts_of(stand.function);
    const bool moves_data = facts.moves_file && !facts.needs_all;
    return stand.waits() && (stand.polls || facts.needs_all || facts.call != WaitRule::never) &&
           !moves_data;
}

// A rank in a debugger stands because somebody looks at it.
bool is_stuck(const Stand &stand, const Observation &observation, double length_s)
{
    if (stand.state == RankState::gone || stand.state == RankState::stopped)
        return length_s >= stuck_after_s;
    if (may_wait(stand))
        return length_s >= stuck_after_s;
    return stand.state == RankState::outside_mpi && observation.asleep.contains(stand.rank) &&
           length_s >= asleep_after_s;
}

bool all_are_stuck(const std::vector<Stand> &stands, const Observation &observation,
                   const Moments &moments)
{
    return std::all_of(stands.begin(), stands.end(), [&](const Stand &stand) {
        return is_stuck(stand, observation, moments.now_s - stand.since_s);
    });
}

bool have_waited_long(const std::vector<const Stand *> &links, const Moments &moments)
{
    return std::all_of(links.begin(), links.end(), [&](const Stand *link) {
        return moments.now_s - link->since_s >= stuck_after_s;
    });
}

// Messages of `kind` with `partner`; none if some are not known by partner.
std::optional<uint64_t> messages_with(const RankFile &file, mprof_partner_kind kind,
                                      uint32_t partner)
{
    uint64_t messages = 0;
    for (const ThreadRecord &thread : file.threads)
        for (const mprof_partner &row : thread.partners) {
            if (row.kind == kind && row.rank == MPROF_RANK_OTHER)
                return {};
            if (row.kind == kind && row.rank == partner)
                messages += row.messages;
        }
    return messages;
}

// All that its partner ever sent to it has been received: what it waits for is not on its way.
bool lacks_message(const RankMeasures &ranks, const Stand &receiver, const Stand &sender)
{
    const FunctionFacts facts = facts_of(receiver.what());
    if (!facts.receives || facts.sends)
        return false;
    const auto sent = messages_with(*ranks[sender.index].file, MPROF_PARTNER_SENT, receiver.rank);
    const auto received =
        messages_with(*ranks[receiver.index].file, MPROF_PARTNER_RECEIVED, sender.rank);
    return sent && received && *sent == *received;
}

bool is_proven_ring(const RankMeasures &ranks, const std::vector<const Stand *> &links)
{
    for (size_t i = 0; i < links.size(); i++)
        if (!lacks_message(ranks, *links[i], *links[(i + 1) % links.size()]))
            return false;
    return !links.empty();
}

}  // namespace

bool is_hung(const RankMeasures &ranks, const std::vector<Stand> &stands, const Waiting &waiting,
             const Observation &observation, const Moments &moments)
{
    if (waiting.headline.empty())
        return false;
    if (!observation.running)
        return is_proven_ring(ranks, waiting.ring);
    return (!waiting.ring.empty() && have_waited_long(waiting.ring, moments)) ||
           all_are_stuck(stands, observation, moments);
}

}  // namespace mprof
