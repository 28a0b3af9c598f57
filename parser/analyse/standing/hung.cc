// Whether a job hangs (stands.h): by time while it runs, else by what its ranks left.
#include "analyse/standing/stands.h"
#include "measure/rank_measure.h"
#include "report/verdict_thresholds.h"

#include <algorithm>

namespace mprof {

// ---- of a job that has ended --------------------------------------------------------

// A link is proven if the next rank, where it stands, cannot give what the rank waits for:
//   a receive     all that the next one ever sent to it has been received
//   a send        it waits for its receiver, and the next one has not got the message, and receives
//                 nothing, or another message
//   a collective  the next one has not come to it: it has made no more of them, and is elsewhere
// A rank in a blocking call cannot do another thing meanwhile. That is not known of a rank that
// calls MPI from several threads.

namespace {

// No MPI holds so much in buffers of its own, and copying it takes hardly any time. A standard
// send of so many elements therefore waits for its receiver, or has just begun to be copied.
constexpr uint32_t large_count = 1U << 16U;

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

bool only_receives(const Stand &stand)
{
    const FunctionFacts facts = facts_of(stand.what());
    return facts.receives && !facts.sends;
}

// All that its partner ever sent to it has been received: what it waits for is not on its way.
bool lacks_message(const RankFile &receiver_file, const Stand &receiver,
                   const RankFile &sender_file, const Stand &sender)
{
    const auto sent = messages_with(sender_file, MPROF_PARTNER_SENT, receiver.rank);
    const auto received = messages_with(receiver_file, MPROF_PARTNER_RECEIVED, sender.rank);
    return sent && received && *sent == *received;
}

// MPI_Send of much, MPI_Ssend, MPI_Wait for MPI_Issend.
bool must_wait_for_receiver(const RankFile &file, const Stand &stand)
{
    const FunctionFacts facts = facts_of(stand.what());
    if (!stand.waits() || !facts.sends || facts.receives)
        return false;
    if (!facts.standard_send)
        return facts.call == WaitRule::message || facts.completion == WaitRule::message;
    const mprof_thread *thread = last_seen_thread(file);
    return stand.starter.empty() && facts.call == WaitRule::message && thread != nullptr &&
           thread->call_count >= large_count;
}

// A sender that has lost its CPU stays in the call for a while after all has been received. A
// blocking send counts when it ends, another one when it starts.
bool is_not_received(const RankFile &sender_file, const Stand &sender, const RankFile &next_file,
                     const Stand &next)
{
    const auto sent = messages_with(sender_file, MPROF_PARTNER_SENT, next.rank);
    const auto received = messages_with(next_file, MPROF_PARTNER_RECEIVED, sender.rank);
    return sent && received && (sender.starter.empty() ? *sent == *received : *sent > *received);
}

bool is_on_one_thread(const RankFile &file)
{
    return file.threads.size() == 1 && file.threads[0].facts.threads <= 1;
}

// A receive that was started before, and might take a message meanwhile.
bool may_have_open_receives(const RankMeasure &rank)
{
    for (const ThreadRecord &thread : rank.file->threads)
        if (thread.facts.untracked_requests > 0 || thread.facts.lost_calls > 0)
            return true;
    return std::any_of(rank.entries.begin(), rank.entries.end(), [&](const MeasuredEntry &entry) {
        const FunctionFacts facts = facts_of(rank.file->function_name(entry.key.function));
        const bool is_pair = facts.sends && facts.call == WaitRule::never;  // MPI_Isendrecv
        const bool is_open = entry.key.kind == MPROF_KIND_PENDING && entry.calls > 0;
        return facts.receives && !facts.probes &&
               (is_open || is_pair || entry.key.kind == MPROF_KIND_START);
    });
}

// It stays in its call, and receives nothing in there.
bool receives_nothing(const RankMeasure &rank, const Stand &stand)
{
    const FunctionFacts facts = facts_of(stand.what());
    const bool is_known = stand.requests == 0 || !stand.starter.empty();
    return stand.in_call && !stand.polls && is_known && !facts.receives && !facts.poll &&
           !may_have_open_receives(rank);
}

// It waits for another message of this sender, and for nothing else.
bool receives_another(const Stand &sender, const RankMeasure &rank, const Stand &receiver)
{
    if (!receiver.in_call || receiver.polls || !only_receives(receiver) || receiver.requests > 1 ||
        receiver.world_peer != sender.rank || may_have_open_receives(rank))
        return false;
    if (sender.communicator != receiver.communicator)
        return sender.communicator != 0 && receiver.communicator != 0;
    return sender.tag != 0 && receiver.tag != 0 && receiver.tag != MPROF_TAG_ANY &&
           receiver.tag != sender.tag;
}

// What `stand` waits for cannot come from `next` where that stands.
bool is_proven_link(const RankMeasures &ranks, const Members &members, const Stand &stand,
                    const Stand &next)
{
    const RankFile &file = *ranks[stand.index].file, &next_file = *ranks[next.index].file;
    const FunctionFacts facts = facts_of(stand.function);
    if (!stand.waits() || stand.polls)
        return false;
    if (is_collective(facts.call))
        return next.in_call && !next.polls && is_on_one_thread(next_file) &&
               members.has_not_come(stand.communicator, stand.rank, next.rank);
    if (only_receives(stand))
        return lacks_message(file, stand, next_file, next);
    return must_wait_for_receiver(file, stand) && is_on_one_thread(next_file) &&
           is_not_received(file, stand, next_file, next) &&
           (receives_nothing(ranks[next.index], next) ||
            receives_another(stand, ranks[next.index], next));
}

}  // namespace

bool is_proven_hang(const RankMeasures &ranks, const Members &members, const Waiting &waiting)
{
    const std::vector<const Stand *> &ring = waiting.ring;
    for (size_t i = 0; i < ring.size(); i++)
        if (!is_proven_link(ranks, members, *ring[i], *ring[(i + 1) % ring.size()]))
            return false;
    if (!ring.empty())
        return true;
    return waiting.last != nullptr && waiting.end != nullptr && waiting.end->in_call &&
           facts_of(waiting.end->function).ends_mpi &&
           is_proven_link(ranks, members, *waiting.last, *waiting.end);
}

// ---- of any job ---------------------------------------------------------------------------------

namespace {

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
        return length_s >= standing_limits.stuck_after_s;
    if (may_wait(stand))
        return length_s >= standing_limits.stuck_after_s;
    return stand.state == RankState::outside_mpi && observation.asleep.contains(stand.rank) &&
           length_s >= standing_limits.asleep_after_s;
}

bool all_are_stuck(const std::vector<Stand> &stands, const Observation &observation,
                   const Moments &moments)
{
    return std::all_of(stands.begin(), stands.end(), [&](const Stand &stand) {
        return is_stuck(stand, observation, moments.now_s - stand.since_s);
    });
}

bool sends(const Stand *stand)
{
    const FunctionFacts facts = facts_of(stand->what());
    return facts.sends && !facts.receives;
}

bool receives(const Stand *stand)
{
    const FunctionFacts facts = facts_of(stand->what());
    return facts.receives && !facts.sends;
}

std::string advice_of_ring(const std::vector<const Stand *> &ring)
{
    if (std::all_of(ring.begin(), ring.end(), sends))
        return "each of these ranks sends, and none receives. Let one of them receive first, or "
               "use MPI_Sendrecv";
    if (std::all_of(ring.begin(), ring.end(), receives))
        return "each of these ranks receives, and none sends. Let one of them send first";
    return "the calls of these ranks do not match. Compare their order at these lines: all ranks "
           "must call a collective, and each receive needs a send";
}

// Of a rank that waits for one which makes no further call.
bool waits_for_the_end(const Waiting &waiting)
{
    return waiting.last != nullptr && waiting.end != nullptr && waiting.end->in_call &&
           facts_of(waiting.end->function).ends_mpi;
}

// mpi4py calls MPI_Finalize when the interpreter ends.
bool is_of_python(const std::string &place)
{
    return place.starts_with("python") || place.starts_with("libpython") ||
           place.find(".cpython-") != std::string::npos || place.find(".py:") != std::string::npos;
}

std::string advice_of_end(const Stand &end)
{
    std::string words = "it has finished its part of the work while others still wait for it. ";
    if (is_of_python(end.place))
        return words + "A script that an exception ends is there as well: see what it printed. "
                       "python3 -m mpi4py.run ends the whole job then";
    return words + "Find the call that it left out";
}

}  // namespace

std::string advice_of(const Waiting &waiting)
{
    if (waiting.does_not_match)
        return "the send and the receive must name the same tag and the same communicator";
    if (waiting.is_moment)
        return "look again in some seconds: in a job that goes on, other ranks wait then";
    if (!waiting.ring.empty())
        return advice_of_ring(waiting.ring);
    if (waiting.end != nullptr && facts_of(waiting.end->function).ends_mpi)
        return advice_of_end(*waiting.end);
    if (!waiting.headline.empty())
        return "find out what it does there, and why it does not make the call that the others "
               "wait for";
    return "";
}

bool is_hung(const RankMeasures &ranks, const Members &members, const std::vector<Stand> &stands,
             const Waiting &waiting, const Observation &observation, const Moments &moments)
{
    if (waiting.headline.empty())
        return false;
    if (!observation.running)
        return is_proven_hang(ranks, members, waiting);
    return (!waiting.ring.empty() && have_waited_long(waiting.ring, moments)) ||
           (waits_for_the_end(waiting) && have_waited_long({waiting.last, waiting.end}, moments)) ||
           all_are_stuck(stands, observation, moments);
}

}  // namespace mprof
