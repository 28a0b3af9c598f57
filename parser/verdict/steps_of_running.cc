// Next steps about calls that need not be, and about how the program is run.
#include "measure/function_facts.h"
#include "report/number_text.h"
#include "report/place_rows.h"
#include "verdict/gpu_rules.h"
#include "verdict/step_rules.h"
#include "verdict/work_place.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

namespace mprof {
Proposal propose_polling(const StepContext &c)
{
    Proposal step;
    step.matches = static_cast<double>(c.facts.poll_calls) >= limits.polls_per_rank &&
                   c.is_worth(c.facts.poll_s);
    step.of_class = c.is(VerdictClass::mixed) && c.facts.poll_percent >= limits.wait_percent;
    step.confidence = Confidence::medium;
    step.account = c.account_of_waiting();
    step.worth_s = c.per_rank(c.facts.poll_s);
    step.action = fmt::format(
        "Wait with MPI_Wait instead of {}, or do more work between the calls.", c.facts.poll_place);
    step.evidence = fmt::format("{} polling calls, {} in all", spoken_count(c.facts.poll_calls),
                                duration_text(c.facts.poll_s));
    return step;
}

// Their time is the program's work, of which no account knows what part need not be.
Proposal propose_cheap_calls(const StepContext &c)
{
    const Heaviest of = heaviest(c.report, [](const auto &row) {
        return facts_of(row.function).keepable ? static_cast<double>(row.calls) : 0;
    });
    Proposal step;
    step.matches = of.sum >= limits.cheap_calls_per_rank * c.facts.ranks;
    step.confidence = Confidence::medium;
    step.saves = false;
    step.worth_s = c.per_rank(of.time_s);
    step.action = fmt::format("Call {} once and keep the result.", of.words);
    step.evidence = of.calls_words();
    return step;
}

// With fewer ranks the CPUs have as much to do: nobody can tell what that saves.
Proposal propose_fewer_ranks(const StepContext &c)
{
    Proposal step;
    step.matches = !c.facts.crowded_host.empty();
    if (!step.matches)
        return step;
    step.confidence = Confidence::high;
    step.of_class = c.facts.is_first(AccountKind::few_cpus);
    step.worth_s = c.gain_s(AccountKind::few_cpus);
    if (step.worth_s > 0)
        step.account = AccountKind::few_cpus;
    if (c.facts.crowded_has_free_cores) {
        step.saves = step.worth_s > 0;
        step.action =
            fmt::format("Bind each rank on {} to a core of its own (mpirun --bind-to core --map-by "
                        "core, srun --cpu-bind=cores), if the job may use the other CPUs.",
                        c.facts.crowded_host);
        step.try_it = "run again with the option, then mprof diff OLD NEW";
        step.evidence =
            "ranks are bound to the same core, although the node has as many CPUs as ranks";
        return step;
    }
    step.is_guess = true;
    step.saves = false;
    step.action =
        fmt::format("Start at most as many ranks on {} as it has CPUs.", c.facts.crowded_host);
    step.evidence = "ranks that take turns on a CPU look like ranks that wait";
    return step;
}

namespace {

struct ThreadPlaces {
    double threads = 0;     // of one rank; 0 = not known
    double cpus = 0;        // of a rank's node, for each of its ranks
    bool is_bound = false;  // a rank may use fewer CPUs than that
};

// Of the rank that lacks a CPU longest.
ThreadPlaces thread_places(const Report &report)
{
    ThreadPlaces places;
    const auto most = std::max_element(
        report.ranks.begin(), report.ranks.end(), [](const RankRow &a, const RankRow &b) {
            return a.contention_s.value_or(0) < b.contention_s.value_or(0);
        });
    if (most == report.ranks.end())
        return places;
    places.threads = static_cast<double>(most->team_threads.value_or(0));
    for (const NodeRow &node : report.nodes) {
        if (node.host != most->host || node.ranks == 0)
            continue;
        double cpus = node.usable_cpus;
        for (const auto &[name, value] : node.facts)
            if (name == "cpus")
                cpus = std::max(cpus, std::strtod(value.c_str(), nullptr));
        places.cpus = cpus / static_cast<double>(node.ranks);
        places.is_bound =
            most->cpus_allowed && static_cast<double>(*most->cpus_allowed) < places.cpus;
    }
    return places;
}

// Of threads that share CPUs. A rank that is bound to one core while others are free needs another
// binding; else there are too many threads, if there are more than CPUs.
void advise_on_threads(const StepContext &c, Proposal &step)
{
    const ThreadPlaces places = thread_places(c.report);
    if (places.is_bound && places.threads > 1 && places.threads <= places.cpus) {
        step.action = fmt::format("Give each rank a core for each of its {0:g} threads: mpirun "
                                  "--map-by slot:PE={0:g}, srun --cpus-per-task={0:g}.",
                                  places.threads);
        step.try_it = "run again with the option, then mprof diff OLD NEW";
        return;
    }
    const double advised = std::max(1.0, std::floor(places.cpus));
    step.matches = places.threads < 2 || places.threads > advised;
    step.action = fmt::format("Start at most as many threads as there are CPUs: set "
                              "OMP_NUM_THREADS to {}.",
                              places.threads > 1 && places.cpus > 0
                                  ? fmt::format("{:g}", advised)
                                  : "the CPUs of a node divided by its ranks");
    step.try_it = "OMP_NUM_THREADS=1 for one run, then mprof diff OLD NEW";
}

}  // namespace

Proposal propose_free_cpus(const StepContext &c)
{
    const OffCpuFacts &off = c.facts.off_cpu;
    Proposal step;
    step.account = c.gain_s(AccountKind::other_program) >= c.gain_s(AccountKind::few_cpus)
                       ? AccountKind::other_program
                       : AccountKind::few_cpus;
    step.of_class = c.is(VerdictClass::kept_off_the_cpu);
    step.matches = (step.of_class || c.facts.beside != nullptr) &&
                   (!off.by_ranks || c.facts.is_first(AccountKind::other_program));
    step.confidence = step.of_class ? Confidence::high : Confidence::medium;
    step.worth_s = c.gain_s(*step.account);
    step.evidence = off.who;
    if (off.by_limit) {
        step.action = "Ask for as many CPUs as there are ranks and threads: the control group sets "
                      "the limit (cpu.max; a container's --cpus).";
        step.try_it = "cat /sys/fs/cgroup/cpu.max inside the job shows the limit";
    } else if (off.by_threads && step.matches) {
        advise_on_threads(c, step);
    } else {
        step.action = "Find what else runs on the node (top), or ask for a node of your own (srun "
                      "--exclusive).";
    }
    return step;
}

Proposal propose_unblocking(const StepContext &c)
{
    const OffCpuFacts &off = c.facts.off_cpu;
    Proposal step;
    step.account = AccountKind::blocked;
    step.of_class = c.is(VerdictClass::blocked);
    step.matches = c.tells(AccountKind::blocked);
    step.confidence = Confidence::medium;
    step.worth_s = c.gain_s(AccountKind::blocked);
    step.least_s = c.least_gain_s(AccountKind::blocked);
    const std::string gpu_threads =
        step.matches ? gpu_threads_words(c.report, c.facts.account(AccountKind::blocked)->rank)
                     : "";
    if (off.in_files)
        step.action = fmt::format("Read and write less often and in larger pieces{}, let all ranks "
                                  "do it together (MPI-IO), or leave out fsync.",
                                  off.blocked_place);
    else if (off.in_faults)
        step.action = "Read the data once with large reads instead of through mmap(), or give the "
                      "job more memory.";
    else if (!gpu_threads.empty())
        step.action = "Look at the GPU first: the thread that calls MPI waits, and meanwhile " +
                      gpu_threads + ".";
    else
        step.action = fmt::format("Find out what it waits for{}: sleep, a lock or a pipe.",
                                  off.blocked_place);
    if (off.in_files)
        step.try_it = "write to a local disk or to /dev/shm for one run, then mprof diff OLD NEW";
    else if (off.in_faults)
        step.try_it = "free -m on that node while the job runs: is memory short?";
    step.evidence = fmt::format("blocked: {}", off.blocked_by);
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
    step.matches =
        c.facts.crowded_host.empty() && c.facts.ranks > 1 && per_s > limits.many_moves_per_s;
    step.confidence = Confidence::low;
    step.action = "Bind each rank to a core (mpirun --bind-to core, srun --cpu-bind=cores).";
    step.evidence = fmt::format("ranks moved between CPUs {:.0f} times a second", per_s);
    return step;
}

namespace {

// Of a job that did not end nobody knows how long it would have been.
bool is_start_up_of_run(const StepContext &c)
{
    return c.is(VerdictClass::start_up_bound) && c.report.standing.headline.empty();
}

}  // namespace

Proposal propose_start_up(const StepContext &c)
{
    const double making_s = c.facts.making_s;
    const bool makes = c.facts.makes_communicators();
    Proposal step;
    step.matches = step.of_class = is_start_up_of_run(c) && !c.facts.early.is_first;
    step.confidence = Confidence::medium;
    step.worth_s = c.per_rank(makes ? making_s : c.facts.startup_s);
    step.is_guess = !makes;
    step.saves = makes;
    step.account = AccountKind::start_up;
    step.action = makes ? "Make communicators once and keep them."
                        : "Profile a longer run: start-up costs time only once.";
    step.evidence = makes ? fmt::format("making communicators takes {} of the run",
                                        percent_text(c.facts.of_wallclock(making_s)))
                          : fmt::format("start-up takes {} of {}", duration_text(step.worth_s),
                                        duration_text(c.facts.wallclock_s));
    if (makes)
        step.try_it = "move MPI_Comm_split, MPI_Comm_dup and the like before the loop over steps";
    return step;
}

// What is made again and again, though it could be kept.
Proposal propose_keeping(const StepContext &c)
{
    const VerdictFacts &facts = c.facts;
    Proposal step;
    step.account = AccountKind::latency;
    step.of_class = c.is(VerdictClass::latency_bound);
    step.matches = facts.remaking && c.tells(AccountKind::latency) && c.is_worth(facts.remaking_s);
    if (!step.matches)
        return step;
    step.confidence = Confidence::medium;
    step.worth_s = c.per_rank(facts.remaking_s);
    step.action = fmt::format("Make {} once and keep them: {}.", facts.remade_words(),
                              facts.remaking->words());
    step.evidence = fmt::format("{} of {}", spoken_plural(facts.remaking->calls, "call"),
                                facts.remaking->function);
    return step;
}

// What all ranks compute before MPI_Init.
Proposal propose_shared_start(const StepContext &c)
{
    Proposal step;
    step.matches = step.of_class = is_start_up_of_run(c) && c.facts.early.is_first;
    step.confidence = Confidence::low;
    step.worth_s = c.facts.early.gain_s;
    step.account = AccountKind::start_up;
    step.action = "Let each rank compute its part of what all compute before MPI_Init, after it, "
                  "and share the results.";
    if (c.facts.early.in_script) {
        step.action = "Look at what the script imports and computes before MPI_Init.";
        step.try_it =
            "python3 -X importtime SCRIPT shows what each module of a Python script takes";
    }
    step.evidence = fmt::format("each rank has {} of CPU time before MPI_Init",
                                duration_text(c.facts.early.least_s));
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

namespace {

// "; until then it computed there in build_tree and visit_node": what is sampled between the call
// that a rank which died made last and its next one, while there was a next one. No sample is of
// its end.
std::string computing_after_last_call(const Report &report, uint32_t number)
{
    constexpr size_t most = 3;
    const auto rank = std::find_if(report.ranks.begin(), report.ranks.end(),
                                   [number](const RankRow &row) { return row.rank == number; });
    if (report.standing.ended_how != RankEnd::died || rank == report.ranks.end() || rank->in_call ||
        rank->in_call_place.empty())
        return "";
    std::vector<std::string> functions;
    for (const HotSpotRow &row : report.hotspots) {
        const std::string words = words_with_caller(row);
        if (row.segment && report.segments[*row.segment].from.place() == rank->in_call_place &&
            !row.site.symbol.empty() && functions.size() < most &&
            std::find(functions.begin(), functions.end(), words) == functions.end())
            functions.push_back(words);
    }
    if (functions.empty())
        return "";
    std::string words = functions.front();
    for (size_t i = 1; i < functions.size(); i++)
        words += (i + 1 == functions.size() ? " and " : ", ") + functions[i];
    return "; until then it computed there in " + words;
}

}  // namespace

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
    step.action = fmt::format("Find out why {}{}.", standing.headline,
                              computing_after_last_call(c.report, *standing.ended_by));
    step.evidence = "the job ended there";
    return step;
}

namespace {

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
    const bool computes =
        c.facts.mean_compute_s * c.facts.ranks > limits.computes_share * c.facts.rank_wallclock_s;
    step.of_class = c.is(VerdictClass::compute_bound) || c.is(VerdictClass::gpu_bound);
    step.matches = step.of_class || (c.is(VerdictClass::mixed) && computes);
    step.confidence = step.of_class ? Confidence::high : Confidence::medium;
    const WorkPlace hottest = find_work_place(c.report, std::nullopt);
    const HotPlaceRow *const gpu = gpu_wait(c.report);
    const std::optional<GpuPart> recorded = find_gpu_part(c.report);
    step.is_guess = true;
    step.saves = false;  // nobody knows what there is to save
    step.worth_s = c.facts.mean_compute_s;
    if (recorded)
        step.action = fmt::format("Look at the GPU first: {} of the computing is {}. A GPU "
                                  "profiler shows what runs there.",
                                  percent_text(recorded->percent), recorded->words);
    else if (gpu != nullptr)
        step.action = fmt::format("Look at the GPU first: for {} of the computing, the CPU waits "
                                  "for it, in {}. A GPU profiler shows what runs there.",
                                  percent_text(gpu->percent), gpu->site.module_name());
    else
        step.action =
            "Look at the computation first: " +
            (hottest.words.empty() ? "a CPU profiler shows where it spends its time"
                                   : fmt::format("{} of the computing is in {}",
                                                 percent_text(hottest.percent), hottest.words)) +
            ".";
    if (recorded || gpu != nullptr)
        step.try_it = "nsys profile (NVIDIA) or rocprofv3 (AMD) in front of one rank";
    step.evidence = fmt::format("without any MPI time, the run would be at most {} shorter",
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
    step.saves = false;
    step.action = fmt::format("Look at {} first.", longest->words());
    step.evidence = fmt::format("it takes {} of MPI time", percent_text(longest->mpi_percent));
    return step;
}

}  // namespace mprof
