// The section about NCCL and RCCL: what is called, how long it takes, and which rank came last. The
// text report calls nccl_section(); without such calls it is empty.
#include "render/text/sections/text_sections.h"

#include "read/printable_text.h"
#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {

namespace {

std::string comm_words(const NcclCommRow &row)
{
    if (row.id.empty())
        return "all other communicators";
    return row.name.empty() ? row.id : printable_text(row.name);
}

// "In communicator 3f2a, ranks waited 1.20 s in all for the last rank. 93% of this was for rank 1,
// which came last in 97% of the 128 collectives that were compared."
std::string late_sentence(const NcclCommRow &row)
{
    return fmt::format("In communicator {}, ranks waited {} in all for the last rank. {} of this "
                       "was for rank {}, which came last in {} of the {} collectives that were "
                       "compared.",
                       comm_words(row), duration_text(*row.waited_s),
                       percent_text(*row.last_percent), *row.last_rank,
                       percent_text(*row.last_calls_percent), count_text(row.compared));
}

std::string call_words(const NcclCallRow &row)
{
    if (row.function.empty())
        return row.message ? "all other messages" : "all other collectives";
    return fmt::format("{} {}{}", printable_text(row.function),
                       row.call_bytes == 0 ? "" : bytes_text(row.call_bytes),
                       row.datatype.empty() ? "" : " " + printable_text(row.datatype));
}

}  // namespace

std::string nccl_section(const Report &report, size_t width)
{
    constexpr size_t most_narrow = 6, most_wide = 12;
    const auto &rows = report.nccl_calls;
    if (rows.empty())
        return "";
    uint64_t calls = 0, bytes = 0;
    for (const NcclCallRow &row : rows) {
        calls += row.calls;
        bytes += row.bytes;
    }
    std::string text = keyed_sentence(
        "NCCL",
        fmt::format("Beside MPI, {} of NCCL move {} in {}.", spoken_plural(calls, "call"),
                    bytes_text(bytes), plural(report.nccl_communicators.size(), "communicator")),
        width);
    const NcclCommRow *late = nullptr;
    for (const NcclCommRow &row : report.nccl_communicators)
        if (row.waited_s && (late == nullptr || *row.waited_s > *late->waited_s))
            late = &row;
    if (late != nullptr)
        text += keyed_sentence("Last", late_sentence(*late), width);
    text += TextLine()
                .left(3, "NCCL")
                .left(40, "communicator")
                .right(60, "[calls]")
                .right(70, "[time]")
                .right(79, "mean")
                .finished();
    const int decimals = decimals_for_seconds(report.run.wallclock_s);
    const size_t listed = std::min(width >= wide_from ? most_wide : most_narrow, rows.size());
    for (size_t i = 0; i < listed; i++)
        text +=
            TextLine()
                .left(3, shortened(call_words(rows[i]), 36))
                .left(40, shortened(rows[i].communicator, 12))
                .right(60, count_text(rows[i].calls))
                .right(70, fixed_text(rows[i].time_s, decimals))
                .right(79, rows[i].ended == 0
                               ? ""
                               : duration_text(rows[i].time_s / static_cast<double>(rows[i].ended)))
                .finished();
    if (rows.size() > listed)
        text += TextLine().left(3, fmt::format("... and {} more", rows.size() - listed)).finished();
    return text + "#\n";
}

}  // namespace mprof
