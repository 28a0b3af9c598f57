// OpenMP: how busy the threads are, in a few lines, and a row per place with a parallel region.
#include "render/text/sections/text_openmp.h"

#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t places_narrow = 5, places_wide = 10;

// "62% in parallel regions, 8% computing and 30% MPI outside of them"
std::string shares_text(const OpenmpFacts &facts)
{
    const double parallel_s = *facts.parallel_s + *facts.parallel_mpi_s;
    const double all_s = parallel_s + *facts.serial_s + *facts.serial_mpi_s;
    if (all_s <= 0)
        return "";
    return fmt::format("first thread: {} in parallel regions, {} computing and {} MPI outside of "
                       "them",
                       percent_text(100 * parallel_s / all_s),
                       percent_text(100 * *facts.serial_s / all_s),
                       percent_text(100 * *facts.serial_mpi_s / all_s));
}

std::string efficiency_text(const OpenmpFacts &facts)
{
    if (!facts.openmp_efficiency)
        return "";
    return fmt::format(
        "POP: hybrid efficiency {} = MPI {} x OpenMP {}; thread balance {}",
        percent_text(100 * *facts.hybrid_efficiency), percent_text(100 * *facts.mpi_efficiency),
        percent_text(100 * *facts.openmp_efficiency), percent_text(100 * *facts.thread_balance));
}

std::string row_text(const ParallelRow &row, size_t shift, int decimals)
{
    TextLine line;
    line.left(3, shortened(row.place.empty() ? "unknown" : row.place, 27 + shift))
        .right(40 + shift, count_text(row.regions))
        .right(49 + shift, std::to_string(row.threads))
        .right(60 + shift, fixed_text(row.time_s, decimals))
        .right(70 + shift, row.busy_threads ? fixed_text(*row.busy_threads, 1) : "-")
        .right(80 + shift, row.thread_balance ? fixed_text(100 * *row.thread_balance, 1) : "-");
    return line.finished();
}

}  // namespace

std::string openmp_section(const Report &report, size_t width)
{
    const OpenmpFacts &facts = report.openmp;
    if (facts.source == OpenmpSource::none)
        return "";
    std::string text = keyed_sentence("openmp", facts.sentence, width);
    if (!facts.threads)
        return text + "#\n";
    for (const std::string &words : {shares_text(facts), efficiency_text(facts)})
        if (!words.empty())
            text += keyed_sentence("", words, width);
    const bool wide = width >= wide_from;
    const size_t shift = wide ? 38 : 0;
    text += TextLine()
                .left(3, "parallel regions")
                .right(40 + shift, "[runs]")
                .right(49 + shift, "threads")
                .right(60 + shift, "[time]")
                .right(70 + shift, "busy")
                .right(80 + shift, "%balance")
                .finished();
    const int decimals = decimals_for_seconds(report.run.wallclock_s);
    const auto &rows = report.parallel_regions;
    const size_t listed = std::min(wide ? places_wide : places_narrow, rows.size());
    for (size_t i = 0; i < listed; i++)
        text += row_text(rows[i], shift, decimals);
    if (rows.size() > listed)
        text += TextLine().left(3, fmt::format("... and {} more", rows.size() - listed)).finished();
    return text + "#\n";
}

}  // namespace mprof
