// Computing that had no CPU: because others ran (kept off the CPU), or because the rank was blocked
// in a file, a page fault, sleep or a lock.
//
// Either it is a good part of the average rank's time, or it is why the slowest rank is slow.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

struct OffCpuKind {
    double mean_s = 0;           // of the average rank
    double percent = 0;          // that, of the wallclock
    double slowest_s = 0;        // of the rank that computes longest
    double excess_s = 0;         // of it beyond the mean
    bool is_of_all = false;      // the average rank loses much by it
    bool is_of_slowest = false;  // it is why the slowest rank is slow
};

struct OffCpuFacts {
    OffCpuKind cpu_wait, blocked;
    // Who has the CPU instead: "4 ranks share the CPUs of node01". "" = that is not known.
    std::string who;
    bool by_threads = false, by_ranks = false;  // of the job itself; else it is something else,
    bool by_limit = false;                      // or a limit of the CPUs that it may use
    // Where a rank is blocked: "between heat.c:61 and heat.c:52". "" = not known.
    std::string blocked_place;
    std::string blocked_by;  // "reading and writing files"
    bool in_files = false, in_faults = false;
};

// What it is compared with.
struct OtherLosses {
    uint32_t slowest_rank = 0;  // that computes longest
    double imbalance_s = 0;     // how much longer than the mean
    bool is_late = false;       // the others wait for it
    double in_mpi_s = 0;        // the largest loss of the average rank in MPI
};

OffCpuFacts gather_off_cpu(const Report &report, const OtherLosses &others);

}  // namespace mprof
