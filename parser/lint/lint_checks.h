// The checks of the rules, as find_lints.cc calls them. Each looks at all ranks whose record tells,
// and adds its findings to the context.
#pragma once

#include "lint/collective_order.h"
#include "lint/lint_context.h"

#include <vector>

namespace mprof {

void check_collective_order(LintContext &context, const std::vector<CollectiveMismatch> &found);
void check_collective_sizes(LintContext &context);
void check_messages(LintContext &context);
void check_requests(LintContext &context);
void check_objects(LintContext &context);        // by the calls that make and end them
void check_communicators(LintContext &context);  // never freed, and made in every step
void check_files(LintContext &context);
void check_datatypes_of_steps(LintContext &context);
void check_old_functions(LintContext &context);
void check_threads(LintContext &context);
void check_ends(LintContext &context);

}  // namespace mprof
