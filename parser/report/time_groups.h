// Rows of the run over time for outputs that have no room for a row per rank.
#pragma once

#include "report/time_rows.h"

#include <cstddef>
#include <vector>

namespace mprof {

// At most `most` rows, each of neighbours: their mean, or of the one that is far from it. So a slow
// rank is a row at any number of ranks.
std::vector<TimeRow> grouped_rows(const TimeLine &time, size_t most);

}  // namespace mprof
