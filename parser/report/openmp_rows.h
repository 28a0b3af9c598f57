// What a report says of OpenMP: of the run, and of each place with a parallel region.
//
// Part of report.h. A parallel region counts where the thread that called MPI_Init met it outside
// of other ones. Threads are busy where they neither wait at a barrier of OpenMP nor are in MPI.
#pragma once

#include "report/states.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// Of the run. std::nullopt = there are no parallel regions, or it is not known.
struct OpenmpFacts {
    OpenmpSource source = OpenmpSource::none;
    std::string sentence;                // in words
    uint64_t regions = 0;                // that ran, summed over ranks
    std::optional<uint64_t> threads;     // of the largest team
    std::optional<double> busy_threads;  // of a rank, on average over the wallclock
    // Of the average rank's first thread; the four add up to its wallclock without mprof's.
    std::optional<double> parallel_s;  // in parallel regions, outside MPI
    std::optional<double> parallel_mpi_s, serial_s, serial_mpi_s;
    std::optional<double> imbalance_s;        // of parallel_s: longest - mean busy time of a thread
    std::optional<double> thread_balance;     // mean / longest busy time
    std::optional<double> region_efficiency;  // busy time / (threads x time) of parallel regions
    std::optional<double> mpi_efficiency, openmp_efficiency, hybrid_efficiency;
    uint64_t unseen_task_regions = 0;  // places at which it is not known how busy threads are
};

// A place with a parallel region. Sums over ranks.
struct ParallelRow {
    std::string place;     // "solve.c:88", "lmp+0x4f2a10"
    std::string function;  // of the program, "" = not known
    OpenmpSource source = OpenmpSource::none;
    uint64_t ranks = 0, regions = 0, threads = 0;
    double time_s = 0, mpi_s = 0;  // of the first thread
    double wall_percent = 0;
    std::optional<double> busy_s;  // of all threads; std::nullopt = not known, as the next ones
    std::optional<double> busy_threads, thread_balance, imbalance_s;
};

}  // namespace mprof
