// The fields of data quality: what is missing, what is an estimate, what mprof itself cost.
#pragma once

#include "report/fields/fields_of_run.h"
#include "report/quality_checks.h"

namespace mprof {

template <>
inline constexpr auto fields_of<FileProblem> =
    fields(field("file", &FileProblem::file, "", "its path").always_known(),
           field("offset", &FileProblem::offset, "bytes", "where in it"),
           field("expected", &FileProblem::expected, "", "what should be there").always_known(),
           field("found", &FileProblem::found, "", "what is there").always_known());

// Messages that are in no row of the matrix.
struct MessagesOutside {
    uint64_t messages = 0, bytes = 0;
};
inline MessagesOutside other_partners(const Quality &quality)
{
    return {quality.other_messages, quality.other_bytes};
}
inline MessagesOutside outside_world(const Quality &quality)
{
    return {quality.outside_messages, quality.outside_bytes};
}

template <>
inline constexpr auto fields_of<MessagesOutside> =
    fields(field("messages", &MessagesOutside::messages, "", "how many"),
           field("bytes", &MessagesOutside::bytes, "bytes", "bytes of these messages"));

template <>
inline constexpr auto fields_of<QualityCheck> = fields(
    field("name", &QualityCheck::name, "",
          "`Ranks read`, `Ranks finished`, `Detail kept`, `Overhead`, `Waiting` (if it is known)")
        .always_known(),
    field("state", &QualityCheck::state, "", "`good`, `watch`, `problem`"),
    field("badge", &QualityCheck::badge, "", "the same in a word: `ok`, `incomplete`, `partly`")
        .always_known());

// In this order, from the ranks to the sentences.
template <>
inline constexpr auto fields_of<Quality> = fields(
    field("ranks_expected", &Quality::ranks_expected, "", "size of MPI_COMM_WORLD"),
    field("ranks_read", &Quality::ranks_read, "", "ranks whose file was read"),
    field("ranks_finished", &Quality::ranks_finished, "", "ranks that returned from MPI_Finalize"),
    field("missing_ranks", &Quality::missing, "", "ranges of ranks without a readable file"),
    field("missing_worlds", &Quality::missing_worlds, "",
          "ranges of worlds that must have been there and have no readable file"),
    field("damaged_files", &Quality::damaged, "", "files that could not be read"),
    field("left_out_files", &Quality::left_out, "",
          "files of another run, or of ranks that are there twice"),
    field("dropped_percent", &Quality::dropped_percent, "%", "(binned + folded calls) / calls"),
    field("binned_calls", &Quality::binned_calls, "",
          "calls whose size is known as a power-of-two bin only, for lack of space"),
    field("folded_calls", &Quality::folded_calls, "",
          "calls whose size is not known, for lack of space"),
    field("folded_messages", &Quality::folded_messages, "",
          "messages whose partner is not known, for lack of space"),
    field("untracked_requests", &Quality::untracked_requests, "",
          "requests that were not followed to their completion, for lack of space"),
    field("untold_receives", &Quality::untold_receives, "",
          "receives that are without bytes and partner, because the MPI did not say what came"),
    field("other_partners", other_partners, "",
          "messages that are not in `matrix`, because their partner was not kept"),
    field("outside_world", outside_world, "",
          "messages that are not in `matrix`, because their partner is in another "
          "MPI_COMM_WORLD"),
    field("untimed_calls", &Quality::untimed_calls, "",
          "calls that poll (`MPI_Test`, `MPI_Iprobe`, `MPI_Comm_rank` ...) for which the clock was "
          "not read (`MPROF_SAMPLE`); their time is estimated from others of the same line"),
    field("untimed_s", &Quality::untimed_s, "s", "that time, summed over ranks"),
    field("untimed_error_s", &Quality::untimed_error_s, "s", "its standard error"),
    field("overhead_s", &Quality::overhead_s, "s",
          "what mprof cost, summed over ranks: calls x measured cost of recording one + its time "
          "in MPI_Init and MPI_Finalize + `counters_s`"),
    field("overhead_percent", &Quality::overhead_percent, "%",
          "`overhead_s` of each rank's thread that is longest in MPI / `totals.wallclock_s`"),
    field("clock_resolution_s", &Quality::clock_resolution_s, "s",
          "cost of one clock read on the slowest rank: shorter times cannot be told apart"),
    field("counters_s", &Quality::counters_s, "s", "reading counters, part of `overhead_s`"),
    field("counters_refused", &Quality::counters_refused, "",
          "counters that were asked for and are not counted: `name: reason`"),
    field("not_covered", &Quality::not_covered, "",
          "functions that the program or its libraries are linked with and whose calls mprof does "
          "not count: `MPIX_A (library)`, `PMPI_B (the program)`; all ranks' together, sorted. "
          "That one is linked does not say that it was called"),
    field("callsite_checks", &Quality::callsite_checks, "",
          "calls whose path was walked again to check it"),
    field("callsite_disagreements", &Quality::callsite_disagreements, "",
          "checks that found another path than recorded (should be 0)"),
    field("callsite_blind_frames", &Quality::callsite_blind_frames, "",
          "return addresses whose place on the stack was not known, so that they were not "
          "compared"),
    field("folded_callsites", &Quality::folded_callsites, "",
          "calls without their full path, or without any, for lack of space"),
    field("folded_segments", &Quality::folded_segments, "",
          "segments without their place, for lack of space"),
    field("cpu_samples", &Quality::cpu_samples, "", "samples of where the computing was"),
    field("lost_cpu_samples", &Quality::lost_cpu_samples, "", "that there was no room for"),
    field("cpu_samples_refused", &Quality::cpu_samples_refused, "",
          "why computing was not sampled, on any rank"),
    field("lost_calls", &Quality::lost_calls, "",
          "calls that were made and are not recorded, for lack of space; all others are in "
          "`totals`"),
    field("unplaced_messages", &Quality::unplaced_messages, "",
          "messages without call site, for lack of space"),
    field(
        "unjournaled_collectives", &Quality::unjournaled_collectives, "",
        "collectives in no journal or without their place in it, for lack of space: their waiting "
        "is estimated"),
    field("untracked_communicators", &Quality::untracked_communicators, "",
          "how often a communicator, window or file that was not kept was made or used, for lack "
          "of space"),
    field("callsite_places", &Quality::callsite_places, "",
          "different source lines (or places without one) that call MPI"),
    field("unresolved_callsites", &Quality::unresolved_callsites, "",
          "places of these whose line is not known"),
    field("unresolved_modules", &Quality::unresolved_modules, "",
          "why: `/opt/lib/libx.so has no debug data`, `... is there as another build than the one "
          "that ran`, `... is not there`"),
    field("unproved_modules", &Quality::unproved_modules, "",
          "looked up although they have no build id, so that nothing proves that the file is the "
          "one that ran"),
    field("symbols_out_of_time", &Quality::symbols_out_of_time, "",
          "looking up lines took too long and was given up; the rest is `module+offset`"),
    field("regions_left_open", &Quality::regions_left_open, "",
          "names of regions that the end of one around them had to end, or that were open at the "
          "end"),
    field("region_ends_unmatched", &Quality::region_ends_unmatched, "",
          "ends of regions that were not open; they did nothing"),
    field("regions_not_kept", &Quality::regions_not_kept, "",
          "begins of regions for which there was no room"),
    field("paused_s", &Quality::paused_s, "s",
          "how long recording was paused by the program, summed over ranks and threads"),
    field("collectives", &Quality::collectives, "", "instances of collectives, summed over ranks"),
    field("collectives_kept", &Quality::collectives_kept, "",
          "those that the journals kept. If these are fewer, collective waiting is scaled up, an "
          "estimate"),
    field("wait_source", &Quality::wait_source, "",
          "how waiting was found, in words: what was measured, what is an estimate; null if it was "
          "not"),
    field("checks", quality_checks, "", "what of this is judged, and how"),
    field("remarks", &Quality::remarks, "", "the above in sentences"));

}  // namespace mprof
