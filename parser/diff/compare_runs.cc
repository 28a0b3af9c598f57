// The sides of a comparison, its table of contents, and the figures of the runs as a whole.
#include "diff/comparison.h"

#include "diff/comparison_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#ifndef MPROF_VERSION
#define MPROF_VERSION "unknown"
#endif

namespace mprof {
namespace {

std::vector<std::string> split_at_commas(const std::string &text)
{
    std::vector<std::string> list;
    size_t begin = 0;
    while (begin <= text.size()) {
        const size_t end = std::min(text.find(',', begin), text.size());
        list.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return list;
}

}  // namespace

std::vector<std::string> split_runs(const std::string &paths)
{
    std::error_code error;
    if (std::filesystem::exists(paths, error))
        return {paths};
    return split_at_commas(paths);
}

std::optional<double> parse_percent(const std::string &text)
{
    char *end = nullptr;
    const double percent = std::strtod(text.c_str(), &end);
    const bool number = end != text.c_str() && std::isfinite(percent) && percent >= 0;
    const std::string rest = end;
    return number && (rest.empty() || rest == "%") ? std::optional(percent) : std::nullopt;
}

std::optional<std::vector<Limit>> parse_limits(const std::string &text)
{
    const std::string of_cpu = "cpu:";
    std::vector<Limit> limits;
    for (const std::string &part : split_at_commas(text)) {
        const bool is_cpu = part.starts_with(of_cpu);
        const auto percent = parse_percent(is_cpu ? part.substr(of_cpu.size()) : part);
        if (!percent)
            return std::nullopt;
        limits.push_back({is_cpu ? RunFigure::on_cpu : RunFigure::wallclock, *percent});
    }
    return limits;
}

namespace {

using TotalValue = std::optional<double> (*)(const Report &);

struct TotalRule {
    RunFigure figure;
    Measure measure;
    TotalValue value_of;  // seconds and bytes are summed over ranks
};

std::optional<double> number(uint64_t value)
{
    return static_cast<double>(value);
}

// Summed over ranks. Parts that no rank has are not in the list.
std::optional<double> part_s(const Report &report, TimeState state)
{
    if (!report.totals.wait_s)
        return std::nullopt;
    for (const TimePart &part : report.time_parts)
        if (part.state == state)
            return part.time_s * static_cast<double>(report.ranks.size());
    return 0.0;
}

// Summed over ranks; none of a run that calls no NCCL.
template <class Value>
std::optional<double> nccl_sum(const Report &report, const Value &value_of)
{
    std::optional<double> sum;
    for (const NcclFunctionRow &row : report.nccl_functions)
        sum = sum.value_or(0) + static_cast<double>(value_of(row));
    return sum;
}

constexpr std::array<TotalRule, 19> total_rules = {{
    {RunFigure::compute, Measure::seconds,
     [](const Report &r) -> std::optional<double> { return r.totals.compute_s; }},
    {RunFigure::on_cpu, Measure::seconds, [](const Report &r) { return r.totals.on_cpu_s; }},
    {RunFigure::cpu_wait, Measure::seconds, [](const Report &r) { return r.totals.contention_s; }},
    {RunFigure::blocked, Measure::seconds, [](const Report &r) { return r.totals.blocked_s; }},
    {RunFigure::gpu_wait, Measure::seconds, [](const Report &r) { return r.totals.gpu_wait_s; }},
    {RunFigure::gpu_copy, Measure::seconds, [](const Report &r) { return r.totals.gpu_copy_s; }},
    {RunFigure::gpu_launch, Measure::seconds,
     [](const Report &r) { return r.totals.gpu_launch_s; }},
    {RunFigure::mpi, Measure::seconds,
     [](const Report &r) -> std::optional<double> { return r.totals.mpi_thread_s; }},
    {RunFigure::waiting, Measure::seconds, [](const Report &r) { return r.totals.wait_thread_s; }},
    {RunFigure::start_up, Measure::seconds,
     [](const Report &r) { return part_s(r, TimeState::start_up); }},
    {RunFigure::io, Measure::seconds, [](const Report &r) { return part_s(r, TimeState::io); }},
    {RunFigure::nccl, Measure::seconds,
     [](const Report &r) {
         return nccl_sum(r, [](const NcclFunctionRow &row) { return row.time_s; });
     }},
    {RunFigure::comm_percent, Measure::percent,
     [](const Report &r) -> std::optional<double> { return r.totals.comm_percent; }},
    {RunFigure::load_balance, Measure::percent,
     [](const Report &r) -> std::optional<double> { return 100 * r.totals.load_balance; }},
    {RunFigure::efficiency, Measure::percent,
     [](const Report &r) -> std::optional<double> {
         return 100 * r.totals.communication_efficiency;
     }},
    {RunFigure::calls, Measure::count, [](const Report &r) { return number(r.totals.calls); }},
    {RunFigure::nccl_calls, Measure::count,
     [](const Report &r) {
         return nccl_sum(r, [](const NcclFunctionRow &row) { return row.calls; });
     }},
    {RunFigure::sent, Measure::bytes, [](const Report &r) { return number(r.totals.sent_bytes); }},
    {RunFigure::memory, Measure::bytes,
     [](const Report &r) -> std::optional<double> {
         return r.totals.memory_bytes > 0 ? number(r.totals.memory_bytes) : std::nullopt;
     }},
}};

Change total_change(const Runs &runs, const TotalRule &rule)
{
    const auto value_of = [&](size_t run) { return rule.value_of(runs[run]).value_or(0); };
    const auto per_rank = [&](size_t run) { return runs.per_rank(run, value_of(run)); };
    switch (rule.measure) {
    case Measure::seconds:
        return runs.part_change(per_rank);
    case Measure::percent:
        return runs.percent_change(value_of);
    default:
        return change_of_counts(runs.values(per_rank));
    }
}

// Noise that is larger than the limit hides whether it is kept, unless B is faster by even more.
LimitState state_of(const Limit &limit, const Change &change)
{
    const double of_a = limit.percent / 100 * change.a;
    if (change.outcome == Outcome::more && change.difference > of_a)
        return LimitState::exceeded;
    const bool is_hidden = change.noise > limit.percent / 100 * std::max(change.a, change.b) &&
                           change.difference + change.noise > of_a;
    return is_hidden ? LimitState::unknown : LimitState::kept;
}

// Unlike a part in the table of totals it counts however small it is beside the run. None = some
// run did not record it.
std::optional<Change> limited_change(const Runs &runs, RunFigure figure,
                                     const Comparison &comparison)
{
    if (figure == RunFigure::wallclock)
        return comparison.wallclock;
    for (size_t run = 0; run < runs.count(); run++)
        if (!runs[run].totals.on_cpu_s)
            return std::nullopt;
    const Values values =
        runs.values([&](size_t run) { return runs.per_rank(run, *runs[run].totals.on_cpu_s); });
    return change_of_times(values, least_seconds(values));
}

void check_limits(const Runs &runs, const std::vector<Limit> &limits, Comparison &comparison)
{
    for (const Limit &limit : limits) {
        LimitCheck check{limit, LimitState::unknown,
                         limited_change(runs, limit.figure, comparison)};
        if (check.change)
            check.state = state_of(limit, *check.change);
        comparison.limit = std::max(comparison.limit, check.state);
        comparison.limits.push_back(check);
    }
}

void choose_lead(Comparison &comparison)
{
    comparison.lead = comparison.wallclock;
    for (const LimitCheck &check : comparison.limits)
        if (comparison.lead.outcome == Outcome::same && check.state == LimitState::exceeded) {
            comparison.lead_figure = check.limit.figure;
            comparison.lead = *check.change;
        }
}

// Of a difference that may be noise nobody can tell whether it is good.
void judge(Comparison &comparison)
{
    switch (comparison.lead.outcome) {
    case Outcome::more:
        comparison.state = Judgement::problem;
        comparison.badge =
            comparison.limit == LimitState::exceeded ? "Slower than allowed" : "Slower";
        return;
    case Outcome::less:
        comparison.state = Judgement::good;
        comparison.badge = "Faster";
        return;
    default:
        comparison.state = Judgement::watch;
        comparison.badge =
            comparison.limit == LimitState::unknown ? "Cannot tell" : "No difference beyond noise";
    }
}

void compare_totals(const Runs &runs, Comparison &comparison)
{
    const Values wallclock = runs.values([&](size_t run) { return runs[run].run.wallclock_s; });
    comparison.wallclock = change_of_times(wallclock, least_seconds(wallclock));
    comparison.totals.push_back({RunFigure::wallclock, Measure::seconds, comparison.wallclock});
    for (const TotalRule &rule : total_rules) {
        size_t known = 0;
        for (size_t run = 0; run < runs.count(); run++)
            known += rule.value_of(runs[run]).has_value() ? 1U : 0U;
        // A run without a GPU has no GPU time, and one without NCCL none of NCCL.
        const bool is_of_few = is_of_gpu(rule.figure) || is_of_nccl(rule.figure);
        if (known < (is_of_few ? size_t{1} : runs.count()))
            continue;
        const TotalChange total = {rule.figure, rule.measure, total_change(runs, rule)};
        if (!is_part(rule.figure) || rule.figure == RunFigure::waiting || total.change.a > 0 ||
            total.change.b > 0)
            comparison.totals.push_back(total);
    }
}

}  // namespace

Comparison compare_runs(const std::vector<RunReport> &a, const std::vector<RunReport> &b,
                        const std::vector<Limit> &limits)
{
    Comparison comparison;
    comparison.version = MPROF_VERSION;
    const Runs runs(a, b);
    describe_sides(a, b, comparison);
    compare_totals(runs, comparison);
    check_limits(runs, limits, comparison);
    choose_lead(comparison);
    judge(comparison);
    compare_accounts(runs, comparison);
    compare_functions(runs, comparison);
    compare_sizes(runs, comparison);
    compare_regions(runs, comparison);
    compare_phases(runs, comparison);
    compare_ranks(runs, comparison);
    compare_places(runs, comparison);
    find_cause(comparison);
    write_words(runs, comparison);
    write_remarks(runs, comparison);
    return comparison;
}

}  // namespace mprof
