// The checks of the rules, as find_lints.cc calls them: of all ranks together, or of one rank (an
// index). Only ranks whose record tells are looked at. Findings go to the context.
#pragma once

#include "lint/collective_order.h"
#include "lint/lint_context.h"

#include <set>
#include <utility>
#include <vector>

namespace mprof {

void check_collective_order(LintContext &context, const std::vector<CollectiveMismatch> &found);
void check_collective_sizes(LintContext &context);
void check_messages(LintContext &context);
void check_steps(LintContext &context);  // what MPROF_LINT recorded in order

void check_requests(LintContext &context, size_t rank);
void check_objects(LintContext &context, size_t rank);        // by the calls that make and end them
void check_communicators(LintContext &context, size_t rank);  // never freed; made in every step
void check_files(LintContext &context, size_t rank);
void check_old_functions(LintContext &context, size_t rank);
void check_threads(LintContext &context, size_t rank);
void check_end(LintContext &context, size_t rank);
void check_finds(LintContext &context, size_t rank);  // what libmprof saw with MPROF_LINT

// Datatypes that a line makes again and again. A line where that takes time on one rank is told,
// and then with all ranks that do the same there: its numbers are those of all. The ranks are
// looked at one by one, and told when all were.
class DatatypesOfSteps {
public:
    void look_at(const LintContext &context, size_t rank);
    void tell(LintContext &context) const;

private:
    std::vector<std::pair<size_t, LintCalls>> lines_;  // with the rank, in their order
    std::set<LintContext::Place> slow_;
};

}  // namespace mprof
