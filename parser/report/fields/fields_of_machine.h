// The fields of a run beside what its machine can do (mprof report --machine).
#pragma once

#include "report/field.h"

namespace mprof {

template <>
inline constexpr auto fields_of<MachineBeside> = fields(
    field("file", &MachineBeside::file, "",
          "the file with the machine's figures ([machine.md](change/machine.md)); null without "
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
          "of it, without waiting for other ranks. It is estimated by the share of waiting in all "
          "such calls. Null if waiting is not known"),
    field("machine_s", &MachineTimeRow::machine_s, "s", "what the machine does it in"),
    field("factor", &MachineTimeRow::factor, "",
          "`moving_s`, or `here_s` where that is null, / `machine_s`"),
    field("excess_s", &MachineTimeRow::excess_s, "s",
          "what all of them took beyond that, without waiting, summed over ranks"),
    field("state", &MachineTimeRow::state, "",
          "`good`; `watch`: 1.5 times as long or more, and at least 1% of the MPI time; `problem`: "
          "the same, 4 times as long"));

template <>
inline constexpr auto fields_of<EagerLimitRow> = fields(
    field("distance", &EagerLimitRow::distance, "", "of the ranks between which it was measured")
        .always_known(),
    field("limit_bytes", &EagerLimitRow::limit_bytes, "bytes",
          "the largest message that the MPI sends before the receiver asks for it"),
    field("below_s", &EagerLimitRow::below_s, "s", "what a message of that size takes, one way"),
    field("above_s", &EagerLimitRow::above_s, "s", "what one takes that is a byte larger"),
    field("messages", &EagerLimitRow::messages, "", "messages that the run sent"),
    field("eager_messages", &EagerLimitRow::eager_messages, "", "those that are not larger"),
    field("just_above", &EagerLimitRow::just_above, "",
          "those that are larger, by a factor of two at most"),
    field("setting", &EagerLimitRow::setting, "", "what sets the limit; null if not known"),
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
          "what says that it concerns this place: `counters` that were recorded, or the `size` "
          "alone"),
    field("sentence", &TouchRow::sentence, "", "what to do"));

}  // namespace mprof
