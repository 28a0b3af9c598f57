// Rows of the run over time for outputs that have no room for a row per rank.
#pragma once

#include "report/time_rows.h"

#include <cstddef>
#include <optional>
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

}  // namespace mprof
