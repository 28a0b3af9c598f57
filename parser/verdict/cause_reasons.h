// What is unusual about a rank, in words: what could make it slow.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

// "executes 1.46x as many instructions as the others, is preempted 1200 times a second";
// "" = nothing that was recorded. `row` is one of the report's ranks.
std::string unusual_words(const Report &report, const RankRow &row);

// How many times as long as the median of the other ranks this rank takes for the same arithmetic;
// 1 = that is not known.
double slow_cpu(const Report &report, const RankRow &row);

// From when on that was so, in seconds after its MPI_Init; none: from the start, or it is not
// known.
std::optional<double> slow_since_s(const Report &report, const RankRow &row);

// A host whose ranks all compute longer than every rank elsewhere.
struct SlowHost {
    std::string name;  // "" = there is none
    size_t ranks = 0;
    double factor = 0;  // its mean compute time / that of all others
};
SlowHost find_slow_host(const Report &report);

}  // namespace mprof
