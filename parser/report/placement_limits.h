// From where on the placement of ranks, or a node that differs from the others, is worth a remark.
#pragma once

namespace mprof {

inline constexpr struct {
    double other_node_share = 0.2;  // of a rank's memory
    double other_node_bytes = 64.0 * (1 << 20);
    double interruptions_per_s = 100;  // a busy rank that is alone on its CPU has a few
    double memory_share = 0.9;         // of the node, or of the limit
    // Slower than the median of the nodes.
    double node_differs_share = 0.05;
    double node_stands_out_share = 0.1;
} placement_limits;

}  // namespace mprof
