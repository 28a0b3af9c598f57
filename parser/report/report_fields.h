// The table of the Report itself: one row per key at the top of the JSON report. A list with
// in_csv is a CSV table of the same name.
#pragma once

#include "report/fields/fields_of_places.h"
#include "report/fields/fields_of_ranks.h"
#include "report/fields/fields_of_run.h"
#include "report/fields/fields_of_time.h"
#include "report/fields/fields_of_verdict.h"

namespace mprof {

template <>
inline constexpr auto fields_of<Report> = fields(
    field("mprof", &Report::version, "", "version of the program that wrote this").always_known(),
    field("run", &Report::run, "", "facts of the run"),
    field("totals", &Report::totals, "", "sums over the ranks"),
    field(
        "time_parts", &Report::time_parts, "",
        "where the time of the average rank goes, in the order of the bar; the parts add up to its "
        "wallclock"),
    field("phases", through(&Report::time, &TimeLine::phases), "",
          "one row per part of the run that looks different from the one before it, by time")
        .only(in_json | in_csv),
    field("time", &Report::time, "", "the run over time").only(in_json),
    field("functions", &Report::functions, "", "one row per MPI function, most time first"),
    field("messages", &Report::messages, "", "one row per function, kind, precision and size"),
    field("received", &Report::received, "", "one row per function, precision and size"),
    field("callsites", &Report::callsites, "",
          "one row per MPI function and call path, most time first"),
    field("call_lines", &Report::call_lines, "",
          "one row per MPI function and source line, most time first")
        .only(in_json),
    field("segments", &Report::segments, "", "computing between two MPI calls, most time first"),
    field("hotspots", &Report::hotspots, "",
          "one row per function that the CPU was in during a segment, by samples")
        .only(in_json | in_csv),
    field("hot_lines", &Report::hot_lines, "",
          "one row per source line that the CPU was in while computing, by samples")
        .only(in_json | in_csv),
    field("hot_libraries", &Report::hot_libraries, "",
          "one row per executable or library that the CPU was in while computing, by samples")
        .only(in_json | in_csv),
    field(
        "fault_places", &Report::fault_places, "",
        "one row per function in which the program has page faults while it computes, by samples, "
        "most faults first. Left out if no thread has 20,000 of them a second")
        .only(in_json | in_csv)
        .left_out(),
    field("early_places", &Report::early_places, "",
          "one row per function in which ranks compute before MPI starts, by samples, most time "
          "first. "
          "Left out if no rank does so for 0.3 s, or if ranks share CPUs")
        .only(in_json | in_csv)
        .left_out(),
    field("ranks", &Report::ranks, "", "one row per rank that was read"),
    field("rank_functions", &Report::rank_functions, "",
          "one row per rank and MPI function that it called; empty without `--by-rank`")
        .only(in_json | in_csv),
    field("rank_callsites", &Report::rank_callsites, "",
          "one row per rank and row of callsites that it called; empty without `--by-rank`")
        .only(in_json | in_csv),
    field("matrix", &Report::matrix, "", "one row per pair of ranks of MPI_COMM_WORLD"),
    field("nodes", &Report::nodes, "", "one row per node, by first rank"),
    field(
        "bindings", &Report::bindings, "",
        "one row per set of CPUs of a node that ranks are bound to; nodes that are alike have one "
        "set of rows, and at most 64 such sets are listed"),
    field("node_figures", node_figures, "",
          "one row per figure of the nodes: which nodes differ from the others; none of one node")
        .only(in_json),
    field("node_pairs", &Report::node_pairs, "", "one row per pair of nodes, most bytes first"),
    field("distances", &Report::distances, "",
          "one row per distance of two ranks, most bytes first"),
    field("communicators", &Report::communicators, "", "one row per communicator, most time first"),
    field("worlds", &Report::worlds, "", "one row per other world of the run, by number"),
    field("programs", &Report::programs, "",
          "one row per program of the job, by first rank; empty if all ranks run the same one")
        .only(in_json),
    field("program_waits", &Report::program_waits, "",
          "one row per program and program that it waits for; empty as `programs`")
        .only(in_json),
    field("files", &Report::files, "",
          "one row per file that the program opened with MPI, by name and how, most time first"),
    field("plain_files", &Report::plain_files, "",
          "one row per file that the program reads or writes without MPI-IO, of at least 1 MiB, "
          "most bytes first"),
    field("openmp", &Report::openmp, "", "how the threads of OpenMP are used"),
    field("parallel_regions", &Report::parallel_regions, "",
          "one row per place with a parallel region of OpenMP, most time first"),
    field("gpu_sites", &Report::gpu_sites, "",
          "one row per place that calls a GPU driver, and purpose, most time first"),
    field("gpu_buffers", &Report::gpu_buffers, "",
          "one row per line, MPI function and memory that a buffer is in, of ranks that use a GPU, "
          "most bytes first"),
    field("gpu_work", &Report::gpu_work, "",
          "with `--gpu kernels`: one row per kernel, and one per kind of copy, most time first"),
    field("gpu_time", &Report::gpu_time, "",
          "with `--gpu kernels`: one row per bin of the run, how busy the GPUs are"),
    field("nccl_communicators", &Report::nccl_communicators, "",
          "with `--gpu kernels`: one row per communicator of NCCL or RCCL, most time first"),
    field("nccl_calls", &Report::nccl_calls, "",
          "with `--gpu kernels`: one row per communicator of NCCL, line, function, datatype and "
          "size, most time first"),
    field("nccl_partners", &Report::nccl_partners, "",
          "with `--gpu kernels`: one row per pair of ranks of which one sends to the other through "
          "NCCL, most bytes first"),
    field("nccl_functions", &Report::nccl_functions, "",
          "with `--gpu kernels`: one row per function of NCCL, most time first. Left out if the "
          "program calls none, as `nccl_time`")
        .only(in_json | in_csv)
        .left_out(),
    field("nccl_time", &Report::nccl_time, "",
          "with `--gpu kernels`: one row per bin of the run, how long ranks are in collectives of "
          "NCCL")
        .only(in_json | in_csv)
        .left_out(),
    field("regions", &Report::regions, "", "one row per region of the program, by path"),
    field("machine", &Report::machine, "", "what the machine can do, with --machine").only(in_json),
    field("machine_times", &Report::machine_times, "",
          "with --machine: one row per collective and size, and one per distance of messages and "
          "power of two of their sizes, most excess first"),
    field("eager_limits", &Report::eager_limits, "",
          "with --machine: one row per distance that has an eager limit, near ranks first"),
    field("touch_rules", &Report::touch_rules, "",
          "with --machine: one row per call site that a rule of the cache concerns, most MPI time "
          "first"),
    field("counters", &Report::counters, "", "one row per counter, in the order of asking"),
    field("metrics", &Report::metrics, "", "one row per metric: what counters mean together"),
    field("causes", &Report::causes, "",
          "one row per rank that others waited for, most waited first")
        .only(in_json),
    field("transfers", &Report::transfers, "",
          "one row per message size: what they cost and what they could cost")
        .only(in_json),
    field("message_costs", &Report::message_costs, "",
          "one row per size, locality and source: what one message takes")
        .only(in_json),
    field("standing", &Report::standing, "", "where the ranks are that have not ended"),
    field("last_calls", &Report::last_calls, "",
          "one row per call of the last 32 of each rank that has not ended normally, newest last")
        .only(in_json),
    field("lints", &Report::lints, "",
          "one row per broken rule of MPI and line that breaks it, worst first"),
    field("lint_rules", &Report::lint_rules, "",
          "one row per rule that mprof lint looks at, in the order of their table")
        .only(in_json),
    field("quality", &Report::quality, "", "how far this profile can be trusted"),
    field("accounts", through(&Report::accounts, &Accounts::rows), "",
          "one row per cause: how much shorter the run would be without it, largest `gain_low_s` "
          "first"),
    field("accounting", &Report::accounts, "",
          "the times that the accounts are parts of, and the order in which they add up")
        .only(in_json),
    field("verdict", &Report::verdict, "", "what bounds the run, and what to try"));

}  // namespace mprof
