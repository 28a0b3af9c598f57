// How often a step that the program repeats ended in each time bin of a rank. A collective of one
// place counts them: the one that takes most time, if it is made during much of the run. Journals
// have its calls one by one, with the bin in which each ended.
#pragma once

#include "read/rank_file.h"

#include <cstdint>
#include <vector>

namespace mprof {

inline constexpr double fewest_counted_steps = 10;
inline constexpr double least_step_span = 1.0 / 3;  // of the run, from the first to the last one

struct StepCounts {
    std::vector<double> ends;  // by bin of the rank: steps that ended in it
    uint16_t function = 0;     // 1 + function id of the calls that are counted; 0 = no steps
    uint32_t callsite = 0;     // their slot
};

StepCounts steps_in_journals(const RankFile &file);

}  // namespace mprof
