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

// "In communicator 3f2a, ranks waited 1.20 s in all for the last rank, 85% of the time of its
// collectives. 93% of this was for rank 1, which came last in 97% of the 128 collectives that were
// compared."
std::string late_sentence(const NcclCommRow &row)
{
    return fmt::format("In communicator {}, ranks waited {} in all for the last rank{}. {} of this "
                       "was for rank {}, which came last in {} of the {} collectives that were "
                       "compared.",
                       comm_words(row), duration_text(*row.waited_s),
                       row.waited_percent ? fmt::format(", {} of the time of its collectives",
                                                        percent_text(*row.waited_percent))
                                          : "",
                       percent_text(*row.last_percent), *row.last_rank,
                       percent_text(*row.last_calls_percent), count_text(row.compared));
}

// "Beside MPI, through which 2.0 GiB go, 128 calls of NCCL move 8.0 GiB in 2 communicators."
std::string bytes_sentence(const Report &report)
{
    uint64_t calls = 0, bytes = 0, mpi_bytes = 0;
    for (const NcclCallRow &row : report.nccl_calls) {
        calls += row.calls;
        bytes += row.bytes;
    }
    for (const FunctionRow &row : report.functions)
        mpi_bytes += row.bytes;
    return fmt::format(
        "Beside MPI{} {} of NCCL move {} in {}.",
        mpi_bytes == 0 ? "," : fmt::format(", through which {} go,", bytes_text(mpi_bytes)),
        spoken_plural(calls, "call"), bytes_text(bytes),
        plural(report.nccl_communicators.size(), "communicator"));
}

// "Messages of NCCL carry 1.0 GiB, 25% of it between nodes. Most goes from rank 0 to rank 1: 256
// MiB."; "" = there are none, or it is not known to whom.
std::string partners_sentence(const Report &report)
{
    const auto &rows = report.nccl_partners;
    uint64_t bytes = 0, between = 0;
    for (const NcclPartnerRow &row : rows) {
        bytes += row.bytes;
        between += row.same_node ? 0 : row.bytes;
    }
    if (bytes == 0)
        return "";
    return fmt::format(
        "Messages of NCCL carry {}, {} of it between nodes. Most goes from rank {} to rank {}: {}.",
        bytes_text(bytes),
        percent_text(100 * static_cast<double>(between) / static_cast<double>(bytes)),
        rows.front().rank, rows.front().partner, bytes_text(rows.front().bytes));
}

std::string call_words(const NcclCallRow &row)
{
    if (row.function.empty())
        return row.message ? "all other messages" : "all other collectives";
    return fmt::format("{} {}{}", printable_text(row.function),
                       row.call_bytes == 0 ? "" : bytes_text(row.call_bytes),
                       row.datatype.empty() ? "" : " " + printable_text(row.datatype));
}

std::string calls_text(const Report &report, size_t width)
{
    constexpr size_t most_narrow = 6, most_wide = 12;
    const auto &rows = report.nccl_calls;
    std::string text = TextLine()
                           .left(3, "NCCL")
                           .left(35, "called from")
                           .right(60, "[calls]")
                           .right(70, "[time]")
                           .right(79, "mean")
                           .finished();
    const int decimals = decimals_for_seconds(report.run.wallclock_s);
    const size_t listed = std::min(width >= wide_from ? most_wide : most_narrow, rows.size());
    for (size_t i = 0; i < listed; i++) {
        const NcclCallRow &row = rows[i];
        text += TextLine()
                    .left(3, shortened(call_words(row), 31))
                    .left(35, shortened(row.place.empty() ? row.communicator : row.place, 17))
                    .right(60, count_text(row.calls))
                    .right(70, fixed_text(row.time_s, decimals))
                    .right(79, row.ended == 0
                                   ? ""
                                   : duration_text(row.time_s / static_cast<double>(row.ended)))
                    .finished();
    }
    if (rows.size() > listed)
        text += TextLine().left(3, fmt::format("... and {} more", rows.size() - listed)).finished();
    return text;
}

}  // namespace

std::string nccl_section(const Report &report, size_t width)
{
    if (report.nccl_calls.empty())
        return "";
    std::string text = keyed_sentence("NCCL", bytes_sentence(report), width);
    const NcclCommRow *late = nullptr;
    for (const NcclCommRow &row : report.nccl_communicators)
        if (row.waited_s && (late == nullptr || *row.waited_s > *late->waited_s))
            late = &row;
    if (late != nullptr)
        text += keyed_sentence("Last", late_sentence(*late), width);
    if (const std::string partners = partners_sentence(report); !partners.empty())
        text += keyed_sentence("Partners", partners, width);
    return text + calls_text(report, width) + "#\n";
}

}  // namespace mprof
