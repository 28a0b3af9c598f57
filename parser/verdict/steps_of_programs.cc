// Next steps where one program of the job waits for another one.
#include "report/number_text.h"
#include "verdict/step_rules.h"

#include <fmt/format.h>

namespace mprof {
namespace {

std::string evidence_of(const CouplingFacts &coupling)
{
    return fmt::format("{} waits {} per rank for {}, and {} {} for {}", coupling.waiter,
                       duration_text(coupling.wait_s), coupling.waited_for, coupling.waited_for,
                       duration_text(coupling.back_s), coupling.waiter);
}

}  // namespace

Proposal propose_more_ranks(const StepContext &c)
{
    const CouplingFacts &coupling = c.facts.coupling;
    Proposal step;
    step.of_class = c.is(VerdictClass::coupling_bound) && !coupling.in_turn;
    step.matches = step.of_class || (!coupling.waiter.empty() &&
                                     100 * coupling.moving_s >=
                                         verdict_thresholds.coupling_percent * c.facts.wallclock_s);
    step.by_waiting = true;
    step.confidence = Confidence::medium;
    step.worth_s = coupling.moving_s;
    if (!step.matches)
        return step;
    step.action =
        coupling.moved_ranks > 0
            ? fmt::format("Give {} more ranks and {} fewer: about {} of its {}. This estimate "
                          "assumes that both scale.",
                          coupling.waited_for, coupling.waiter, coupling.moved_ranks,
                          coupling.waiter_ranks)
            : fmt::format("Give {} more ranks, or make its part faster.", coupling.waited_for);
    step.evidence = evidence_of(coupling);
    if (!coupling.off_cpu.empty())
        step.evidence += fmt::format("; but {} {}", coupling.waited_for, coupling.off_cpu);
    return step;
}

Proposal propose_programs_at_once(const StepContext &c)
{
    const CouplingFacts &coupling = c.facts.coupling;
    Proposal step;
    step.matches = step.of_class = c.is(VerdictClass::coupling_bound) && coupling.in_turn;
    step.by_waiting = true;
    step.confidence = Confidence::medium;
    step.worth_s = coupling.at_once_s;
    if (!step.matches)
        return step;
    step.action = fmt::format("Let {} and {} work at the same time: exchange the results of the "
                              "previous step, or let both run on the same cores.",
                              coupling.waiter, coupling.waited_for);
    step.evidence = evidence_of(coupling);
    return step;
}

}  // namespace mprof
