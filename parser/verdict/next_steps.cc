// The rules that match are sorted by what they are worth times how sure they are. What the class of
// the verdict asks for counts twice: it is what the reader has just been told of. A step of which
// nobody can tell what it saves counts a quarter.
//
// No step saves more than its account, and steps of one account share it: what one of them saves,
// the next cannot save once more. A step whose account is too small is not given.
//
// Confidence: "high" where what is said was measured and leaves no other explanation, "medium"
// where it is the likely one, "low" where it is worth a try. It falls by one where the waiting is
// that of ranks that take turns on a CPU, and is low where ranks are missing, but for what a rank
// recorded itself.
#include "verdict/next_steps.h"

#include "report/number_text.h"
#include "verdict/step_rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

namespace mprof {
namespace {

struct Rule {
    const char *name;
    Proposal (*propose)(const StepContext &context);
    // What Proposal::try_it and Proposal::otherwise are, unless the rule says it itself.
    std::string_view try_it, otherwise;
    bool is_of_programs = false;  // only of jobs of several programs
};

constexpr Rule table[] = {
    {"a job that one rank ended", propose_look_at_end,
     "read what that rank printed last; mprof hang FOLDER shows its last calls",
     "mprof trace FOLDER shows what each rank called before"},
    {"programs that do not keep pace", propose_more_ranks,
     "run a few steps with the ranks divided differently between the two, then mprof diff OLD NEW",
     "the slower program may not scale: run it alone with more ranks", true},
    {"programs that wait in turn", propose_programs_at_once,
     "send the result of the previous step with MPI_Isend, and receive it one step later",
     "look at the calls between the programs: a collective over both holds everyone up", true},
    {"slow node", propose_slow_node,
     "run once without that node (sbatch --exclude, or a host list), then mprof diff OLD NEW",
     "if its ranks are late on another node as well, the cause is their work, not the node"},
    {"slow rank", propose_slow_rank,
     "let each rank print how many cells, particles or rows it has; compare with its compute time",
     "if the counts are equal but the times differ, look at its lines under \"computing\", its "
     "memory and its CPU"},
    {"ranks late in turn", propose_late_in_turn,
     "time one step on each rank and print the longest part of it",
     "look for work that only some ranks do in a step: output, allocation, refinement"},
    {"a pattern that is known by name", propose_particular,
     "halve or double the size of the pieces, then mprof diff OLD NEW",
     "mprof report FOLDER shows the account that it belongs to: look at the rest of that account"},
    {"one rank after the other", propose_chain,
     "halve the pieces that are passed on, and see whether the waiting halves",
     "look for a send that waits for its receive: use MPI_Isend or MPI_Sendrecv there"},
    {"late root", propose_late_root,
     "use the nonblocking form (MPI_Ibcast) and call MPI_Wait where the data is needed",
     "look at what the root does just before the call: often it reads or prints"},
    {"barriers", propose_barriers, "take it out, compare the results, then mprof diff OLD NEW",
     "if the waiting moves to the next call, one rank is late, and the barrier only showed it"},
    {"many tiny reductions", propose_tiny_reductions,
     "copy the values into one array and reduce that with one call",
     "start it as MPI_Iallreduce and use the result one step later; mprof tune -- COMMAND tries "
     "other algorithms"},
    {"many tiny messages", propose_tiny_messages,
     "pack what goes to one rank into one buffer, or describe it with a datatype",
     "fewer, larger pieces of the domain need fewer messages"},
    {"late receives, eager limit", propose_late_receives,
     "move MPI_Irecv before the computing, and MPI_Wait after it",
     "look at what the receivers compute meanwhile: they have more to do; mprof tune -- COMMAND "
     "tries a larger eager limit"},
    {"blocking exchanges", propose_serial_exchange,
     "MPI_Irecv from all neighbours, MPI_Isend to all, then one MPI_Waitall",
     "the links may be full: look at where the ranks are placed"},
    {"large messages", propose_overlap,
     "MPI_Irecv and MPI_Isend, then compute what needs no message, then MPI_Waitall",
     "many MPIs move data only inside MPI calls: call MPI_Test now and then, or use a progress "
     "thread"},
    {"ranks that talk on different nodes", propose_nodes_apart,
     "mprof place FOLDER says what it would save: run once in the order that it writes, then mprof "
     "diff OLD NEW",
     "try another mapping: mpirun --map-by core, or srun --distribution=block"},
    {"polling", propose_polling,
     "call MPI_Wait or MPI_Waitany where the loop has nothing else to do",
     "find out why the messages that it polls for come late"},
    {"cheap calls made millions of times", propose_cheap_calls,
     "keep the value in a variable beside the communicator",
     "a library may make the calls: the call site's path says which"},
    {"more ranks than CPUs", propose_fewer_ranks,
     "mpirun -n with the number of CPUs, then mprof diff OLD NEW",
     "if they must share CPUs, mprof tune -- COMMAND tries whether yielding helps"},
    {"no CPU", propose_free_cpus, "run top on that node while the job runs",
     "numactl --show inside the job says which CPUs it may use"},
    {"blocked outside MPI", propose_unblocking,
     "strace -f -c -p PROCESS on that rank for a few seconds",
     "mprof hang, while the job runs, shows the line that each rank is in"},
    {"work of the kernel", propose_less_kernel_work,
     "strace -f -c -p PROCESS on that rank for a few seconds",
     "perf trace -s -p PROCESS on that rank says how long each system call takes"},
    {"objects that are pickled", propose_arrays,
     "numpy.asarray() of the values, or array.array, and Bcast(), Send(), Recv() with them",
     "objects that are not numbers: send them less often, or send only what has changed"},
    {"a thread that works for the others", propose_sharing_work,
     "top -H -p PROCESS shows what each thread of that rank uses of a CPU",
     "if the other threads are meant to wait, as for input or output, run more ranks instead"},
    {"threads that wait for a lock", propose_shorter_locks,
     "move the computing in front of #pragma omp critical, and keep only the sum in it",
     "reduction() in place of the section, or a lock for each part of the data"},
    {"threads without tasks", propose_more_tasks,
     "move #pragma omp taskwait behind the loop that makes the tasks, or put them in a taskgroup",
     "if there are more tasks than threads, they may be too small: join several in one"},
    {"regions that are run often", propose_fewer_regions,
     "#pragma omp parallel around the outer loop, and #pragma omp for inside",
     "if() on the directive lets small loops run on one thread"},
    {"threads with unequal work", propose_even_threads,
     "put schedule(runtime) on the loop, then run with OMP_SCHEDULE=dynamic,16",
     "if the work is equal but the times differ, threads may share a core (OMP_PLACES=cores)"},
    {"computing on one thread", propose_more_parallel,
     "look for the function under \"computing\", and put #pragma omp parallel for there",
     "use the same CPUs with fewer threads and more ranks"},
    {"regions with few threads", propose_larger_teams,
     "print omp_get_num_threads() in the region once, and remove the clause",
     "if it has too little work for more threads, join it with the region before or after it"},
    {"GPUs with unequal work", propose_even_gpus,
     "let each rank print how many cells its GPU has; compare that with its waiting",
     "if the counts are equal but the times differ, a GPU may be slower, hot, or shared with "
     "another rank"},
    {"copies between GPU and MPI", propose_no_staging,
     "pass the GPU buffer to one call, compare the results, then mprof diff OLD NEW",
     "if that is slower, the MPI may itself copy through the host"},
    {"copies of pageable memory", propose_pinned_memory,
     "cudaHostRegister on the buffer, once, where it is allocated, then mprof diff OLD NEW",
     "if memory is short, pin a small buffer and copy through it in pieces"},
    {"copies to and from GPUs", propose_fewer_copies,
     "first only pin the memory (cudaHostRegister on the buffer), then mprof diff OLD NEW",
     "if the kernels still wait for the data, copy it in pieces"},
    {"many short kernels", propose_fewer_launches,
     "capture one step as a graph (cudaStreamBeginCapture), then mprof diff OLD NEW",
     "a debugger or profiler makes launches slow: run without one"},
    {"ranks that are not bound", propose_binding,
     "mprof tune -- COMMAND runs it with and without binding, in turn",
     "if ranks are bound and still move, other programs share the CPUs"},
    {"a job that hangs", propose_look_at_hang,
     "let it hang again; mprof hang FOLDER shows where each rank is, and gdb -p PROCESS (then bt) "
     "which functions led there",
     "mprof trace FOLDER shows what each rank called before it stopped"},
    {"objects that are made again and again", propose_keeping,
     "move MPI_Comm_split, MPI_Type_commit and the like before the loop over steps",
     "if a library makes them, keep what it makes them of: duplicate its communicator once, or "
     "give "
     "it an attribute"},
    {"start-up", propose_start_up,
     "run more steps or a larger input; MPI_Pcontrol marks the part that counts",
     "a slow MPI_Init comes from the launcher or the file system: try one node"},
    {"work before MPI_Init", propose_shared_start,
     "time the parts with clock() before MPI_Init, and start one rank alone",
     "if each rank computes something else there, move it behind MPI_Init: then a report tells "
     "more"},
    {"file I/O", propose_file_output, "write only every second time, then mprof diff OLD NEW",
     "compare the MB/s in the table of files with what the file system can do"},
    {"computation", propose_compute,
     "perf record -g -p PROCESS on one rank, if the lines under \"computing\" do not say enough",
     "let more ranks share the computing, and compare the runs with mprof diff"},
    {"longest call", propose_longest_call, "mprof report --html shows its callers, sizes and ranks",
     "split the run into parts with MPI_Pcontrol: each part has its own figures"},
};

constexpr bool is_complete(const Rule &rule)
{
    return !rule.try_it.empty() && !rule.otherwise.empty();
}
static_assert(std::all_of(std::begin(table), std::end(table), is_complete));

// The waiting may be that for a CPU.
bool is_doubtful(const Proposal &step, const VerdictFacts &facts)
{
    return step.by_waiting && !facts.crowded_host.empty();
}

Confidence confidence_of(const Proposal &step, const VerdictFacts &facts)
{
    const bool doubtful = is_doubtful(step, facts);
    if ((!facts.complete && !step.is_recorded) || step.confidence == Confidence::low ||
        (doubtful && step.confidence == Confidence::medium))
        return Confidence::low;
    return step.confidence == Confidence::high && !doubtful ? Confidence::high : Confidence::medium;
}

}  // namespace

AccountKind StepContext::account_of_waiting() const
{
    return std::max(
        {AccountKind::in_turn, AccountKind::uneven, AccountKind::blocked, AccountKind::latency},
        [this](AccountKind a, AccountKind b) { return gain_s(a) < gain_s(b); });
}

AccountKind StepContext::account_of_transfer() const
{
    return gain_s(AccountKind::bandwidth) > gain_s(AccountKind::latency) ? AccountKind::bandwidth
                                                                         : AccountKind::latency;
}

double expected_s(const Proposal &step, Confidence confidence)
{
    return (step.of_class ? step_order.of_class : 1) * (step.is_guess ? step_order.guessed : 1) *
           step.worth_s * step_order.sureness[static_cast<size_t>(confidence)];
}

std::string NextStep::worth_words() const
{
    if (worth_s && worth_low_s && *worth_low_s < limits.told_low_share * *worth_s)
        return fmt::format("{} to {}", duration_text(*worth_low_s), duration_text(*worth_s));
    return worth_s ? "up to " + duration_text(*worth_s) : "";
}

std::string NextStep::words() const
{
    const bool has_end = action.ends_with('.');
    const std::string worth = worth_words();
    return fmt::format("{} ({}{}).", action.substr(0, action.size() - (has_end ? 1 : 0)),
                       text_of(confidence), worth.empty() ? "" : ", " + worth);
}

std::string NextStep::reason_words() const
{
    std::string words = capitalised(evidence) + ".";
    if (!try_it.empty())
        words += " To try it: " + try_it + ".";
    if (!otherwise.empty())
        words += " If it does not help: " + otherwise + ".";
    return words;
}

std::string Heaviest::calls_words() const
{
    if (size &&
        static_cast<double>(size_calls) < limits.one_size_share * static_cast<double>(calls))
        return fmt::format("{} of {} {} of {} and {} most of the time", spoken_count(size_calls),
                           spoken_plural(calls, "call"), size_calls == 1 ? "is" : "are",
                           bytes_text(*size), size_calls == 1 ? "takes" : "take");
    const double each_s = time_s / static_cast<double>(std::max<uint64_t>(1, calls));
    return fmt::format("{}{}, {}{}", spoken_plural(calls, "call"),
                       size ? " of " + bytes_text(*size) : "", duration_text(each_s),
                       calls == 1 ? "" : " each");
}

namespace {

using NumberedStep = std::pair<Proposal, size_t>;  // and the rule's number

// Within its account, and with the words that the table has for it.
void complete(const Rule &rule, const StepContext &context, Proposal &step)
{
    if (step.account && context.is_in_pair(*step.account)) {
        step.worth_s = context.facts.first->saves_s;
        step.saves = false;
    } else if (step.account) {
        step.worth_s = std::min(step.worth_s, context.gain_s(*step.account));
        step.least_s = std::min(step.least_s, context.least_gain_s(*step.account));
        // Much of the account may have another explanation.
        if (step.confidence == Confidence::high &&
            context.least_gain_s(*step.account) < limits.sure_gain_share * step.worth_s)
            step.confidence = Confidence::medium;
        step.matches =
            step.matches && (step.of_class ||
                             100 * step.worth_s >= limits.step_percent * context.facts.wallclock_s);
    }
    step.of_class = step.of_class && !is_doubtful(step, context.facts);
    if (step.try_it.empty())
        step.try_it = rule.try_it;
    if (step.otherwise.empty())
        step.otherwise = rule.otherwise;
}

NextStep made_step(const Proposal &step, const VerdictFacts &facts)
{
    NextStep next;
    next.action = step.action;
    next.evidence = step.evidence;
    next.confidence = confidence_of(step, facts);
    next.try_it = step.try_it;
    next.otherwise = step.otherwise;
    if (!step.saves || step.worth_s <= 0)
        return next;
    next.worth_s = std::min(step.worth_s, facts.wallclock_s);
    if (step.least_s > 0)
        next.worth_low_s = std::min(step.least_s, *next.worth_s);
    return next;
}

// What steps before this one save of its account is not there any more.
void share_account(std::array<double, account_kinds> &taken_s, const StepContext &context,
                   Proposal &step)
{
    if (!step.account)
        return;
    double &taken = taken_s[static_cast<size_t>(*step.account)];
    const double left_s = std::max(0.0, context.gain_s(*step.account) - taken);
    step.worth_s = std::min(step.worth_s, left_s);
    step.least_s = std::min(step.least_s, step.worth_s);
    if (step.saves)
        taken += step.worth_s;
}

}  // namespace

void choose_next_steps(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    constexpr size_t shown = 3;
    const StepContext context{report, facts, verdict.verdict_class};
    std::vector<NumberedStep> steps;
    for (const Rule &rule : table) {
        if (rule.is_of_programs && !facts.coupling.several)
            continue;
        Proposal step = rule.propose(context);
        complete(rule, context, step);
        verdict.step_rules.push_back(
            {rule.name, step.matches ? step.evidence : "", step.matches, false, step.worth_s});
        if (step.matches)
            steps.emplace_back(std::move(step), verdict.step_rules.size() - 1);
    }
    std::stable_sort(steps.begin(), steps.end(), [&](const auto &a, const auto &b) {
        return expected_s(a.first, confidence_of(a.first, facts)) >
               expected_s(b.first, confidence_of(b.first, facts));
    });
    steps.resize(std::min(shown, steps.size()));
    std::array<double, account_kinds> taken_s = {};
    for (auto &[step, rule] : steps) {
        share_account(taken_s, context, step);
        verdict.step_rules[rule].shown = true;
        verdict.next.push_back(made_step(step, facts));
        verdict.next.back().account = step.account;
    }
}

}  // namespace mprof
