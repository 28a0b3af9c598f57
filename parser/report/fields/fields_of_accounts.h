// The fields of the accounts: what each cause costs the run.
#pragma once

#include "report/field.h"

namespace mprof {

template <>
inline constexpr auto fields_of<AccountRow> = fields(
    field("name", &AccountRow::kind, "",
          "the cause: `uneven`, `blocked`, `kernel`, `files`, `in turn`, `latency`, `bandwidth`, "
          "`threads`, `slow CPU`, `other program`, `few CPUs`, `start-up`"),
    field("gain_s", &AccountRow::gain_s, "s", "what the run would take less without it"),
    field("gain_low_s", &AccountRow::gain_low_s, "s", "likewise, at least"),
    field("gain_high_s", &AccountRow::gain_high_s, "s",
          "likewise, at most; of `uneven` what it saves if the surplus need not be done at all"),
    field("wall_without_s", &AccountRow::wall_without_s, "s", "wallclock of the run less `gain_s`"),
    field("rank", &AccountRow::rank, "", "that has most of it; null: no rank has"),
    field("changes", &AccountRow::changes, "", "the rank that has most changes during the run"),
    field("rank_s", &AccountRow::rank_s, "s",
          "what `rank` has of it in the run; of `uneven` its CPU time outside of MPI")
        .only(in_json | in_csv),
    field("next_s", &AccountRow::next_s, "s", "the same of the rank with the next most")
        .only(in_json | in_csv),
    field("function", &AccountRow::function, "", "the program's, where it arises"),
    field("place", &AccountRow::place, "", "line of the program where it arises"),
    field("step", &AccountRow::step, "", "what to try first"));

// "blocked + uneven"
inline std::string words_of_kinds(const AccountStep &step)
{
    std::string words;
    for (const AccountKind kind : step.kinds)
        words += (words.empty() ? "" : " + ") + text_of(kind);
    return words;
}

template <>
inline constexpr auto fields_of<AccountStep> = fields(
    field("accounts", words_of_kinds, "",
          "the account, or two that hide each other: `blocked + "
          "uneven`")
        .always_known(),
    field("saves_s", &AccountStep::saves_s, "s", "what it saves when those before it are gone"));

template <>
inline constexpr auto fields_of<Accounts> = fields(
    field("known", &Accounts::known, "", "false: nothing was measured that could be divided"),
    field("span_s", &Accounts::span_s, "s",
          "the run without beginning and ending MPI, which all accounts but `start-up` are parts "
          "of"),
    field("other_threads", &Accounts::other_threads, "",
          "threads of other programs that want the CPUs of a node, estimated; 0: none"),
    field("crowded", &Accounts::crowded, "",
          "ranks lack a CPU for more than a tenth of the time in which they want one"),
    field("polls", &Accounts::polls, "", "ranks that wait in MPI keep their CPU"),
    field("order", &Accounts::order, "",
          "what adds up: causes from the largest on, each with what it saves when those before it "
          "are gone"));

}  // namespace mprof
