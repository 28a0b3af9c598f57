// Compute time at a glance: one character per rank, or per group of neighbouring ranks when there
// are too many.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

struct RankStrip {
    std::string characters;
    std::string legend;
};

// At most `width` characters. A group shows its slowest rank; '?' is a rank that was not read.
RankStrip make_rank_strip(const Report &report, size_t width);

}  // namespace mprof
