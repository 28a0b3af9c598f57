// The fields of what is wrong in a run (mprof lint).
#pragma once

#include "report/field.h"

namespace mprof {

template <>
inline constexpr auto fields_of<LintRow> = fields(
    field("rule", &LintRow::rule, "", "which rule is broken ([lint.md](lint.md))"),
    field("severity", &LintRow::severity, "", "`error`, `warning` or `note`"),
    field("rank", &LintRow::rank, "", "the lowest rank that breaks it there"),
    field("ranks", &LintRow::ranks, "", "how many ranks do"),
    field("function", &LintRow::function, "", "the MPI function that is called there"),
    field("file", &LintRow::file, "", "source file of the call, as debug data have it")
        .only(in_json | in_csv),
    field("line", &LintRow::line, "", "line in it; 0: not known").only(in_json | in_csv),
    field("place", &LintRow::place, "", "`file:line`, or module and offset"),
    field("count", &LintRow::count, "", "how often, summed over ranks: calls, objects or messages"),
    field("message", &LintRow::message, "", "what is wrong, as a sentence"),
    field("standard", &LintRow::standard, "", "the section of the MPI standard that says so"),
    field("cost_s", &LintRow::cost_s, "s",
          "what it costs, summed over ranks; null where it costs no time"));

template <>
inline constexpr auto fields_of<LintRuleRow> =
    fields(field("rule", &LintRuleRow::rule, "", "its name"),
           field("severity", &LintRuleRow::severity, "", "of its findings"),
           field("standard", &LintRuleRow::standard, "", "the section of the MPI standard"),
           field("sentence", &LintRuleRow::sentence, "", "what it looks for"),
           field("looked_at", &LintRuleRow::looked_at, "",
                 "the profile of at least one rank tells whether it is broken"),
           field("gap", &LintRuleRow::gap, "",
                 "why it was not looked at, or not on all ranks; null: on all"),
           field("findings", &LintRuleRow::findings, "", "rows of `lints`"));

}  // namespace mprof
