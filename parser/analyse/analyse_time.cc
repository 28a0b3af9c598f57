// Where the time of the average rank goes: parts that add up to its wallclock.
//
// Computing is divided by what the kernel says of the thread (RankRow). The time in MPI is that of
// each rank's busiest thread; waiting and the kinds of functions divide it in the proportion that
// they have over all threads.
#include "analyse/analysis_parts.h"
#include "measure/function_facts.h"

#include <algorithm>

namespace mprof {
namespace {

struct MpiTimes {
    double io_s = 0, start_up_s = 0;  // without waiting
};

MpiTimes times_of_kinds(const Report &report)
{
    MpiTimes times;
    for (const FunctionRow &row : report.functions) {
        const FunctionFacts facts = facts_of(row.function);
        const double own_s = std::max(0.0, row.time_s - row.wait_s.value_or(0));
        if (facts.is_startup())
            times.start_up_s += own_s;
        else if (facts.kind == FunctionKind::file)
            times.io_s += own_s;
    }
    return times;
}

class Parts {
public:
    explicit Parts(Report &report)
        : report_(report), ranks_(static_cast<double>(std::max<size_t>(1, report.ranks.size())))
    {
    }

    // Summed over ranks.
    void add(TimeState state, double seconds, bool estimated = false)
    {
        if (seconds <= 0)
            return;
        TimePart part;
        part.state = state;
        part.time_s = seconds / ranks_;
        part.percent = 100 * seconds / report_.totals.wallclock_s;
        part.estimated = estimated;
        report_.time_parts.push_back(part);
    }

private:
    Report &report_;
    double ranks_;
};

}  // namespace

void analyse_time(Report &report)
{
    const Totals &totals = report.totals;
    if (totals.wallclock_s <= 0)
        return;
    double mpi_s = 0, own_s = 0;
    for (const RankRow &row : report.ranks) {
        mpi_s += row.mpi_thread_s;
        own_s += row.own_s;
    }
    const double off_s = totals.contention_s.value_or(0) + totals.blocked_s.value_or(0);
    Parts parts(report);
    parts.add(TimeState::computing, totals.compute_s - off_s);
    parts.add(TimeState::cpu_wait, totals.contention_s.value_or(0));
    parts.add(TimeState::blocked, totals.blocked_s.value_or(0));
    if (totals.wait_s) {
        const double scale = totals.mpi_s > 0 ? std::min(1.0, mpi_s / totals.mpi_s) : 1;
        const MpiTimes times = times_of_kinds(report);
        const double wait_s = std::min(mpi_s, scale * *totals.wait_s);
        const double io_s = std::min(mpi_s - wait_s, scale * times.io_s);
        const double start_up_s = std::min(mpi_s - wait_s - io_s, scale * times.start_up_s);
        parts.add(TimeState::waiting, wait_s, true);
        parts.add(TimeState::transfer, mpi_s - wait_s - io_s - start_up_s);
        parts.add(TimeState::io, io_s);
        parts.add(TimeState::start_up, start_up_s);
    } else {
        parts.add(TimeState::mpi, mpi_s);
    }
    parts.add(TimeState::mprof, own_s);
}

}  // namespace mprof
