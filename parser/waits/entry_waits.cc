// Collectives in which everyone waits for everyone: the share of their time that the journal's
// instances tell. Everything else: time beyond calls x best case, or nothing if that is not more
// than chance.
//
// Nonblocking operations: the call that starts one never waits; what the completing call spent for
// it is judged by the same rules. MPI_Test never waits either: a program that polls with it shows
// as many calls of MPI_Test.
#include "waits/wait_parts.h"

#include "measure/for_all_ranks.h"

#include <algorithm>

namespace mprof {
namespace {

// Calls that are alike; of collectives and of calls that also receive.
CollectiveKey key_of(const MeasuredEntry &entry)
{
    return {entry.key.communicator, entry.key.function, entry.key.region, entry.key.callsite};
}

WaitRule rule_of(const FunctionFacts &rules, const MeasuredEntry &entry)
{
    if (entry.key.kind == MPROF_KIND_COMPLETION)
        return rules.completion;
    return entry.counts_calls() ? rules.call : WaitRule::never;
}

// Shortest calls of those who wait in rooted operations, by function, size and ranks.
class RootedBest {
public:
    RootedBest(WaitContext &context, const CollectiveWaits &collectives) : context_(context)
    {
        for (size_t r = 0; r < context.ranks.size(); r++)
            for (const MeasuredEntry &entry : context.ranks[r].entries)
                add(r, entry, collectives);
        for (auto &[key, shortest] : shortest_)
            std::sort(shortest.begin(), shortest.end());
    }

    std::optional<double> seconds(size_t rank, const MeasuredEntry &entry,
                                  const CollectiveShare &share) const
    {
        const uint32_t function = context_.names.function(rank, entry.key.function);
        std::optional<double> best = context_.cost.tree_seconds(size_of(function, entry, share),
                                                                share.comm_size, share.one_node);
        const auto run = shortest_.find({function, entry.key.size, share.comm_size});
        if (run != shortest_.end()) {
            const double low = run->second[run->second.size() / 10];
            best = best ? std::min(*best, low) : low;
        }
        return best;
    }

private:
    void add(size_t rank, const MeasuredEntry &entry, const CollectiveWaits &collectives)
    {
        const auto &shares = collectives.shares[rank];
        const auto share = shares.find(key_of(entry));
        if (entry.key.kind != MPROF_KIND_CALL || entry.calls == 0 || share == shares.end())
            return;
        const uint32_t function = context_.names.function(rank, entry.key.function);
        const CollectiveShare &of = share->second;
        if (of.rule == WaitRule::root && of.waiter_kept == 0) {
            root_bytes_[function] += static_cast<double>(entry.bytes);
            root_calls_[function] += static_cast<double>(entry.calls);
        }
        if (of.waiter_kept > 0 && of.waiter_kept >= of.kept)
            shortest_[{function, entry.key.size, of.comm_size}].push_back(entry.min_s);
    }

    // What goes through the busiest link: MPI_Scatter counts bytes at its root alone, MPI_Gather
    // one block of each rank.
    uint64_t size_of(uint32_t function, const MeasuredEntry &entry,
                     const CollectiveShare &share) const
    {
        const auto root = root_bytes_.find(function);
        if (share.rule == WaitRule::root && entry.key.size == 0 && root != root_bytes_.end())
            return static_cast<uint64_t>(root->second / root_calls_.at(function) /
                                         std::max(1U, share.comm_size));
        return entry.key.size;
    }

    WaitContext &context_;
    std::map<std::tuple<uint32_t, uint64_t, uint32_t>, std::vector<double>> shortest_;
    std::map<uint32_t, double> root_bytes_, root_calls_;
};

class RankEntries {
public:
    RankEntries(WaitContext &context, size_t rank, const CollectiveWaits &collectives,
                const RootedBest &rooted)
        : context_(context), rank_(rank), shares_(collectives.shares[rank]), rooted_(rooted)
    {
        for (const auto &[key, share] : shares_) {
            CollectiveShare &sum = by_function_[std::get<1>(key)];
            sum.time_s += share.time_s;
            sum.wait_s += share.wait_s;
        }
        for (const MeasuredEntry &entry : context.ranks[rank].entries)
            add_sums(entry);
    }

    std::optional<double> judge(const MeasuredEntry &entry) const
    {
        const FunctionFacts &rules = context_.facts_of_entry(rank_, entry);
        return waiting(rule_of(rules, entry), rules, entry);
    }

private:
    void add_sums(const MeasuredEntry &entry)
    {
        if (entry.key.kind == MPROF_KIND_RECEIVED) {
            received_[key_of(entry)].first += entry.bytes;
            received_[key_of(entry)].second += entry.calls;
        } else if (entry.key.kind == MPROF_KIND_COMPLETION) {
            requests_[key_of(entry)].second += entry.completion_s;
        } else if (entry.counts_calls()) {
            requests_[key_of(entry)].first += entry.time_s;
        }
    }

    std::optional<double> waiting(WaitRule rule, const FunctionFacts &rules,
                                  const MeasuredEntry &entry) const
    {
        switch (rule) {
        case WaitRule::never:
            return 0;
        case WaitRule::everyone:
        case WaitRule::lower:
            return by_journal(entry);
        case WaitRule::root:
        case WaitRule::at_root:
            return by_role(entry);
        case WaitRule::neighbours:
        case WaitRule::message:
            return beyond_cost(rules, entry);
        default:
            return std::nullopt;
        }
    }

    bool is_alone(const MeasuredEntry &entry) const
    {
        const auto *slot =
            find_slot(context_.ranks[rank_].file->communicators, entry.key.communicator);
        return slot != nullptr && slot->facts.size == 1 && slot->facts.remote_size == 0;
    }

    // For calls that lost their callsite for lack of space, all calls of the function are used.
    std::optional<double> by_journal(const MeasuredEntry &entry) const
    {
        if (is_alone(entry))
            return 0;
        const auto at = shares_.find(key_of(entry));
        const auto of_function = by_function_.find(entry.key.function);
        if (at == shares_.end() && of_function == by_function_.end())
            return std::nullopt;
        const double share =
            at == shares_.end() ? of_function->second.wait_share() : at->second.wait_share();
        if (entry.key.kind != MPROF_KIND_COMPLETION)
            return share * entry.time_s;
        // The journal's time is that of starting and of completing.
        const auto request = requests_.find(key_of(entry));
        const auto &[start_s, completion_s] = request->second;
        const double all = completion_s > 0 ? (start_s + completion_s) / completion_s : 1;
        return std::min(1.0, share * all) * entry.completion_s;
    }

    std::optional<double> by_role(const MeasuredEntry &entry) const
    {
        if (is_alone(entry))
            return 0;
        const auto at = shares_.find(key_of(entry));
        if (at == shares_.end() || at->second.time_s <= 0)
            return std::nullopt;
        const CollectiveShare &share = at->second;
        const double seconds = entry.blocked_s() * share.waiter_s / share.time_s;
        const double calls = static_cast<double>(entry.calls) * share.waiter_kept / share.kept;
        const auto best_s = rooted_.seconds(rank_, entry, share);
        if (!best_s)
            return std::nullopt;
        return beyond(seconds, calls, *best_s, noise_seconds(*best_s)) +
               entry.blocked_s() * share.giver_wait_s / share.time_s;
    }

    std::optional<double> beyond_cost(const FunctionFacts &rules, const MeasuredEntry &entry) const
    {
        const CallSide side = side_of(rules);
        uint64_t bytes = entry.key.size;
        const auto received = received_.find(key_of(entry));
        if (received != received_.end() && received->second.second > 0)
            bytes = std::max(bytes, received->second.first / received->second.second);
        const double other_node = context_.sites.other_node(rank_, entry.key.callsite);
        const auto cost_s = context_.cost.seconds(side, bytes, other_node);
        if (!cost_s || entry.key.precision == MPROF_PRECISION_FUNCTION)
            return std::nullopt;
        return beyond(entry.blocked_s(), static_cast<double>(entry.calls), *cost_s,
                      context_.cost.noise(side, bytes, other_node));
    }

    static double beyond(double seconds, double calls, double best_s, double noise_s)
    {
        const double wait_s = seconds - calls * best_s;
        return wait_s > calls * noise_s ? wait_s : 0;
    }

    WaitContext &context_;
    size_t rank_;
    const std::map<CollectiveKey, CollectiveShare> &shares_;
    const RootedBest &rooted_;
    std::map<uint16_t, CollectiveShare> by_function_;
    std::map<CollectiveKey, std::pair<uint64_t, uint64_t>> received_;  // bytes, messages
    std::map<CollectiveKey, std::pair<double, double>> requests_;  // seconds: starts, completions
};

// Of what is known of requests: their time in completing calls, and the waiting in that.
struct CompletionSum {
    double known_s = 0, wait_s = 0;
    void add(const MeasuredEntry &entry)
    {
        if (entry.key.kind != MPROF_KIND_COMPLETION || !entry.wait_s)
            return;
        known_s += entry.completion_s;
        wait_s += *entry.wait_s;
    }
};

}  // namespace

void judge_entries(WaitContext &context, const CollectiveWaits &collectives)
{
    const RootedBest rooted(context, collectives);
    for_all_ranks(context.ranks.size(), [&](size_t r) {
        const RankEntries entries(context, r, collectives, rooted);
        context.ranks[r].entries.set_waits(
            [&](const MeasuredEntry &entry) { return entries.judge(entry); });
    });
}

// Which call completed which request is not recorded. Most programs wait for what they started in
// the same region; If the region's requests explain at least half of the time, they decide;
// otherwise all requests of the rank do.
void judge_completing_calls(WaitContext &context)
{
    for_all_ranks(context.ranks.size(), [&](size_t r) {
        CompletionSum all;
        std::map<uint16_t, CompletionSum> regions;
        std::map<uint16_t, double> times;
        for (const MeasuredEntry &entry : context.ranks[r].entries) {
            all.add(entry);
            regions[entry.key.region].add(entry);
            if (context.facts_of_entry(r, entry).call == WaitRule::completion)
                times[entry.key.region] += entry.time_s;
        }
        context.ranks[r].entries.set_waits([&](const MeasuredEntry &entry) {
            if (context.facts_of_entry(r, entry).call != WaitRule::completion)
                return entry.wait_s;
            const CompletionSum &region = regions[entry.key.region];
            const bool own = region.known_s * 2 >= times[entry.key.region];
            const CompletionSum &sum = own ? region : all;
            return sum.known_s > 0
                       ? KnownSeconds(std::min(1.0, sum.wait_s / sum.known_s) * entry.time_s)
                       : entry.wait_s;
        });
    });
}

}  // namespace mprof
