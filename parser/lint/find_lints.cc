#include "lint/find_lints.h"

#include "lint/lint_checks.h"

namespace mprof {

void find_lints(const std::vector<RankMeasure> &ranks, const Merged &merged,
                const std::vector<CollectiveMismatch> &mismatches, Report &report)
{
    LintContext context(ranks, merged);
    check_collective_order(context, mismatches);
    check_collective_sizes(context);
    check_messages(context);
    check_requests(context);
    check_objects(context);
    check_communicators(context);
    check_files(context);
    check_datatypes_of_steps(context);
    check_old_functions(context);
    check_threads(context);
    check_ends(context);
    context.finish(report);
}

}  // namespace mprof
