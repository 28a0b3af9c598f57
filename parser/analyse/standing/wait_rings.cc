// A rank waits for its partner, or in a collective for every member that is not in it. Ranks are
// the nodes of a graph; so are collectives that wait, because else there would be an arrow from
// each rank that is in one to each that is not.
#include "analyse/standing/stands.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mprof {
namespace {

class Partners {
public:
    explicit Partners(const std::vector<Stand> &stands) : stands_(stands)
    {
        for (const Stand &stand : stands)
            by_rank_[stand.rank] = &stand;
    }

    const Stand *of_rank(int64_t rank) const
    {
        const auto at = by_rank_.find(rank);
        return at == by_rank_.end() ? nullptr : at->second;
    }

    // The one that a rank waits for. All wait for the root of a broadcast but the root itself.
    const Stand *of(const Stand &stand) const
    {
        if (!stand.waits())
            return nullptr;
        if (facts_of(stand.function).memory_of_rank)
            return facts_of(stand.function).locks ? holder(stand) : nullptr;
        if (!stand.world_peer || *stand.world_peer == stand.rank || stand.requests > 1)
            return nullptr;
        const FunctionFacts facts = facts_of(stand.what());
        if (stand.polls && !facts.receives && !facts.sends)
            return nullptr;
        return of_rank(*stand.world_peer);
    }

private:
    // Windows of one communicator look the same, so with several holders it is not known whose
    // lock it is.
    const Stand *holder(const Stand &stand) const
    {
        const Stand *found = nullptr;
        for (const Stand &other : stands_) {
            if (&other == &stand || stand.communicator == 0 ||
                other.locked_window != stand.communicator || other.locked_rank != stand.peer)
                continue;
            if (found != nullptr)
                return nullptr;
            found = &other;
        }
        return found;
    }

    const std::vector<Stand> &stands_;
    std::map<int64_t, const Stand *> by_rank_;
};

bool waits_for_everyone(const Stand &stand, const Members &members, const Moments &moments)
{
    const FunctionFacts facts = facts_of(stand.function);
    return stand.waits() && !stand.polls && stand.communicator != 0 &&
           (facts.call == WaitRule::everyone || facts.needs_all) &&
           (moments.now_s - stand.since_s >= standing_limits.ring_after_s ||
            (!moments.running && members.counts_collectives(stand.communicator, stand.rank)));
}

// Depth first, without recursion: the way may be as long as there are ranks.
class RingFinder {
public:
    RingFinder(const std::vector<Stand> &stands, const Members &members, const Moments &moments)
        : stands_(stands), partners_(stands), running_(moments.running)
    {
        after_.resize(stands.size());
        for (size_t i = 0; i < stands.size(); i++) {
            if (waits_for_everyone(stands[i], members, moments)) {
                const size_t node = node_of_collective(stands[i], members);  // makes after_ longer
                after_[i].push_back(node);
            } else if (const Stand *partner = partners_.of(stands[i])) {
                after_[i].push_back(number_of(partner));
            }
        }
    }

    WaitChain find()
    {
        states_.assign(after_.size(), State::fresh);
        WaitChain ring;
        for (size_t i = 0; i < stands_.size() && !ring.is_ring; i++)
            if (states_[i] == State::fresh)
                ring = search(i);
        return ring;
    }

private:
    enum class State { fresh, on_the_way, done };
    struct Step {
        size_t node = 0, next = 0;
    };

    size_t number_of(const Stand *stand) const
    {
        return static_cast<size_t>(stand - stands_.data());
    }

    size_t node_of_collective(const Stand &stand, const Members &members)
    {
        const auto [at, is_new] =
            collectives_.try_emplace(std::pair(stand.communicator, stand.function), after_.size());
        if (!is_new)
            return at->second;
        std::vector<size_t> absent;
        for (const Stand &other : stands_)
            if (members.has(stand.communicator, other.rank) &&
                !(other.in_call && other.communicator == stand.communicator &&
                  other.function == stand.function) &&
                (running_ || !members.has_left(stand.communicator, stand.rank, other.rank)))
                absent.push_back(number_of(&other));
        after_.push_back(std::move(absent));
        return at->second;
    }

    WaitChain search(size_t begin)
    {
        std::vector<Step> way = {{begin}};
        states_[begin] = State::on_the_way;
        while (!way.empty()) {
            Step &step = way.back();
            if (step.next == after_[step.node].size()) {
                states_[step.node] = State::done;
                way.pop_back();
                continue;
            }
            const size_t next = after_[step.node][step.next++];
            if (states_[next] == State::on_the_way)
                return ring_of(way, next);
            if (states_[next] == State::fresh) {
                states_[next] = State::on_the_way;
                way.push_back({next});
            }
        }
        return {};
    }

    WaitChain ring_of(const std::vector<Step> &way, size_t first) const
    {
        WaitChain ring;
        ring.is_ring = true;
        auto at = std::find_if(way.begin(), way.end(),
                               [&](const Step &step) { return step.node == first; });
        for (; at != way.end(); ++at)
            if (at->node < stands_.size())
                ring.links.push_back(&stands_[at->node]);
        // The one with the least rank first, if the way began at a collective.
        std::rotate(
            ring.links.begin(),
            std::min_element(ring.links.begin(), ring.links.end(),
                             [](const Stand *a, const Stand *b) { return a->rank < b->rank; }),
            ring.links.end());
        return ring;
    }

    const std::vector<Stand> &stands_;
    Partners partners_;
    bool running_;
    std::vector<std::vector<size_t>> after_;  // by node: ranks, then collectives
    std::map<std::pair<uint32_t, std::string>, size_t> collectives_;
    std::vector<State> states_;
};

// Each rank is visited once, so a chain that joins an earlier one is not reported again.
class ChainFinder {
public:
    explicit ChainFinder(const std::vector<Stand> &stands) : stands_(stands), partners_(stands) {}

    // From ranks that nobody waits for, so that it is whole.
    WaitChain find()
    {
        std::set<const Stand *> waited_for;
        for (const Stand &stand : stands_)
            waited_for.insert(partners_.of(stand));
        WaitChain best;
        for (const Stand &stand : stands_)
            if (!waited_for.contains(&stand))
                keep_better(best, follow(stand));
        return best;
    }

private:
    WaitChain follow(const Stand &start)
    {
        WaitChain chain;
        const Stand *at = &start;
        for (; at != nullptr && passed_.insert(at).second; at = partners_.of(*at))
            chain.links.push_back(at);
        if (at != nullptr)
            chain.links.clear();
        return chain;
    }

    static void keep_better(WaitChain &best, WaitChain found)
    {
        if (found.links.size() > std::max<size_t>(1, best.links.size()))
            best = std::move(found);
    }

    const std::vector<Stand> &stands_;
    Partners partners_;
    std::set<const Stand *> passed_;
};

std::string link_text(const Stand &stand, const Stand &next)
{
    return fmt::format("rank {} {} {} waits for {}rank {}", stand.rank,
                       stand.polls ? "polling with" : "in", short_call_words(stand),
                       facts_of(stand.function).locks ? "the lock of " : "", next.rank);
}

bool waits_to_send(const Stand &stand)
{
    const FunctionFacts facts = facts_of(stand.what());
    return stand.waits() && facts.sends && !facts.receives && stand.world_peer && stand.tag != 0;
}

bool waits_to_receive(const Stand &stand, uint32_t sender)
{
    const FunctionFacts facts = facts_of(stand.what());
    const bool from_it = stand.peer == MPROF_ANY_PEER || stand.world_peer == sender;
    return stand.waits() && facts.receives && !facts.sends && from_it && stand.tag != 0;
}

// What differs, "" if the receive takes the message.
std::string difference(const Stand &sender, const Stand &receiver)
{
    if (sender.communicator != receiver.communicator)
        return sender.communicator != 0 && receiver.communicator != 0 ? "communicators" : "";
    return receiver.tag != MPROF_TAG_ANY && receiver.tag != sender.tag ? "tags" : "";
}

std::string on_words(const Stand &stand)
{
    return " on " + stand.communicator_name;
}

std::string mismatch_sentence(const std::string &what, const Stand &sender, const Stand &receiver)
{
    const bool tags = what == "tags";
    const std::string from = receiver.world_peer ? fmt::format("rank {}", sender.rank) : "any rank";
    return fmt::format(
        "the {} of a message do not match: rank {} in {}{} sends {} to rank {}, rank {} in {}{} "
        "waits for {} from {}",
        what, sender.rank, sender.function, at_place(sender.place),
        tags ? fmt::format("tag {}", sender.tag - 1) : "it" + on_words(sender), receiver.rank,
        receiver.rank, receiver.function, at_place(receiver.place),
        tags ? fmt::format("tag {}", receiver.tag - 1) : "one" + on_words(receiver), from);
}

std::string chain_text(const WaitChain &chain, bool is_moment, const Moments &moments)
{
    constexpr size_t most_links = 8;
    std::string words;
    if (chain.is_ring)
        words = is_moment ? "ranks wait for each other, as in any exchange, and not for long yet: "
                          : "a ring of ranks that wait for each other: ";
    const size_t links = chain.links.size() - (chain.is_ring ? 0 : 1);
    for (size_t i = 0; i < std::min(links, most_links); i++)
        words += (i == 0 ? "" : ", ") +
                 link_text(*chain.links[i], *chain.links[(i + 1) % chain.links.size()]);
    if (links > most_links)
        words += fmt::format(", and so on over {}", plural(links, "rank"));
    if (!chain.is_ring)
        words += fmt::format("{} is {}",
                             links > most_links ? fmt::format("; rank {}", chain.links.back()->rank)
                                                : ", which",
                             doing(*chain.links.back(), moments));
    return words;
}

// A rank in MPI_Finalize makes no other calls: the ring is a chain that ends there.
WaitChain opened_at_the_end(WaitChain ring)
{
    const auto last = std::find_if(ring.links.begin(), ring.links.end(), [](const Stand *link) {
        return facts_of(link->function).ends_mpi;
    });
    if (last == ring.links.end())
        return ring;
    std::rotate(ring.links.begin(), last + 1, ring.links.end());
    ring.is_ring = false;
    return ring;
}

}  // namespace

bool have_waited_long(const std::vector<const Stand *> &links, const Moments &moments)
{
    return std::all_of(links.begin(), links.end(), [&](const Stand *link) {
        return moments.now_s - link->since_s >= standing_limits.stuck_after_s;
    });
}

WaitChain find_ring(const std::vector<Stand> &stands, const Members &members,
                    const Moments &moments)
{
    return opened_at_the_end(RingFinder(stands, members, moments).find());
}

WaitChain find_chain(const std::vector<Stand> &stands)
{
    return ChainFinder(stands).find();
}

Waiting waiting_of(const WaitChain &chain, const Moments &moments)
{
    if (chain.links.empty())
        return {};
    Waiting found;
    found.is_moment = chain.is_ring && moments.running && !have_waited_long(chain.links, moments);
    found.headline = chain_text(chain, found.is_moment, moments);
    if (found.is_moment)
        return found;
    if (chain.is_ring)
        found.ring = chain.links;
    for (const Stand *link : found.ring)
        found.blamed.push_back(link->rank);
    if (!chain.is_ring) {
        found.blamed.push_back(chain.links.back()->rank);
        found.end = chain.links.back();
        if (chain.links.size() > 1)
            found.last = chain.links[chain.links.size() - 2];
    }
    return found;
}

Waiting find_mismatch(const std::vector<Stand> &stands)
{
    const Partners partners(stands);
    Waiting found;
    uint64_t more = 0;
    for (const Stand &sender : stands) {
        const Stand *receiver =
            waits_to_send(sender) ? partners.of_rank(*sender.world_peer) : nullptr;
        if (receiver == nullptr || !waits_to_receive(*receiver, sender.rank))
            continue;
        const std::string what = difference(sender, *receiver);
        if (what.empty())
            continue;
        if (!found.headline.empty()) {
            more++;
            continue;
        }
        found.headline = mismatch_sentence(what, sender, *receiver);
        found.blamed = {sender.rank, receiver->rank};
        found.ring = {&sender, receiver};
        found.does_not_match = true;
    }
    if (more > 0)
        found.headline +=
            fmt::format("; so {} {}", more == 1 ? "does" : "do", plural(more, "more pair"));
    return found;
}

}  // namespace mprof
