// Ranks that ask another rank's memory again and again until something has changed there, as locks
// that programs make of MPI_Fetch_and_op do: who asks so, waits. Called by waits.cc; pure, any
// thread.
//
// What is asked for and what comes back is in no record. A program that looks up much in one rank's
// memory makes the same calls. So four things have to be true: the calls are a loop of their own
// with hardly anything in between; nearly all of them go to one rank; how often each rank makes
// them differs, as nothing that is counted out does; and as long as one rank asks, the others work,
// one after the other. For whom a rank waits then is not known.
#include "waits/wait_parts.h"

#include <algorithm>
#include <set>

namespace mprof {
namespace {

constexpr uint64_t most_bytes = 16;  // of a word that is asked for
constexpr double nearly_all = 0.9;   // of the calls
constexpr size_t longest_loop = 3;   // lock, get, unlock
constexpr double most_between = 2;   // times as long as the calls: who asks may yield its CPU
constexpr double least_differs = 0.01;
// What a rank asks, of what all others do outside of MPI meanwhile: they also work a bit while
// nobody asks, and who asks needs a CPU to see the answer.
constexpr double least_of_others = 0.6, most_of_others = 1.5;

using Site = std::pair<uint16_t, uint32_t>;  // function id and callsite

struct SiteSum {
    uint64_t calls = 0, bytes = 0;
    double time_s = 0;
};

// From one call to the next one.
struct Way {
    uint64_t count = 0;
    double time_s = 0, queue_s = 0, blocked_s = 0;
    double work_s() const { return std::max(0.0, time_s - queue_s - blocked_s); }
};

struct Asking {
    std::set<Site> sites;  // that ask
    AskingCalls calls;     // of the loops around them
    double time_s = 0;     // in them, and between them
};

class AskingOfRank {
public:
    AskingOfRank(const WaitContext &context, size_t rank)
        : context_(context), rank_(rank), measure_(context.ranks[rank])
    {
    }

    // Most programs read no other rank's memory, and a job may have 100,000 ranks.
    Asking find()
    {
        if (std::none_of(measure_.entries.begin(), measure_.entries.end(),
                         [this](const MeasuredEntry &entry) {
                             return may_ask(context_.rules.of(rank_, entry.key.function));
                         }))
            return {};
        for (const MeasuredEntry &entry : measure_.entries)
            if (entry.counts_calls()) {
                SiteSum &sum = sums_[{entry.key.function, entry.key.callsite}];
                sum.calls += entry.calls;
                sum.bytes += entry.bytes;
                sum.time_s += entry.time_s;
            }
        Asking asking;
        for (const auto &[site, sum] : sums_)
            if (asks(site, sum) && goes_to_one_rank(site))
                add_loop(site, sum, asking);
        return asking;
    }

private:
    const FunctionFacts &facts_of_site(const Site &site) const
    {
        return context_.rules.of(rank_, site.first);
    }

    static bool may_ask(const FunctionFacts &facts)
    {
        return facts.kind == FunctionKind::one_sided && facts.call == WaitRule::never &&
               !facts.sends;
    }

    bool asks(const Site &site, const SiteSum &sum) const
    {
        return may_ask(facts_of_site(site)) && sum.bytes > 0 && sum.bytes <= most_bytes * sum.calls;
    }

    bool goes_to_one_rank(const Site &site) const
    {
        std::map<uint32_t, uint64_t> messages;
        uint64_t all = 0, most = 0;
        for (const ThreadRecord &thread : measure_.file->threads)
            for (const mprof_partner &partner : thread.partners)
                if (partner.kind == MPROF_PARTNER_GET && partner.callsite == site.second) {
                    all += partner.messages;
                    most = std::max(most, messages[partner.rank] += partner.messages);
                }
        return all > 0 && static_cast<double>(most) >= nearly_all * static_cast<double>(all);
    }

    void read_ways()
    {
        const double per_tick = measure_.clock.seconds_per_tick();
        for (const ThreadRecord &thread : measure_.file->threads) {
            for (const mprof_segment &row : thread.segments)
                if (row.from_function != 0 && row.to_function != 0) {
                    Way &way = way_of(row);
                    way.count += row.count;
                    way.time_s += static_cast<double>(row.ticks) * per_tick;
                }
            for (const mprof_off_cpu &row : thread.off_cpu)
                if (row.from_function != 0 && row.to_function != 0) {
                    way_of(row).queue_s += seconds_of_ns(row.queue_ns);
                    way_of(row).blocked_s += seconds_of_ns(row.blocked_ns);
                }
        }
    }

    template <class Row>
    Way &way_of(const Row &row)
    {
        return ways_[{static_cast<uint16_t>(row.from_function - 1), row.from_callsite}]
                    [{static_cast<uint16_t>(row.to_function - 1), row.to_callsite}];
    }

    // Follows the way that is taken most often until it comes back.
    void add_loop(const Site &first, const SiteSum &asked, Asking &asking)
    {
        if (ways_.empty())
            read_ways();
        std::vector<Site> loop = {first};
        AskingCalls between;
        for (;;) {
            const auto &ways = ways_[loop.back()];
            const auto most =
                std::max_element(ways.begin(), ways.end(), [](const auto &a, const auto &b) {
                    return a.second.count < b.second.count;
                });
            if (most == ways.end() || static_cast<double>(most->second.count) <
                                          nearly_all * static_cast<double>(asked.calls))
                return;
            between.work_s += most->second.work_s();
            between.queue_s += most->second.queue_s;
            between.blocked_s += most->second.blocked_s;
            if (most->first == first)
                break;
            const FunctionFacts &facts = facts_of_site(most->first);
            if (loop.size() == longest_loop || !(facts.moves_nothing() || facts.completes))
                return;
            loop.push_back(most->first);
        }
        double in_calls_s = 0;
        for (const Site &site : loop) {
            in_calls_s += sums_[site].time_s;
            between.calls += sums_[site].calls;
        }
        if (between.work_s > most_between * in_calls_s)
            return;
        asking.sites.insert(first);
        asking.calls.add(between);
        asking.time_s += in_calls_s + between.all_s();
    }

    const WaitContext &context_;
    size_t rank_;
    const RankMeasure &measure_;
    std::map<Site, SiteSum> sums_;
    std::map<Site, std::map<Site, Way>> ways_;
};

// Do ranks work one after the other as long as others ask?
bool take_turns(const std::vector<RankMeasure> &ranks, const std::vector<Asking> &asking)
{
    const auto works_s = [&](size_t r) {
        return std::max(0.0, ranks[r].compute_s - asking[r].calls.all_s());
    };
    double all_s = 0;
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t r = 0; r < ranks.size(); r++) {
        all_s += works_s(r);
        least = std::min(least, asking[r].calls.calls);
        most = std::max(most, asking[r].calls.calls);
    }
    if (most == 0 || static_cast<double>(most - least) < least_differs * static_cast<double>(most))
        return false;
    for (size_t r = 0; r < ranks.size(); r++) {
        const double of_others_s = all_s - works_s(r);
        if (asking[r].calls.calls > 0 && (asking[r].time_s < least_of_others * of_others_s ||
                                          asking[r].time_s > most_of_others * of_others_s))
            return false;
    }
    return true;
}

}  // namespace

std::vector<AskingCalls> judge_asking_calls(WaitContext &context)
{
    std::vector<Asking> asking;
    for (size_t r = 0; r < context.ranks.size(); r++)
        asking.push_back(AskingOfRank(context, r).find());
    if (!take_turns(context.ranks, asking))
        return {};
    std::vector<AskingCalls> calls;
    for (size_t r = 0; r < context.ranks.size(); r++) {
        context.ranks[r].entries.set_waits([&](const MeasuredEntry &entry) {
            const bool asks = entry.counts_calls() &&
                              asking[r].sites.count({entry.key.function, entry.key.callsite}) > 0;
            return asks ? KnownSeconds(entry.time_s) : entry.wait_s;
        });
        calls.push_back(asking[r].calls);
    }
    return calls;
}

}  // namespace mprof
