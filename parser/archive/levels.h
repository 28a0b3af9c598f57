// The levels of a series: how long the runs of one program, input and size take, and since when.
// A level is a stretch of runs between two changes. What is not told from the noise of the runs is
// one level.
#pragma once

#include <cstddef>
#include <vector>

namespace mprof {

struct LevelRules {
    double least_share = 0.02;  // a change below it is none, however sure
    double sure_score = 4.5;    // standard errors by which two levels differ
    size_t least_runs = 3;      // of a level
    size_t enough_runs = 8;     // from which on a level counts in the headline
    double outlier_score = 5;   // standard deviations by which a single run stands out
    size_t most_bins = 256;     // a longer series is looked at in so many groups of runs
};
inline constexpr LevelRules level_rules;

struct Level {
    size_t begin = 0, end = 0;  // runs of the series
    double median = 0;
    size_t runs() const { return end - begin; }
};

struct Levels {
    std::vector<Level> levels;     // at least one, unless there is no run
    double noise = 0;              // standard deviation of a run, as a share of its level
    std::vector<size_t> outliers;  // runs that are single slow ones
};

// `values` are positive, in the order of time.
Levels find_levels(const std::vector<double> &values);

double median_of(std::vector<double> values);  // of at least one

}  // namespace mprof
