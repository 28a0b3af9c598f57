// All thresholds of the verdict, in one table.
#pragma once

namespace mprof {

struct VerdictThresholds {
    double compute_bound_mpi_percent = 10;  // below: MPI is not the problem
    double poor_load_balance = 0.85;  // mean / max compute; POP calls 0.8 and above acceptable
    double startup_percent = 10;     // of the wallclock in MPI_Init*, MPI_Finalize, MPI_Comm_* that
                                     // make one
    double file_io_percent = 15;     // of the wallclock in MPI_File_*
    double slow_host_factor = 1.15;  // a host computes that many times as long as the others: name
                                     // it
    double top_function_percent = 50;  // of MPI time: worth a next step of its own
};

inline constexpr VerdictThresholds verdict_thresholds;

}  // namespace mprof
