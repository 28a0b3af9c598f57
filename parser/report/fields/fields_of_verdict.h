// The fields of what answers a question: the verdict with its rules, what each cause costs the run,
// whom others waited for and where ranks are, what is wrong in a run (mprof lint), and the run
// beside what its machine can do.
#pragma once

#include "report/field.h"
#include "report/fields/fields_of_run.h"

namespace mprof {

template <>
inline constexpr auto fields_of<NextStep> =
    fields(field("action", &NextStep::action, "", "what to do").always_known(),
           field("evidence", &NextStep::evidence, "", "why").always_known(),
           field("try_it", &NextStep::try_it, "", "how to see soon whether it helps"),
           field("otherwise", &NextStep::otherwise, "", "what to look at if it does not help"),
           field("confidence", &NextStep::confidence, "", "`high`, `medium`, `low`"),
           field("worth_s", &NextStep::worth_s, "s",
                 "what it can save of the run's wallclock, part of an account; null: not known"),
           field("worth_low_s", &NextStep::worth_low_s, "s",
                 "what it saves at least if it is done fully; null: not known"),
           field("account", &NextStep::account, "",
                 "the account that it saves a part of, as in `accounts`; null: none"));

template <>
inline constexpr auto fields_of<VerdictCard> =
    fields(field("title", &VerdictCard::title, "", "the figure's name").always_known(),
           field("value", &VerdictCard::value, "", "the figure").always_known(),
           field("detail", &VerdictCard::detail, "", "what it is part of"),
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
        "`GPU bound`, `GPU-imbalance bound`, `copy bound`, `launch bound`, `pickling bound`, "
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

// The fields of the accounts: what each cause costs the run.

template <>
inline constexpr auto fields_of<AccountRow> = fields(
    field("name", &AccountRow::kind, "",
          "the cause: `uneven`, `blocked`, `kernel`, `files`, `in turn`, `latency`, `bandwidth`, "
          "`threads`, `slow CPU`, `pickling`, `uneven GPUs`, `GPU`, `GPU copies`, `GPU launches`, "
          "`other "
          "program`, `few CPUs`, `start-up`"),
    field("gain_s", &AccountRow::gain_s, "s", "how much shorter the run would be without it"),
    field("gain_low_s", &AccountRow::gain_low_s, "s", "likewise, at least"),
    field("gain_high_s", &AccountRow::gain_high_s, "s",
          "likewise, at most; for `uneven`, what it saves if the extra work can be skipped"),
    field("wall_without_s", &AccountRow::wall_without_s, "s", "wallclock of the run less `gain_s`"),
    field("rank", &AccountRow::rank, "", "the rank that has most of it; null: no rank has"),
    field("changes", &AccountRow::changes, "", "the rank that has most changes during the run"),
    field("rank_s", &AccountRow::rank_s, "s",
          "the part of `rank` in the run; for `uneven`, its CPU time outside MPI")
        .only(in_json | in_csv),
    field("next_s", &AccountRow::next_s, "s", "the same of the rank with the next most")
        .only(in_json | in_csv),
    field("function", &AccountRow::function, "", "the program's, where it arises"),
    field("place", &AccountRow::place, "", "line of the program where it arises"),
    field("step", &AccountRow::step, "", "what to try first"),
    field("cause", &AccountRow::cause, "",
          "a pattern that is known by name and explains the account or a part of it: `master`, "
          "`uneven sizes`, `wait at once`, `pipeline`, `rare steps`, `held lock`, `absent owner`; "
          "null: none is known"),
    field("cause_gain_s", &AccountRow::cause_gain_s, "s",
          "what fixing it saves, a part of `gain_s`; null: there is no `cause`"),
    field("cause_words", &AccountRow::cause_words, "", "it in a sentence: who, how much, where"));

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
    field("saves_s", &AccountStep::saves_s, "s", "what it saves once those before it are gone"));

template <>
inline constexpr auto fields_of<AccountWindow> = fields(
    field("from_s", &AccountWindow::from_s, "s", "where it starts"),
    field("to_s", &AccountWindow::to_s, "s", "where the next one starts"),
    field("uneven_s", &AccountWindow::uneven_s, "s",
          "how much shorter the run would be there if all ranks worked the same"),
    field("blocked_s", &AccountWindow::blocked_s, "s", "likewise, if none were blocked"),
    field("kernel_s", &AccountWindow::kernel_s, "s", "likewise, without the kernel's work"),
    field("files_s", &AccountWindow::files_s, "s", "likewise, without MPI-IO"),
    field("in_turn_s", &AccountWindow::in_turn_s, "s",
          "likewise, if ranks did not wait for each other in turn"),
    field("latency_s", &AccountWindow::latency_s, "s", "likewise, without small messages"),
    field("bandwidth_s", &AccountWindow::bandwidth_s, "s", "likewise, without large messages"),
    field("rank", &AccountWindow::rank, "",
          "that works longest there, beyond the mean; null: nobody works"));

template <>
inline constexpr auto fields_of<Accounts> = fields(
    field("known", &Accounts::known, "", "false: nothing was measured that could be divided"),
    field("span_s", &Accounts::span_s, "s",
          "the run without starting and ending MPI; all accounts but `start-up` are parts of it"),
    field("other_threads", &Accounts::other_threads, "",
          "threads of other programs that want the CPUs of a node, estimated; 0: none"),
    field("crowded", &Accounts::crowded, "",
          "ranks lack a CPU for more than a tenth of the time in which they want one"),
    field("polls", &Accounts::polls, "", "ranks that wait in MPI keep their CPU"),
    field("order", &Accounts::order, "",
          "causes that add up, the largest first, each with what it saves once those before it are "
          "gone"),
    field("windows", &Accounts::windows, "",
          "what causes cost in windows of the run, which add up; none of files without time bins"));

// The fields of waiting: whom others waited for, and where ranks are that have not ended.

template <>
inline constexpr auto fields_of<CauseRow> = fields(
    field("rank", &CauseRow::rank, "", "the rank that others waited for"),
    field("host", &CauseRow::host, "", "where it runs"),
    field("caused_wait_s", &CauseRow::caused_wait_s, "s",
          "how long the others waited for it, summed over all of them"),
    field("last_percent", &CauseRow::last_percent, "%",
          "to how many of the collectives in which anybody waited it came last"),
    field("compute_s", &CauseRow::compute_s, "s", "its compute time"),
    field("over_mean", &CauseRow::over_mean, "",
          "that / the mean of all ranks, or in a job of several programs of the ranks of its "
          "program"),
    field("place", &CauseRow::place, "",
          "where most of the waiting for it shows, in words: `MPI_Allreduce at cg.c:211`"),
    field("segment", &CauseRow::segment, "",
          "between which two calls it computes longer than the others, in words: "
          "`a.c:5 and a.c:9 (2.0 s, the others 1.0 s)`; null if nowhere by much"),
    field("reason", &CauseRow::reason, "",
          "what else is unusual about it (clock rate, page faults, memory, node), in words"));

template <>
inline constexpr auto fields_of<StandingRow> = fields(
    field("state", &StandingRow::state, "",
          "`in call`; `outside MPI`; `polling`: outside MPI or in a poll, and it does nothing else "
          "(`MPI_Test`); `gone`: its process is not there any more while others run; `stopped`: by "
          "a signal; `in a debugger`: stopped by one"),
    field("function", &StandingRow::function, "",
          "the call in progress, or the last one that ended"),
    field("place", &StandingRow::place, "", "where in the program that is; null if not known"),
    field("communicator", &StandingRow::communicator, "", "communicator of the call in progress"),
    field("peer", &StandingRow::peer, "",
          "the partner's rank in that communicator, if it is the same for all; else null"),
    field("ranks", &StandingRow::ranks, "", "how many ranks are there"),
    field("where", &StandingRow::where, "", "ranges of them"),
    field("since_s", &StandingRow::since_s, "s",
          "when the first of them came there, after the start of the first rank")
        .only(in_json),
    field("shortest_s", &StandingRow::shortest_s, "s",
          "how long they have been there at least: until now, or until the last sign of life of "
          "any rank if the job does not run")
        .only(in_json),
    field("longest_s", &StandingRow::longest_s, "s", "and at most"),
    field("text", &StandingRow::text, "", "all of it in a sentence").always_known().only(in_json));

template <>
inline constexpr auto fields_of<ThreadStackRow> = fields(
    field("rank", &ThreadStackRow::rank, "", "its rank"),
    field("thread", &ThreadStackRow::thread, "", "the number that the kernel gives the thread"),
    field("is_first", &ThreadStackRow::is_first, "", "it is the thread that runs main()"),
    field("doing", &ThreadStackRow::doing, "",
          "what it does, in words: `runs`, `in read() of pipe:[4711]`, `waits for a lock that "
          "thread 4712 holds`"),
    field("frames", &ThreadStackRow::frames, "", "its stack, innermost first"),
    field("is_cut", &ThreadStackRow::is_cut, "", "there are more frames around"));

template <>
inline constexpr auto fields_of<Standing> = fields(
    field("running", &Standing::running, "",
          "the job was seen running (only `mprof hang` and `mprof top` look for it)"),
    field("state", &Standing::state, "",
          "`running`, `not running any more`, `killed or still running` (`mprof report`), `ended` "
          "(all ranks have ended)"),
    field("headline", &Standing::headline, "",
          "who ended the job, or else who waits for whom, in a sentence; null if neither is known"),
    field("ended_by", &Standing::ended_by, "",
          "the rank that ended the job: the first one that called MPI_Abort, exited while others "
          "went on, or was ended by a signal, as `mprof run` saw it; null if there is none"),
    field("rows", &Standing::rows, "", "one per place, most ranks first"),
    field("ended", &Standing::ended, "",
          "how the other ranks ended, in words; null if there are none"),
    field("missing", &Standing::missing, "",
          "the ranks without a readable file, in words; null if there are none"),
    field("look_at", &Standing::look_at, "",
          "ranks whose `last_calls` to look at first, at most 16, in that order: those that others "
          "wait for or that are where nobody else is")
        .only(in_json),
    field("stacks", &Standing::stacks, "",
          "threads of ranks that are outside MPI and run on this machine (`mprof hang`)")
        .only(in_json),
    field("stacks_remark", &Standing::stacks_remark, "",
          "why some of them are missing, in words; null if none is")
        .only(in_json));

template <>
inline constexpr auto fields_of<LastCallRow> = fields(
    field("rank", &LastCallRow::rank, "", "the rank that called"),
    field("thread", &LastCallRow::thread, "", "which of its threads, from 0"),
    field("function", &LastCallRow::function, "", "the MPI function"),
    field("place", &LastCallRow::place, "", "where in the program that is; null if not known"),
    field("communicator", &LastCallRow::communicator, "", "null if it has none"),
    field("peer", &LastCallRow::peer, "", "the partner's rank in that communicator"),
    field("bytes", &LastCallRow::bytes, "bytes",
          "of the call; null of polls, and of a call that had not ended"),
    field("polls", &LastCallRow::polls, "",
          "how many polls in succession this row covers; null for other calls"),
    field("began_s", &LastCallRow::began_s, "s",
          "when it began, after the start of the first rank; of polls the first one"),
    field("time_s", &LastCallRow::time_s, "s",
          "how long it took, of polls all of them; null if it had not ended"),
    field("call", &LastCallRow::call, "", "function, partner and communicator in words"));

// The fields of what is wrong in a run (mprof lint).

template <>
inline constexpr auto fields_of<LintRow> = fields(
    field("rule", &LintRow::rule, "", "which rule is broken ([lint.md](../howto/lint.md))"),
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

// The fields of a run beside what its machine can do (mprof report --machine).

template <>
inline constexpr auto fields_of<MachineBeside> = fields(
    field("file", &MachineBeside::file, "",
          "the file with the machine's figures ([machine.md](../howto/machine.md)); null without "
          "--machine"),
    field("mpi_library", &MachineBeside::mpi_library, "", "the MPI that they were measured with"),
    field("made", &MachineBeside::made, "ISO 8601, UTC", "when; null if not known"),
    field("ranks", &MachineBeside::ranks, "", "among how many ranks; 0: not known"),
    field("nodes", &MachineBeside::nodes, "", "on how many nodes"),
    field("sentences", &MachineBeside::sentences, "", "what stands out, most time first"),
    field("remarks", &MachineBeside::remarks, "", "what could not be compared, and why"));

template <>
inline constexpr auto fields_of<MachineTimeRow> = fields(
    field("what", &MachineTimeRow::what, "", "a collective, or `message`").always_known(),
    field("distance", &MachineTimeRow::distance, "",
          "of messages: `same node` or `other node`; null of collectives"),
    field("bytes", &MachineTimeRow::bytes, "bytes",
          "of one call; of messages the largest of a power of two"),
    field("calls", &MachineTimeRow::calls, "", "calls, or messages, over all ranks"),
    field("ranks", &MachineTimeRow::ranks, "",
          "of collectives: among how many ranks the machine's figure was measured; 0: not known"),
    field("here_s", &MachineTimeRow::here_s, "s", "what one of them took in the run, on average"),
    field("moving_s", &MachineTimeRow::moving_s, "s",
          "the part of it without waiting for other ranks, estimated by the share of waiting in "
          "all such calls. Null if waiting is not known"),
    field("machine_s", &MachineTimeRow::machine_s, "s", "the time that the machine needs for it"),
    field("factor", &MachineTimeRow::factor, "",
          "`moving_s`, or `here_s` where that is null, / `machine_s`"),
    field("excess_s", &MachineTimeRow::excess_s, "s",
          "time beyond that, without waiting, summed over all calls and ranks"),
    field("state", &MachineTimeRow::state, "",
          "`good`; `watch`: 1.5 times as long or more, and at least 1% of the MPI time; `problem`: "
          "the same, 4 times as long"));

template <>
inline constexpr auto fields_of<EagerLimitRow> = fields(
    field("distance", &EagerLimitRow::distance, "", "of the ranks between which it was measured")
        .always_known(),
    field("limit_bytes", &EagerLimitRow::limit_bytes, "bytes",
          "the largest message that the MPI sends before the receiver asks for it"),
    field("below_s", &EagerLimitRow::below_s, "s", "the time of a message of that size, one way"),
    field("above_s", &EagerLimitRow::above_s, "s", "the time of a message that is a byte larger"),
    field("messages", &EagerLimitRow::messages, "", "messages that the run sent"),
    field("eager_messages", &EagerLimitRow::eager_messages, "", "those that are not larger"),
    field("just_above", &EagerLimitRow::just_above, "",
          "those that are larger, by a factor of two at most"),
    field("setting", &EagerLimitRow::setting, "", "the setting of the limit; null if not known"),
    field("sentence", &EagerLimitRow::sentence, "", "what that means"));

template <>
inline constexpr auto fields_of<TouchRow> = fields(
    field("function", &TouchRow::function, "", "name of the MPI function").always_known(),
    field("place", &TouchRow::place, "", "source line, or module and offset"),
    field("bytes", &TouchRow::bytes, "bytes", "of one call there"),
    field("calls", &TouchRow::calls, "", "calls of that size there"),
    field("mpi_percent", &TouchRow::mpi_percent, "%", "of all MPI time, at this place"),
    field("rule", &TouchRow::rule, "",
          "`while cached`: below the eager limit; `not right after`: up to half of the last-level "
          "cache, between nodes; `in pieces`: larger than the cache"),
    field("evidence", &TouchRow::evidence, "",
          "the evidence that it concerns this place: `counters` that were recorded, or the `size` "
          "alone"),
    field("sentence", &TouchRow::sentence, "", "what to do"));

}  // namespace mprof
