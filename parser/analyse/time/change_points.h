// Where a run begins to look different: a signal of several figures per bin is cut into parts that
// are each nearly constant.
#pragma once

#include <cstddef>
#include <vector>

namespace mprof {

struct PartLimits {
    size_t least_bins = 3;
    size_t most_parts = 12;
    double least_gain = 0.001;  // what a cut must explain: squared difference x share of the run
};

// One row per bin, all of the same length, each figure about 0 to 1.
using Signal = std::vector<std::vector<double>>;

// The bins at which parts begin; the first is 0. A pattern that repeats is one part, whatever the
// length of its period.
std::vector<size_t> find_change_points(const Signal &signal, const PartLimits &limits);

// The parts of at least `least` bins with the least sum of squares around their means plus
// `penalty` per cut.
std::vector<size_t> best_parts_of(const Signal &signal, size_t least, double penalty);

// Moves each begin of a part, but the first, by up to `reach` bins to where the signal changes.
// `period` is in bins, 1 = it has none.
void settle_cuts(const Signal &signal, size_t period, size_t reach, std::vector<size_t> &parts);

// The sum of the squared differences of two rows.
double square_between(const std::vector<double> &a, const std::vector<double> &b);

// Bins after which the signal repeats; 0 = it does not.
size_t find_period(const Signal &signal);

}  // namespace mprof
