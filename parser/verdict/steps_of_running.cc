// Next steps about calls that need not be, and about how the program is run.
#include "measure/function_facts.h"
#include "report/number_text.h"
#include "verdict/step_rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

struct FilePart {
    double time_s = 0;
    uint64_t calls = 0, bytes = 0;

    void add(const FunctionRow &row)
    {
        time_s += row.time_s - row.wait_s.value_or(0);
        calls += row.calls;
        bytes += row.bytes + row.received_bytes;
    }
    uint64_t bytes_per_call() const { return bytes / std::max<uint64_t>(1, calls); }
    std::string each_words() const
    {
        return duration_text(time_s / static_cast<double>(std::max<uint64_t>(1, calls))) + " each";
    }
};

struct FileParts {
    FilePart opening, syncing, moving;
    double independent_s = 0;  // of moving, by calls that not all ranks must make

    explicit FileParts(const Report &report)
    {
        for (const FunctionRow &row : report.functions) {
            const FunctionFacts function = facts_of(row.function);
            if (function.opens_file)
                opening.add(row);
            if (function.syncs_file)
                syncing.add(row);
            if (function.moves_file) {
                moving.add(row);
                independent_s += function.needs_all ? 0 : row.time_s;
            }
        }
    }
};

}  // namespace

Proposal propose_polling(const StepContext &c)
{
    Proposal step;
    step.matches = static_cast<double>(c.facts.poll_calls) >= limits.polls_per_rank &&
                   c.is_worth(c.facts.poll_s);
    step.of_class = c.is(VerdictClass::mixed) && c.facts.poll_percent >= limits.wait_percent;
    step.confidence = Confidence::medium;
    step.worth_s = c.per_rank(c.facts.poll_s);
    step.action = fmt::format(
        "Wait with MPI_Wait instead of {}, or do more work between the calls.", c.facts.poll_place);
    step.evidence = fmt::format("{} calls that poll, {} in all", count_text(c.facts.poll_calls),
                                duration_text(c.facts.poll_s));
    return step;
}

Proposal propose_cheap_calls(const StepContext &c)
{
    const Heaviest of = heaviest(c.report, [](const auto &row) {
        return facts_of(row.function).keepable ? static_cast<double>(row.calls) : 0;
    });
    Proposal step;
    step.matches = of.sum >= limits.cheap_calls_per_rank * c.facts.ranks;
    step.confidence = Confidence::medium;
    step.worth_s = c.per_rank(of.time_s);
    step.action = fmt::format("Call {} once and keep the result.", of.words);
    step.evidence = of.calls_words();
    return step;
}

Proposal propose_fewer_ranks(const StepContext &c)
{
    Proposal step;
    step.matches = !c.facts.crowded_host.empty();
    step.confidence = Confidence::high;
    step.worth_s = c.per_rank(c.facts.wait_s);
    step.action =
        fmt::format("Start at most as many ranks on {} as it has CPUs.", c.facts.crowded_host);
    step.evidence = "ranks that take turns on a CPU look like ranks that wait";
    return step;
}

Proposal propose_binding(const StepContext &c)
{
    double migrations = 0;
    for (const RankRow &row : c.report.ranks)
        if (row.cpus_allowed.value_or(0) > 1)
            migrations += static_cast<double>(row.migrations.value_or(0));
    const double per_s = c.facts.rank_wallclock_s > 0 ? migrations / c.facts.rank_wallclock_s : 0;
    Proposal step;
    step.matches = c.facts.crowded_host.empty() && c.facts.ranks > 1 && per_s > 10;
    step.confidence = Confidence::low;
    step.action = "Bind each rank to a core (mpirun --bind-to core, srun --cpu-bind=cores).";
    step.evidence = fmt::format("ranks moved between CPUs {:.0f} times a second", per_s);
    return step;
}

Proposal propose_start_up(const StepContext &c)
{
    double making_s = 0;
    for (const FunctionRow &row : c.report.functions) {
        const FunctionFacts function = facts_of(row.function);
        if (function.makes_comm && function.is_startup())
            making_s += row.time_s - row.wait_s.value_or(0);
    }
    const bool makes = making_s * 2 > c.facts.startup_s;
    Proposal step;
    // Of a job that did not end nobody knows how long it would have been.
    step.matches = step.of_class =
        c.is(VerdictClass::start_up_bound) && c.report.standing.headline.empty();
    step.confidence = Confidence::medium;
    step.worth_s = c.per_rank(c.facts.startup_s);
    step.action = makes ? "Make communicators once and keep them."
                        : "Profile a longer run: start-up costs once, whatever follows.";
    step.evidence = makes
                        ? fmt::format("making communicators takes {} of the run",
                                      percent_text(c.facts.of_wallclock(making_s)))
                        : fmt::format("the whole run takes {}", duration_text(c.facts.wallclock_s));
    return step;
}

// Fits what the program does already.
Proposal propose_file_output(const StepContext &c)
{
    const FileParts parts(c.report);
    const FilePart &moving = parts.moving;
    Proposal step;
    step.matches = c.facts.file_percent >= limits.file_io_percent;
    step.of_class = c.is(VerdictClass::io_bound);
    step.confidence = Confidence::medium;
    step.worth_s = c.per_rank(c.facts.file_s);
    const bool small = moving.bytes_per_call() < limits.small_file_bytes;
    const bool independent = 2 * parts.independent_s > moving.time_s;
    step.evidence = fmt::format("{} calls of {} on average, {}", count_text(moving.calls),
                                bytes_text(moving.bytes_per_call()), moving.each_words());
    if (2 * parts.opening.time_s > c.facts.file_s) {
        step.action = "Open files once and keep them open.";
        step.evidence = fmt::format("{} calls that open or close, {}",
                                    count_text(parts.opening.calls), parts.opening.each_words());
    } else if (2 * parts.syncing.time_s > c.facts.file_s) {
        step.action = "Sync files less often: each time all ranks wait for the disk.";
        step.evidence = fmt::format("{} calls, {}", count_text(parts.syncing.calls),
                                    parts.syncing.each_words());
    } else if (small && independent) {
        step.action = "Read and write more at once, or use the collective calls, which put the "
                      "pieces of all ranks together.";
    } else if (independent) {
        step.action = "Try the collective calls, which put the pieces of all ranks together.";
    } else if (small) {
        step.action = "Read and write more at once.";
    } else {
        step.action = "Write less, or less often: the calls are large and collective already.";
    }
    return step;
}

Proposal propose_compute(const StepContext &c)
{
    Proposal step;
    step.matches = step.of_class = c.is(VerdictClass::compute_bound);
    step.confidence = Confidence::high;
    step.worth_s = c.facts.mean_compute_s;
    step.action = "Look at the computation first: a CPU profiler shows where it spends its time.";
    step.evidence = fmt::format("without any MPI time the run would be {} shorter at most",
                                percent_text(c.facts.mpi_percent));
    return step;
}

Proposal propose_longest_call(const StepContext &c)
{
    const auto &longest = c.facts.longest;
    Proposal step;
    step.matches = c.is(VerdictClass::mixed) && longest && !facts_of(longest->function).poll &&
                   longest->mpi_percent >= limits.top_function_percent;
    step.confidence = Confidence::low;
    if (!step.matches)
        return step;
    step.worth_s = c.per_rank(longest->time_s);
    step.action = fmt::format("Look at {} first.", longest->words());
    step.evidence = fmt::format("it holds {} of MPI time", percent_text(longest->mpi_percent));
    return step;
}

}  // namespace mprof
