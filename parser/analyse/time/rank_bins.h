// The run of one rank over time, on the axis that all ranks share. Sums over its bins are those of
// the report.
#pragma once

#include "measure/function_facts.h"
#include "measure/merged_profile.h"
#include "report/time_rows.h"
#include "waits/waits.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mprof {

// The time axis that all ranks share. Time 0 is the beginning of the first rank's MPI_Init.
//
// A rank's bins are laid on it from the beginning of its MPI_Init on (measure/clocks.h). By
// how much its clock drifts within the run is far below a bin.
struct TimeAxis {
    std::vector<double> offset_s;  // by rank: the beginning of its MPI_Init
    double end_s = 0;              // of the rank that ends last
    double bin_s = 0;
    size_t bins = 0;
    std::optional<double> residual_s;  // several hosts: how far their clocks can be apart
};

TimeAxis make_time_axis(const std::vector<RankMeasure> &ranks);

// Calls add(bin, fraction of the rank's bin that is in it) for all bins that a rank's bin covers.
// The fractions add up to 1.
template <class Add>
void for_each_part(const TimeAxis &axis, double begin_s, double end_s, Add add)
{
    const auto bin_at = [&](double time_s) {
        const double bin = time_s / axis.bin_s;
        return bin <= 0 ? 0 : std::min(axis.bins - 1, static_cast<size_t>(bin));
    };
    const size_t first = bin_at(begin_s);
    const size_t last = end_s > begin_s ? bin_at(end_s) : first;
    double left = 1;
    for (size_t bin = first; bin < last; bin++) {
        const double until_s = static_cast<double>(bin + 1) * axis.bin_s;
        const double from_s = std::max(begin_s, static_cast<double>(bin) * axis.bin_s);
        const double part = std::clamp((until_s - from_s) / (end_s - begin_s), 0.0, left);
        add(bin, part);
        left -= part;
    }
    add(last, left);
}

// The run of one rank over time, whose sums are those of the report.
//
// A rank's bins say when it was in MPI, by class of calls. How long in all, how much of it was
// waiting, and how much of the computing had no CPU is known better for the whole run (waits/,
// measure/): bins are scaled to that. Waiting in a bin is an estimate: for collectives it is known
// which of them ended in which bin, and how long each was waited in. Other waiting is divided in
// proportion to the time in calls of its class.
struct RankBin {
    double begin_s = 0, end_s = 0;  // after the rank's MPI_Init
    TimeSplit split;
    double idle_s = 0;      // of its transfer, in calls that move nothing, or of which waiting is
                            // not known: they wait
    double local_s = 0;     // of its transfer, in calls that neither move anything nor wait
    double finalize_s = 0;  // of its transfer, in MPI_Finalize
    double quick_files_s = 0;  // of its MPI-IO, in calls that only the CPU is busy with
    double calls = 0, bytes = 0, read_bytes = 0, written_bytes = 0;
    double moving_calls = 0;  // of its calls, those that do not only ask
    uint16_t function = 0;    // of the line with most MPI time, as in mprof_time_bin
    uint32_t callsite = 0;
    double line_s = 0;  // of that line, at least
    uint16_t region = 0;

    AskingCalls asking;  // of its computing, between calls that only ask: the rank waits there

    // Calls that neither move anything nor wait are work, and lack a CPU as computing does.
    double work_s() const { return split.compute_s - asking.work_s + (1 - lacking()) * local_s; }
    double queue_s() const { return split.contention_s - asking.queue_s + lacking() * local_s; }
    double blocked_s() const { return split.blocked_s - asking.blocked_s; }

private:
    double lacking() const
    {
        const double wanted_s = split.compute_s + split.contention_s;
        return wanted_s > 0 ? split.contention_s / wanted_s : 0;
    }
};

// What a rank's bins have to add up to.
class RankSums {
public:
    RankSums(size_t number, const RankMeasure &rank, const Waits &waits,
             const FactsByNumber &rules);

    // In order; the last one may be time that no bin covers.
    std::vector<RankBin> bins() const;

private:
    // Calls are start-up, of files, or anything else: what the report tells apart.
    enum Part { start_up, file, rest, parts };
    struct Grid;  // the bins, by figure

    void add_entry(const MeasuredEntry &entry, const FunctionFacts &facts);
    void lay_out(Grid &grid) const;
    void move_making(Grid &grid) const;
    void scale_mpi(Grid &grid) const;
    void divide_computing(Grid &grid, std::vector<RankBin> &bins) const;
    void divide_waiting(Grid &grid, std::vector<RankBin> &bins) const;
    void divide_transfer(const Grid &grid, std::vector<RankBin> &bins) const;
    void divide_asking(Grid &grid, std::vector<RankBin> &bins) const;
    std::span<double> waiting_of_collectives(Grid &grid) const;

    const RankMeasure &rank_;
    const std::vector<float> *by_bin_ = nullptr;  // weights of the waiting in collectives
    double mpi_s_[parts] = {};
    double class_s_[MPROF_TIME_CLASSES] = {}, class_wait_s_[MPROF_TIME_CLASSES] = {};
    double finalize_wait_s_ = 0;                    // part of that of collectives
    double finalize_own_s_ = 0;                     // the rest of its time
    double class_idle_s_[MPROF_TIME_CLASSES] = {};  // of the time that is no waiting
    double local_s_ = 0;                            // of MPROF_TIME_OTHER
    bool makes_often_ = false;  // communicators: their class in the file is start-up
    double quick_files_s_ = 0;  // of MPROF_TIME_FILE
    uint64_t bytes_ = 0;
    uint64_t calls_ = 0, asking_calls_ = 0;
    AskingCalls asking_;
};

}  // namespace mprof
