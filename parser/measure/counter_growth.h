// What the counters of one rank grew by, with its threads added up.
#pragma once

#include "read/rank_file.h"
#include "report/report.h"

#include <vector>

namespace mprof {

struct CounterGrowth {
    uint32_t region = 0;  // slot
    bool in_mpi = false;
    std::vector<double> values;  // of each of `counters`; NaN if the rank did not count it
};

// Net of what reading the counters made them grow by; never below 0.
std::vector<CounterGrowth> counter_growth(const RankFile &file,
                                          const std::vector<CounterRow> &counters);

// How often the rank's counters were read.
uint64_t counter_reads(const RankFile &file);

}  // namespace mprof
