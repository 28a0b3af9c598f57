// Whether a profile can be trusted: one judgement for each thing that may be wrong with it.
#pragma once

#include "report/report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mprof {

struct QualityCheck {
    std::string name;  // "Ranks read"
    Judgement state = Judgement::good;
    std::string badge;  // the judgement in a word: "ok", "incomplete"
};

uint64_t count_ranks(const std::vector<MissingRanks> &ranges);
// Ranks are missing, and all of them because they were not profiled.
bool only_lacks_unprofiled(const Quality &quality);
// mprof itself took so much time that it may have changed what it measures.
bool is_costly(const Quality &quality);
// Size or place of many calls is not known.
bool is_coarse(const Quality &quality);

// In the order in which a reader asks.
std::vector<QualityCheck> quality_checks(const Quality &quality, const Report &report);

// "HUNG", "still running", or "did not end"; "" of a job that ended, and where nothing tells who
// waits for whom.
std::string standing_words(const Standing &standing);

}  // namespace mprof
