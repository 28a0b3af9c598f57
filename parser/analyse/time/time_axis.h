// The time axis that all ranks share. Time 0 is the beginning of the first rank's MPI_Init.
//
// A rank's bins are laid on it from the beginning of its MPI_Init on (measure/clocks.h). By
// how much its clock drifts within the run is far below a bin.
#pragma once

#include "analyse/time/rank_bins.h"

#include <optional>
#include <vector>

namespace mprof {

struct TimeAxis {
    std::vector<double> offset_s;  // by rank: the beginning of its MPI_Init
    double end_s = 0;              // of the rank that ends last
    double bin_s = 0;
    size_t bins = 0;
    std::optional<double> residual_s;  // several hosts: how far their clocks can be apart
};

TimeAxis make_time_axis(const std::vector<RankMeasure> &ranks);

// Calls add(bin, fraction of the rank's bin that lies in it) for all bins that a rank's bin covers.
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

}  // namespace mprof
