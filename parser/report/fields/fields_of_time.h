// The fields of the run over time: bins, rows of ranks, phases.
#pragma once

#include "report/field.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mprof {

inline constexpr auto split_fields = fields(
    field("compute_s", &TimeSplit::compute_s, "s", "computing on a CPU"),
    field("wait_s", &TimeSplit::wait_s, "s", "waiting in MPI; in a bin it is an estimate"),
    field("transfer_s", &TimeSplit::transfer_s, "s", "in MPI, and none of the other kinds"),
    field("file_s", &TimeSplit::file_s, "s", "in MPI-IO, without waiting"),
    field("contention_s", &TimeSplit::contention_s, "s", "waiting for a CPU, outside MPI"),
    field("blocked_s", &TimeSplit::blocked_s, "s", "blocked, outside MPI"),
    field("gpu_wait_s", &TimeSplit::gpu_wait_s, "s", "waiting for the GPU"),
    field("gpu_copy_s", &TimeSplit::gpu_copy_s, "s", "copying to, from or on the GPU"),
    field("gpu_launch_s", &TimeSplit::gpu_launch_s, "s", "in the driver of a GPU for all else"),
    field("startup_s", &TimeSplit::startup_s, "s",
          "starting MPI and making communicators, without waiting"));
template <>
inline constexpr auto fields_of<TimeSplit> = split_fields;

template <>
inline constexpr auto fields_of<TimeBin> = fields(
    field("begin_s", &TimeBin::begin_s, "s",
          "after the first rank entered MPI; the bin ends `bin_s` later"),
    part_of(&TimeBin::split, split_fields),
    field("calls", &TimeBin::calls, "", "calls of MPI that began in the bin"),
    field("bytes", &TimeBin::bytes, "bytes", "payload of these calls, and the bytes that arrived"),
    field("read_bytes", &TimeBin::read_bytes, "bytes", "by calls like read()"),
    field("written_bytes", &TimeBin::written_bytes, "bytes", "by calls like write()"));

// Of many rows neighbouring bins are added together, so that the document stays small enough for
// the page: at most so many numbers of a state, but not fewer than some for each row.
inline constexpr size_t most_row_numbers = 4096, least_row_numbers = 16;

inline size_t bins_per_number(const TimeLine &time)
{
    const size_t rows = std::max<size_t>(1, time.rows.size());
    const size_t most = std::max(least_row_numbers, most_row_numbers / rows);
    return std::max<size_t>(1, (time.bins.size() + most - 1) / most);
}

inline double row_bin_seconds(const TimeLine &time)
{
    return time.bin_s * static_cast<double>(bins_per_number(time));
}

// To a thousandth of the time that it is of.
inline double rounded_seconds(double seconds, double of_s)
{
    const double unit = std::pow(10.0, std::ceil(3 - std::log10(of_s)));
    return std::round(seconds * unit) / unit;
}

// A figure of a row's bins as a list; empty if it is 0 in all of them.
template <double TimeSplit::*member>
std::vector<double> bins_of_row(const TimeRow &row, const Report &report)
{
    const size_t step = bins_per_number(report.time);
    const double of_s = row_bin_seconds(report.time);
    std::vector<double> values;
    bool is_empty = true;
    for (size_t first = 0; first < row.bins.size(); first += step) {
        double sum = 0;
        for (size_t i = first; i < std::min(first + step, row.bins.size()); i++)
            sum += row.bins[i].*member;
        values.push_back(rounded_seconds(sum, of_s));
        is_empty = is_empty && values.back() == 0;
    }
    return is_empty ? std::vector<double>() : values;
}

// Of bins that are added together, the line of the one with most MPI time.
inline std::vector<uint32_t> lines_of_row(const TimeRow &row, const Report &report)
{
    const size_t step = bins_per_number(report.time);
    std::vector<uint32_t> lines;
    for (size_t first = 0; first < row.call_lines.size(); first += step) {
        size_t best = first;
        for (size_t i = first; i < std::min(first + step, row.call_lines.size()); i++)
            best = row.bins[i].mpi_s() > row.bins[best].mpi_s() ? i : best;
        lines.push_back(row.call_lines[best]);
    }
    return lines;
}

inline constexpr auto row_fields = fields(
    field("rank", &TimeRow::first_rank, "", "the rank, or the first one of a group"),
    field("ranks", &TimeRow::ranks, "", "how many ranks the row represents"),
    field("outlier", &TimeRow::outlier, "",
          "the rank of the group whose figures these are, because it is unlike the others; null: "
          "the figures are the mean"),
    field("compute_s", bins_of_row<&TimeSplit::compute_s>, "s",
          "a number per `row_bin_s`, to a thousandth of it, as `bins[].compute_s`, and so are the "
          "next ones; empty: none at any time"),
    field("wait_s", bins_of_row<&TimeSplit::wait_s>, "s", "waiting in MPI"),
    field("transfer_s", bins_of_row<&TimeSplit::transfer_s>, "s", "other time in MPI"),
    field("file_s", bins_of_row<&TimeSplit::file_s>, "s", "in MPI-IO"),
    field("contention_s", bins_of_row<&TimeSplit::contention_s>, "s", "waiting for a CPU"),
    field("blocked_s", bins_of_row<&TimeSplit::blocked_s>, "s", "blocked"),
    field("gpu_wait_s", bins_of_row<&TimeSplit::gpu_wait_s>, "s", "waiting for the GPU"),
    field("gpu_copy_s", bins_of_row<&TimeSplit::gpu_copy_s>, "s", "copying to or from the GPU"),
    field("gpu_launch_s", bins_of_row<&TimeSplit::gpu_launch_s>, "s", "other time in its driver"),
    field("startup_s", bins_of_row<&TimeSplit::startup_s>, "s", "start-up"),
    field("call_lines", lines_of_row, "",
          "likewise: 1 + row of `call_lines` that took most of its MPI time, 0 if none did; empty "
          "for a mean"));
template <>
inline constexpr auto fields_of<TimeRow> = row_fields;

template <>
inline constexpr auto fields_of<TimeDetail> =
    fields(row_fields, field("host", &TimeDetail::host, "",
                             "the node of these ranks, or of the first of them"));

// Those of which `ranks` shows only the group.
inline std::vector<TimeDetail> hidden_details(const TimeLine &time)
{
    return !time.rows.empty() && time.rows.front().ranks > 1 ? time.details
                                                             : std::vector<TimeDetail>();
}

template <>
inline constexpr auto fields_of<PhaseRow> = fields(
    field("name", &PhaseRow::name, "",
          "of a region of the program, of the function that calls MPI most, or `start-up`, "
          "`output`; numbered where it repeats"),
    field("source", &PhaseRow::source, "",
          "where the name comes from: `start-up`, `region`, `call site`, `output`, `position`"),
    field("from_s", &PhaseRow::from_s, "s", "after the first rank entered MPI"),
    field("to_s", &PhaseRow::to_s, "s", "likewise"),
    field("wallclock_share", &PhaseRow::wallclock_share, "", "of the run, 0 to 1"),
    part_of(&PhaseRow::split, split_fields),
    field("mpi_percent", &PhaseRow::mpi_percent, "%", "of the time of the ranks in it"),
    field("slowest_rank", &PhaseRow::slowest_rank, "",
          "the rank that is outside MPI longest; null if none stands out"),
    field("slowest_over", &PhaseRow::slowest_over, "", "its time outside MPI / the median's"),
    field("function", &PhaseRow::function, "", "of the call site with most MPI time"),
    field("place", &PhaseRow::place, "", "of the call site with most MPI time"),
    field("state", &PhaseRow::state, "", "`good`, `watch`, `problem`"),
    field("headline", &PhaseRow::headline, "", "the phase in a sentence or two"),
    field("cost", &PhaseRow::cost, "",
          "how much shorter the phase would be without the cause that costs most in it, by the "
          "windows of `accounts`, in a sentence; null: no cause takes a twentieth of the phase")
        .only(in_json | in_csv),
    field("nccl_s", &PhaseRow::nccl_s, "s",
          "in collectives of NCCL, mean over ranks; left out if the program calls none")
        .only(in_json)
        .left_out(),
    field("nccl_wait_s", &PhaseRow::nccl_wait_s, "s",
          "of it, for the rank that comes last; left out likewise")
        .only(in_json)
        .left_out());

// A figure of the step that repeats.
template <auto member>
auto step_figure(const TimeLine &time)
{
    using Value = std::decay_t<decltype(StepFacts().*member)>;
    if constexpr (std::is_arithmetic_v<Value>)
        return time.steps ? std::optional<Value>((*time.steps).*member) : std::nullopt;
    else
        return time.steps ? (*time.steps).*member : Value();
}

template <>
inline constexpr auto fields_of<TimeLine> = fields(
    field("known", &TimeLine::known, "",
          "false: the files are of a version before 1.6, or have no time bins"),
    field("bin_s", &TimeLine::bin_s, "s", "length of a bin"),
    field("bins", &TimeLine::bins, "", "means over ranks; in CSV `time.csv`"),
    field("row_bin_s", row_bin_seconds, "s",
          "the length that a number in `ranks` covers: with more than 8 ranks, several bins "
          "together"),
    field("ranks", &TimeLine::rows, "", "by rank, or from 2,049 ranks on by groups of neighbours"),
    field("details", hidden_details, "",
          "what groups hide: of groups with an outlier, each node as the mean of the group's ranks "
          "on it; then the 64 ranks that compute longest, the slowest one first"),
    field("headline", &TimeLine::headline, "",
          "which phase is most worthwhile to look at; null: none stands out"),
    field("drift", &TimeLine::drift, "", "what becomes slower during the run; null: nothing does"),
    field("steps", step_figure<&StepFacts::steps>, "",
          "of the step that the program repeats: how many; null: none was found"),
    field("step_place", step_figure<&StepFacts::place>, "",
          "the call site at which they are counted"),
    field("step_first_s", step_figure<&StepFacts::first_s>, "s",
          "how long one takes, mean of the first tenth of them; this and the next ones are "
          "estimates: it is known in which bin a step ended"),
    field("step_last_s", step_figure<&StepFacts::last_s>, "s", "of the last tenth"),
    field("step_mean_s", step_figure<&StepFacts::mean_s>, "s", "of all, without pauses"),
    field("step_s", step_figure<&StepFacts::duration_s>, "s",
          "by bin, mean of the steps in it; 0: none"),
    field("step_busy_s", step_figure<&StepFacts::busy_s>, "s",
          "by row of `ranks`: how much of the mean step is outside MPI"),
    field("clock_residual_s", &TimeLine::clock_residual_s, "s",
          "by how much the clocks of nodes can still differ, after they were compared; null: one "
          "node, or not known"));

}  // namespace mprof
