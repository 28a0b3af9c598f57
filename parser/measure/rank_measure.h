// What one rank did, with its threads added up and its ticks converted.
//
// One of the several threads in MPI represents the rank wherever time is a part of the wall
// clock: its MPI thread, which spent most time in MPI. Sums over threads would exceed the clock.
//
// What holds: calls and bytes of an entry are sums over threads modulo 2^64 (a receive may be
// posted on one thread and completed on another), and only rows with something in them are kept.
// time_s is net of one clock read per call.
#pragma once

#include "measure/clocks.h"
#include "measure/measured_entries.h"
#include "merge/profile.h"

#include <array>
#include <optional>
#include <set>
#include <vector>

namespace mprof {

// What the computing of a rank's MPI thread had of a CPU (mprof_off_cpu).
struct ComputeSplit {
    bool known = false;  // it was recorded
    double contention_s = 0;
    double blocked_s = 0;
    double blocked_file_s = 0, blocked_fault_s = 0;  // of blocked_s
    double unread_s = 0;  // of computing, after the last reading: not known
};

// What a rank asked its GPU's driver for (mprof_gpu). Seconds are of its MPI thread, and part of
// its computing; all else is summed over threads.
struct GpuMeasure {
    bool is_used = false;
    double wait_s = 0, copy_s = 0, launch_s = 0;  // launch_s: all that is neither of the others
    double setup_s = 0;                           // of launch_s: memory, code, contexts
    double off_cpu_s = 0;                         // of all three
    double other_threads_s = 0;                   // in the driver
    uint64_t waits = 0, polls = 0, copies = 0, launches = 0;  // calls; launches: as launch_s
    std::array<uint64_t, MPROF_GPU_DIRECTIONS> bytes{};
    // Of bytes to and from the device, by the host's memory.
    std::array<std::array<uint64_t, MPROF_GPU_HOST_KINDS>, 2> host_bytes{};
    double pageable_s = 0;  // of copy_s, from or to pageable memory
    uint64_t not_seen = 0;  // functions without a wrapper

    double all_s() const { return wait_s + copy_s + launch_s; }
};

// What its GPUs did, by CUPTI. Times are of all of them.
struct GpuActivity {
    mprof_gpu_source source = MPROF_GPU_SOURCE_NONE;
    uint32_t error = 0;  // of CUPTI
    uint64_t devices = 0, dropped = 0;
    double computing_s = 0, communicating_s = 0, moving_s = 0, idle_s = 0;
    double idle_mpi_s = 0, idle_between_s = 0;  // of idle_s

    bool is_recorded() const { return source == MPROF_GPU_SOURCE_CUPTI; }
};

// Of a thread, in MPI.
struct ThreadTimes {
    double mpi_s = 0;
    double message_s = 0;  // blocking sends and receives, MPI_Wait*
    double ends_s = 0;     // MPI_Init, MPI_Finalize
};

struct RankMeasure {
    const RankFile *file = nullptr;
    TickClock clock;
    MeasuredEntries entries;
    double wallclock_s = 0;
    double mpi_s = 0;         // summed over threads
    double mpi_thread_s = 0;  // of the MPI thread; at most the wallclock
    double own_s = 0;         // of libmprof, in MPI_Init and MPI_Finalize; not part of mpi_s
    double compute_s = 0;     // wallclock - mpi_thread_s - own_s
    ComputeSplit split;       // of compute_s
    Rare<GpuMeasure> gpu;
    Rare<GpuActivity> gpu_activity;    // likewise
    size_t mpi_thread = 0;             // among file->threads
    std::vector<ThreadTimes> threads;  // one for each of file->threads; empty if there is one
    uint64_t calls = 0;

    uint32_t rank() const { return file->header().rank; }
    // Also if the process was killed before the finished file took the live file's place: nothing
    // is recorded after MPI_Finalize.
    bool complete() const { return file->run.end == MPROF_END_FINALIZE; }
};

// Of the calls that moved a partner's messages, net of the clock reads in them.
double partner_seconds(const mprof_partner &partner, const RankMeasure &rank);

// The parts of computing together are at most all computing: what is beyond is the error of the
// readings, or a call that had begun.
void limit_split(RankMeasure &rank);

// One per rank of the profile, in its order. They refer to the profile and take its entries, so the
// profile has none afterwards.
std::vector<RankMeasure> measure_ranks(Profile &profile);

// ---- calls in progress (calls_in_progress.cc) ---------------------------------------------------

// The calls that ranks are in which have not ended: counted as far as they are known to have
// lasted.
//
// Records hold calls that returned. A rank that has been in MPI_Recv for an hour would look as if
// it had ended an hour ago.

// The thread that has been in an MPI call longest; if none is in one, the one whose last call ended
// last. nullptr if there is no thread.
const mprof_thread *last_seen_thread(const RankFile &file);

// The call of a GPU's driver that the thread is in, outside MPI calls; nullptr = none.
const mprof_gpu *gpu_call_in_progress(const RankFile &file, const ThreadRecord &thread);

// Adds to each rank that is in a call the time until the job's last sign of life: `now_ns`, by the
// time of day, if it is running, else the last one of any rank, or the job's end as `mprof run` has
// noted it. While it runs, ranks that are in no
// call have computed until now. Ranks in `gone` no longer have a process and stay as they are.
// A call in progress is time without a call: it counts when it returns.
void count_calls_in_progress(std::vector<RankMeasure> &ranks, std::optional<uint64_t> now_ns,
                             const std::set<uint32_t> &gone);

}  // namespace mprof
