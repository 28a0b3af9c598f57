// From the reports of runs to their comparison, and what the command line of mprof diff says of its
// two sides.
#pragma once

#include "diff/comparison.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

// What the command line of mprof diff says, as values.

// "A1,A2,A3": the runs of a side. What is there under this very name is one run, even with a comma
// in it.
std::vector<std::string> split_runs(const std::string &paths);

// "5%" or "5"; nothing if it is no percentage, or below 0.
std::optional<double> parse_percent(const std::string &text);

// "5%", "cpu:3%" or "5%,cpu:3%"; nothing if a part of it is none of these.
std::optional<std::vector<Limit>> parse_limits(const std::string &text);

struct RunReport {
    std::string path;
    Report report;
};

// Each side has at least one run. The runs of a side are repetitions: of the same build.
Comparison compare_runs(const std::vector<RunReport> &a, const std::vector<RunReport> &b,
                        const std::vector<Limit> &limits);

}  // namespace mprof
