// The accounts of the whole run, and what of them lies in each phase. Files without time bins have
// one window: the run.
#include "accounts/make_accounts.h"
#include "analyse/analysis_parts.h"
#include "report/time_window.h"

namespace mprof {

void analyse_accounts(RunTimes times, Report &report)
{
    if (times.nodes.empty())
        times = times_of_rows(report);
    report.accounts = make_accounts(std::move(times), report);
    for (PhaseRow &phase : report.time.phases)
        phase.cost = cost_words(window_of(report, phase.from_s, phase.to_s));
}

}  // namespace mprof
