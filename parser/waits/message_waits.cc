// Late partners.
//
// Time beyond a message's cost can have two reasons: the partner was late, or the message was slow
// (many at once, a busy core, a rank that was descheduled). Durations alone cannot tell which, but
// one thing is sure: a rank can be waited for only while it is away from its messages, that is,
// while it computes, is in collectives, or itself waits for a third one. So what rank i waits for
// rank j is at most j's absence plus what j waits for ranks other than i. From the bottom up: first
// nobody's waiting counts, then what follows from that, and so on, until nothing changes. Two ranks
// that exchange messages all the time and do not compute are so not said to wait for each other.
//
// Waiting is summed over threads, and each thread of rank i can wait through the same absence. So
// where several threads of i are in messages, the limit is that of one of them, times their number.
//
// A call that waits for the last of several ranks (MPI_Win_wait) does not tell who that was. By the
// same rule it is the likelier one of them, the longer it was away: the waiting is divided so.
//
// What is waited for a rank that waited itself is passed on to the one that it waited for. Who was
// late for whom in collectives is not in these chains.
#include "waits/wait_parts.h"

#include "measure/for_all_ranks.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

namespace mprof {
namespace {

constexpr size_t most_rounds = 512;

constexpr uint32_t none = UINT32_MAX;

struct Pair {
    uint32_t partner = 0;
    uint32_t back = none;  // index of the pair of the partner with this rank
    double most_s = 0;     // beyond the cost of the messages
    double wait_s = 0;     // what can have been
    double next_s = 0;

    double part() const { return most_s > 0 ? wait_s / most_s : 0; }
};

// A callsite's part of what is waited for a partner.
struct Edge {
    uint32_t partner = 0;
    uint32_t callsite = 0;
    double most_s = 0;
};

struct Waiter {
    std::vector<Pair> pairs;  // with those that are known, by partner
    std::vector<Edge> edges;
    std::vector<std::pair<uint32_t, double>> unknown_s;  // callsite: for partners not known
    double threads = 1;                                  // of them, in messages
    double away_s = 0;                                   // from its messages, one of them
    double wait_s = 0;                                   // for known partners, all of them

    const Pair *find(size_t partner) const
    {
        const auto at =
            std::lower_bound(pairs.begin(), pairs.end(), partner,
                             [](const Pair &pair, size_t rank) { return pair.partner < rank; });
        return at == pairs.end() || at->partner != partner ? nullptr : &*at;
    }
    // Adds up rows of the same partner, in the order in which they came.
    void join_pairs()
    {
        std::stable_sort(pairs.begin(), pairs.end(),
                         [](const Pair &a, const Pair &b) { return a.partner < b.partner; });
        size_t last = 0;
        for (size_t i = 1; i < pairs.size(); i++)
            if (pairs[last].partner == pairs[i].partner)
                pairs[last].most_s += pairs[i].most_s;
            else
                pairs[++last] = pairs[i];
        pairs.resize(std::min(pairs.size(), last + 1));
        pairs.shrink_to_fit();
        edges.shrink_to_fit();
    }
};

double waiting_of(const MeasuredEntry &entry)
{
    return entry.wait_s.value_or(0);
}

class Messages {
public:
    explicit Messages(WaitContext &context) : context_(context), waiters_(context.ranks.size())
    {
        for (size_t r = 0; r < waiters_.size(); r++) {
            waiters_[r].threads = context.times[r].message_threads;
            waiters_[r].away_s = context.times[r].message_away_s;
        }
        // Who waits for whom tells who was away.
        std::atomic<bool> any_of_one{false};
        for_all_ranks(waiters_.size(), [&](size_t r) {
            if (add_edges(r, false))
                any_of_one = true;
        });
        for (size_t r = 0; any_of_one && r < waiters_.size(); r++)
            add_edges(r, true);
        for_all_ranks(waiters_.size(), [&](size_t r) { find_backs(r); });
    }

    void limit()
    {
        const size_t rounds = std::min(rounds_in_time(), waiters_.size() + 1);
        bool changed = true;
        for (size_t round = 0; changed && round < rounds; round++) {
            std::atomic<bool> any_changed{false};
            for_all_ranks(waiters_.size(), [&](size_t r) {
                for (Pair &pair : waiters_[r].pairs)
                    pair.next_s =
                        std::min(pair.most_s, waiters_[r].threads * longest_wait_for(pair));
            });
            for_all_ranks(waiters_.size(), [&](size_t r) {
                Waiter &waiter = waiters_[r];
                double wait_s = 0;
                for (Pair &pair : waiter.pairs)
                    wait_s += pair.wait_s = pair.next_s;
                if (std::abs(wait_s - waiter.wait_s) > 1e-6 * waiter.wait_s)
                    any_changed = true;
                waiter.wait_s = wait_s;
            });
            changed = any_changed;
        }
    }

    // To the entries, callsite by callsite.
    void apply()
    {
        for_all_ranks(waiters_.size(), [&](size_t r) {
            std::map<uint32_t, std::pair<double, double>> sums;  // most, limited
            for (const Edge &edge : waiters_[r].edges) {
                sums[edge.callsite].first += edge.most_s;
                sums[edge.callsite].second += wait_of(r, edge);
            }
            for (const auto &[callsite, seconds] : waiters_[r].unknown_s) {
                sums[callsite].first += seconds;
                sums[callsite].second += seconds;
            }
            context_.ranks[r].entries.set_waits([&](const MeasuredEntry &entry) {
                const auto sum = sums.find(entry.key.callsite);
                if (!entry.wait_s || !is_message(r, entry) || sum == sums.end() ||
                    sum->second.first <= 0)
                    return entry.wait_s;
                const double part = sum->second.second / sum->second.first;
                return KnownSeconds(*entry.wait_s * part);
            });
        });
    }

    // Waiting for a rank is passed on to other ranks as long as that rank itself waited. What is
    // still on its way after many rounds, or is too little to matter, stays where it is.
    std::vector<double> blame() const
    {
        constexpr double little = 1e-15;  // of all that is waited
        std::vector<double> kept(waiters_.size()), moving(waiters_.size()), next(waiters_.size());
        const std::vector<double> keeps = kept_parts(moving);
        const std::vector<Share> shares = shares_of_partners();
        const double all = std::accumulate(moving.begin(), moving.end(), 0.0);
        const size_t rounds = rounds_in_time();
        double left = all;
        for (size_t round = 0; round < rounds && left > little * all; round++) {
            std::fill(next.begin(), next.end(), 0.0);
            left = 0;
            const Share *share = shares.data();
            for (size_t r = 0; r < waiters_.size(); r++) {
                const double passed = moving[r] * (1 - keeps[r]);
                kept[r] += moving[r] - passed;
                left += passed;
                for (const Share *const end = share + waiters_[r].pairs.size(); share != end;
                     ++share)
                    next[share->partner] += passed * share->part;
            }
            moving.swap(next);
        }
        for (size_t r = 0; r < waiters_.size(); r++)
            kept[r] += moving[r];
        return kept;
    }

    std::map<size_t, std::map<CallPlace, double>> places(const std::vector<size_t> &ranks)
    {
        std::map<size_t, std::map<CallPlace, double>> result;
        for (const size_t rank : ranks)
            result[rank];
        for (size_t r = 0; r < waiters_.size(); r++) {
            std::optional<std::map<uint32_t, CallPlace>> places;
            for (const Edge &edge : waiters_[r].edges) {
                const auto of_partner = result.find(edge.partner);
                if (of_partner == result.end() || wait_of(r, edge) <= 0)
                    continue;
                if (!places)
                    places = places_of_sites(r);
                of_partner->second[places->at(edge.callsite)] += wait_of(r, edge);
            }
        }
        return result;
    }

    std::vector<std::map<size_t, double>> pairs() const
    {
        std::vector<std::map<size_t, double>> result(waiters_.size());
        for (size_t r = 0; r < waiters_.size(); r++)
            for (const Pair &pair : waiters_[r].pairs)
                if (pair.wait_s > 0)
                    result[r][pair.partner] = pair.wait_s;
        return result;
    }

private:
    // Where many ranks talk to many, little is left to change after a few rounds.
    size_t rounds_in_time() const
    {
        constexpr size_t most_steps = 200'000'000, least_rounds = 8;
        size_t pairs = 1;
        for (const Waiter &waiter : waiters_)
            pairs += waiter.pairs.size();
        return std::clamp(most_steps / pairs, least_rounds, most_rounds);
    }

    bool is_message(size_t rank, const MeasuredEntry &entry)
    {
        const FunctionFacts &rules = context_.facts_of_entry(rank, entry);
        return (entry.key.kind == MPROF_KIND_COMPLETION ? rules.completion : rules.call) ==
               WaitRule::message;
    }

    static bool waits_for_one_of(const MessageSite *site)
    {
        return site != nullptr &&
               std::any_of(site->partners.begin(), site->partners.end(),
                           [](const SitePartner &partner) { return partner.is_one_of; });
    }

    // At callsites that wait for the last of several ranks, or at all others. False: there are no
    // others.
    bool add_edges(size_t rank, bool of_one)
    {
        Waiter &waiter = waiters_[rank];
        bool has_others = false;
        std::map<uint32_t, double> most_s;  // by callsite
        for (const MeasuredEntry &entry : context_.ranks[rank].entries)
            if (is_message(rank, entry) && waiting_of(entry) > 0)
                most_s[entry.key.callsite] += waiting_of(entry);
        const RankSites sites = context_.sites.of_rank(rank);
        for (const auto &[callsite, seconds] : most_s) {
            const MessageSite *site = sites.find(callsite);
            if (waits_for_one_of(site) != of_one) {
                has_others = true;
                continue;
            }
            const std::vector<double> parts =
                of_one ? parts_by_absence(*site, rank) : parts_of(site);
            double left_s = seconds;
            for (size_t i = 0; i < parts.size(); i++) {
                const size_t partner = site->partners[i].rank;
                if (parts[i] <= 0 || partner == unknown_rank || partner == rank)
                    continue;
                const auto number = static_cast<uint32_t>(partner);
                waiter.edges.push_back({number, callsite, parts[i] * seconds});
                waiter.pairs.push_back({number, none, parts[i] * seconds});
                left_s -= parts[i] * seconds;
            }
            if (left_s > 1e-9 * seconds)
                waiter.unknown_s.emplace_back(callsite, left_s);
        }
        waiter.join_pairs();
        return has_others;
    }

    void find_backs(size_t rank)
    {
        for (Pair &pair : waiters_[rank].pairs) {
            const Waiter &partner = waiters_[pair.partner];
            const Pair *back = partner.find(rank);
            if (back != nullptr)
                pair.back = static_cast<uint32_t>(back - partner.pairs.data());
        }
    }

    // Divides the waiting at a callsite among its partners, in proportion to time beyond the cost.
    // If no partner has any, in proportion to time.
    std::vector<double> parts_of(const MessageSite *site) const
    {
        std::vector<double> parts;
        if (site == nullptr)
            return parts;
        double sum = 0;
        for (const bool net : {true, false}) {
            for (const SitePartner &partner : site->partners) {
                const double messages = std::max(1.0, partner.messages);
                const auto cost = context_.cost.seconds(
                    CallSide::receive, static_cast<uint64_t>(partner.bytes / messages),
                    site->other_node);
                const double cost_s = net ? messages * cost.value_or(0) : 0;
                parts.push_back(std::max(0.0, partner.seconds - cost_s));
                sum += parts.back();
            }
            if (sum > 0)
                break;
            parts.clear();
        }
        for (double &part : parts)
            part /= sum;
        return parts;
    }

    // How long each was away, and waited for ranks other than `waiter`. Of a rank that is not known
    // that is not known either: then they are taken as they are.
    std::vector<double> parts_by_absence(const MessageSite &site, size_t waiter) const
    {
        std::vector<double> parts;
        double sum = 0;
        for (const SitePartner &partner : site.partners) {
            if (partner.rank == unknown_rank)
                return parts_of(&site);
            const Waiter &other = waiters_[partner.rank];
            double away_s = other.away_s;
            for (const Pair &pair : other.pairs)
                away_s += pair.partner == waiter ? 0 : pair.most_s;
            parts.push_back(away_s);
            sum += away_s;
        }
        if (sum <= 0)
            return parts_of(&site);
        for (double &part : parts)
            part /= sum;
        return parts;
    }

    double wait_of(size_t rank, const Edge &edge) const
    {
        return edge.most_s * waiters_[rank].find(edge.partner)->part();
    }

    // Of one thread: the partner's absence, and what it waits for others than the waiter.
    double longest_wait_for(const Pair &pair) const
    {
        const Waiter &partner = waiters_[pair.partner];
        const double for_it_s = pair.back == none ? 0 : partner.pairs[pair.back].wait_s;
        return partner.away_s + std::max(0.0, partner.wait_s - for_it_s) / partner.threads;
    }

    // Of what each rank waits, the part of each partner: rank by rank, in the order of its pairs.
    // The pairs themselves are too large to go through them in each round.
    struct Share {
        uint32_t partner = 0;
        double part = 0;
    };
    std::vector<Share> shares_of_partners() const
    {
        std::vector<Share> shares;
        for (const Waiter &waiter : waiters_)
            for (const Pair &pair : waiter.pairs) {
                const double part = waiter.wait_s > 0 ? pair.wait_s / waiter.wait_s : 0;
                shares.push_back({pair.partner, part});
            }
        return shares;
    }

    // The part of the waiting for each rank that this rank itself caused; `waited` becomes all of
    // it.
    std::vector<double> kept_parts(std::vector<double> &waited) const
    {
        std::vector<double> own(waiters_.size());
        for (const Waiter &waiter : waiters_)
            for (const Pair &pair : waiter.pairs) {
                waited[pair.partner] += pair.wait_s;
                own[pair.partner] += std::max(0.0, pair.wait_s - waiters_[pair.partner].wait_s);
            }
        for (size_t r = 0; r < waiters_.size(); r++)
            own[r] = waited[r] > 0 && waiters_[r].wait_s > 0 ? own[r] / waited[r] : 1;
        return own;
    }

    // The function that spent most at each callsite; where that only starts something, the call
    // that waited longest for such.
    std::map<uint32_t, CallPlace> places_of_sites(size_t rank)
    {
        std::optional<MeasuredEntry> completing;
        std::map<uint32_t, MeasuredEntry> longest;
        for (const MeasuredEntry &entry : context_.ranks[rank].entries) {
            const auto [at, is_first] = longest.try_emplace(entry.key.callsite, entry);
            if (!is_first && entry.blocked_s() > at->second.blocked_s())
                at->second = entry;
            if (context_.facts_of_entry(rank, entry).call == WaitRule::completion &&
                (!completing || entry.time_s > completing->time_s))
                completing = entry;
        }
        std::map<uint32_t, CallPlace> places;
        for (const auto &[callsite, entry] : longest) {
            const bool starts = context_.facts_of_entry(rank, entry).call == WaitRule::never;
            places[callsite] = context_.place_of(rank, starts && completing ? *completing : entry);
        }
        return places;
    }

    WaitContext &context_;
    std::vector<Waiter> waiters_;
};

}  // namespace

MessageWaits limit_message_waits(WaitContext &context, const ChooseRanks &choose)
{
    Messages messages(context);
    messages.limit();
    messages.apply();
    MessageWaits waits;
    waits.caused_s = messages.blame();
    waits.caused_at = messages.places(choose(waits.caused_s));
    if (context.programs.several())
        waits.pairs = messages.pairs();
    return waits;
}

}  // namespace mprof
