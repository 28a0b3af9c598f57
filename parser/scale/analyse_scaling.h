// Several runs of one program at several sizes: what is kept of each, how it scales, and what stops
// it.
#pragma once

#include "report/report.h"
#include "scale/scaling.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// What mprof scale keeps of the report of one run: the reports of a hundred runs need not be in
// memory at once.

// A row of GrowthRow in one run.
struct RunRow {
    GrowthRow names;  // without figures
    double time_s = 0;
    std::optional<double> wait_s;
    double slowest_s = 0;
    uint32_t slowest_rank = 0;
};

// Sums over ranks, as in Totals, where nothing else is said.
struct SizeRun {
    ScaledRun run;
    std::string program;
    size_t nodes = 0;
    double cores_per_rank = 1;  // threads of the largest team of OpenMP
    double compute_s = 0, mpi_s = 0;
    double load_balance = 1, communication_efficiency = 1;
    std::optional<double> wait_s, transfer_s, other_mpi_s;  // MPI I/O and start-up
    std::optional<double> contention_s, blocked_s;          // of compute_s
    std::optional<double> instructions, cycles;             // outside of MPI
    std::optional<double> library_bytes;                    // of the average rank
    std::map<std::string, RunRow> rows, segments;           // by what they are
    // What each cause costs; none: files without time bins.
    std::optional<std::map<AccountKind, double>> accounts_s;
    std::vector<NextStep> next;  // what the verdict says to do

    // Without waiting for a CPU.
    double own_compute_s() const { return compute_s - contention_s.value_or(0); }
    double per_rank(double sum) const { return sum / static_cast<double>(run.ranks); }
};

SizeRun size_run_of(const Report &report, const std::string &path);

// Runs of at least two sizes. Without `kind` it is told by the work of the runs.
Scaling analyse_scaling(std::vector<SizeRun> runs, std::optional<ScalingKind> kind);

// What keeps these runs from being compared, or "".
std::string why_not_scaled(const std::vector<SizeRun> &runs);

}  // namespace mprof
