// What the command line of mprof diff says, as values.
#pragma once

#include "diff/comparison.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

// "A1,A2,A3": the runs of a side. What is there under this very name is one run, even with a comma
// in it.
std::vector<std::string> split_runs(const std::string &paths);

// "5%" or "5"; nothing if it is no percentage, or below 0.
std::optional<double> parse_percent(const std::string &text);

// "5%", "cpu:3%" or "5%,cpu:3%"; nothing if a part of it is none of these.
std::optional<std::vector<Limit>> parse_limits(const std::string &text);

}  // namespace mprof
