// Next steps about threads of OpenMP that have nothing to do.
#include "report/number_text.h"
#include "verdict/step_rules.h"

#include <fmt/format.h>

namespace mprof {

Proposal propose_even_threads(const StepContext &c)
{
    const ThreadFacts &threads = c.facts.threads;
    Proposal step;
    step.account = AccountKind::threads;
    step.of_class = c.is(VerdictClass::thread_imbalance);
    step.matches = !threads.uneven_place.empty() && c.tells(AccountKind::threads) &&
                   threads.place_balance < limits.even_threads_balance &&
                   c.is_worth(threads.place_uneven_s * c.facts.ranks);
    // Where CPUs are short a thread may be longer because it waits for one.
    step.confidence = c.report.accounts.crowded ? Confidence::medium : Confidence::high;
    step.worth_s = threads.place_uneven_s;
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
    Proposal step;
    step.account = AccountKind::threads;
    step.of_class = c.is(VerdictClass::thread_imbalance);
    step.matches = threads.is_in_turn() && c.tells(AccountKind::threads) &&
                   c.is_worth(threads.turns_s * c.facts.ranks);
    step.confidence = Confidence::medium;
    step.worth_s = threads.turns_s;
    step.action = fmt::format("Compute outside the critical section or lock of the parallel region "
                              "in {}, and hold it only for the result: reduction(), or a sum of "
                              "each thread's own.",
                              threads.turns_place);
    step.evidence = fmt::format("of its {:.3g} threads {:.1f} are busy on average", threads.threads,
                                threads.turns_threads);
    return step;
}

Proposal propose_more_tasks(const StepContext &c)
{
    const ThreadFacts &threads = c.facts.threads;
    Proposal step;
    step.account = AccountKind::threads;
    step.of_class = c.is(VerdictClass::thread_imbalance);
    step.matches = threads.lacks_tasks() && c.tells(AccountKind::threads) &&
                   c.is_worth(threads.tasks_s * c.facts.ranks);
    step.confidence = Confidence::medium;
    step.worth_s = threads.tasks_s;
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
    Proposal step;
    step.account = AccountKind::threads;
    step.of_class = c.is(VerdictClass::thread_imbalance);
    step.matches = threads.starts_often() && c.tells(AccountKind::threads) &&
                   c.is_worth(threads.starts_s * c.facts.ranks);
    step.confidence = Confidence::medium;
    step.worth_s = threads.starts_s;
    step.action = fmt::format("Begin the parallel region in {} less often: put one around the loop "
                              "that runs it.",
                              threads.starts_place);
    step.evidence = fmt::format("it is run {}", spoken_plural(threads.starts, "time"));
    return step;
}

Proposal propose_more_parallel(const StepContext &c)
{
    const ThreadFacts &threads = c.facts.threads;
    Proposal step;
    step.account = AccountKind::threads;
    step.of_class = c.is(VerdictClass::serial_part);
    step.matches = c.tells(AccountKind::threads) && threads.threads > 1 &&
                   c.is_worth(threads.serial_gain_s * c.facts.ranks);
    step.confidence = Confidence::medium;
    step.worth_s = threads.serial_gain_s;
    step.action = "Use all threads for the computing outside parallel regions.";
    step.evidence = fmt::format("{} on one of {:.3g} threads", duration_text(threads.serial_s),
                                threads.threads);
    return step;
}

Proposal propose_larger_teams(const StepContext &c)
{
    const ThreadFacts &threads = c.facts.threads;
    Proposal step;
    step.account = AccountKind::threads;
    step.of_class = c.is(VerdictClass::serial_part);
    step.matches = !threads.small_place.empty() && c.tells(AccountKind::threads) &&
                   c.is_worth(threads.small_gain_s * c.facts.ranks);
    step.confidence = Confidence::medium;
    step.worth_s = threads.small_gain_s;
    step.action = fmt::format(
        "Give the parallel region in {} all threads: look at its num_threads() and if().",
        threads.small_place);
    step.evidence = fmt::format("{} on {} of {:.3g} threads", duration_text(threads.small_place_s),
                                threads.small_threads, threads.threads);
    return step;
}

}  // namespace mprof
