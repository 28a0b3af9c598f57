#include "measure/counter_growth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace mprof {
namespace {

// Values of all threads, and how often they were read.
struct Gross {
    uint64_t reads = 0;
    uint64_t values[MPROF_MAX_COUNTERS] = {};
};

std::map<std::pair<uint32_t, bool>, Gross> gross_of_threads(const RankFile &file)
{
    std::map<std::pair<uint32_t, bool>, Gross> sums;
    for (const ThreadRecord &thread : file.threads)
        for (const mprof_counter_values &row : thread.counter_values) {
            Gross &sum = sums[{row.region, row.in_mpi != 0}];
            sum.reads += row.reads;
            for (size_t i = 0; i < MPROF_MAX_COUNTERS; i++)
                sum.values[i] += row.values[i];
        }
    return sums;
}

// A scaled value may have shrunk between two reads: sums are signed.
double net(const mprof_counter &counter, uint64_t value, uint64_t reads)
{
    const double own = static_cast<double>(counter.read_growth) * static_cast<double>(reads);
    return std::max(0.0, static_cast<double>(static_cast<int64_t>(value)) - own);
}

}  // namespace

std::vector<CounterGrowth> counter_growth(const RankFile &file,
                                          const std::vector<CounterRow> &counters)
{
    std::vector<CounterGrowth> growths;
    for (const auto &[key, gross] : gross_of_threads(file)) {
        CounterGrowth growth;
        growth.region = key.first;
        growth.in_mpi = key.second;
        growth.values.assign(counters.size(), std::numeric_limits<double>::quiet_NaN());
        for (size_t i = 0; i < counters.size(); i++)
            for (const CounterSlot &slot : file.counters)
                if (slot.name == counters[i].name && slot.slot < MPROF_MAX_COUNTERS)
                    growth.values[i] = net(slot.facts, gross.values[slot.slot], gross.reads);
        growths.push_back(std::move(growth));
    }
    return growths;
}

uint64_t counter_reads(const RankFile &file)
{
    uint64_t reads = 0;
    for (const ThreadRecord &thread : file.threads)
        for (const mprof_counter_values &row : thread.counter_values)
            reads += row.reads;
    return reads;
}

}  // namespace mprof
