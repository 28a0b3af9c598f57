// When: the run over time, in bins of equal length that all ranks share, and the phases in it.
//
// Times count from the beginning of the first rank's MPI_Init. The states of a bin add up to its
// length, but in the first and the last one, which ranks begin late or leave early. Waiting in a
// bin is an estimate. Sums over all bins are those of the whole run.
#pragma once

#include "report/states.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// What ranks did in some time, as a mean over them: the states of TimePart without mprof itself.
struct TimeSplit {
    double compute_s = 0;  // on a CPU
    double contention_s = 0;
    double blocked_s = 0;                                     // outside of MPI
    double gpu_wait_s = 0, gpu_copy_s = 0, gpu_launch_s = 0;  // in the driver of a GPU
    double wait_s = 0;
    double transfer_s = 0;  // all other MPI time
    double file_s = 0;
    double startup_s = 0;

    double mpi_s() const { return wait_s + transfer_s + file_s + startup_s; }
    double gpu_s() const { return gpu_wait_s + gpu_copy_s + gpu_launch_s; }
    // Outside of MPI.
    double busy_s() const { return compute_s + contention_s + blocked_s + gpu_s(); }
    double all_s() const { return busy_s() + mpi_s(); }
};

inline constexpr double TimeSplit::*const split_states[] = {
    &TimeSplit::compute_s,  &TimeSplit::contention_s, &TimeSplit::blocked_s, &TimeSplit::gpu_wait_s,
    &TimeSplit::gpu_copy_s, &TimeSplit::gpu_launch_s, &TimeSplit::wait_s,    &TimeSplit::transfer_s,
    &TimeSplit::file_s,     &TimeSplit::startup_s};

struct TimeBin {
    double begin_s = 0;
    TimeSplit split;
    double calls = 0, bytes = 0;               // of MPI, mean over ranks
    double read_bytes = 0, written_bytes = 0;  // by calls like read() and write()
};

// The bins of one rank, or of neighbouring ranks. A group with an outlier shows that rank.
struct TimeRow {
    uint32_t first_rank = 0;
    uint64_t ranks = 1;                // how many stand for this row
    std::optional<uint32_t> outlier;   // the rank whose bins these are; else they are the mean
    std::vector<TimeSplit> bins;       // as many as TimeLine.bins
    std::vector<uint32_t> call_lines;  // row of call_lines + 1 that took most of the bin's MPI
                                       // time; 0 = none, or not known. Empty: of a mean
};

// What a group of many ranks hides: one of the slowest ranks, or the ranks of a node in a group
// that shows an outlier.
struct TimeDetail : TimeRow {
    std::string host;
};

// How the name of a phase was found.
enum class PhaseSource { start_up, region, call_site, output, position };
template <>
inline constexpr std::array texts_of<PhaseSource> = {"start-up", "region", "call site", "output",
                                                     "position"};

// A part of the run that looks different from what is before and behind it.
struct PhaseRow {
    std::string name;  // "set-up", "solve 2", "output"
    PhaseSource source = PhaseSource::position;
    double from_s = 0, to_s = 0;
    double wallclock_share = 0;  // 0 to 1
    TimeSplit split;             // mean over ranks, of the whole phase
    double mpi_percent = 0;
    double wait_s = 0;                     // mean over ranks
    std::optional<uint32_t> slowest_rank;  // that computes longest, if it stands out
    double slowest_over = 1;               // its compute time / the median rank's
    std::string place;                     // the call site with most MPI time: "cg.c:211"
    std::string function;                  // MPI_Allreduce
    Judgement state = Judgement::good;
    std::string headline;  // its verdict, a sentence
    std::string cost;      // what the cause that costs most in it costs, a sentence, or ""
};

// A step that repeats, and how long one takes, an estimate: counted at a call site that a rank
// passes once in each step.
struct StepFacts {
    uint64_t steps = 0;
    std::string place;               // the call site that counts them
    double first_s = 0, last_s = 0;  // duration of one: at the beginning, at the end (means of a
                                     // tenth of all)
    double mean_s = 0;
    std::vector<double> duration_s;  // by bin, mean of the steps in it; 0 = none
    std::vector<double> busy_s;      // by TimeLine.rows: of the mean step, outside of MPI
};

struct TimeLine {
    bool known = false;  // false: files of an older version, or nothing was recorded
    double bin_s = 0;
    std::vector<TimeBin> bins;        // mean over ranks
    std::vector<TimeRow> rows;        // by rank
    std::vector<TimeDetail> details;  // of more than most_time_groups ranks: nodes, then ranks
    std::vector<PhaseRow> phases;
    std::optional<StepFacts> steps;
    std::string headline;  // which phase, how much, where; "" = nothing stands out
    std::string drift;     // what becomes slower, a sentence, or ""
    std::optional<double> clock_residual_s;  // how well the clocks of nodes fit; none: one node
};

}  // namespace mprof
