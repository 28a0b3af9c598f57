#include "analyse/standing/hung.h"

#include "analyse/standing/proven_hang.h"

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

// Of a rank that waits for one which makes no other call any more.
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
