// The figures of a window of the run, as far as time bins carry them, and phases by their names.
#pragma once

#include "report/report.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct WindowLine {
    std::string function, place;
    double time_s = 0;  // MPI time per rank of the bins in which this line took most
};

struct TimeWindow {
    double from_s = 0, to_s = 0;
    TimeSplit split;                       // mean over ranks
    std::vector<WindowLine> lines;         // most time first
    std::optional<uint32_t> slowest_rank;  // that is outside of MPI longest
    double slowest_s = 0, median_s = 0;    // outside of MPI: of that rank, of the median one
    std::vector<const PhaseRow *> phases;  // that are in it, in part or whole
    const PhaseRow *phase = nullptr;       // that it is, from begin to end
};

// Bins that lie in it in part count in part.
TimeWindow window_of(const Report &report, double from_s, double to_s);

// What is to be said of it: of a phase its sentence, else how much is MPI, waiting, and where. What
// is true of a phase need not be so of a part of it.
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
