// Two tables: a row per program, and a row per program and program that it waits for. All times are
// of the average rank.
#include "render/text/sections/text_programs.h"

#include "render/text/text_line.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t ranks_at = 30, compute_at = 40, mpi_at = 50, waiting_at = 60, comm_at = 69,
                 balance_at = 79;
constexpr size_t most_waits = 12;

std::string program_line(const ProgramRow &row, int decimals)
{
    TextLine line;
    line.left(3, shortened(row.program, 18))
        .right(ranks_at, shortened(row.ranks_text, 9))
        .right(compute_at, fixed_text(row.compute_s, decimals))
        .right(mpi_at, fixed_text(row.mpi_s, decimals))
        .right(waiting_at, row.wait_s ? fixed_text(*row.wait_s, decimals) : "-")
        .right(comm_at, fixed_text(row.comm_percent, 2))
        .right(balance_at, fixed_text(100 * row.load_balance, 1));
    return line.finished() + TextLine().left(5, "alone: " + text_of(row.verdict_class)).finished();
}

std::string wait_line(const ProgramWait &row, int decimals)
{
    const std::string other = row.waits_for == row.program ? "its own ranks" : row.waits_for;
    return TextLine()
        .left(3, shortened(fmt::format("{} for {}", row.program, other), 46))
        .right(waiting_at, fixed_text(row.wait_s, decimals))
        .right(comm_at, fixed_text(row.percent, 2))
        .finished();
}

std::string wait_lines(const Report &report, int decimals)
{
    std::vector<ProgramWait> rows;
    for (const ProgramWait &row : report.program_waits)
        if (row.wait_s > 0)
            rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(), [](const ProgramWait &a, const ProgramWait &b) {
        return a.wait_s > b.wait_s;
    });
    const size_t listed = std::min(most_waits, rows.size());
    std::string text;
    for (size_t i = 0; i < listed; i++)
        text += wait_line(rows[i], decimals);
    if (rows.size() > listed)
        text += TextLine().left(3, fmt::format("... and {} more", rows.size() - listed)).finished();
    for (const ProgramRow &row : report.programs)
        if (row.unknown_wait_s.value_or(0) >
            verdict_thresholds.told_part_percent / 100 * row.wait_s.value_or(0))
            text += TextLine()
                        .left(3, shortened(row.program + " for unknown ranks", 46))
                        .right(waiting_at, fixed_text(*row.unknown_wait_s, decimals))
                        .finished();
    return text;
}

}  // namespace

std::string programs_section(const Report &report)
{
    if (report.programs.empty())
        return "";
    const int decimals = decimals_for_seconds(report.run.wallclock_s);
    std::string text = TextLine()
                           .left(3, "programs, per rank")
                           .right(ranks_at, "ranks")
                           .right(compute_at, "compute")
                           .right(mpi_at, "MPI")
                           .right(waiting_at, "waiting")
                           .right(comm_at, "%comm")
                           .right(balance_at, "%balance")
                           .finished();
    for (const ProgramRow &row : report.programs)
        text += program_line(row, decimals);
    const std::string waits = wait_lines(report, decimals);
    if (!waits.empty())
        text += TextLine()
                    .left(3, "who waits for whom, per rank")
                    .right(waiting_at, "waiting")
                    .right(comm_at, "<%wall>")
                    .finished() +
                waits;
    return text + TextLine().finished();
}

}  // namespace mprof
