// Tables of groups of ranks: communicators and nodes.
#include "render/text/sections/text_groups.h"

#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace mprof {
namespace {

constexpr size_t listed_narrow = 6, listed_wide = 12;

std::string name_text(const CommunicatorRow &row)
{
    const bool special = row.kind != CommunicatorKind::intra && row.kind != CommunicatorKind::none;
    if (!row.name.empty())
        return row.name + (special ? " (" + text_of(row.kind) + ")" : "");
    const std::string maker = row.made_by.empty() ? "without name" : row.made_by;
    return row.made_at.empty() ? maker : maker + " at " + row.made_at;
}

std::string size_text(const CommunicatorRow &row)
{
    if (row.size == 0)
        return "-";
    const std::string size = std::to_string(row.size);
    return row.remote_size == 0 ? size : fmt::format("{}+{}", size, row.remote_size);
}

std::string more_line(size_t all, size_t listed)
{
    return all <= listed
               ? ""
               : TextLine().left(3, fmt::format("... and {} more", all - listed)).finished();
}

}  // namespace

std::string communicators_section(const Report &report, size_t width)
{
    // Nothing was called on the others.
    std::vector<CommunicatorRow> rows;
    std::copy_if(report.communicators.begin(), report.communicators.end(), std::back_inserter(rows),
                 [](const CommunicatorRow &row) { return row.calls > 0 || row.time_s > 0; });
    // With MPI_COMM_WORLD alone the table of functions tells as much.
    const bool tells = std::any_of(rows.begin(), rows.end(), [](const CommunicatorRow &row) {
        return row.calls > 0 && row.kind != CommunicatorKind::none && row.name != "MPI_COMM_WORLD";
    });
    if (!tells)
        return "";
    const size_t shift = width >= wide_from ? 38 : 0;
    std::string text = TextLine()
                           .left(3, "communicators")
                           .right(38 + shift, "ranks")
                           .right(49 + shift, "[time]")
                           .right(58 + shift, "<%mpi>")
                           .right(69 + shift, "[calls]")
                           .right(80 + shift, "bytes")
                           .finished();
    const size_t listed = shift == 0 ? listed_narrow : listed_wide;
    const int decimals = decimals_for_seconds(report.totals.mpi_s);
    const double whole_s = report.totals.mpi_s;
    for (size_t i = 0; i < std::min(listed, rows.size()); i++) {
        const CommunicatorRow &row = rows[i];
        text += TextLine()
                    .left(3, shortened(name_text(row), 29 + shift))
                    .right(38 + shift, size_text(row))
                    .right(49 + shift, fixed_text(row.time_s, decimals))
                    .right(58 + shift, fixed_text(whole_s > 0 ? 100 * row.time_s / whole_s : 0, 1))
                    .right(69 + shift, count_text(row.calls))
                    .right(80 + shift, bytes_text(row.bytes))
                    .finished();
    }
    return text + more_line(rows.size(), listed) + "#\n";
}

std::string nodes_section(const Report &report, size_t width)
{
    const auto &nodes = report.nodes;
    if (nodes.size() < 2)
        return "";
    std::string text = TextLine()
                           .left(3, "nodes")
                           .right(32, "ranks")
                           .right(42, "<compute>")
                           .right(50, "<mpi>")
                           .right(58, "<wait>")
                           .right(69, "sent inside")
                           .right(80, "outside")
                           .finished();
    const size_t listed = width >= wide_from ? listed_wide : listed_narrow;
    const int decimals = std::min(decimals_for_seconds(report.totals.wallclock_s), 3);
    for (size_t i = 0; i < std::min(listed, nodes.size()); i++) {
        const NodeRow &node = nodes[i];
        text += TextLine()
                    .left(3, shortened(node.host, 22) + (node.crowded ? " *" : ""))
                    .right(32, std::to_string(node.ranks))
                    .right(42, fixed_text(node.compute_s, decimals))
                    .right(50, fixed_text(node.mpi_s, decimals))
                    .right(58, node.wait_s ? fixed_text(*node.wait_s, decimals) : "-")
                    .right(69, bytes_text(node.inside_bytes))
                    .right(80, bytes_text(node.outside_bytes))
                    .finished();
    }
    const bool crowded =
        std::any_of(nodes.begin(), nodes.end(), [](const NodeRow &node) { return node.crowded; });
    if (crowded)
        text +=
            TextLine().left(3, "* more ranks than CPUs, or several bound to one core").finished();
    return text + more_line(nodes.size(), listed) + "#\n";
}

}  // namespace mprof
