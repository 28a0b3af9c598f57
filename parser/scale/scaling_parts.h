// The parts of analyse_scaling(), each of which fills its part of the Scaling.
#pragma once

#include "scale/analyse_scaling.h"
#include "scale/scaling.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace mprof {

using RunsOfSize = std::vector<const SizeRun *>;
using SizesOfRuns = std::vector<RunsOfSize>;  // by ranks

double median(std::vector<double> values);  // 0 of none

// Of the runs of a size; none if it is not known of all of them.
template <class Value>
std::optional<double> median_of(const RunsOfSize &runs, Value value_of)
{
    std::vector<double> values;
    for (const SizeRun *run : runs) {
        const std::optional<double> value = value_of(*run);
        if (!value)
            return std::nullopt;
        values.push_back(*value);
    }
    return median(std::move(values));
}

// What a second of an average rank of the smallest size would be at another number of ranks, if the
// program scaled ideally.
double ideal_share(const Scaling &scaling, double ranks);

// Of a run of so many ranks that takes so long.
double efficiency_of(const Scaling &scaling, double wallclock_s, double ranks);

ScalingKind kind_of(const SizesOfRuns &sizes);
void add_sizes(const SizesOfRuns &sizes, Scaling &scaling);
void add_factors(const SizesOfRuns &sizes, Scaling &scaling);
void add_accounts(const SizesOfRuns &sizes, Scaling &scaling);
void add_growth(const SizesOfRuns &sizes, Scaling &scaling);
void add_memory(const SizesOfRuns &sizes, Scaling &scaling);
void project(Scaling &scaling);
void write_meanings(Scaling &scaling);
void write_words(const SizesOfRuns &sizes, Scaling &scaling);

}  // namespace mprof
