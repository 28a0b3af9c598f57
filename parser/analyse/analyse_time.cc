// Where the time of the average rank goes: parts that add up to its wallclock.
//
// Computing is divided by what the kernel says of the thread (RankRow), the time in MPI by what
// each rank's MPI thread did. Of a rank whose waiting is not known it is not divided.
#include "analyse/analysis_parts.h"
#include "measure/function_facts.h"

#include <algorithm>

namespace mprof {
namespace {

struct OwnTimes {
    double file_s = 0, startup_s = 0;  // without waiting
    double idle_s = 0;                 // of the rest
};

OwnTimes times_of_kinds(const RankMeasure &rank, size_t index, FactsByNumber &facts_by_number)
{
    OwnTimes times;
    for (const MeasuredEntry &entry : rank.entries) {
        const FunctionFacts &facts = facts_by_number.of(index, entry.key.function);
        const double own_s =
            std::max(0.0, entry.mpi_thread_s() - entry.mpi_thread_wait_s().value_or(0));
        if (facts.is_startup())
            times.startup_s += own_s;
        else if (facts.kind == FunctionKind::file)
            times.file_s += own_s;
        else
            times.idle_s += idle_seconds(entry, facts);
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

void divide_mpi_time(const RankMeasures &ranks, const MergedNames &names, Report &report)
{
    FactsByNumber facts(names);
    for (size_t r = 0; r < ranks.size(); r++) {
        RankRow &row = report.ranks[r];
        if (!row.wait_s)
            continue;
        const OwnTimes times = times_of_kinds(ranks[r], r, facts);
        double rest_s = row.mpi_thread_s - *row.wait_thread_s;
        row.file_s = std::min(rest_s, times.file_s);
        rest_s -= *row.file_s;
        row.startup_s = std::min(rest_s, times.startup_s);
        row.transfer_s = rest_s - *row.startup_s;
        row.idle_s = std::min(*row.transfer_s, times.idle_s);
    }
}

void analyse_time(Report &report)
{
    const Totals &totals = report.totals;
    if (totals.wallclock_s <= 0)
        return;
    double waiting_s = 0, transfer_s = 0, io_s = 0, startup_s = 0, unknown_s = 0, own_s = 0;
    for (const RankRow &row : report.ranks) {
        own_s += row.own_s;
        if (!row.transfer_s) {
            unknown_s += row.mpi_thread_s;
            continue;
        }
        transfer_s += *row.transfer_s;
        io_s += *row.file_s;
        startup_s += *row.startup_s;
        waiting_s += *row.wait_thread_s;
    }
    const double off_s = totals.contention_s.value_or(0) + totals.blocked_s.value_or(0);
    Parts parts(report);
    parts.add(TimeState::computing, totals.compute_s - off_s);
    parts.add(TimeState::cpu_wait, totals.contention_s.value_or(0));
    parts.add(TimeState::blocked, totals.blocked_s.value_or(0));
    parts.add(TimeState::waiting, waiting_s, true);
    parts.add(TimeState::transfer, transfer_s);
    parts.add(TimeState::io, io_s);
    parts.add(TimeState::start_up, startup_s);
    parts.add(TimeState::mpi, unknown_s);
    parts.add(TimeState::mprof, own_s);
}

}  // namespace mprof
