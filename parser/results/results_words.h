// The sentences of mprof diff --results.
#pragma once

#include "results/results_comparison.h"

#include <string>

namespace mprof {

// Summed over the ranks of both runs.
struct ResultGaps {
    uint64_t on_device = 0, not_hashed = 0, not_followed = 0, threads = 0;
};
void add_remarks(ResultsComparison &comparison, const ResultGaps &gaps);

// "instance 3", "instance 3 or one of the 4 after it"
std::string instance_words(const ResultCall &call);

// Settings that make reductions of this MPI repeatable.
void add_settings(ResultsComparison &comparison, const std::string &library);

// From `call` on one run makes calls that the other one does not.
std::string other_calls_words(const ResultCall &call, bool in_a);

// Headline and details, from the rest.
void add_words(ResultsComparison &comparison);

}  // namespace mprof
