// Is a node at fault? Each figure of the nodes with its median, and the nodes that differ from it
// on the side that slows the run down.
#pragma once

#include "report/report.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct NodeDifference {
    size_t node = 0;  // row of `nodes`
    std::string host;
    double percent = 0;  // slower than the median by so much
    Judgement state = Judgement::watch;
};

struct NodeFigure {
    std::string name;                           // "compute_s", or a metric's
    std::optional<size_t> metric;               // which of `metrics` it is, if it is one
    std::vector<std::optional<double>> values;  // of each of `nodes`
    std::optional<double> median;
    std::vector<NodeDifference> different;  // only these, by node
    uint64_t stand_out = 0;                 // of these, by far
};

// Of a single node there are none. Metrics come last, in their order.
std::vector<NodeFigure> node_figures(const Report &report);

}  // namespace mprof
