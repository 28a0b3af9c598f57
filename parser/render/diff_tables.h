// The tables of a comparison as words and figures in cells: the same in a terminal and in Markdown.
#pragma once

#include "diff/comparison.h"

#include <string>
#include <vector>

namespace mprof {

struct DiffRow {
    std::string name;
    std::string a, b, difference, percent, noise;
    std::string remark;  // what the row says beyond its figures, or ""
};

struct DiffTable {
    std::string title;
    std::vector<DiffRow> rows;
    size_t more = 0;  // rows that changed and are not listed
};

// The run as a whole.
DiffTable diff_totals(const Comparison &comparison);
// Of phases that changed. Without rows if none did: then there is a sentence, "" of a run without
// phases.
DiffTable diff_phases(const Comparison &comparison, size_t listed);
std::string same_phases(const Comparison &comparison);
// The others in the order of reading, but for those in which nothing changed; each has `listed`
// rows at most.
std::vector<DiffTable> diff_tables(const Comparison &comparison, size_t listed);

}  // namespace mprof
