// The answer of a Tuning: which settings are best, how sure that is, and the sentences.
#pragma once

#include "report/report.h"
#include "tune/tuning.h"

#include <string>
#include <vector>

namespace mprof {

// When no run follows any more. `report` is that of the first run, `command` the user's.
void add_tuning_words(const Report &report, const std::vector<std::string> &command,
                      Tuning &tuning);

// "saves 1.2 s +- 0.1 s", "no difference", "failed: ..." of a trial.
std::string outcome_words(const Trial &trial);

}  // namespace mprof
