// The rules that match are sorted by what they are worth at most times how sure they are. What the
// class of the verdict asks for counts twice: it is what the reader has just been told of. A step
// of which nobody can tell what it saves counts a quarter.
//
// Confidence: "high" where what is said was measured and leaves no other explanation, "medium"
// where it is the likely one, "low" where it is worth a try. It falls by one where the waiting is
// that of ranks that take turns on a CPU, and is low where ranks are missing.
#include "verdict/next_steps.h"

#include "report/number_text.h"
#include "verdict/step_rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace mprof {
namespace {

struct Rule {
    const char *name;
    Proposal (*propose)(const StepContext &context);
    bool is_of_programs = false;  // only of jobs of several programs
};

constexpr Rule table[] = {
    {"programs that do not keep pace", propose_more_ranks, true},
    {"programs that wait in turn", propose_programs_at_once, true},
    {"slow node", propose_slow_node},
    {"slow rank", propose_slow_rank},
    {"ranks late in turn", propose_late_in_turn},
    {"one rank after the other", propose_chain},
    {"late root", propose_late_root},
    {"barriers", propose_barriers},
    {"many tiny reductions", propose_tiny_reductions},
    {"many tiny messages", propose_tiny_messages},
    {"late receives, eager limit", propose_late_receives},
    {"blocking exchanges", propose_serial_exchange},
    {"large messages", propose_overlap},
    {"ranks that talk on different nodes", propose_nodes_apart},
    {"polling", propose_polling},
    {"cheap calls made millions of times", propose_cheap_calls},
    {"more ranks than CPUs", propose_fewer_ranks},
    {"no CPU", propose_free_cpus},
    {"blocked outside MPI", propose_unblocking},
    {"threads with unequal work", propose_even_threads},
    {"computing on one thread", propose_more_parallel},
    {"ranks that are not bound", propose_binding},
    {"start-up", propose_start_up},
    {"file I/O", propose_file_output},
    {"computation", propose_compute},
    {"longest call", propose_longest_call},
};

Confidence confidence_of(const Proposal &step, const VerdictFacts &facts)
{
    const bool doubtful = step.by_waiting && !facts.crowded_host.empty();
    if (!facts.complete || step.confidence == Confidence::low ||
        (doubtful && step.confidence == Confidence::medium))
        return Confidence::low;
    return step.confidence == Confidence::high && !doubtful ? Confidence::high : Confidence::medium;
}

}  // namespace

double expected_s(const Proposal &step, Confidence confidence)
{
    constexpr std::array<double, 3> sureness = {0.25, 0.5, 1};  // by Confidence
    constexpr double unknown = 0.25;  // what part of its worth such a step saves, at a guess
    return (step.of_class ? 2 : 1) * (step.is_bounded ? 1 : unknown) * step.worth_s *
           sureness[static_cast<size_t>(confidence)];
}

std::string NextStep::worth_words() const
{
    return text_of(confidence) + (worth_s ? ", up to " + duration_text(*worth_s) : "");
}

std::string NextStep::words() const
{
    const bool has_end = action.ends_with('.');
    return fmt::format("{} ({}).", action.substr(0, action.size() - (has_end ? 1 : 0)),
                       worth_words());
}

std::string Heaviest::calls_words() const
{
    constexpr double nearly_all = 0.9;
    if (size && static_cast<double>(size_calls) < nearly_all * static_cast<double>(calls))
        return fmt::format("{} of {} calls are of {} and take most of the time",
                           count_text(size_calls), count_text(calls), bytes_text(*size));
    const double each_s = time_s / static_cast<double>(std::max<uint64_t>(1, calls));
    return fmt::format("{} calls{}, {} each", count_text(calls),
                       size ? " of " + bytes_text(*size) : "", duration_text(each_s));
}

void choose_next_steps(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    constexpr size_t shown = 3;
    const StepContext context{report, facts, verdict.verdict_class};
    std::vector<std::pair<Proposal, size_t>> steps;  // and the rule's number
    for (const Rule &rule : table) {
        if (rule.is_of_programs && !facts.coupling.several)
            continue;
        Proposal step = rule.propose(context);
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
    for (const auto &[step, rule] : steps) {
        verdict.step_rules[rule].shown = true;
        verdict.next.push_back({step.action, step.evidence, confidence_of(step, facts),
                                step.is_bounded && step.worth_s > 0
                                    ? std::optional(std::min(step.worth_s, facts.wallclock_s))
                                    : std::nullopt});
    }
}

}  // namespace mprof
