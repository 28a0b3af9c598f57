// Who has the CPU that a rank lacks, and where and why a rank is blocked outside MPI: in a file,
// a page fault, sleep or a lock. How much that costs is an account (report/account_rows.h).
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

struct OffCpuFacts {
    // Who has the CPU instead: "4 ranks share the CPUs of node01". "" = that is not known.
    std::string who;
    bool by_threads = false, by_ranks = false;  // of the job itself; else it is something else,
    bool by_limit = false;                      // or a limit of the CPUs that it may use
    // Where a rank is blocked: "between MPI_Send (heat.c:61) and MPI_Recv (heat.c:52)", and what
    // ranks compute there. "" = not known.
    std::string blocked_place, blocked_beside;
    std::string blocked_by;  // "reading and writing files"
    bool in_files = false, in_faults = false;
};

// Of the rank that lacks a CPU longest, and of the one that is blocked longest.
OffCpuFacts gather_off_cpu(const Report &report);

}  // namespace mprof
