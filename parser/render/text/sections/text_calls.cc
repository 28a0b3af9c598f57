// Sections about calls: by function, by size, by partner, and by region of the program. No section
// repeats what another one says.
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace mprof {

std::string more_line(size_t all, size_t listed)
{
    return all <= listed
               ? ""
               : TextLine().left(3, fmt::format("... and {} more", all - listed)).finished();
}

namespace {

std::string bar(double share, size_t width)
{
    const auto filled =
        static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width)));
    return std::string(filled, '=') + std::string(width - filled, '.');
}

// Of all that take nearly no time one row, "12 others". Rows come in order of time.
std::vector<FunctionRow> listed_functions(const std::vector<FunctionRow> &functions, size_t shown)
{
    const auto rest = functions.begin() + static_cast<std::ptrdiff_t>(shown);
    std::vector<FunctionRow> listed(functions.begin(), rest);
    if (functions.end() - rest < 2 || listed.empty())
        return functions;
    FunctionRow others;
    others.function = fmt::format("{} others", functions.end() - rest);
    for (auto row = rest; row != functions.end(); ++row) {
        others.time_s += row->time_s;
        others.calls += row->calls;
        others.bytes += row->bytes;
        others.mpi_percent += row->mpi_percent;
        others.wall_percent += row->wall_percent;
    }
    listed.push_back(std::move(others));
    return listed;
}

// How many of the first rows are shown by themselves.
size_t shown_functions(const std::vector<FunctionRow> &functions, const TextScope &scope)
{
    const auto rest = std::find_if(functions.begin(), functions.end(), [&](const FunctionRow &row) {
        return scope.is_short() ? row.wall_percent < text_rules.run_percent
                                : row.mpi_percent < least_percent;
    });
    const auto shown = static_cast<size_t>(rest - functions.begin());
    return scope.is_short() ? std::min(text_rules.functions, shown) : shown;
}

TextLine function_line(const FunctionRow &row, int decimals, bool wide,
                       const std::string &mpi_share)
{
    constexpr size_t time = 35, calls = 49, mpi = 63, wall = 76, wait = 85, avg = 95, bytes = 105,
                     max_rank = 117;
    TextLine line;
    line.left(3, row.function)
        .right(time, fixed_text(row.time_s, decimals))
        .right(calls, count_text(row.calls))
        .right(mpi, mpi_share)
        .right(wall, fixed_text(row.wall_percent, 1));
    if (!wide)
        return line;
    const double mean_s = row.calls > 0 ? row.time_s / static_cast<double>(row.calls) : 0;
    if (row.wait_s && row.time_s > 0)
        line.right(wait, fixed_text(100 * *row.wait_s / row.time_s, 1));
    line.right(avg, duration_text(mean_s))
        .right(bytes, row.bytes > 0 ? bytes_text(row.bytes) : "-");
    if (row.max_over_mean > 0)
        line.right(max_rank, fmt::format("{:.2f}@{}", row.max_over_mean, row.max_rank));
    return line;
}

// Functions of NCCL that are worth a line. Their time is no MPI time.
size_t shown_nccl(const Report &report, const TextScope &scope)
{
    const auto &rows = report.nccl_functions;
    const size_t most = scope.most(text_rules.functions, 6, 10);
    const double least = scope.is_short() ? text_rules.run_percent : 0;
    size_t shown = 0;
    while (shown < std::min(most, rows.size()) && rows[shown].wall_percent >= least)
        shown++;
    return shown;
}

// The columns are those of MPI's functions, and the share of MPI time is "-".
TextLine nccl_line(const NcclFunctionRow &row, int decimals, bool wide)
{
    FunctionRow same;
    same.function = row.function;
    same.calls = row.calls;
    same.bytes = row.bytes;
    same.time_s = row.time_s;
    same.wall_percent = row.wall_percent;
    same.wait_s = row.wait_s;
    same.max_over_mean = row.max_over_mean;
    same.max_rank = row.max_rank;
    return function_line(same, decimals, wide, "-");
}

}  // namespace

std::string functions_section(const Report &report, const TextScope &scope)
{
    const size_t shown = shown_functions(report.functions, scope);
    const size_t nccl = shown_nccl(report, scope);
    const bool has_mpi = !report.functions.empty() && (!scope.is_short() || shown > 0);
    if (!has_mpi && nccl == 0)
        return "";
    TextLine head;
    head.right(35, "[time]").right(49, "[calls]").right(63, "<%mpi>").right(76, "<%wall>");
    if (scope.wide())
        head.right(85, "<%wait>").right(95, "<avg>").right(105, "bytes").right(117, "max/avg@rank");
    std::string text = head.finished();
    const int decimals =
        decimals_for_seconds(std::max(has_mpi ? report.functions.front().time_s : 0,
                                      nccl > 0 ? report.nccl_functions.front().time_s : 0));
    if (has_mpi)
        for (const FunctionRow &row : listed_functions(report.functions, shown))
            text += function_line(row, decimals, scope.wide(), fixed_text(row.mpi_percent, 1))
                        .finished();
    for (size_t i = 0; i < nccl; i++)
        text += nccl_line(report.nccl_functions[i], decimals, scope.wide()).finished();
    return text + "#\n";
}

namespace {

std::string size_range_text(const SizeBinRow &row)
{
    if (row.low_bytes == row.high_bytes)
        return bytes_text(row.low_bytes);
    return bytes_text(row.low_bytes) + " - " + bytes_text(row.high_bytes);
}

// Calls without data of their own are in the table of functions, and in a short text so are those
// whose messages all have one size.
std::vector<const SizeBinRow *> shown_sizes(const Report &report, const TextScope &scope)
{
    std::map<std::string, size_t> bins;
    for (const SizeBinRow &row : report.size_bins)
        bins[row.function] += row.size_known && row.high_bytes > 0 ? 1 : 0;
    const double least = scope.is_short() ? text_rules.size_mpi_percent : least_percent;
    const size_t most = scope.most(text_rules.sizes, 6, 10);
    std::vector<const SizeBinRow *> rows;
    for (const SizeBinRow &row : report.size_bins)
        if (row.size_known && row.high_bytes > 0 && row.mpi_percent >= least &&
            rows.size() < most && (!scope.is_short() || bins[row.function] > 1))
            rows.push_back(&row);
    if (scope.is_short() && report.totals.comm_percent < text_rules.run_percent)
        rows.clear();
    return rows;
}

}  // namespace

std::string sizes_section(const Report &report, const TextScope &scope)
{
    const std::vector<const SizeBinRow *> rows = shown_sizes(report, scope);
    if (rows.empty())
        return "";
    const size_t shift = scope.wide() ? 10 : 0;  // room for longer names
    std::string text = TextLine().left(3, "message sizes (share of MPI time)").finished();
    for (const SizeBinRow *row : rows)
        text += TextLine()
                    .left(3, shortened(row->function, 22 + shift))
                    .right(42 + shift, size_range_text(*row))
                    .right(54 + shift, count_text(row->calls))
                    .left(56 + shift, row->calls == 1 ? "call" : "calls")
                    .right(66 + shift, fixed_text(row->mpi_percent, 1) + "%")
                    .left(68 + shift, bar(row->mpi_percent / 100, scope.wide() ? 40 : 13))
                    .finished();
    return text + "#\n";
}

namespace {

double bytes_of_all_pairs(const Report &report)
{
    double all = 0;
    for (const MatrixCell &cell : report.matrix)
        all += static_cast<double>(cell.bytes);
    return all;
}

// In a short text only pairs that send more than the mean one.
size_t shown_partners(const Report &report, const TextScope &scope)
{
    const auto &rows = report.top_partners;
    const size_t most = std::min(scope.most(text_rules.partners, 5, 10), rows.size());
    if (!scope.is_short() || report.matrix.empty())
        return most;
    const double mean = bytes_of_all_pairs(report) / static_cast<double>(report.matrix.size());
    size_t shown = 0;
    while (shown < most &&
           static_cast<double>(rows[shown].bytes) >= text_rules.heavy_partner * mean && mean > 0)
        shown++;
    return shown;
}

}  // namespace

std::string partners_section(const Report &report, const TextScope &scope)
{
    const size_t shown = shown_partners(report, scope);
    if (shown == 0)
        return "";
    const double all_bytes = bytes_of_all_pairs(report);
    std::string text = TextLine()
                           .left(3, "top partners")
                           .right(35, "bytes")
                           .right(46, "messages")
                           .right(57, "[time]")
                           .right(66, "<%bytes>")
                           .finished();
    const int decimals = decimals_for_seconds(report.totals.mpi_s);
    for (size_t i = 0; i < shown; i++) {
        const MatrixCell &cell = report.top_partners[i];
        const double share = static_cast<double>(cell.bytes) / all_bytes;
        text += TextLine()
                    .left(3, fmt::format("rank {} -> rank {}", cell.source, cell.destination))
                    .right(35, bytes_text(cell.bytes))
                    .right(46, count_text(cell.messages))
                    .right(57, cell.time_s > 0 ? fixed_text(cell.time_s, decimals) : "-")
                    .right(66, fixed_text(100 * share, 1))
                    .left(68, bar(share, scope.wide() ? 50 : 13))
                    .finished();
    }
    for (const std::string &remark : report.partner_remarks)
        for (const std::string &line : fold_words(remark, scope.width - 4))
            text += TextLine().left(5, line).finished();
    return text + "#\n";
}

std::string regions_section(const Report &report, const TextScope &scope)
{
    constexpr size_t name_width = 30;
    std::vector<const RegionRow *> rows;
    for (const RegionRow &row : report.regions)
        if (!scope.is_short() || row.wall_percent >= text_rules.run_percent)
            rows.push_back(&row);
    if (rows.empty())
        return "";
    const size_t listed = std::min(scope.most(text_rules.regions, 20, 20), rows.size());
    const int decimals = decimals_for_seconds(report.totals.wallclock_s);
    std::string text = TextLine()
                           .left(3, "regions, with those in them")
                           .right(41, "[time]")
                           .right(51, "<%wall>")
                           .right(60, "%comm")
                           .right(70, "[calls]")
                           .right(80, "%balance")
                           .finished();
    for (size_t i = 0; i < listed; i++) {
        const RegionRow &row = *rows[i];
        text += TextLine()
                    .left(3, shortened(row.path.empty() ? "(whole program)" : row.path, name_width))
                    .right(41, fixed_text(row.time_s, decimals))
                    .right(51, fixed_text(row.wall_percent, 1))
                    .right(60, fixed_text(row.comm_percent, 1))
                    .right(70, count_text(row.inclusive.calls))
                    .right(80, fixed_text(100 * row.load_balance, 1))
                    .finished();
    }
    return text + more_line(rows.size(), listed) + "#\n";
}

}  // namespace mprof
