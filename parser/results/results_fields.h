// The fields of what mprof diff --results says: of its JSON and of share/doc/howto/results.md
// (report/field.h says how).
#pragma once

#include "report/field.h"
#include "report/fields/fields_of_places.h"
#include "results/results_comparison.h"

namespace mprof {

inline constexpr auto result_place_fields =
    fields(field("file", &Frame::file, "", "source file"), line_of_frame,
           field("place", &Frame::place, "", "`file:line`, or what else is known").always_known());

template <>
inline constexpr auto fields_of<ResultCall> =
    fields(field("function", &ResultCall::function, "", "of MPI").always_known(),
           field("instance", &ResultCall::instance, "", "which of the calls of that line, from 1"),
           part_of(&ResultCall::frame, result_place_fields));

inline std::string kind_word(const FirstDifference &first)
{
    return word_of(first.kind);
}

template <>
inline constexpr auto fields_of<FirstDifference> = fields(
    field("kind", kind_word, "", "`compute`, `message`, `order`, `input`").always_known(),
    field("rank", through(&FirstDifference::call, &ResultCall::rank), "", "whose call it is"),
    field("function", through(&FirstDifference::call, &ResultCall::function), "", "of MPI")
        .always_known(),
    field("instance", through(&FirstDifference::call, &ResultCall::instance), "",
          "which of the calls of that line, from 1"),
    field("last_instance", through(&FirstDifference::call, &ResultCall::last_instance), "",
          "the same, or the end of an interval"),
    field("sender", &FirstDifference::sender, "",
          "kind `message`, of a message from one rank; else null"),
    part_of(through(&FirstDifference::call, &ResultCall::frame), result_place_fields),
    field("after", &FirstDifference::before, "",
          "the call before it that carried data; null: none"));

template <>
inline constexpr auto fields_of<OrderedReduction> =
    fields(field("function", &OrderedReduction::function, "", "of MPI").always_known(),
           field("calls", &OrderedReduction::calls, "", "of the rank that makes most"),
           field("differs", &OrderedReduction::differs, "", "its result is different"),
           part_of(&OrderedReduction::frame, result_place_fields));

inline bool is_comparable(const ResultsComparison &comparison)
{
    return comparison.unusable.empty();
}
inline std::vector<std::string> texts_of_settings(const ResultsComparison &comparison)
{
    std::vector<std::string> texts;
    for (const RepeatableSetting &setting : comparison.settings)
        texts.push_back(setting.text());
    return texts;
}

template <>
inline constexpr auto fields_of<ResultsComparison> = fields(
    field("mprof", &ResultsComparison::version, "", "version of the program that wrote this")
        .always_known(),
    field("same", &ResultsComparison::same, "", "the same bit for bit"),
    field("comparable", is_comparable, "", "the runs can be compared"),
    field("headline", &ResultsComparison::headline, "", "the answer, a sentence").always_known(),
    field("details", &ResultsComparison::details, "", "further sentences"),
    field("remarks", &ResultsComparison::remarks, "", "further remarks"),
    field("reductions", &ResultsComparison::reductions, "", "how many were compared"),
    field("messages", &ResultsComparison::messages, "", "how many were compared"),
    field("first", &ResultsComparison::first, "", "the first difference; null: there is none"),
    field("differing_ranks", &ResultsComparison::differing_ranks, "",
          "how many have different data somewhere"),
    field("results_from", &ResultsComparison::narrow_from, "",
          "the place for `--results-from`; null: none"),
    field("order_dependent", &ResultsComparison::ordered, "",
          "one row per line that makes reductions whose result depends on the order of the parts"),
    field("settings", texts_of_settings, "", "that make these repeatable"));

}  // namespace mprof
