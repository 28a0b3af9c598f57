// The step that a program repeats: how often a call site was passed in each time bin, and how long
// a step takes from there. An estimate: where in a bin a step ended is not known.
#pragma once

#include "analyse/time/rank_bins.h"
#include "waits/journal_lineup.h"

#include <optional>
#include <vector>

namespace mprof {

// Steps of one rank, which has the number `number`; `bins` are its bins.
StepCounts count_steps(size_t number, const RankMeasure &rank, const std::vector<RankBin> &bins,
                       FactsByNumber &rules);

// All but the place; `counts` are the steps that end in each bin. Nothing if they are too few.
std::optional<StepFacts> step_facts(const std::vector<double> &counts, double bin_s);

}  // namespace mprof
