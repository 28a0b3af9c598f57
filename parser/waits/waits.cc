// The table of contents of the search for waiting (waits.h), what messages of a size took against
// what they could have taken, and the waiting in MPI_Finalize.
#include "waits/waits.h"

#include "measure/for_all_ranks.h"
#include "report/report.h"
#include "report/verdict_thresholds.h"
#include "waits/wait_parts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <vector>

namespace mprof {

namespace {

// What messages of a size took, against what they could have taken: Report.transfers.
// Sizes are put together in powers of two. Of small messages the receiving side counts, blocking
// calls and completions: sending one is over before it arrives. Of large ones both sides count.

struct Sum {
    TransferRow row;
    double messages = 0, observed_s = 0, possible_s = 0;
    double from_baseline_s = 0;  // part of possible_s
};

using Sums = std::map<std::pair<bool, int>, Sum>;  // other node?, number of the power of two

void add(WaitContext &context, size_t rank, const MeasuredEntry &entry, Sums &sums)
{
    const FunctionFacts &rules = context.facts_of_entry(rank, entry);
    const bool completion = entry.key.kind == MPROF_KIND_COMPLETION;
    const bool call = entry.key.kind == MPROF_KIND_CALL;
    if ((completion ? rules.completion : rules.call) != WaitRule::message ||
        !(completion || call) || entry.key.size == 0 || entry.calls == 0 ||
        entry.key.precision == MPROF_PRECISION_FUNCTION)
        return;
    const bool large = entry.key.size >= verdict_thresholds.large_message_bytes;
    const bool other_node = context.sites.other_node(rank, entry.key.callsite) > 0.5;
    const auto cost_s = context.cost.possible(entry.key.size, other_node);
    if (!cost_s || (!large && side_of(rules) == CallSide::send))
        return;
    Sum &sum = sums[{other_node, std::bit_width(entry.key.size)}];
    const auto messages = static_cast<double>(entry.calls);
    const bool is_new = sum.messages <= 0;
    sum.row.low_bytes = is_new ? entry.key.size : std::min(sum.row.low_bytes, entry.key.size);
    sum.row.high_bytes = std::max(sum.row.high_bytes, entry.key.size);
    sum.row.messages += entry.calls;
    sum.messages += messages;
    sum.observed_s += entry.blocked_s();
    sum.possible_s += messages * *cost_s;
    if (context.cost.is_from_baseline(entry.key.size, other_node))
        sum.from_baseline_s += messages * *cost_s;
}

std::vector<TransferRow> transfer_rows(WaitContext &context)
{
    Sums sums;
    for (size_t r = 0; r < context.ranks.size(); r++)
        for (const MeasuredEntry &entry : context.ranks[r].entries)
            add(context, r, entry, sums);
    std::vector<TransferRow> rows;
    for (auto &[key, sum] : sums) {
        sum.row.locality = key.first ? Locality::other_node : Locality::same_node;
        sum.row.observed_s = sum.observed_s / sum.messages;
        // Messages that went on while the ranks computed, or were handed over before they arrived,
        // took less than they can take alone. So that much was possible.
        sum.row.possible_s = std::min(sum.possible_s, sum.observed_s) / sum.messages;
        sum.row.source = sum.from_baseline_s * 2 >= sum.possible_s ? CostSource::baseline
                                                                   : CostSource::best_case;
        rows.push_back(sum.row);
    }
    return rows;
}

void add_absence(const RankMeasure &rank, RankTimes &times)
{
    const double here_s = rank.wallclock_s - rank.own_s;
    times.message_away_s =
        std::max(0.0, here_s - times.init_s - times.finalize_s - times.message_s);
    if (rank.threads.empty())
        return;
    times.message_threads = 0;
    times.message_away_s = 0;
    for (const ThreadTimes &thread : rank.threads)
        if (thread.message_s > 0) {
            times.message_threads++;
            times.message_away_s =
                std::max(times.message_away_s, here_s - thread.ends_s - thread.message_s);
        }
    if (times.message_threads > 0)
        return;
    times.message_threads = 1;
    times.message_away_s = std::max(0.0, here_s - times.init_s - times.finalize_s);
}

std::vector<RankTimes> times_of(const std::vector<RankMeasure> &ranks, FactsByNumber &rules)
{
    std::vector<RankTimes> all(ranks.size());
    for_all_ranks(ranks.size(), [&](size_t r) {
        for (const MeasuredEntry &entry : ranks[r].entries) {
            const FunctionFacts &rule = rules.of(r, entry.key.function);
            RankTimes &times = all[r];
            if (rule.begins_mpi)
                times.init_s += entry.time_s;
            else if (rule.ends_mpi)
                times.finalize_s += entry.time_s;
            else if (is_collective(rule.call))
                times.collective_s[entry.key.communicator] += entry.time_s;
            else if (rule.call == WaitRule::message || rule.call == WaitRule::completion)
                times.message_s += entry.time_s;
        }
        add_absence(ranks[r], all[r]);
    });
    return all;
}

// Weights become seconds. Their sum is the waiting of all entries at the place.
void scale_collective_causes(WaitContext &context, CollectiveWaits &collectives, Waits &waits)
{
    std::map<CallPlace, double> waited_s;
    for (size_t r = 0; r < context.ranks.size(); r++)
        for (const MeasuredEntry &entry : context.ranks[r].entries) {
            const FunctionFacts &rules = context.facts_of_entry(r, entry);
            if (is_collective(rules.call) || is_collective(rules.completion))
                waited_s[context.place_of(r, entry)] += entry.wait_s.value_or(0);
        }
    for (auto &[place, found] : collectives.places) {
        double weights = found.missing_s;
        for (const auto &[rank, last] : found.last)
            weights += last.weight;
        const double scale = weights > 0 ? waited_s[place] / weights : 0;
        waits.waited_collectives += found.waited;
        waits.missing_s += found.missing_s * scale;
        for (auto &[rank, last] : found.last)
            last.weight *= scale;
    }
    waits.places = std::move(collectives.places);
}

void add_causes(const std::vector<double> &by_messages_s, Waits &waits)
{
    for (size_t r = 0; r < waits.caused.size(); r++)
        waits.caused[r].wait_s += by_messages_s[r];
    for (const auto &[place, found] : waits.places)
        for (const auto &[rank, last] : found.last) {
            waits.caused[rank].wait_s += last.weight;
            waits.caused[rank].last_times += last.times;
        }
}

std::vector<size_t> find_main_causes(const Waits &waits)
{
    std::vector<size_t> ranks(waits.caused.size());
    std::iota(ranks.begin(), ranks.end(), size_t{0});
    const size_t count = std::min<size_t>(ranks.size(), verdict_thresholds.most_causes);
    std::partial_sort(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(count),
                      ranks.end(), [&](size_t a, size_t b) {
                          const double of_a = waits.caused[a].wait_s, of_b = waits.caused[b].wait_s;
                          return of_a != of_b ? of_a > of_b : a < b;
                      });
    ranks.resize(count);
    return ranks;
}

void add_places_of_causes(const MessageWaits &messages, Waits &waits)
{
    for (const auto &[rank, places] : messages.caused_at)
        waits.caused_at[rank] = places;
    for (const auto &[place, found] : waits.places)
        for (auto &[rank, places] : waits.caused_at)
            if (const auto last = found.last.find(rank);
                last != found.last.end() && last->second.weight > 0)
                places[place] += last->second.weight;
}

// It brings data to another rank's memory, or from there, usually before it returns.
bool moves_one_sided(const FunctionFacts &rules, const MeasuredEntry &entry)
{
    return rules.kind == FunctionKind::one_sided && rules.call == WaitRule::never &&
           entry.counts_calls() && entry.bytes > 0;
}

// Transfer of messages and collectives, small and large ones; what makes the same again and again
// costs as small messages do. What MPI_Wait spends is in the completions; MPI_Test is neither.
// Start-up, MPI_Finalize and MPI-IO are not transfer either.
void divide_transfer(WaitContext &context, Waits &waits)
{
    for (size_t r = 0; r < context.ranks.size(); r++) {
        OfProgram &program = waits.programs.of[context.programs.of_rank[r]];
        MovedAtEnd moved;
        const auto add = [&](double bytes, double transfer_s) {
            if (bytes < static_cast<double>(verdict_thresholds.small_message_bytes)) {
                waits.short_transfer_s += transfer_s;
                program.small_transfer_s += transfer_s;
            } else if (bytes >= static_cast<double>(verdict_thresholds.large_message_bytes)) {
                waits.large_transfer_s += transfer_s;
                program.large_transfer_s += transfer_s;
            }
        };
        for (const MeasuredEntry &entry : context.ranks[r].entries) {
            const FunctionFacts &rules = context.facts_of_entry(r, entry);
            moved.add(entry, rules);
            const bool moves =
                !rules.is_startup() && !rules.ends_mpi && !rules.ends_moves &&
                rules.kind != FunctionKind::file &&
                (is_collective(rules.call) || rules.call == WaitRule::message ||
                 moves_one_sided(rules, entry) || rules.made_often ||
                 (rules.completion != WaitRule::never && rules.completion != WaitRule::not_known));
            const KnownSeconds wait_s = entry.wait_s;
            if (moves && wait_s && entry.key.precision != MPROF_PRECISION_FUNCTION)
                add(static_cast<double>(entry.key.size), entry.blocked_s() - *wait_s);
        }
        add(moved.bytes_of_call(), moved.seconds());
    }
}

// What completing calls spend is in the completions.
std::vector<MessageTime> message_times(WaitContext &context)
{
    std::vector<MessageTime> times(context.ranks.size());
    for_all_ranks(times.size(), [&](size_t r) {
        for (const MeasuredEntry &entry : context.ranks[r].entries) {
            const FunctionFacts &rules = context.facts_of_entry(r, entry);
            if (rules.call != WaitRule::message && rules.completion != WaitRule::message)
                continue;
            times[r].time_s += entry.blocked_s();
            times[r].wait_s += entry.wait_s.value_or(0);
        }
    });
    return times;
}

}  // namespace

WaitContext::WaitContext(std::vector<RankMeasure> &measures, const MergedNames &merged_names,
                         const CallPaths &call_paths)
    : ranks(measures),
      names(merged_names),
      paths(call_paths),
      rules(merged_names),
      sites(measures),
      cost(measures, sites, rules),
      times(times_of(measures, rules)),
      programs(find_programs(measures))
{
}

Waits find_waits(std::vector<RankMeasure> &ranks, const MergedNames &names, const CallPaths &paths)
{
    Waits waits;
    waits.caused.resize(ranks.size());
    waits.known = true;
    WaitContext context(ranks, names, paths);
    const Lineups lineups = line_up_journals(ranks);
    CollectiveWaits collectives = find_collective_waits(context, lineups);
    judge_entries(context, collectives);
    collectives.shares = {};  // of many ranks, that is a lot
    scale_collective_causes(context, collectives, waits);
    const MessageWaits messages =
        limit_message_waits(context, [&](const std::vector<double> &caused_s) {
            add_causes(caused_s, waits);
            waits.main_causes = find_main_causes(waits);
            return waits.main_causes;
        });
    add_places_of_causes(messages, waits);
    judge_completing_calls(context);
    waits.asking = judge_asking_calls(context);
    waits.nccl = find_nccl_waits(ranks, paths);
    waits.programs = find_program_waits(context, collectives, messages);
    divide_transfer(context, waits);
    waits.transfers = transfer_rows(context);
    waits.messages = message_times(context);
    waits.costs = context.cost.rows();
    waits.collectives = lineups.instances;
    waits.collectives_lined = lineups.instances_lined;
    waits.unusable_journals = lineups.unusable;
    waits.disagreements = collectives.disagreements;
    waits.by_bin = std::move(collectives.by_bin);
    waits.has_baseline = context.cost.has_baseline();
    waits.thinned = std::any_of(lineups.all.begin(), lineups.all.end(),
                                [](const Lineup &l) { return l.kept < l.instances; });
    return waits;
}

void WaitSum::add(const MeasuredEntry &entry)
{
    wait_s += entry.wait_s.value_or(0);
    judged = judged || entry.wait_s.has_value();
    missed = missed || !entry.wait_s;
}

void WaitSum::add(const WaitSum &other)
{
    wait_s += other.wait_s;
    judged = judged || other.judged;
    missed = missed || other.missed;
}

std::optional<double> WaitSum::value() const
{
    return judged || !missed ? std::optional(wait_s) : std::nullopt;
}

// Every rank calls MPI_Finalize once, so the entries' times are those of the one instance.

namespace {

struct Call {
    size_t rank = 0;
    MeasuredEntry entry;
    double seconds() const { return entry.time_s; }
};

std::vector<Call> find_calls(WaitContext &context)
{
    std::vector<Call> calls;
    for (size_t r = 0; r < context.ranks.size(); r++)
        for (const MeasuredEntry &entry : context.ranks[r].entries)
            if (entry.key.kind == MPROF_KIND_CALL && entry.calls == 1 &&
                context.facts_of_entry(r, entry).ends_mpi)
                calls.push_back({r, entry});
    return calls;
}

// What journals told about it: they have it as well.
void forget_place(WaitContext &context, const Call &call, CollectiveWaits &result)
{
    const CallPlace place = context.place_of(call.rank, call.entry);
    result.places.erase(place);
    if (context.programs.several())
        result.of_programs.erase({context.programs.of_rank[call.rank], place});
}

// `last`: the rank that all wait for, or nobody. Programs may end at places of their own.
void add_at_place(WaitContext &context, const Call &call, double wait_s, size_t last, bool for_long,
                  CollectiveWaits &result)
{
    const CallPlace place = context.place_of(call.rank, call.entry);
    const auto add = [&](CollectivePlace &sum) {
        sum.instances = 1;
        sum.waited = for_long ? 1 : 0;
        if (last == nobody)
            return;
        LastRank &of_last = sum.last[last];
        of_last.times = 1;
        of_last.weight += wait_s;
        of_last.longest = std::max(of_last.longest, wait_s);
    };
    add(result.places[place]);
    if (context.programs.several())
        add(result.of_programs[{context.programs.of_rank[call.rank], place}]);
}

}  // namespace

void add_finalize_waits(WaitContext &context, CollectiveWaits &result)
{
    const std::vector<Call> calls = find_calls(context);
    if (calls.size() < 2)
        return;
    const auto shorter = [](const Call &a, const Call &b) { return a.seconds() < b.seconds(); };
    const auto [last, longest] = std::minmax_element(calls.begin(), calls.end(), shorter);
    const double best_s = last->seconds();
    double wait_s = 0;
    for (const Call &call : calls)
        wait_s += call.seconds() - best_s;
    const double noise_s = noise_seconds(best_s);
    const bool counts = wait_s > noise_s * static_cast<double>(calls.size());
    for (const Call &call : calls) {
        const EntryKey &key = call.entry.key;
        CollectiveShare share;
        share.rule = WaitRule::everyone;
        share.kept = 1;
        share.time_s = call.seconds();
        share.wait_s = counts ? call.seconds() - best_s : 0;
        result.shares[call.rank][{key.communicator, key.function, key.region, key.callsite}] =
            share;
    }
    for (const Call &call : calls)
        forget_place(context, call, result);
    const bool for_long = counts && longest->seconds() - best_s > noise_s;
    for (const Call &call : calls)
        add_at_place(context, call, call.seconds() - best_s, counts ? last->rank : nobody, for_long,
                     result);
}

}  // namespace mprof
