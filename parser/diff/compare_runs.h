// From the reports of runs to their comparison.
#pragma once

#include "diff/comparison.h"

#include <string>
#include <vector>

namespace mprof {

struct RunReport {
    std::string path;
    Report report;
};

// Each side has at least one run. The runs of a side are repetitions: of the same build.
Comparison compare_runs(const std::vector<RunReport> &a, const std::vector<RunReport> &b,
                        const std::vector<Limit> &limits);

}  // namespace mprof
