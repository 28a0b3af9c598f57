// Rows of several runs are the same if they have the same words: function of MPI and line, or
// module and offset where no lines are known.
#include "scale/size_run.h"

#include "report/program_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
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
        return "the begin";
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

    void add_computing()
    {
        add(report_.totals.compute_s, std::nullopt, row_of(GrowthKind::compute, "computing"));
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
    Collector collector(report, run);
    collector.add_calls();
    collector.add_functions();
    collector.add_computing();
    collector.add_phases();
    collector.add_segments();
    run.next = report.verdict.next;
    return run;
}

}  // namespace mprof
