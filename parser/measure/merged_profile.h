// What holds for all ranks together, made once and used by several parts of the analysis.
#pragma once

#include "measure/call_paths.h"
#include "measure/merged_names.h"

namespace mprof {

// Which of a rank's communicators are the same as which of another's.
class CommunicatorRows {
public:
    // `rank` is an index into the ranks. Row 0: none, or not known.
    uint32_t row_of(size_t rank, uint32_t slot) const;
    // "MPI_COMM_WORLD", its name, or how it was made; "" for row 0.
    const std::string &label(uint32_t row) const { return labels_[row]; }

    void begin_rank() { ranks_.emplace_back(); }
    void add(uint32_t slot, uint32_t row) { ranks_.back()[slot] = row; }
    void set_label(uint32_t row, std::string label);

private:
    std::vector<std::map<uint32_t, uint32_t>> ranks_;  // slot -> row
    std::vector<std::string> labels_{1};
};

struct Merged {
    MergedNames names;
    CallPaths &paths;  // looks up source lines when asked: not constant
    CommunicatorRows communicators;
};

}  // namespace mprof
