// How evenly a counter or a metric is spread over the ranks.
#pragma once

#include "report/states.h"
#include "report/verdict_thresholds.h"

#include <algorithm>

namespace mprof {

// By the rank that is farther from the mean. Without a mean there is nothing to compare with.
template <class Row>
Evenness evenness_of(const Row &row)
{
    constexpr double no_less = 1e-3;  // of the mean, so that a rank with 0 has a distance, too
    if (!(row.mean > 0))
        return Evenness::even;
    const double factor =
        std::max(row.max / row.mean, row.mean / std::max(row.min, row.mean * no_less));
    if (factor <= verdict_thresholds.slightly_uneven_factor)
        return Evenness::even;
    return factor < verdict_thresholds.uneven_factor ? Evenness::slightly_uneven : Evenness::uneven;
}

}  // namespace mprof
