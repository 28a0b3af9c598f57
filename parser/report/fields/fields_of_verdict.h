// The fields of the verdict: its class, its sentences, and the rules by which they were found.
#pragma once

#include "report/field.h"

namespace mprof {

template <>
inline constexpr auto fields_of<NextStep> =
    fields(field("action", &NextStep::action, "", "what to do").always_known(),
           field("evidence", &NextStep::evidence, "", "why").always_known(),
           field("try_it", &NextStep::try_it, "", "how to see soon whether it helps"),
           field("otherwise", &NextStep::otherwise, "", "what to look at if it does not help"),
           field("confidence", &NextStep::confidence, "", "`high`, `medium`, `low`"),
           field("worth_s", &NextStep::worth_s, "s",
                 "what it can save of the run's wallclock, part of an account; null: nobody can "
                 "tell"),
           field("worth_low_s", &NextStep::worth_low_s, "s",
                 "what it saves at least if it is done fully; null: nobody can tell"),
           field("account", &NextStep::account, "",
                 "the account that it saves a part of, as in `accounts`; null: none"));

template <>
inline constexpr auto fields_of<VerdictCard> =
    fields(field("title", &VerdictCard::title, "", "the figure's name").always_known(),
           field("value", &VerdictCard::value, "", "the figure").always_known(),
           field("detail", &VerdictCard::detail, "", "what it is of"),
           field("note", &VerdictCard::note, "", "a sentence about it"),
           field("state", &VerdictCard::state, "", "`good`, `watch`, `problem`"));

template <>
inline constexpr auto fields_of<VerdictRule> =
    fields(field("class", &VerdictRule::verdict_class, "", "the class"),
           field("condition", &VerdictRule::condition, "", "when it matches, with its thresholds")
               .always_known(),
           field("found", &VerdictRule::found, "", "the numbers of this run").always_known(),
           field("matches", &VerdictRule::matches, "", "its condition holds"));

inline std::optional<double> worth_if_matched(const StepRule &rule)
{
    return rule.matches ? std::optional(rule.worth_s) : std::nullopt;
}

template <>
inline constexpr auto fields_of<StepRule> = fields(
    field("rule", &StepRule::name, "", "its name").always_known(),
    field("found", &StepRule::found, "", "the numbers of this run"),
    field("matches", &StepRule::matches, "", "its condition holds"),
    field("shown", &StepRule::shown, "", "its step is in `next`"),
    field("worth_s", worth_if_matched, "s", "what it may save at most; null if it does not match"));

template <>
inline constexpr auto fields_of<Verdict> = fields(
    field(
        "class", &Verdict::verdict_class, "",
        "`compute bound`, `load-imbalance bound`, `synchronisation bound`, `latency bound`, "
        "`bandwidth bound`, `start-up bound`, `I/O bound`, `mixed`, `kept off the CPU`, `blocked`, "
        "`serial part`, `thread imbalance`, `coupling bound`, `HUNG`, `kernel bound`, "
        "`unknown` (thresholds: parser/report/verdict_thresholds.h)"),
    field("state", &Verdict::state, "", "how good that class is: `good`, `watch`, `problem`"),
    field("headline", &Verdict::headline, "", "the verdict in a sentence").always_known(),
    field("why", &Verdict::why, "", "what it is based on, in sentences").always_known(),
    field("gain", &Verdict::gain, "", "`gain_s` in words"),
    field("gain_s", &Verdict::gain_s, "s",
          "what removing the cause would save of the wallclock: `gain_s` of its account; null if "
          "nothing can be said"),
    field("gain_low_s", &Verdict::gain_low_s, "s",
          "what it would save at least; null if nothing can be said"),
    field("next", &Verdict::next, "", "what to try, at most three steps"),
    field("extra", &Verdict::extra, "",
          "remarks that hold whatever the class is: incomplete profile, more ranks than CPUs"),
    field("cards", &Verdict::cards, "", "the cards of the page"),
    field("rules", &Verdict::rules, "",
          "the classes in the order in which they are tried; the first that matches is `class`"),
    field("step_rules", &Verdict::step_rules, "", "all rules for next steps"));

}  // namespace mprof
