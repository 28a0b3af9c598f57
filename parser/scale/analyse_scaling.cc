// Runs, sizes and factors.
#include "scale/scaling.h"

#include "report/derived_figures.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <set>

#ifndef MPROF_VERSION
#define MPROF_VERSION "unknown"
#endif

namespace mprof {

// Rows of several runs are the same if they have the same words: function of MPI and line, or
// module and offset where no lines are known.

namespace {

// Outside of MPI; none if it was not counted.
std::optional<double> counted(const Report &report, const char *name)
{
    for (const CounterRow &row : report.counters)
        if (row.name == name && row.outside_mpi > 0)
            return row.outside_mpi;
    return std::nullopt;
}

std::string end_words(const std::string &function, const Frame &frame)
{
    if (function.empty())
        return "the start";
    return frame.words().empty() ? function : frame.words();
}

class Collector {
public:
    Collector(const Report &report, SizeRun &run)
        : report_(report), run_(run), ranks_(static_cast<double>(report.ranks.size()))
    {
    }

    void add_calls()
    {
        double placed_s = 0;
        for (const CallsiteRow &row : report_.callsites) {
            const std::string words = row.site.words();
            RunRow &sum = row_of(GrowthKind::call_line,
                                 words.empty() ? row.function : row.function + " at " + words);
            sum.names.function = row.function;
            sum.names.place = row.site.place();
            sum.names.symbol = without_arguments(row.site.symbol);
            sum.names.file = row.site.file;
            sum.names.line = row.site.line;
            add(row.time_s, row.wait_s, sum);
            placed_s += row.time_s;
        }
        if (report_.callsites.empty())
            return;
        const double left_s = report_.totals.mpi_s - placed_s;
        if (left_s > 0.001 * report_.totals.mpi_s)
            add(left_s, std::nullopt, row_of(GrowthKind::call_line, "other MPI calls"));
    }

    void add_functions()
    {
        const GrowthKind kind =
            report_.callsites.empty() ? GrowthKind::call_line : GrowthKind::function;
        for (const FunctionRow &row : report_.functions) {
            RunRow &sum = row_of(kind, row.function);
            sum.names.function = row.function;
            add(row.time_s, row.wait_s, sum);
        }
    }

    // Beside all else: no part of the run's time.
    void add_nccl()
    {
        for (const NcclFunctionRow &row : report_.nccl_functions)
            add(row.time_s, row.wait_s, row_of(GrowthKind::nccl, row.function));
    }

    void add_computing()
    {
        const Totals &totals = report_.totals;
        double gpu_s = 0;
        for (const auto &[part_s, name] :
             {std::pair(totals.gpu_wait_s, "waiting for the GPU"),
              std::pair(totals.gpu_copy_s, "copying to or from the GPU"),
              std::pair(totals.gpu_launch_s, "other GPU driver calls")}) {
            if (part_s.value_or(0) > 0)
                add(*part_s, std::nullopt, row_of(GrowthKind::compute, name));
            gpu_s += part_s.value_or(0);
        }
        add(totals.compute_s - gpu_s, std::nullopt, row_of(GrowthKind::compute, "computing"));
    }

    void add_phases()
    {
        for (const PhaseRow &phase : report_.time.phases) {
            RunRow &sum = row_of(GrowthKind::phase, phase.name);
            sum.names.place = phase.place;
            sum.names.function = phase.function;
            sum.time_s += phase.to_s - phase.from_s;
            sum.wait_s = sum.wait_s.value_or(0) + phase.wait_s;
        }
    }

    void add_segments()
    {
        for (const SegmentRow &row : report_.segments) {
            const std::string what =
                fmt::format("computing between {} and {}", end_words(row.from_function, row.from),
                            end_words(row.to_function, row.to));
            RunRow &sum = run_.segments[what];
            sum.names.kind = GrowthKind::segment;
            sum.names.what = what;
            sum.names.place = row.from.place();
            sum.names.file = row.from.file;
            sum.names.line = row.from.line;
            add(row.time_s, std::nullopt, sum);
            if (row.spread.max_s > sum.slowest_s) {
                sum.slowest_s = row.spread.max_s;
                sum.slowest_rank = row.spread.max_rank;
            }
        }
    }

private:
    RunRow &row_of(GrowthKind kind, const std::string &what)
    {
        RunRow &row = run_.rows[text_of(kind) + ":" + what];
        row.names.kind = kind;
        row.names.what = what;
        return row;
    }

    void add(double time_s, std::optional<double> wait_s, RunRow &row) const
    {
        row.time_s += time_s / ranks_;
        if (wait_s)
            row.wait_s = row.wait_s.value_or(0) + *wait_s / ranks_;
    }

    const Report &report_;
    SizeRun &run_;
    double ranks_;
};

// Of ranks that know it, all of them or none.
template <class Value>
std::optional<double> sum_of(const Report &report, Value value_of)
{
    double sum = 0;
    for (const RankRow &row : report.ranks) {
        const std::optional<double> value = value_of(row);
        if (!value)
            return std::nullopt;
        sum += *value;
    }
    return sum;
}

}  // namespace

SizeRun size_run_of(const Report &report, const std::string &path)
{
    SizeRun run;
    run.run = {path,
               report.run.command,
               report.run.mpi_library,
               report.run.start,
               report.run.ranks,
               report.run.wallclock_s,
               0,
               0,
               report.run.complete};
    run.program = program_name(report.run.command);
    run.nodes = report.run.nodes;
    run.cores_per_rank =
        static_cast<double>(std::max<uint64_t>(1, report.openmp.threads.value_or(1)));
    const Totals &totals = report.totals;
    run.compute_s = totals.compute_s;
    run.mpi_s = totals.mpi_thread_s;
    run.load_balance = totals.load_balance;
    run.communication_efficiency = totals.communication_efficiency;
    run.wait_s = totals.wait_thread_s;
    run.transfer_s = sum_of(report, [](const RankRow &row) { return row.transfer_s; });
    run.other_mpi_s = sum_of(report, [](const RankRow &row) -> std::optional<double> {
        if (!row.file_s || !row.startup_s)
            return std::nullopt;
        return *row.file_s + *row.startup_s;
    });
    run.contention_s = totals.contention_s;
    run.blocked_s = totals.blocked_s;
    run.instructions = counted(report, "PAPI_TOT_INS");
    run.cycles = counted(report, "PAPI_TOT_CYC");
    if (const auto bytes = sum_of(report,
                                  [](const RankRow &row) -> std::optional<double> {
                                      if (!row.init_memory_bytes)
                                          return std::nullopt;
                                      return static_cast<double>(*row.init_memory_bytes);
                                  });
        bytes && !report.ranks.empty())
        run.library_bytes = *bytes / static_cast<double>(report.ranks.size());
    run.own_bytes = own_bytes_of(report);
    if (report.accounts.known) {
        run.accounts_s.emplace();
        for (const AccountRow &row : report.accounts.rows)
            run.accounts_s->emplace(row.kind, row.gain_s);
    }
    Collector collector(report, run);
    collector.add_calls();
    collector.add_functions();
    collector.add_nccl();
    collector.add_computing();
    collector.add_phases();
    collector.add_segments();
    run.next = report.verdict.next;
    return run;
}

// Sizes and factors. The factors are those of POP (pop-coe.eu, "POP metrics"): the load balance and
// the communication efficiency of each size, and how the computing of all ranks compares with that
// of the smallest size. What POP takes from a simulation of an ideal network is here estimated from
// how long ranks wait.

namespace {

using BySize = std::vector<std::optional<double>>;  // by size

std::optional<double> known(double value)
{
    return value;
}

// Of the median run of each size.
using ValueOfRun = std::function<std::optional<double>(const SizeRun &)>;

BySize by_size(const SizesOfRuns &sizes, const ValueOfRun &value_of)
{
    BySize values;
    for (const RunsOfSize &runs : sizes)
        values.push_back(median_of(runs, value_of));
    return values;
}

bool is_known(const BySize &values)
{
    return std::all_of(values.begin(), values.end(), [](const auto &v) { return v.has_value(); });
}

// Of the smallest size divided by those of each: less of it is better.
BySize against_first(BySize values)
{
    const double first = values.empty() ? 0 : values[0].value_or(0);
    for (std::optional<double> &value : values)
        value = value && *value > 0 ? std::optional(first / *value) : std::nullopt;
    return values;
}

// Shares of the wallclock that are no waiting.
double without(const SizeRun &run, const std::optional<double> &part_s, double of_share)
{
    const double share = run.per_rank(part_s.value_or(0)) / run.run.wallclock_s;
    return of_share > share ? (of_share - share) / of_share : 1;
}

class Factors {
public:
    Factors(const SizesOfRuns &sizes, Scaling &scaling) : sizes_(sizes), scaling_(scaling) {}

    void add_parallel()
    {
        add(Factor::load_balance, [](const SizeRun &run) { return known(run.load_balance); });
        const auto split = [](const SizeRun &run) {
            return run.wait_s && run.transfer_s && run.other_mpi_s && run.run.wallclock_s > 0;
        };
        add(Factor::serialisation, [split](const SizeRun &run) -> std::optional<double> {
            if (!split(run))
                return run.communication_efficiency;
            const double other = without(run, run.other_mpi_s, 1);
            return run.communication_efficiency / other / without(run, run.transfer_s, other);
        });
        add(Factor::io_and_startup, [split](const SizeRun &run) -> std::optional<double> {
            return split(run) ? known(without(run, run.other_mpi_s, 1)) : std::nullopt;
        });
        add(Factor::transfer, [split](const SizeRun &run) -> std::optional<double> {
            if (!split(run))
                return std::nullopt;
            return without(run, run.transfer_s, without(run, run.other_mpi_s, 1));
        });
        add(Factor::parallel, [](const SizeRun &run) {
            return known(run.load_balance * run.communication_efficiency);
        });
    }

    void add_computation()
    {
        const bool strong = scaling_.kind == ScalingKind::strong;
        const auto amount = [strong](const SizeRun &run, double sum) {
            return strong ? sum : run.per_rank(sum);
        };
        const auto against = [&](const ValueOfRun &value_of) {
            return against_first(by_size(sizes_, value_of));
        };
        add_counted(strong);
        const auto computation =
            against([&](const SizeRun &run) { return known(amount(run, run.compute_s)); });
        if (!is_counted_)
            add_cpu(against, amount);
        scaling_.factors.push_back({Factor::computation, computation});
    }

    void add_global()
    {
        FactorRow global{Factor::global, {}};
        const FactorRow &parallel = row_of(Factor::parallel);
        const FactorRow &computation = row_of(Factor::computation);
        for (size_t i = 0; i < sizes_.size(); i++)
            global.values.push_back(
                computation.values[i] ? std::optional(*parallel.values[i] * *computation.values[i])
                                      : std::nullopt);
        scaling_.factors.push_back(std::move(global));
    }

private:
    const FactorRow &row_of(Factor factor) const
    {
        return *std::find_if(scaling_.factors.begin(), scaling_.factors.end(),
                             [&](const FactorRow &row) { return row.factor == factor; });
    }

    void add(Factor factor, const ValueOfRun &value_of)
    {
        const auto values = by_size(sizes_, value_of);
        if (is_known(values))
            scaling_.factors.push_back({factor, values});
    }

    // Instructions x cycles per instruction x seconds per cycle = seconds.
    void add_counted(bool strong)
    {
        const auto instructions = by_size(sizes_, [](const SizeRun &r) { return r.instructions; });
        const auto cycles = by_size(sizes_, [](const SizeRun &r) { return r.cycles; });
        is_counted_ = is_known(instructions) && is_known(cycles);
        if (!is_counted_)
            return;
        add_against(Factor::instructions, [strong](const SizeRun &run) {
            return strong ? *run.instructions : run.per_rank(*run.instructions);
        });
        add_against(Factor::instructions_per_cycle,
                    [](const SizeRun &run) { return *run.cycles / *run.instructions; });
        add_against(Factor::clock, [](const SizeRun &run) { return run.compute_s / *run.cycles; });
    }

    void add_against(Factor factor, const std::function<double(const SizeRun &)> &value_of)
    {
        scaling_.factors.push_back({factor, against_first(by_size(sizes_, [&](const SizeRun &run) {
                                        return known(value_of(run));
                                    }))});
    }

    // Only where ranks lack a CPU.
    template <class Against, class Amount>
    void add_cpu(const Against &against, const Amount &amount)
    {
        bool is_worth_it = false;
        for (const RunsOfSize &runs : sizes_)
            for (const SizeRun *run : runs)
                is_worth_it = is_worth_it || run->contention_s.value_or(0) >=
                                                 scaling_limits.contended * run->compute_s;
        if (!is_worth_it)
            return;
        scaling_.factors.push_back({Factor::computing, against([&](const SizeRun &run) {
                                        return known(amount(run, run.own_compute_s()));
                                    })});
        scaling_.factors.push_back({Factor::cpu_share, against([](const SizeRun &run) {
                                        return known(run.compute_s / run.own_compute_s());
                                    })});
    }

    const SizesOfRuns &sizes_;
    Scaling &scaling_;
    bool is_counted_ = false;
};

SizesOfRuns by_ranks(const std::vector<SizeRun> &runs)
{
    SizesOfRuns sizes;
    for (const SizeRun &run : runs) {
        if (sizes.empty() || sizes.back()[0]->run.ranks != run.run.ranks)
            sizes.emplace_back();
        sizes.back().push_back(&run);
    }
    return sizes;
}

}  // namespace

double ideal_share(const Scaling &scaling, double ranks)
{
    return scaling.kind == ScalingKind::weak ? 1 : scaling.sizes[0].ranks / ranks;
}

double efficiency_of(const Scaling &scaling, double wallclock_s, double ranks)
{
    return wallclock_s > 0
               ? scaling.sizes[0].wallclock_s * ideal_share(scaling, ranks) / wallclock_s
               : 1;
}

// By how the computing of the average rank changes from the smallest size to the largest: in strong
// scaling as 1/p, in weak scaling not at all.
ScalingKind kind_of(const SizesOfRuns &sizes)
{
    const auto compute_s = [](const RunsOfSize &runs) {
        return *median_of(
            runs, [](const SizeRun &run) { return known(run.per_rank(run.own_compute_s())); });
    };
    const double first_s = compute_s(sizes.front()), last_s = compute_s(sizes.back());
    if (first_s <= 0 || last_s <= 0)
        return ScalingKind::strong;
    const double exponent =
        std::log(last_s / first_s) /
        std::log(static_cast<double>(sizes.back()[0]->run.ranks) / sizes.front()[0]->run.ranks);
    return exponent < scaling_limits.strong_exponent ? ScalingKind::strong : ScalingKind::weak;
}

void add_sizes(const SizesOfRuns &sizes, Scaling &scaling)
{
    for (const RunsOfSize &runs : sizes) {
        SizeRow row;
        row.ranks = runs[0]->run.ranks;
        row.runs = runs.size();
        row.nodes = runs[0]->nodes;
        row.wallclock_s =
            *median_of(runs, [](const SizeRun &run) { return known(run.run.wallclock_s); });
        const auto [least, most] =
            std::minmax_element(runs.begin(), runs.end(), [](const auto *a, const auto *b) {
                return a->run.wallclock_s < b->run.wallclock_s;
            });
        if (runs.size() > 1 && row.wallclock_s > 0)
            row.noise_percent =
                50 * ((*most)->run.wallclock_s - (*least)->run.wallclock_s) / row.wallclock_s;
        row.core_hours = row.wallclock_s * row.ranks * runs[0]->cores_per_rank / 3600;
        row.own_bytes = median_of(runs, [](const SizeRun &run) { return run.own_bytes; });
        scaling.sizes.push_back(row);
    }
    for (SizeRow &row : scaling.sizes) {
        row.efficiency = efficiency_of(scaling, row.wallclock_s, row.ranks);
        row.speedup = row.efficiency * row.ranks;
        if (row.efficiency < scaling_limits.worth_efficiency && !scaling.first_bad)
            scaling.first_bad = static_cast<size_t>(&row - scaling.sizes.data());
        if (!scaling.first_bad)
            scaling.recommended_ranks = row.ranks;
    }
    for (const RunsOfSize &runs : sizes)
        for (const SizeRun *run : runs) {
            ScaledRun scaled = run->run;
            scaled.efficiency = efficiency_of(scaling, scaled.wallclock_s, scaled.ranks);
            scaled.speedup = scaled.efficiency * scaled.ranks;
            scaling.runs.push_back(std::move(scaled));
        }
}

void add_factors(const SizesOfRuns &sizes, Scaling &scaling)
{
    Factors factors(sizes, scaling);
    factors.add_parallel();
    factors.add_computation();
    factors.add_global();
}

void add_accounts(const SizesOfRuns &sizes, Scaling &scaling)
{
    std::set<AccountKind> kinds;
    for (const RunsOfSize &runs : sizes)
        for (const SizeRun *run : runs) {
            if (!run->accounts_s)
                return;
            for (const auto &[kind, gain_s] : *run->accounts_s)
                kinds.insert(kind);
        }
    for (const AccountKind kind : kinds) {
        AccountGrowth row{kind, {}};
        for (const RunsOfSize &runs : sizes)
            row.gain_s.push_back(*median_of(runs, [kind](const SizeRun &run) {
                const auto found = run.accounts_s->find(kind);
                return known(found == run.accounts_s->end() ? 0 : found->second);
            }));
        scaling.accounts.push_back(std::move(row));
    }
    std::stable_sort(scaling.accounts.begin(), scaling.accounts.end(),
                     [](const AccountGrowth &a, const AccountGrowth &b) {
                         return a.gain_s.back() > b.gain_s.back();
                     });
}

std::string why_not_scaled(const std::vector<SizeRun> &runs)
{
    for (const SizeRun &run : runs)
        if (run.run.wallclock_s <= 0 || run.run.ranks == 0)
            return "nothing was measured in " + run.run.path;
    const bool one_size = std::all_of(runs.begin(), runs.end(), [&](const SizeRun &run) {
        return run.run.ranks == runs[0].run.ranks;
    });
    return one_size ? "all runs have the same number of ranks: name runs of at least two sizes"
                    : "";
}

Scaling analyse_scaling(std::vector<SizeRun> runs, std::optional<ScalingKind> kind)
{
    std::stable_sort(runs.begin(), runs.end(),
                     [](const SizeRun &a, const SizeRun &b) { return a.run.ranks < b.run.ranks; });
    const SizesOfRuns sizes = by_ranks(runs);
    Scaling scaling;
    scaling.version = MPROF_VERSION;
    scaling.program = runs.back().program;
    scaling.kind_was_said = kind.has_value();
    scaling.kind = kind.value_or(kind_of(sizes));
    add_sizes(sizes, scaling);
    add_factors(sizes, scaling);
    add_accounts(sizes, scaling);
    add_growth(sizes, scaling);
    add_memory(sizes, scaling);
    project(scaling);
    write_meanings(scaling);
    write_words(sizes, scaling);
    return scaling;
}

std::optional<uint32_t> Scaling::good_again_ranks() const
{
    std::optional<uint32_t> ranks;
    for (size_t size = first_bad.value_or(sizes.size()); size < sizes.size(); size++)
        if (sizes[size].efficiency >= scaling_limits.worth_efficiency)
            ranks = sizes[size].ranks;
    return ranks;
}

}  // namespace mprof
