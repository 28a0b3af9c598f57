// The fields of OpenMP: of the run, and of each place with a parallel region.
#pragma once

#include "report/field.h"

namespace mprof {

template <>
inline constexpr auto fields_of<OpenmpFacts> = fields(
    field("source", &OpenmpFacts::source, "",
          "who told of the parallel regions: `OMPT` (the tools interface of LLVM's and other run "
          "times), `libgomp` (GCC's), `another tool` (it has the interface, so nothing is known), "
          "`none`"),
    field("sentence", &OpenmpFacts::sentence, "", "how busy the threads are, in words"),
    field("regions", &OpenmpFacts::regions, "",
          "how often parallel regions ran, summed over ranks. A region counts where the thread "
          "that began MPI met it outside of other ones, until MPI ends")
        .only(in_json),
    field("threads", &OpenmpFacts::threads, "", "of the largest team").only(in_json),
    field("busy_threads", &OpenmpFacts::busy_threads, "",
          "threads of a rank that compute, on average over its wallclock: the busy time of all "
          "threads in parallel regions and `serial_s`, by the wallclock. Busy is neither waiting "
          "at a barrier of OpenMP nor in MPI")
        .only(in_json),
    field("parallel_s", &OpenmpFacts::parallel_s, "s",
          "of the average rank's first thread, in parallel regions and outside MPI; as the next "
          "three, with `quality.overhead_s` they are its wallclock")
        .page_digits(total_digits),
    field("parallel_mpi_s", &OpenmpFacts::parallel_mpi_s, "s", "in MPI, in parallel regions")
        .page_digits(total_digits),
    field("serial_s", &OpenmpFacts::serial_s, "s", "outside of parallel regions and outside MPI")
        .page_digits(total_digits),
    field("serial_mpi_s", &OpenmpFacts::serial_mpi_s, "s",
          "in MPI, outside of parallel regions: the other threads are idle")
        .page_digits(total_digits),
    field("imbalance_s", &OpenmpFacts::imbalance_s, "s",
          "of `parallel_s`: for how much longer than the average the busiest thread of each region "
          "is busy")
        .only(in_json),
    field("thread_balance", &OpenmpFacts::thread_balance, "0..1",
          "mean / longest busy time of a region's threads, each summed over regions")
        .page_digits(total_digits),
    field("region_efficiency", &OpenmpFacts::region_efficiency, "0..1",
          "busy time / (threads x time) of parallel regions")
        .only(in_json),
    field("mpi_efficiency", &OpenmpFacts::mpi_efficiency, "0..1",
          "MPI parallel efficiency of POP's hybrid metrics: `totals.parallel_efficiency`")
        .page_digits(total_digits),
    field("openmp_efficiency", &OpenmpFacts::openmp_efficiency, "0..1",
          "OpenMP parallel efficiency (POP): `hybrid_efficiency` / `mpi_efficiency`")
        .page_digits(total_digits),
    field("hybrid_efficiency", &OpenmpFacts::hybrid_efficiency, "0..1",
          "hybrid parallel efficiency (POP, multiplicative model): the time in which threads "
          "compute / (`run.wallclock_s` x threads of all ranks)")
        .page_digits(total_digits),
    field("unseen_task_regions", &OpenmpFacts::unseen_task_regions, "",
          "places of which it is not known how busy the threads are: explicit tasks of libgomp "
          "run unseen. Figures of busy threads are without them, and the efficiencies are null if "
          "they take more than 5 % of the time in parallel regions")
        .only(in_json));

template <>
inline constexpr auto fields_of<ParallelRow> = fields(
    field("place", &ParallelRow::place, "", "`file:line` or `module+offset` of the region"),
    field("function", &ParallelRow::function, "", "the program's function that it is in"),
    field("source", &ParallelRow::source, "", "as in openmp").only(in_json | in_csv),
    field("ranks", &ParallelRow::ranks, "", "ranks that ran it").only(in_json | in_csv),
    field("regions", &ParallelRow::regions, "", "how often it ran, summed over ranks"),
    field("threads", &ParallelRow::threads, "", "of the largest team"),
    field("time_s", &ParallelRow::time_s, "s", "of the ranks' first threads in it"),
    field("wall_percent", &ParallelRow::wall_percent, "%", "`time_s` / `totals.wallclock_s`")
        .only(in_json | in_csv),
    field("mpi_s", &ParallelRow::mpi_s, "s", "of `time_s`, in MPI").only(in_json | in_csv),
    field("busy_s", &ParallelRow::busy_s, "s",
          "of all threads; null if it is not known (explicit tasks of libgomp), as the next ones")
        .only(in_json | in_csv),
    field("busy_threads", &ParallelRow::busy_threads, "", "how many are busy at a time"),
    field("thread_balance", &ParallelRow::thread_balance, "0..1", "as in openmp"),
    field("imbalance_s", &ParallelRow::imbalance_s, "s",
          "for how much longer than the average the busiest thread is busy, summed over ranks"));

}  // namespace mprof
