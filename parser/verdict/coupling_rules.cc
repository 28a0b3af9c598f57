// Sentences about programs of one job that do not keep pace with each other.
#include "verdict/coupling_rules.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

bool is_between_programs(const VerdictFacts &facts)
{
    const CouplingFacts &coupling = facts.coupling;
    return coupling.several && !coupling.waiter.empty() &&
           100 * coupling.between_s >=
               limits.coupling_wait_percent * facts.busiest_part * facts.wait_s;
}

bool is_worth_it(const VerdictFacts &facts)
{
    return 100 * facts.coupling.worth_s() >= limits.coupling_percent * facts.wallclock_s;
}

bool is_worth_a_sentence(const VerdictFacts &facts)
{
    return !facts.coupling.waiter.empty() &&
           100 * facts.coupling.wait_s >= limits.told_part_percent * facts.wallclock_s;
}

// "The ranks of ocean wait 3.20 s for atmosphere", "The rank of ocean waits ..."
std::string waiting_sentence(const CouplingFacts &coupling)
{
    const bool one = coupling.waiter_ranks == 1;
    return fmt::format("{} of {} {} {} for {}", one ? "The rank" : "The ranks", coupling.waiter,
                       one ? "waits" : "wait", duration_text(coupling.wait_s), coupling.waited_for);
}

void say_coupling(const Report &, const VerdictFacts &facts, Verdict &verdict)
{
    const CouplingFacts &coupling = facts.coupling;
    const std::string share = percent_text(coupling.percent);
    const std::string computing =
        fmt::format("The average rank of {} computes for {}, that of {} for {}.",
                    coupling.waited_for, duration_text(coupling.waited_for_compute_s),
                    coupling.waiter, duration_text(coupling.waiter_compute_s));
    verdict.why = computing;
    if (!coupling.off_cpu.empty())
        verdict.why += fmt::format(" {} {}.", coupling.waited_for, coupling.off_cpu);
    if (facts.is_uneven())
        verdict.why += fmt::format(" Load balance within {} is {:.2f}.", coupling.waited_for,
                                   facts.load_balance);
    if (coupling.in_turn) {
        verdict.sentence = fmt::format(
            "{} and {} wait for each other in turn: {} waits {} per rank, {} {}.", coupling.waiter,
            coupling.waited_for, coupling.waiter, duration_text(coupling.wait_s),
            coupling.waited_for, duration_text(coupling.back_s));
        say_gain("Programs that work at the same time (an estimate)", coupling.at_once_s, facts,
                 verdict);
        return;
    }
    verdict.sentence =
        fmt::format("{} ({} of {} run): give {} more ranks.", waiting_sentence(coupling), share,
                    coupling.waiter_ranks == 1 ? "its" : "their", coupling.waited_for);
    say_gain("Dividing the ranks so that the two keep pace (an estimate, if both scale)",
             coupling.moving_s, facts, verdict);
}

}  // namespace

bool is_coupling_bound(const VerdictFacts &facts)
{
    const bool is_imbalance =
        facts.is_uneven() && 100 * facts.coupling.imbalance_s >=
                                 limits.coupling_imbalance_percent * facts.coupling.wait_s;
    return is_between_programs(facts) && !facts.is_first(AccountKind::blocked) &&
           facts.waits_known && is_worth_it(facts) && !is_imbalance &&
           facts.wait_percent >= limits.wait_percent && facts.wait_s > facts.startup_s &&
           facts.missing_wait_s * 2 <= facts.wait_s;
}

double wait_within_programs(const VerdictFacts &facts)
{
    return std::max(0.0, facts.busiest_part * facts.wait_s - facts.coupling.between_s);
}

std::string cheap_coupling_words(const VerdictFacts &facts)
{
    const CouplingFacts &coupling = facts.coupling;
    if (!is_between_programs(facts) || !is_worth_a_sentence(facts) || is_worth_it(facts))
        return "";
    std::string sentence = waiting_sentence(coupling);
    sentence[0] = 't';
    return sentence + ", which costs the job little";
}

std::string coupling_words(const VerdictFacts &facts)
{
    if (!is_worth_a_sentence(facts))
        return "";
    return fmt::format(" {}.", waiting_sentence(facts.coupling));
}

ClassRule rule_of_coupling()
{
    return {VerdictClass::coupling_bound,
            Judgement::problem,
            [] {
                return fmt::format(
                    "waiting is at least {:g}% of MPI time and longer than start-up; at least "
                    "{:g}% of the waiting is between programs; other numbers of ranks would save "
                    "at least {:g}% of the wallclock; and uneven ranks of the slower program "
                    "explain less than {:g}% of the waiting for that program",
                    limits.wait_percent, limits.coupling_wait_percent, limits.coupling_percent,
                    limits.coupling_imbalance_percent);
            },
            [](const VerdictFacts &f) {
                const CouplingFacts &coupling = f.coupling;
                return coupling.waiter.empty()
                           ? std::string("no program waits for another one")
                           : fmt::format("{}, worth {} of the wallclock",
                                         waiting_sentence(coupling),
                                         percent_text(100 * coupling.worth_s() / f.wallclock_s));
            },
            is_coupling_bound,
            say_coupling};
}

}  // namespace mprof
