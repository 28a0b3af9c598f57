// What is wrong in a run: the lists `lints` and `lint_rules` of the Report, and before that the
// collectives that ranks of a communicator call in another order. The rules are the table in
// lint_rules.cc; each is looked at where the records of the ranks tell, and nowhere else.
#pragma once

#include "measure/function_facts.h"
#include "measure/merged_profile.h"
#include "measure/rank_measure.h"
#include "report/report.h"

#include <cstdint>
#include <vector>

namespace mprof {

// Do all ranks of a communicator call the same collectives in the same order, with the same root?
// Found by laying their journals side by side, and of ranks that stand in a collective, that one
// behind its journal.
//
// No false alarm: only communicators of which it is certain that they are the same on all ranks,
// and only calls whose order the standard demands. Calls on windows and files have communicators of
// their own inside the MPI, so they are left out.
struct CollectiveCall {
    size_t rank = 0;  // index
    uint16_t function = 0;
    uint32_t callsite = 0;  // slot of the rank
    int32_t root = MPROF_NO_PEER;
};

// The first instance on a communicator that is not the same call on all ranks.
struct CollectiveMismatch {
    CollectiveCall usual;               // of the first rank that does as most do
    std::vector<CollectiveCall> other;  // of each rank that does not
    uint32_t slot = 0;                  // of the communicator, on the rank of `usual`
    bool root_alone = false;            // the functions are the same
    uint64_t number = 0;                // of the instance, from 1; 0 = not known
};

// `now_ns`: the time of day when the ranks were read, 0 = not known. A job that runs writes while
// it is read: only calls that lasted for a while then are sure to be where the journals end.
std::vector<CollectiveMismatch> find_mismatches(const std::vector<RankMeasure> &ranks,
                                                const MergedNames &names, uint64_t now_ns);

// What is wrong in a run: the lists `lints` and `lint_rules` of the Report. The rules are the table
// in lint_rules.cc; each is looked at where the records of the ranks tell, and nowhere else.
//
// find_mismatches() comes before, as long as the journals are there.
void find_lints(const std::vector<RankMeasure> &ranks, const Merged &merged,
                const std::vector<CollectiveMismatch> &mismatches, Report &report);

}  // namespace mprof
