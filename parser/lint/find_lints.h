// What is wrong in a run: the lists `lints` and `lint_rules` of the Report. The rules are the table
// in lint_rules.cc; each is looked at where the records of the ranks tell, and nowhere else.
//
// find_mismatches() (collective_order.h) comes before, as long as the journals are there.
#pragma once

#include "lint/collective_order.h"
#include "measure/merged_profile.h"
#include "report/report.h"

#include <vector>

namespace mprof {

void find_lints(const std::vector<RankMeasure> &ranks, const Merged &merged,
                const std::vector<CollectiveMismatch> &mismatches, Report &report);

}  // namespace mprof
