// The fields of the run as a whole: facts, totals, functions, sizes of messages, regions, worlds;
// and of data quality: what is missing, what is an estimate, what mprof itself cost.
#pragma once

#include "report/derived_figures.h"
#include "report/field.h"
#include "report/verdict_thresholds.h"

namespace mprof {

template <>
inline constexpr auto fields_of<MissingRanks> =
    fields(field("first", &MissingRanks::first, "", "the first number of the range"),
           field("last", &MissingRanks::last, "", "the last number of the range"));

inline std::string program_of_run(const RunFacts &run)
{
    return program_name(run.command);
}

template <>
inline constexpr auto fields_of<RunFacts> = fields(
    field("command", &RunFacts::command, "", "the command line"),
    field(
        "program", program_of_run, "",
        "of the command line the program, or the script that an interpreter runs, without folders")
        .only(in_json),
    field("start", &RunFacts::start, "ISO 8601, UTC", "when the first rank entered MPI_Init"),
    field("stop", &RunFacts::stop, "ISO 8601, UTC",
          "when the last rank returned from MPI_Finalize; null if no rank did"),
    field("wallclock_s", &RunFacts::wallclock_s, "s", "longest wallclock of a rank")
        .page_digits(total_digits),
    field("ranks", &RunFacts::ranks, "", "size of MPI_COMM_WORLD"),
    field("nodes", &RunFacts::nodes, "", "different hosts among the ranks that were read"),
    field("host", &RunFacts::host, "", "host of the lowest rank that was read"),
    field("mpi_library", &RunFacts::mpi_library, "",
          "version of the MPI library, up to the first comma or line end"),
    field("mpi_gpu", &RunFacts::mpi_gpu, "",
          "what the MPI says about buffers on GPUs: `yes`, it can send from them, or `no`; empty "
          "if it says nothing, or no rank used a GPU"),
    field("mpi_abi", &RunFacts::mpi_abi, "",
          "which ABI libmprof spoke: `openmpi`, `mpich`, `mpi5` or `none`"),
    field("complete", &RunFacts::complete, "",
          "every rank was read and returned from MPI_Finalize"),
    field(
        "end", &RunFacts::end, "",
        "`completed`, `incomplete` (ranks are missing), `aborted`, "
        "`exited without MPI_Finalize`, `killed or still running`; of an unfinished run, where "
        "Slurm knows: `its job was cancelled`, `its job reached its time limit`, `its job was put "
        "back into the queue`, `its job was preempted`, `its job lost a node`, `its job ran out "
        "of memory`"),
    field("energy_j", &RunFacts::energy_j, "J",
          "energy that the CPU packages and the memory of all nodes used; null if one of them does "
          "not report it"),
    field("energy", &RunFacts::energy, "",
          "in words, with the share of waiting, estimated by its share of the time; null if "
          "`energy_j` is"),
    field("run_id", &RunFacts::run_id, "", "which run").always_known(),
    field("world", &RunFacts::world, "", "0, or the number of a spawned world"),
    field("texts", &RunFacts::texts, "",
          "all facts in words that the rank file holds, by key (format.md): `executable`, "
          "`working_directory`, `mpi_path`, `mprof_version`, `core_cpus`, `cache_cpus`, "
          "`socket_cpus`, `numa_cpus`, "
          "and of the node `node.cpu_model`, `node.cpus`, `node.cores`, `node.sockets`, "
          "`node.numa_nodes`, `node.l3_bytes`, `node.memory_bytes` ..."));

template <>
inline constexpr auto fields_of<TimePart> = fields(
    field("state", &TimePart::state, "",
          "`computing`, `waiting for a CPU`, `blocked`, `waiting in MPI`, `transfer`, `MPI "
          "I/O`, `start-up`, `MPI` (where waiting is not known separately), `mprof`"),
    field("time_s", &TimePart::time_s, "s", "of the average rank"),
    field("percent", &TimePart::percent, "%", "of its wallclock"),
    field("estimated", &TimePart::estimated, "", "in part estimated, not measured"),
    field("energy_j", &TimePart::energy_j, "J",
          "its share of the run's energy, assuming that a CPU uses the same whatever it does")
        .only(in_json | in_csv));

template <>
inline constexpr auto fields_of<Totals> = fields(
    field("wallclock_s", &Totals::wallclock_s, "s", "sum of the ranks' wallclock")
        .page_digits(total_digits),
    field("mpi_s", &Totals::mpi_s, "s", "sum of `ranks[].mpi_s` = sum of `functions[].time_s`")
        .page_digits(total_digits),
    field("mpi_thread_s", &Totals::mpi_thread_s, "s", "sum of `ranks[].mpi_thread_s`")
        .page_digits(total_digits),
    field("wait_s", &Totals::wait_s, "s",
          "waiting, summed over threads. It is measured for collectives and estimated for "
          "messages. Calls that do not block have none. Null if it is not known. "
          "`quality.wait_source` says how it was determined")
        .page_digits(total_digits),
    field("wait_thread_s", &Totals::wait_thread_s, "s", "sum of `ranks[].wait_thread_s`")
        .page_digits(total_digits),
    field("missing_wait_s", &Totals::missing_wait_s, "s",
          "of `wait_s`, in collectives, for ranks whose files are missing. Null if no file is "
          "missing")
        .page_digits(total_digits),
    field("compute_s", &Totals::compute_s, "s", "sum of the ranks' compute time")
        .page_digits(total_digits),
    field("on_cpu_s", &Totals::on_cpu_s, "s",
          "of `compute_s`, on a CPU; as the next two summed over the ranks that know it, null if "
          "none does")
        .page_digits(total_digits),
    field("contention_s", &Totals::contention_s, "s", "of `compute_s`, ready to run without a CPU")
        .page_digits(total_digits),
    field("blocked_s", &Totals::blocked_s, "s",
          "of `compute_s`, blocked: in a file, a page fault, sleep or a lock")
        .page_digits(total_digits),
    field("gpu_wait_s", &Totals::gpu_wait_s, "s",
          "of `compute_s`, in a GPU driver, waiting for the GPU or asking whether it is done. Null "
          "if no rank used a GPU; so are the next two")
        .page_digits(total_digits),
    field("gpu_copy_s", &Totals::gpu_copy_s, "s",
          "of `compute_s`, in the driver, copying to, from or on the GPU. A copy that blocks waits "
          "for kernels before it")
        .page_digits(total_digits),
    field("gpu_launch_s", &Totals::gpu_launch_s, "s",
          "of `compute_s`, in the driver for all else: launching, memory, loading code")
        .page_digits(total_digits),
    field("user_s", &Totals::user_s, "s", "sum of the ranks' user CPU time")
        .page_digits(total_digits),
    field("system_s", &Totals::system_s, "s", "sum of the ranks' system CPU time")
        .page_digits(total_digits),
    field("comm_percent", &Totals::comm_percent, "%",
          "`mpi_thread_s` / `wallclock_s`; never above 100")
        .page_digits(total_digits),
    field("load_balance", &Totals::load_balance, "0..1", "mean / max `compute_s` (POP)")
        .page_digits(total_digits),
    field("communication_efficiency", &Totals::communication_efficiency, "0..1",
          "max `compute_s` / `run.wallclock_s` (POP)")
        .page_digits(total_digits),
    field("parallel_efficiency", &Totals::parallel_efficiency, "0..1",
          "the product of the two: mean `compute_s` / `run.wallclock_s` (POP)")
        .page_digits(total_digits),
    field("small_transfer_s", &Totals::small_transfer_s, "s",
          "MPI time in calls of below 4 KiB that is neither waiting nor start-up nor MPI-IO nor in "
          "MPI_Finalize; null if waiting is not known")
        .only(in_json),
    field(
        "large_transfer_s", &Totals::large_transfer_s, "s",
        "MPI time in calls from 32 KiB on that is neither waiting nor start-up nor MPI-IO; null if "
        "waiting is not known")
        .only(in_json),
    field("inside_s", &Totals::inside_s, "s", "sum of `callsites[].inside_s`").only(in_json),
    field("load_saves_low_s", &Totals::load_saves_low_s, "s",
          "sum of `callsites[].load_saves_low_s`; null as there")
        .only(in_json),
    field("load_saves_high_s", &Totals::load_saves_high_s, "s",
          "sum of `callsites[].load_saves_high_s`")
        .only(in_json),
    field("calls", &Totals::calls, "", "MPI calls"),
    field("sent_bytes", &Totals::sent_bytes, "bytes",
          "point to point and one-sided puts, to any partner; collectives are not in it"),
    field("memory_bytes", &Totals::memory_bytes, "bytes", "sum of the ranks' peaks"));

template <>
inline constexpr auto fields_of<FunctionRow> = fields(
    field("function", &FunctionRow::function, "", "name of the MPI function").always_known(),
    field("calls", &FunctionRow::calls, "",
          "completed calls and pending ones (an MPI_Irecv that never completed is also a call)"),
    field("bytes", &FunctionRow::bytes, "bytes",
          "payload by the definitions below, starts of persistent requests included"),
    field("received_bytes", &FunctionRow::received_bytes, "bytes",
          "bytes received by calls that also send (MPI_Sendrecv)")
        .only(in_json | in_csv),
    field("time_s", &FunctionRow::time_s, "s", "time in it, summed over threads and ranks")
        .page_digits(total_digits),
    field("mpi_thread_s", &FunctionRow::mpi_thread_s, "s",
          "of `time_s`, of the ranks' MPI threads: only that is a part of the wallclock")
        .page_digits(total_digits),
    field("min_s", &FunctionRow::min_s, "s", "shortest single call").only(in_json | in_csv),
    field("max_s", &FunctionRow::max_s, "s", "longest single call"),
    field("wait_s", &FunctionRow::wait_s, "s", "waiting, as in totals").page_digits(total_digits),
    field("mpi_percent", &FunctionRow::mpi_percent, "%", "`time_s` / `totals.mpi_s`")
        .page_digits(total_digits),
    field("wall_percent", &FunctionRow::wall_percent, "%",
          "`mpi_thread_s` / `totals.wallclock_s`: these add up to `totals.comm_percent`")
        .page_digits(total_digits),
    field("max_over_mean", &FunctionRow::max_over_mean, "",
          "time of the rank that spent most in it / mean over all ranks"),
    field("max_rank", &FunctionRow::max_rank, "", "the rank that spent most time in it"));

template <>
inline constexpr auto fields_of<MessageRow> = fields(
    field("function", &MessageRow::function, "", "name of the MPI function").always_known(),
    field("bytes", &MessageRow::bytes, "bytes", "size of one message"),
    field("calls", &MessageRow::calls, "", "calls of that size; kind `start`: starts"),
    field("time_s", &MessageRow::time_s, "s",
          "time in them; kind `start`: 0, their time is in MPI_Start or MPI_Startall"),
    field("precision", &MessageRow::precision, "",
          "`exact`; `bin`: `bytes` is the lower bound of a power-of-two bin; `function`: the size "
          "is not known, `bytes` is 0"),
    field("kind", &MessageRow::kind, "",
          "`call`; `pending`: calls whose size was not known at the end (a receive that never "
          "completed), `bytes` is 0; `start`: starts of a persistent or partitioned request, under "
          "the function that made it"),
    field("sum_bytes", &MessageRow::sum_bytes, "bytes",
          "exact sum over the row, whatever the precision"));

template <>
inline constexpr auto fields_of<ReceivedRow> =
    fields(field("function", &ReceivedRow::function, "", "name of the MPI function").always_known(),
           field("bytes", &ReceivedRow::bytes, "bytes", "size of one message"),
           field("calls", &ReceivedRow::calls, "", "messages that arrived"),
           field("precision", &ReceivedRow::precision, "", "as in messages"),
           field("sum_bytes", &ReceivedRow::sum_bytes, "bytes", "exact sum over the row"));

inline Judgement state_of_balance(const RegionRow &row)
{
    return judgement_of_balance(row.load_balance);
}

template <>
inline constexpr auto fields_of<RegionRow> = fields(
    field("region", &RegionRow::path, "",
          "path: the names of the regions around it and its own, with `/` between")
        .always_known(),
    field("ranks", &RegionRow::ranks, "", "ranks that were in it"),
    field("visits", &RegionRow::visits, "", "how often it was begun"),
    field("time_s", &RegionRow::time_s, "s",
          "time in it, with the regions in it, summed over threads; of the whole program the "
          "wallclock"),
    field("compute_s", &RegionRow::compute_s, "s",
          "the part of `time_s` outside MPI; for the whole program, as in totals"),
    field("wall_percent", &RegionRow::wall_percent, "%",
          "`time_s`, of each rank at most its wallclock / `totals.wallclock_s`"),
    field("comm_percent", &RegionRow::comm_percent, "%",
          "MPI time in it / `time_s`; for the whole program, as in totals"),
    field("mpi_s", Through{&RegionRow::inclusive, &RegionCost::mpi_s}, "s",
          "MPI time in it, with the regions in it"),
    field("exclusive_mpi_s", Through{&RegionRow::exclusive, &RegionCost::mpi_s}, "s",
          "MPI time in it, without the regions in it"),
    field("wait_s", Through{&RegionRow::inclusive, &RegionCost::wait_s}, "s",
          "waiting in it, with the regions in it; as in totals")
        .only(in_json | in_page),
    field("exclusive_wait_s", Through{&RegionRow::exclusive, &RegionCost::wait_s}, "s",
          "waiting in it, without the regions in it")
        .only(in_json),
    field("calls", Through{&RegionRow::inclusive, &RegionCost::calls}, "",
          "MPI calls in it, with the regions in it"),
    field("exclusive_calls", Through{&RegionRow::exclusive, &RegionCost::calls}, "",
          "MPI calls in it, without the regions in it")
        .only(in_json | in_csv),
    field("bytes", Through{&RegionRow::inclusive, &RegionCost::bytes}, "bytes",
          "bytes of MPI calls in it, with the regions in it"),
    field("exclusive_bytes", Through{&RegionRow::exclusive, &RegionCost::bytes}, "bytes",
          "bytes of MPI calls in it, without the regions in it")
        .only(in_json | in_csv),
    field("load_balance", &RegionRow::load_balance, "0..1",
          "mean / largest compute time of the ranks that were in it"),
    field("load_balance_state", state_of_balance, "",
          "how good that is: `good`, from 0.85 on; `watch`; `problem`, below 0.7"),
    field("communication_efficiency", &RegionRow::communication_efficiency, "0..1",
          "largest compute time in it / longest time in it"),
    field("parallel_efficiency", &RegionRow::parallel_efficiency, "0..1", "the product of the two")
        .only(in_json | in_csv),
    field("max_compute_s", &RegionRow::max_compute_s, "s", "the largest compute time in it"),
    field("max_rank", &RegionRow::max_rank, "", "whose that is"),
    field("counters", region_counters, "",
          "value by name of the counter, with the regions in it, inside and outside MPI"));

template <>
inline constexpr auto fields_of<ProgramRow> = fields(
    field("program", &ProgramRow::program, "",
          "the name of its executable, or of the script that an interpreter runs, without folders")
        .always_known(),
    field("command", &ProgramRow::command, "", "command line of its first rank"),
    field("ranks", &ProgramRow::ranks, "", "how many ranks run it, of those that were read"),
    field("where", &ProgramRow::where, "", "ranges of them"),
    field("ranks_text", &ProgramRow::ranks_text, "", "ranges of them in words").only(in_page),
    field("wallclock_s", &ProgramRow::wallclock_s, "s",
          "wallclock of the average rank, as all times in this row"),
    field("compute_s", &ProgramRow::compute_s, "s", "as in ranks"),
    field("mpi_s", &ProgramRow::mpi_s, "s", "as `mpi_thread_s` in ranks"),
    field("wait_s", &ProgramRow::wait_s, "s", "as `wait_thread_s` in ranks; null if not known"),
    field("unknown_wait_s", &ProgramRow::unknown_wait_s, "s",
          "the part of `wait_s` whose program is not known: for ranks without a file, and for "
          "partners that are not known"),
    field("contention_s", &ProgramRow::contention_s, "s", "as in ranks; null if not recorded"),
    field("blocked_s", &ProgramRow::blocked_s, "s", "as in ranks; null if not recorded"),
    field("comm_percent", &ProgramRow::comm_percent, "%", "as in totals, of its ranks"),
    field("load_balance", &ProgramRow::load_balance, "",
          "mean / max compute time of its own ranks: 1 is even"),
    field("class", &ProgramRow::verdict_class, "",
          "what bounds its ranks, by the rules of the verdict applied to them alone"),
    field("state", &ProgramRow::state, "", "how good that is: `good`, `watch`, `problem`"));

template <>
inline constexpr auto fields_of<ProgramWait> =
    fields(field("program", &ProgramWait::program, "", "the program that waits").always_known(),
           field("waits_for", &ProgramWait::waits_for, "",
                 "the program waited for; its own name: ranks of the same program")
               .always_known(),
           field("wait_s", &ProgramWait::wait_s, "s",
                 "how long the average rank of `program` waits for it; with `unknown_wait_s`, "
                 "these add up to its `wait_s`. Waiting for a rank that is itself waiting is "
                 "passed on; that part is estimated"),
           field("percent", &ProgramWait::percent, "%", "that, of the wallclock of `program`"));

template <>
inline constexpr auto fields_of<WorldRow> = fields(
    field("world", &WorldRow::world, "",
          "its number, for `--world`; 0 is the one that began the run"),
    field("ranks", &WorldRow::ranks, "", "size of its MPI_COMM_WORLD"),
    field("ranks_read", &WorldRow::ranks_read, "", "how many of them could be read"),
    field("command", &WorldRow::command, "", "as in run, of that world"),
    field("wallclock_s", &WorldRow::wallclock_s, "s", "as in run, of that world"),
    field("comm_percent", &WorldRow::comm_percent, "%", "as in totals, of that world"),
    field("complete", &WorldRow::complete, "", "as in run, of that world"),
    field("end", &WorldRow::end, "", "as in run, of that world"),
    field("missing_ranks", &WorldRow::missing, "", "ranges of its ranks without a readable file"),
    field("remark", &WorldRow::remark, "", "what is wrong with it, in words").only(in_page));

// The fields of data quality: what is missing, what is an estimate, what mprof itself cost.

template <>
inline constexpr auto fields_of<FileProblem> =
    fields(field("file", &FileProblem::file, "", "its path").always_known(),
           field("offset", &FileProblem::offset, "bytes", "where in it"),
           field("expected", &FileProblem::expected, "", "expected value").always_known(),
           field("found", &FileProblem::found, "", "value found").always_known());

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
          "receives without bytes and partner, because the MPI did not say what arrived"),
    field("other_partners", other_partners, "",
          "messages that are not in `matrix`, because their partner was not kept"),
    field("outside_world", outside_world, "",
          "messages that are not in `matrix`, because their partner is in another "
          "MPI_COMM_WORLD"),
    field("untimed_calls", &Quality::untimed_calls, "",
          "calls that poll (`MPI_Test`, `MPI_Iprobe`, `MPI_Comm_rank` ...) for which the clock was "
          "not read (`MPROF_SAMPLE`); their time is estimated from other calls of the same line"),
    field("untimed_s", &Quality::untimed_s, "s", "that time, summed over ranks"),
    field("untimed_error_s", &Quality::untimed_error_s, "s", "its standard error"),
    field("overhead_s", &Quality::overhead_s, "s",
          "mprof's own cost, summed over ranks: calls x measured cost of recording one + its time "
          "in MPI_Init and MPI_Finalize + `counters_s`"),
    field("overhead_percent", &Quality::overhead_percent, "%",
          "`overhead_s` of each rank's thread that is longest in MPI / `totals.wallclock_s`"),
    field("clock_resolution_s", &Quality::clock_resolution_s, "s",
          "cost of one clock read on the slowest rank: shorter times cannot be distinguished"),
    field("counters_s", &Quality::counters_s, "s", "reading counters, part of `overhead_s`"),
    field("counters_refused", &Quality::counters_refused, "",
          "counters that were asked for and are not counted: `name: reason`"),
    field("not_covered", &Quality::not_covered, "",
          "functions that the program or its libraries are linked with and whose calls mprof does "
          "not count: `MPIX_A (library)`, `PMPI_B (the program)`; of all ranks together, sorted. A "
          "function that is linked need not have been called"),
    field("callsite_checks", &Quality::callsite_checks, "",
          "calls whose path was walked again to check it"),
    field("callsite_disagreements", &Quality::callsite_disagreements, "",
          "checks that found another path than recorded (should be 0)"),
    field("callsite_blind_frames", &Quality::callsite_blind_frames, "",
          "times that a new call path was ended early, because it was not known where on the "
          "stack its next return address is"),
    field("unsure_callsites", &Quality::unsure_callsites, "",
          "rows of `callsites` with `path_unsure`"),
    field("folded_callsites", &Quality::folded_callsites, "",
          "calls without their full path, or without any, for lack of space"),
    field("folded_segments", &Quality::folded_segments, "",
          "segments without their place, for lack of space"),
    field("cpu_samples", &Quality::cpu_samples, "", "samples of where the computing was"),
    field("lost_cpu_samples", &Quality::lost_cpu_samples, "", "that are missing"),
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
          "why: `/opt/lib/libx.so has no debug data`, `... is a different build from the one that "
          "ran`, `... is not there`"),
    field("unproved_modules", &Quality::unproved_modules, "",
          "looked up although they have no build id, so that nothing proves that the file is the "
          "one that ran"),
    field("symbols_out_of_time", &Quality::symbols_out_of_time, "",
          "looking up lines took too long and was given up; the rest is `module+offset`"),
    field("regions_left_open", &Quality::regions_left_open, "",
          "names of regions that the end of one around them had to end, or that were open at the "
          "end"),
    field("region_ends_unmatched", &Quality::region_ends_unmatched, "",
          "ends of regions that were not open; they had no effect"),
    field("regions_not_kept", &Quality::regions_not_kept, "",
          "starts of regions for which there was no room"),
    field("paused_s", &Quality::paused_s, "s",
          "how long recording was paused by the program, summed over ranks and threads"),
    field("collectives", &Quality::collectives, "", "instances of collectives, summed over ranks"),
    field("collectives_kept", &Quality::collectives_kept, "",
          "those that the journals kept. If these are fewer, collective waiting is scaled up, an "
          "estimate"),
    field("wait_source", &Quality::wait_source, "",
          "how waiting was determined, in words: what was measured, what is an estimate; null if "
          "it was not determined"),
    field("checks", quality_checks, "", "what is judged, and how"),
    field("remarks", &Quality::remarks, "", "the above in sentences"));

}  // namespace mprof
