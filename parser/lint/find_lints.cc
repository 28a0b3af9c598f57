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
    check_steps(context);
    DatatypesOfSteps datatypes;
    for (size_t rank = 0; rank < ranks.size(); rank++) {
        check_requests(context, rank);
        check_objects(context, rank);
        check_communicators(context, rank);
        check_files(context, rank);
        datatypes.look_at(context, rank);
        check_old_functions(context, rank);
        check_threads(context, rank);
        check_end(context, rank);
        check_finds(context, rank);
    }
    datatypes.tell(context);
    context.finish(report);
}

}  // namespace mprof
