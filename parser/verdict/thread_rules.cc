// Sentences about threads: one has more to do than the others, all but one have nothing to do, or
// they wait for each other's lock or for tasks.
#include "verdict/thread_rules.h"

#include "report/number_text.h"
#include "verdict/work_place.h"

#include <fmt/format.h>

namespace mprof {
namespace {

std::string share_of_run(double seconds, const VerdictFacts &facts)
{
    return percent_text(100 * seconds * facts.ranks / facts.rank_wallclock_s);
}

void say_uneven_threads(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const ThreadFacts &threads = facts.threads;
    verdict.sentence = fmt::format(
        "For {} of the run ({}), threads wait for the busiest one in their parallel region.",
        share_of_run(threads.uneven_s, facts), duration_text(threads.uneven_s));
    verdict.why =
        fmt::format("Most of that is in the parallel region at {}: its average thread is busy for "
                    "{} of the time of its busiest one. {}",
                    threads.uneven_place.empty() ? "an unknown place" : threads.uneven_place,
                    percent_text(100 * threads.place_balance), report.openmp.sentence);
    say_gain("Keeping all threads busy", *facts.first->row, facts, verdict);
}

void say_threads_in_turn(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const ThreadFacts &threads = facts.threads;
    verdict.sentence = fmt::format(
        "For {} of the run ({}), threads wait for each other in {}the parallel region in {}.",
        share_of_run(threads.turns_s, facts), duration_text(threads.turns_s),
        threads.turns_lock.empty() ? "" : threads.turns_lock + ", in ", threads.turns_place);
    const std::string place =
        threads.turns_lock.empty() ? find_team_place(report).words : std::string();
    verdict.why =
        fmt::format("Of {:.3g} threads, {:.1f} are busy there on average{}: the others wait at a "
                    "critical section, a lock, a barrier or ordered work. {}",
                    threads.threads, threads.turns_threads,
                    place.empty() ? "" : ", mostly in " + place, report.openmp.sentence);
    say_gain("Keeping all threads busy", *facts.first->row, facts, verdict);
}

void say_lacking_tasks(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const ThreadFacts &threads = facts.threads;
    verdict.sentence = fmt::format(
        "For about {} of the run ({}), threads wait for tasks in the parallel region in {}.",
        share_of_run(threads.tasks_s, facts), duration_text(threads.tasks_s), threads.tasks_place);
    verdict.why = "Too few tasks are ready at the same time: a thread waits for each task before "
                  "it makes the next one, tasks are few or small, or one is much longer. " +
                  report.openmp.sentence;
    say_gain("Keeping all threads busy", *facts.first->row, facts, verdict);
}

void say_many_regions(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const ThreadFacts &threads = facts.threads;
    verdict.sentence = fmt::format(
        "For {} of the run ({}), threads begin and end parallel regions, mostly {} in {}.",
        share_of_run(threads.starts_s, facts), duration_text(threads.starts_s),
        spoken_plural(threads.starts, "time"), threads.starts_place);
    verdict.why = "Each time all threads of the team have to be woken, and the last one is waited "
                  "for. " +
                  report.openmp.sentence;
    say_gain("Keeping all threads busy", *facts.first->row, facts, verdict);
}

std::string serial_words(const Report &report, const VerdictFacts &facts)
{
    const ThreadFacts &threads = facts.threads;
    if (threads.is_in_small_regions())
        return fmt::format(
            "For {} of the run ({}), the parallel region in {} runs on {} of {:.3g} threads.",
            share_of_run(threads.small_place_s, facts), duration_text(threads.small_place_s),
            threads.small_place, threads.small_threads, threads.threads);
    const std::string place = find_serial_place(report).words;
    return fmt::format("For {} of the run ({}), the average rank computes outside parallel "
                       "regions, on one of {:.3g} threads{}.",
                       share_of_run(threads.serial_s, facts), duration_text(threads.serial_s),
                       threads.threads, place.empty() ? "" : ", mostly in " + place);
}

void say_serial_part(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    verdict.sentence = serial_words(report, facts);
    verdict.why = report.openmp.sentence;
    say_gain("Keeping all threads busy", *facts.first->row, facts, verdict);
}

// The thread that calls MPI works more than all others together, or waits for them.
std::string own_threads_words(const Report &report, const ThreadFacts &threads)
{
    if (threads.main_s < threads.others_s)
        return fmt::format("The threads of rank {} work one after the other, or for different "
                           "times: the one that calls MPI works for {} and waits {} for the "
                           "others, which work for {} together",
                           threads.main_rank, duration_text(threads.main_s),
                           duration_text(threads.main_waits_s), duration_text(threads.others_s));
    const std::string place = find_work_place(report, std::nullopt).words;
    return fmt::format("One thread of rank {} does {} of the work of all its threads ({}, the "
                       "others {}){}",
                       threads.main_rank,
                       percent_text(100 * threads.main_s / (threads.main_s + threads.others_s)),
                       duration_text(threads.main_s), duration_text(threads.others_s),
                       place.empty() ? "" : ", mostly in " + place);
}

void say_own_threads(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    verdict.sentence = fmt::format("{}; sharing the work evenly would save {}.",
                                   own_threads_words(report, facts.threads),
                                   duration_text(facts.first->row->gain_s));
    verdict.why = "By the CPU time of the process, its threads do not work at the same time, and "
                  "there is a CPU for another one.";
    say_gain("Sharing the work among its threads", *facts.first->row, facts, verdict);
}

}  // namespace

ClassRule rule_of_own_threads()
{
    return {VerdictClass::serial_part,
            Judgement::problem,
            [] {
                return std::string("first: threads, and they are those that the program makes "
                                   "itself");
            },
            [](const VerdictFacts &f) {
                return fmt::format("{}, the one that calls MPI {}",
                                   duration_text(f.threads.others_s),
                                   duration_text(f.threads.main_s));
            },
            [](const VerdictFacts &f) {
                return f.is_first(AccountKind::threads) && f.threads.has_own_threads();
            },
            say_own_threads};
}

ClassRule rule_of_uneven_threads()
{
    return {
        VerdictClass::thread_imbalance,
        Judgement::problem,
        [] {
            return std::string(
                "first: threads, mostly in parallel regions, where they wait for the busiest one");
        },
        [](const VerdictFacts &f) {
            return fmt::format("{} of the wallclock", share_of_run(f.threads.uneven_s, f));
        },
        [](const VerdictFacts &f) {
            return f.is_first(AccountKind::threads) && !f.threads.is_serial() &&
                   !f.threads.is_in_turn() && !f.threads.lacks_tasks() && !f.threads.starts_often();
        },
        say_uneven_threads};
}

ClassRule rule_of_threads_in_turn()
{
    return {VerdictClass::thread_imbalance,
            Judgement::problem,
            [] {
                return std::string("first: threads, mostly in parallel regions, where they wait "
                                   "for each other's lock");
            },
            [](const VerdictFacts &f) {
                return fmt::format("{} of the wallclock", share_of_run(f.threads.turns_s, f));
            },
            [](const VerdictFacts &f) {
                return f.is_first(AccountKind::threads) && f.threads.is_in_turn();
            },
            say_threads_in_turn};
}

ClassRule rule_of_lacking_tasks()
{
    return {VerdictClass::thread_imbalance,
            Judgement::problem,
            [] {
                return std::string("first: threads, mostly in parallel regions, where they wait "
                                   "for tasks");
            },
            [](const VerdictFacts &f) {
                return fmt::format("{} of the wallclock", share_of_run(f.threads.tasks_s, f));
            },
            [](const VerdictFacts &f) {
                return f.is_first(AccountKind::threads) && f.threads.lacks_tasks();
            },
            say_lacking_tasks};
}

ClassRule rule_of_many_regions()
{
    return {
        VerdictClass::thread_imbalance,
        Judgement::problem,
        [] { return std::string("first: threads, mostly where parallel regions begin and end"); },
        [](const VerdictFacts &f) {
            return fmt::format("{} of the wallclock", share_of_run(f.threads.starts_s, f));
        },
        [](const VerdictFacts &f) {
            return f.is_first(AccountKind::threads) && f.threads.starts_often();
        },
        say_many_regions};
}

ClassRule rule_of_serial_part()
{
    return {VerdictClass::serial_part,
            Judgement::problem,
            [] {
                return std::string("first: threads, mostly outside parallel regions, or in regions "
                                   "with fewer threads");
            },
            [](const VerdictFacts &f) {
                const double seconds = f.threads.serial_gain_s + f.threads.small_gain_s;
                return fmt::format("{} of the wallclock", share_of_run(seconds, f));
            },
            [](const VerdictFacts &f) {
                return f.is_first(AccountKind::threads) && f.threads.is_serial() &&
                       !f.threads.has_own_threads();
            },
            say_serial_part};
}

}  // namespace mprof
