// Next steps about threads of OpenMP that have nothing to do.
#include "report/number_text.h"
#include "verdict/step_rules.h"
#include "verdict/work_place.h"

#include <fmt/format.h>

namespace mprof {
namespace {

// What all of them are: of `worth_s` of the average rank, if `holds`.
Proposal of_threads(const StepContext &c, VerdictClass of_class, bool holds, double worth_s)
{
    Proposal step;
    step.account = AccountKind::threads;
    step.of_class = c.is(of_class);
    step.matches = holds && c.tells(AccountKind::threads) && c.is_worth(worth_s * c.facts.ranks);
    step.confidence = Confidence::medium;
    step.worth_s = worth_s;
    return step;
}

}  // namespace

Proposal propose_sharing_work(const StepContext &c)
{
    const ThreadFacts &threads = c.facts.threads;
    const std::string place = find_work_place(c.report, std::nullopt).words;
    Proposal step = of_threads(c, VerdictClass::serial_part, threads.has_own_threads(),
                               c.gain_s(AccountKind::threads));
    // Threads that only help the one that calls MPI look alike.
    if (threads.has_own_threads() &&
        threads.main_waits_s <= limits.shared_work_share * threads.main_s) {
        step.matches = c.is_worth(c.gain_s(AccountKind::threads) * c.facts.ranks);
        step.confidence = Confidence::low;
    }
    if (threads.main_s < threads.others_s)
        step.action = fmt::format("Let the threads of rank {} work at the same time, and as long "
                                  "as each other: also the one that waits for them.",
                                  threads.main_rank);
    else
        step.action = fmt::format("Let the other threads of rank {} do a part of what the one that "
                                  "calls MPI computes{}.",
                                  threads.main_rank, place.empty() ? "" : ", mostly in " + place);
    step.evidence = fmt::format("that thread works {}, all others together {}",
                                duration_text(threads.main_s), duration_text(threads.others_s));
    return step;
}

Proposal propose_even_threads(const StepContext &c)
{
    const ThreadFacts &threads = c.facts.threads;
    Proposal step = of_threads(c, VerdictClass::thread_imbalance,
                               !threads.uneven_place.empty() &&
                                   threads.place_balance < limits.even_threads_balance,
                               threads.place_uneven_s);
    // Where CPUs are short a thread may be longer because it waits for one.
    if (!c.report.accounts.crowded)
        step.confidence = Confidence::high;
    step.action = fmt::format("Divide the work of the parallel region at {} more evenly among its "
                              "threads: schedule(dynamic), or smaller pieces.",
                              threads.uneven_place);
    step.evidence = fmt::format("the busiest thread works {} longer than the average one",
                                duration_text(threads.place_uneven_s));
    return step;
}

Proposal propose_shorter_locks(const StepContext &c)
{
    const ThreadFacts &threads = c.facts.threads;
    Proposal step =
        of_threads(c, VerdictClass::thread_imbalance, threads.is_in_turn(), threads.turns_s);
    step.action =
        fmt::format("Compute outside the critical section or lock {}, and hold it only "
                    "for the result: reduction(), or a sum of each thread's own.",
                    threads.turns_lock.empty() ? "of the parallel region in " + threads.turns_place
                                               : "in " + threads.turns_lock);
    step.evidence = fmt::format("of its {:.3g} threads {:.1f} are busy on average", threads.threads,
                                threads.turns_threads);
    return step;
}

Proposal propose_more_tasks(const StepContext &c)
{
    const ThreadFacts &threads = c.facts.threads;
    Proposal step =
        of_threads(c, VerdictClass::thread_imbalance, threads.lacks_tasks(), threads.tasks_s);
    step.action = fmt::format("Have more tasks ready at the same time in the parallel region in "
                              "{}: wait for several of them together (one taskwait behind all), "
                              "and make as many as keep all threads busy.",
                              threads.tasks_place);
    step.evidence = fmt::format("threads wait {} for tasks there, by samples of the first one",
                                duration_text(threads.tasks_s));
    return step;
}

Proposal propose_fewer_regions(const StepContext &c)
{
    const ThreadFacts &threads = c.facts.threads;
    Proposal step =
        of_threads(c, VerdictClass::thread_imbalance, threads.starts_often(), threads.starts_s);
    step.action = fmt::format("Begin the parallel region in {} less often: put one around the loop "
                              "that runs it.",
                              threads.starts_place);
    step.evidence = fmt::format("it is run {}", spoken_plural(threads.starts, "time"));
    return step;
}

Proposal propose_more_parallel(const StepContext &c)
{
    const ThreadFacts &threads = c.facts.threads;
    Proposal step =
        of_threads(c, VerdictClass::serial_part, threads.threads > 1, threads.serial_gain_s);
    step.action = "Use all threads for the computing outside parallel regions.";
    step.evidence = fmt::format("{} on one of {:.3g} threads", duration_text(threads.serial_s),
                                threads.threads);
    return step;
}

Proposal propose_larger_teams(const StepContext &c)
{
    const ThreadFacts &threads = c.facts.threads;
    Proposal step = of_threads(c, VerdictClass::serial_part, !threads.small_place.empty(),
                               threads.small_gain_s);
    step.action = fmt::format(
        "Give the parallel region in {} all threads: look at its num_threads() and if().",
        threads.small_place);
    step.evidence = fmt::format("{} on {} of {:.3g} threads", duration_text(threads.small_place_s),
                                threads.small_threads, threads.threads);
    return step;
}

}  // namespace mprof
