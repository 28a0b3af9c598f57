// Parts of the run over time (time_rows.h): its rows put into groups, for outputs that have no room
// for a row per rank, and the figures of a window of it; and phases by their names.
#pragma once

#include "report/report.h"
#include "report/time_rows.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// So many rows fit on a page.
inline constexpr size_t most_time_groups = 128;

// What a rank does less than another and what it does instead, in a bin: 0 = the same. Time that is
// transferring follows from the others.
double distance_of(const TimeSplit &a, const TimeSplit &b);

// The one that is furthest from the mean, by the distances of all of a group: none if that is not
// far beyond what is usual there. `run_s` is the length of the run.
std::optional<size_t> find_outlier(const std::vector<double> &distances, double run_s);

// At most `most` rows, each of neighbours: their mean, or of the one that is far from it. So a slow
// rank is a row at any number of ranks.
std::vector<TimeRow> grouped_rows(const TimeLine &time, size_t most);

// What causes cost in a window, in words: "It would take 310 ms less ...".
struct WindowCause {
    double AccountWindow::*cost_s;
    const char *words;
    bool is_of_rank = false;  // the window's rank has most of it
};
inline constexpr std::array window_causes = {
    WindowCause{&AccountWindow::uneven_s, "if the work were evenly divided", true},
    WindowCause{&AccountWindow::blocked_s, "if no rank were blocked outside MPI"},
    WindowCause{&AccountWindow::kernel_s, "without the work of the kernel"},
    WindowCause{&AccountWindow::files_s, "without MPI-IO"},
    WindowCause{&AccountWindow::in_turn_s, "if ranks worked at the same time"},
    WindowCause{&AccountWindow::latency_s, "without small messages"},
    WindowCause{&AccountWindow::bandwidth_s, "without large messages"}};

// The figures of a window of the run, as far as time bins carry them, and phases by their names.
struct WindowLine {
    std::string function, place;
    double time_s = 0;  // MPI time per rank of the bins in which this line took most
};

struct TimeWindow {
    double from_s = 0, to_s = 0;
    TimeSplit split;                       // mean over ranks
    std::vector<WindowLine> lines;         // most time first
    std::optional<uint32_t> slowest_rank;  // that is outside MPI longest
    double slowest_s = 0, median_s = 0;    // outside MPI: of that rank, of the median one
    AccountWindow costs;                   // what causes cost in it
    std::vector<const PhaseRow *> phases;  // that are in it, in part or whole
    const PhaseRow *phase = nullptr;       // that it is, from begin to end
};

// Bins that are partly in it count in part.
TimeWindow window_of(const Report &report, double from_s, double to_s);

// "It would take 310 ms less if the work were evenly divided: rank 2 works longest.", or "" if no
// cause costs a twentieth of it.
std::string cost_words(const TimeWindow &window);

// What there is to say about it: of a phase its sentence, else how much is MPI, waiting, and where.
// What is true of a phase need not be true of its parts.
std::string window_words(const TimeWindow &window);

// The phase of that name, or of that number from 1 on; nullptr: there is none. Of a name that
// repeats ("solve" of "solve 1" and "solve 2") the first.
const PhaseRow *find_phase(const Report &report, const std::string &name_or_number);

// Its name without the number: "solve" of "solve 2".
std::string phase_title(const PhaseRow &phase);

// The same work has the same kind, in this run and in others. It is the title; a phase that is
// called after a line is known by file and MPI function, so that lines may move.
std::string phase_kind(const PhaseRow &phase);

}  // namespace mprof
