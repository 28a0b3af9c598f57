// Who talks with whom, in both directions together: a sparse graph with a row per rank. For the
// search of an order.
#pragma once

#include "report/report.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace mprof {

struct CommGraph {
    std::vector<size_t> first{0};   // of each row, and the end of the last
    std::vector<uint32_t> partner;  // ascending in a row; never the row itself
    std::vector<double> weight;     // of the same edge; both rows have it

    uint32_t size() const { return static_cast<uint32_t>(first.size() - 1); }
};

// `weight_of`: how much it matters that the two ranks of a cell are near. Cells of ranks from
// `ranks` on, and of a rank with itself, are left out.
CommGraph comm_graph(const std::vector<MatrixCell> &cells, uint32_t ranks,
                     const std::function<double(const MatrixCell &)> &weight_of);

// The part between these rows, which are ascending, numbered anew. `numbers` is scratch: as many as
// rows in all, unknown_row before and after.
inline constexpr uint32_t unknown_row = UINT32_MAX;
CommGraph part_of(const CommGraph &graph, const std::vector<uint32_t> &rows,
                  std::vector<uint32_t> &numbers);

}  // namespace mprof
