// The fields of waiting: whom others waited for, and where ranks stand that have not ended.
#pragma once

#include "report/fields/fields_of_run.h"

namespace mprof {

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
    field("ranks", &StandingRow::ranks, "", "how many ranks stand there"),
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
inline constexpr auto fields_of<Standing> = fields(
    field("running", &Standing::running, "",
          "the job was seen running (only `mprof hang` and `mprof top` look for it)"),
    field("state", &Standing::state, "",
          "`running`, `not running any more`, `killed or still running` (`mprof report`), `ended` "
          "(all ranks have ended)"),
    field("headline", &Standing::headline, "",
          "who ended the job, or else who waits for whom, in a sentence; null if neither can be "
          "told"),
    field("ended_by", &Standing::ended_by, "",
          "the rank that ended the job: the first one that called MPI_Abort, or that exited while "
          "others did not end; null if there is none"),
    field("rows", &Standing::rows, "", "one per place, most ranks first"),
    field("ended", &Standing::ended, "",
          "how the other ranks ended, in words; null if there are none"),
    field("missing", &Standing::missing, "",
          "the ranks without a readable file, in words; null if there are none"),
    field("look_at", &Standing::look_at, "",
          "ranks whose `last_calls` to look at first, at most 16: those that others wait for or "
          "that stand where nobody else does; the first one first")
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
          "how many polls followed each other, for which this is one row; null of other calls"),
    field("began_s", &LastCallRow::began_s, "s",
          "when it began, after the start of the first rank; of polls the first one"),
    field("time_s", &LastCallRow::time_s, "s",
          "how long it took, of polls all of them; null if it had not ended"),
    field("call", &LastCallRow::call, "", "function, partner and communicator in words"));

}  // namespace mprof
