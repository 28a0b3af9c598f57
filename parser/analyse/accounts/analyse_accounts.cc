// The accounts of the whole run. Files without time bins have one window: the run.
#include "accounts/make_accounts.h"
#include "analyse/analysis_parts.h"

namespace mprof {

void analyse_accounts(RunTimes times, Report &report)
{
    if (times.nodes.empty())
        times = times_of_rows(report);
    report.accounts = make_accounts(std::move(times), report);
}

}  // namespace mprof
