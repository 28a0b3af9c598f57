// Next steps about calls that need not be, and about how the program is run.
#include "measure/function_facts.h"
#include "report/library_kinds.h"
#include "report/number_text.h"
#include "verdict/step_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace mprof {
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
    step.evidence = fmt::format("{} calls that poll, {} in all", spoken_count(c.facts.poll_calls),
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

namespace {

// What the run would be shorter by, if CPUs did nothing but the computing of the node's ranks and
// shared it evenly. std::nullopt = how long ranks had a CPU was not recorded.
std::optional<double> saved_by_cpus_s(const Report &report, const std::string &host)
{
    const auto node = std::find_if(report.nodes.begin(), report.nodes.end(),
                                   [&](const NodeRow &row) { return row.host == host; });
    if (node == report.nodes.end())
        return std::nullopt;
    const double cpus = node->has_free_cores ? static_cast<double>(node->ranks) : node->usable_cpus;
    double computing_s = 0, wallclock_s = 0;
    for (const RankRow &row : report.ranks)
        if (row.host == host) {
            if (!row.on_cpu_s)
                return std::nullopt;
            computing_s += *row.on_cpu_s;
            wallclock_s = std::max(wallclock_s, row.wallclock_s);
        }
    if (cpus <= 0)
        return std::nullopt;
    return std::max(0.0, wallclock_s - computing_s / cpus);
}

}  // namespace

Proposal propose_fewer_ranks(const StepContext &c)
{
    Proposal step;
    step.matches = !c.facts.crowded_host.empty();
    if (!step.matches)
        return step;
    step.confidence = Confidence::high;
    step.of_class = !c.is(VerdictClass::kept_off_the_cpu) || c.facts.off_cpu.by_ranks;
    const auto saved_s = saved_by_cpus_s(c.report, c.facts.crowded_host);
    // The imbalance stays, whatever the CPUs do, and has a step of its own.
    step.worth_s =
        std::max(0.0, saved_s.value_or(c.per_rank(c.facts.wait_s)) - c.facts.imbalance_s);
    step.is_guess = !saved_s;
    step.action =
        c.facts.crowded_has_free_cores
            ? fmt::format("Bind each rank on {} to a core of its own (mpirun --bind-to core "
                          "--map-by core, srun --cpu-bind=cores), if the job has the other CPUs.",
                          c.facts.crowded_host)
            : fmt::format("Start at most as many ranks on {} as it has CPUs.",
                          c.facts.crowded_host);
    if (c.facts.crowded_has_free_cores)
        step.try_it = "the same run with the option, then mprof diff OLD NEW";
    step.evidence =
        c.facts.crowded_has_free_cores
            ? "ranks are bound to the same core, though the node has as many CPUs as ranks"
            : "ranks that take turns on a CPU look like ranks that wait";
    return step;
}

Proposal propose_free_cpus(const StepContext &c)
{
    const OffCpuFacts &off = c.facts.off_cpu;
    Proposal step;
    step.matches = step.of_class = c.is(VerdictClass::kept_off_the_cpu) && !off.by_ranks;
    step.confidence = Confidence::high;
    step.worth_s = off.cpu_wait.mean_s;
    step.action = off.by_limit
                      ? "Ask for as many CPUs as there are ranks and threads: the limit is that of "
                        "the control group (cpu.max; a container's --cpus)."
                  : off.by_threads
                      ? "Start at most as many threads as there are CPUs: set OMP_NUM_THREADS to "
                        "the CPUs of a node divided by its ranks."
                      : "Find what else runs on the node (top), or ask for a node of your own "
                        "(srun --exclusive).";
    if (off.by_limit)
        step.try_it = "cat /sys/fs/cgroup/cpu.max inside of the job says the limit";
    else if (off.by_threads)
        step.try_it = "OMP_NUM_THREADS=1 for one run, then mprof diff OLD NEW";
    step.evidence = off.who;
    return step;
}

Proposal propose_unblocking(const StepContext &c)
{
    const OffCpuFacts &off = c.facts.off_cpu;
    Proposal step;
    step.matches = step.of_class = c.is(VerdictClass::blocked);
    step.confidence = Confidence::medium;
    step.worth_s = std::max(off.blocked.mean_s, off.blocked.excess_s);
    if (off.in_files)
        step.action = fmt::format("Read and write less often and in larger pieces{}, let all ranks "
                                  "do it together (MPI-IO), or leave out fsync.",
                                  off.blocked_place);
    else if (off.in_faults)
        step.action = "Read the data once with large reads instead of through mmap(), or give the "
                      "job more memory.";
    else
        step.action =
            fmt::format("Look at what it waits for{}: sleep, a lock, a pipe.", off.blocked_place);
    if (off.in_files)
        step.try_it = "write to a local disk or to /dev/shm for one run, then mprof diff OLD NEW";
    else if (off.in_faults)
        step.try_it = "free -m on that node while the job runs: is memory short?";
    step.evidence = fmt::format("blocked, {}", off.blocked_by);
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
        if (function.makes_comm && !function.starts_up && function.is_startup())
            making_s += row.time_s - row.wait_s.value_or(0);
    }
    const bool makes = making_s * 2 > c.facts.startup_s;
    Proposal step;
    // Of a job that did not end nobody knows how long it would have been.
    step.matches = step.of_class =
        c.is(VerdictClass::start_up_bound) && c.report.standing.headline.empty();
    step.confidence = Confidence::medium;
    step.worth_s = c.per_rank(c.facts.startup_s);
    step.is_guess = !makes;
    step.saves = makes;
    step.action = makes ? "Make communicators once and keep them."
                        : "Profile a longer run: start-up costs once, whatever follows.";
    step.evidence = makes ? fmt::format("making communicators takes {} of the run",
                                        percent_text(c.facts.of_wallclock(making_s)))
                          : fmt::format("start-up takes {} of {}", duration_text(step.worth_s),
                                        duration_text(c.facts.wallclock_s));
    if (makes)
        step.try_it = "move MPI_Comm_split, MPI_Comm_dup and the like before the loop over steps";
    return step;
}

// What the rank does that is to blame stands in the headline: here, where to look in the program.
Proposal propose_look_at_hang(const StepContext &c)
{
    const Standing &standing = c.report.standing;
    Proposal step;
    step.matches = step.of_class = c.is(VerdictClass::hung) && !standing.look_at.empty();
    if (!step.matches)
        return step;
    step.confidence = Confidence::high;
    step.worth_s = c.facts.wallclock_s;
    step.saves = false;
    const uint32_t rank = standing.look_at.front();
    step.action = fmt::format("Look at rank {} first{}{}.", rank,
                              standing.advice.empty() ? "" : ": ", standing.advice);
    for (const StandingRow &row : standing.rows)
        for (const MissingRanks &where : row.where)
            if (where.first <= rank && rank <= where.last)
                step.evidence = row.text;
    if (step.evidence.empty())
        step.evidence = "it is the one that others wait for";
    return step;
}

// What the others did is no reason for it: the launcher ended them.
Proposal propose_look_at_end(const StepContext &c)
{
    const Standing &standing = c.report.standing;
    Proposal step;
    step.matches = step.of_class = step.is_recorded = standing.ended_by.has_value();
    if (!step.matches)
        return step;
    step.confidence = Confidence::high;
    step.worth_s = c.facts.wallclock_s;
    step.saves = false;
    step.action = fmt::format("Find out why {}.", standing.headline);
    step.evidence = "the job ended there";
    return step;
}

namespace {

// The function with the most samples, and how many of all samples it has.
struct Hottest {
    const HotSpotRow *row = nullptr;
    double percent = 0;

    // "71% of it is in update (heat.c:88)"
    std::string words() const
    {
        return fmt::format("{} of it is in {}", percent_text(percent), row->site.function_words());
    }
};

// std::nullopt = not known.
std::optional<Hottest> hottest_of(const Report &report)
{
    std::map<std::string, uint64_t> samples;
    for (const HotSpotRow &row : report.hotspots)
        samples[row.site.module + '\n' + row.site.symbol] += row.samples;
    const HotSpotRow *hottest = nullptr;
    uint64_t most = 0;
    for (const HotSpotRow &row : report.hotspots) {
        const uint64_t count = samples[row.site.module + '\n' + row.site.symbol];
        if (count > most && !row.site.module.empty()) {
            most = count;
            hottest = &row;
        }
    }
    const uint64_t all = report.quality.cpu_samples;
    const double percent = 100 * static_cast<double>(most) / static_cast<double>(all);
    if (hottest == nullptr || all < limits.hot_spot_samples || percent < limits.hot_spot_percent)
        return std::nullopt;
    return Hottest{hottest, percent};
}

// Of all samples: those in the library that waits for the GPU most. nullptr = too few of them.
const HotPlaceRow *gpu_wait(const Report &report)
{
    for (const HotPlaceRow &row : report.hot_libraries)
        if (library_kind(row.site.module_name()) == LibraryKind::gpu)
            return row.percent >= limits.gpu_percent &&
                           report.quality.cpu_samples >= limits.hot_spot_samples
                       ? &row
                       : nullptr;
    return nullptr;
}

}  // namespace

Proposal propose_compute(const StepContext &c)
{
    Proposal step;
    constexpr double most = 0.5;  // of the run, though something else is said first
    const bool computes = c.facts.mean_compute_s * c.facts.ranks > most * c.facts.rank_wallclock_s;
    step.of_class = c.is(VerdictClass::compute_bound);
    step.matches = step.of_class || (c.is(VerdictClass::mixed) && computes);
    step.confidence = step.of_class ? Confidence::high : Confidence::medium;
    const std::optional<Hottest> hottest = hottest_of(c.report);
    const HotPlaceRow *const gpu = gpu_wait(c.report);
    step.is_guess = true;
    step.saves = gpu != nullptr || hottest;  // else nobody knows what there is to save
    step.worth_s = c.facts.mean_compute_s;
    if (gpu != nullptr)
        step.worth_s *= gpu->percent / 100;
    else if (hottest)
        step.worth_s *= hottest->percent / 100;
    if (gpu != nullptr)
        step.action = fmt::format(
            "Look at the GPU first: for {} of the computing the CPU waits for it, in {}. A "
            "profiler of the GPU shows what runs there.",
            percent_text(gpu->percent), gpu->site.module_name());
    else
        step.action =
            "Look at the computation first: " +
            (hottest ? hottest->words() : "a CPU profiler shows where it spends its time") + ".";
    if (gpu != nullptr)
        step.try_it = "nsys profile (NVIDIA) or rocprofv3 (AMD) in front of one rank";
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
    step.is_guess = true;
    step.action = fmt::format("Look at {} first.", longest->words());
    step.evidence = fmt::format("it holds {} of MPI time", percent_text(longest->mpi_percent));
    return step;
}

}  // namespace mprof
