// Rows of what groups of many ranks hide: a slow rank, or a slow node among its neighbours.
#pragma once

#include "report/report.h"

#include <functional>
#include <vector>

namespace mprof {

// Nodes in groups that show an outlier, as the mean of the group's ranks on them, and then the
// ranks that compute longest, the slowest one first. None if each rank has a row of its own on a
// page. `report` has ranks and rows; `compute_s` is by rank; `row_of` makes the row of a rank.
std::vector<TimeDetail> time_details(const Report &report, const std::vector<double> &compute_s,
                                     const std::function<TimeRow(size_t)> &row_of);

}  // namespace mprof
