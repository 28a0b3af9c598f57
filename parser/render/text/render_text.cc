// One function per section, in the order of the report; render_text at the end is the table of
// contents. The text has 80 columns, or 120 on a wide terminal. Keys that people grep for are those
// of IPM.
#include "render/text/render_text.h"

#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/number_text.h"
#include "report/program_name.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
namespace {

struct Page : TextSheet {
    const Report &report;
};

std::string bar(double share, size_t width)
{
    const auto filled =
        static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width)));
    return std::string(filled, '=') + std::string(width - filled, '.');
}

void add_verdict(Page &page)
{
    const Verdict &verdict = page.report.verdict;
    page.sentence("VERDICT", verdict.headline);
    for (const std::string &extra : verdict.extra)
        page.sentence("but", extra);
    page.sentence("why", verdict.why);
    page.sentence("gain", verdict.gain);
    for (const NextStep &step : verdict.next)
        page.sentence("next", step.words() + " " + step.reason_words());
    page.empty();
}

// "computing 47%, waiting for a CPU 6%, waiting in MPI 29%"
void add_time(Page &page)
{
    constexpr double least_share = 0.5;
    std::string words;
    for (const TimePart &part : page.report.time_parts)
        if (part.percent >= least_share)
            words += fmt::format("{}{} {}", words.empty() ? "" : ", ", text_of(part.state),
                                 percent_text(part.percent));
    if (words.empty())
        return;
    page.sentence("time", words);
    page.empty();
}

void add_pair(Page &page, const std::string &key, const std::string &value, const std::string &key2,
              const std::string &value2)
{
    const size_t second = page.wide() ? 72 : 42;
    page.add(TextLine()
                 .left(3, key)
                 .left(13, ":")
                 .left(value_column, shortened(value, second - value_column - 1))
                 .left(second, key2)
                 .left(second + 10, ":")
                 .left(second + 12, shortened(value2, page.width - second - 11)));
}

void add_run(Page &page)
{
    const Report &report = page.report;
    const RunFacts &run = report.run;
    const auto or_unknown = [](const std::string &text) {
        return text.empty() ? std::string("unknown") : text;
    };
    const size_t programs = report.programs.size();
    const std::string others =
        programs > 1 ? " and " + plural(programs - 1, "other program") : std::string();
    page.sentence("command",
                  fmt::format("{}{} ({})", or_unknown(run.command), others, text_of(run.end)));
    const int decimals = decimals_for_seconds(run.wallclock_s);
    const std::string more_hosts = run.nodes > 1 ? fmt::format(" and {} more", run.nodes - 1) : "";
    add_pair(page, "start", or_unknown(run.start_text), "host", or_unknown(run.host) + more_hosts);
    add_pair(page, "stop", or_unknown(run.stop_text), "wallclock",
             fixed_text(run.wallclock_s, decimals));
    add_pair(page, "mpi_tasks", fmt::format("{} on {}", run.ranks, plural(run.nodes, "node")),
             "%comm", fixed_text(report.totals.comm_percent, 2));
    const double gib = static_cast<double>(report.totals.memory_bytes) / (1024.0 * 1024 * 1024);
    add_pair(page, "mem [GiB]", report.totals.memory_bytes > 0 ? fixed_text(gib, 2) : "unknown",
             "mpi", run.mpi_library.empty() ? text_of(run.mpi_abi) : run.mpi_library);
    add_pair(page, "%balance",
             fixed_text(100 * report.totals.load_balance, 1) + " (mean/max compute)", "%effic.",
             fixed_text(100 * report.totals.communication_efficiency, 1) + " (max compute/wall)");
    page.sentence("POP", fmt::format("parallel efficiency {} = load balance {} x communication {}",
                                     percent_text(100 * report.totals.parallel_efficiency),
                                     percent_text(100 * report.totals.load_balance),
                                     percent_text(100 * report.totals.communication_efficiency)));
    page.empty();
}

struct SummaryText {
    std::string name;
    double scale = 1;
    int decimals = 2;
};

SummaryText summary_text(const SummaryRow &row, double mean_wallclock_s)
{
    switch (row.unit) {
    case Unit::bytes: {
        const bool large = row.max >= 1e8;
        return {row.name + (large ? " [GiB]" : " [MiB]"),
                large ? 1.0 / (1U << 30U) : 1.0 / (1U << 20U), 2};
    }
    case Unit::percent:
        return {row.name, 1, 2};
    default:
        return {row.name, 1, decimals_for_seconds(mean_wallclock_s)};
    }
}

void add_summary(Page &page)
{
    constexpr size_t total = 28, avg = 41, min = 54, max = 67, min_at = 73, max_at = 80,
                     bar_at = 82;
    page.add(TextLine()
                 .left(13, ":")
                 .right(total, "[total]")
                 .right(avg, "<avg>")
                 .right(min, "min")
                 .right(max, "max")
                 .right(min_at, "min@")
                 .right(max_at, "max@"));
    const double mean_s =
        page.report.totals.wallclock_s / static_cast<double>(page.report.ranks.size());
    for (const SummaryRow &row : page.report.summary) {
        const SummaryText text = summary_text(row, mean_s);
        const auto number = [&](double value) {
            return fixed_text(value * text.scale, text.decimals);
        };
        TextLine line;
        line.left(3, text.name).left(13, ":");
        if (row.total)
            line.right(total, number(*row.total));
        line.right(avg, number(row.mean)).right(min, number(row.min)).right(max, number(row.max));
        if (row.min < row.max)
            line.right(min_at, fmt::format("{}", row.min_rank))
                .right(max_at, fmt::format("{}", row.max_rank));
        if (page.wide() && row.unit == Unit::seconds)
            line.left(bar_at, bar(row.share, 30));
        page.add(line);
    }
    page.empty();
}

void add_strip(Page &page)
{
    if (page.report.quality.ranks_expected < 2)
        return;
    const RankStrip strip = make_rank_strip(page.report, page.width - 16);
    page.add(TextLine().left(3, "compute").left(13, ":").left(value_column, strip.legend));
    page.add(TextLine().left(5, "|" + strip.characters + "|"));
    page.empty();
}

// Functions that take nearly no time are one row, "12 others". Rows come in order of time.
std::vector<FunctionRow> listed_functions(const std::vector<FunctionRow> &functions)
{
    const auto rest = std::find_if(functions.begin(), functions.end(), [](const FunctionRow &row) {
        return row.mpi_percent < least_percent;
    });
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

void add_functions(Page &page)
{
    if (page.report.functions.empty())
        return;
    constexpr size_t time = 35, calls = 49, mpi = 63, wall = 76, wait = 85, avg = 95, bytes = 105,
                     max_rank = 117;
    TextLine head;
    head.right(time, "[time]").right(calls, "[calls]").right(mpi, "<%mpi>").right(wall, "<%wall>");
    if (page.wide())
        head.right(wait, "<%wait>")
            .right(avg, "<avg>")
            .right(bytes, "bytes")
            .right(max_rank, "max/avg@rank");
    page.add(head);
    const int decimals = decimals_for_seconds(page.report.functions.front().time_s);
    for (const FunctionRow &row : listed_functions(page.report.functions)) {
        TextLine line;
        line.left(3, row.function)
            .right(time, fixed_text(row.time_s, decimals))
            .right(calls, count_text(row.calls))
            .right(mpi, fixed_text(row.mpi_percent, 1))
            .right(wall, fixed_text(row.wall_percent, 1));
        if (page.wide()) {
            const double mean_s = row.calls > 0 ? row.time_s / static_cast<double>(row.calls) : 0;
            if (row.wait_s && row.time_s > 0)
                line.right(wait, fixed_text(100 * *row.wait_s / row.time_s, 1));
            line.right(avg, duration_text(mean_s))
                .right(bytes, row.bytes > 0 ? bytes_text(row.bytes) : "-");
            if (row.max_over_mean > 0)
                line.right(max_rank, fmt::format("{:.2f}@{}", row.max_over_mean, row.max_rank));
        }
        page.add(line);
    }
    page.empty();
}

std::string size_range_text(const SizeBinRow &row)
{
    if (!row.size_known)
        return "size not known";
    if (row.high_bytes == 0)
        return "0 B / none";
    if (row.low_bytes == row.high_bytes)
        return bytes_text(row.low_bytes);
    return bytes_text(row.low_bytes) + " - " + bytes_text(row.high_bytes);
}

void add_sizes(Page &page)
{
    const auto &bins = page.report.size_bins;
    const auto rest = std::find_if(bins.begin(), bins.end(), [](const SizeBinRow &row) {
        return row.mpi_percent < least_percent;
    });
    const auto shown =
        std::min<size_t>(page.wide() ? 10 : 6, static_cast<size_t>(rest - bins.begin()));
    if (shown == 0)
        return;
    const size_t shift = page.wide() ? 10 : 0;  // room for longer names
    page.add(TextLine().left(3, "message sizes (share of MPI time)"));
    for (size_t i = 0; i < shown; i++) {
        const SizeBinRow &row = bins[i];
        page.add(TextLine()
                     .left(3, shortened(row.function, 22 + shift))
                     .right(42 + shift, size_range_text(row))
                     .right(54 + shift, count_text(row.calls))
                     .left(56 + shift, row.calls == 1 ? "call" : "calls")
                     .right(66 + shift, fixed_text(row.mpi_percent, 1) + "%")
                     .left(68 + shift, bar(row.mpi_percent / 100, page.wide() ? 40 : 13)));
    }
    page.empty();
}

void add_partners(Page &page)
{
    const size_t shown = std::min<size_t>(page.wide() ? 10 : 5, page.report.top_partners.size());
    if (shown == 0)
        return;
    double all_bytes = 0;
    for (const MatrixCell &cell : page.report.matrix)
        all_bytes += static_cast<double>(cell.bytes);
    page.add(TextLine()
                 .left(3, "top partners")
                 .right(35, "bytes")
                 .right(46, "messages")
                 .right(57, "[time]")
                 .right(66, "<%bytes>"));
    const int decimals = decimals_for_seconds(page.report.totals.mpi_s);
    for (size_t i = 0; i < shown; i++) {
        const MatrixCell &cell = page.report.top_partners[i];
        const double share = static_cast<double>(cell.bytes) / all_bytes;
        page.add(TextLine()
                     .left(3, fmt::format("rank {} -> rank {}", cell.source, cell.destination))
                     .right(35, bytes_text(cell.bytes))
                     .right(46, count_text(cell.messages))
                     .right(57, cell.time_s > 0 ? fixed_text(cell.time_s, decimals) : "-")
                     .right(66, fixed_text(100 * share, 1))
                     .left(68, bar(share, page.wide() ? 50 : 13)));
    }
    for (const std::string &remark : page.report.partner_remarks)
        for (const std::string &line : fold_words(remark, page.width - 4))
            page.add(TextLine().left(5, line));
    page.empty();
}

void add_regions(Page &page)
{
    const auto &regions = page.report.regions;
    if (regions.empty())
        return;
    constexpr size_t listed = 20, name_width = 30;
    const double wallclock_s = page.report.totals.wallclock_s;
    page.add(TextLine()
                 .left(3, "regions, with those in them")
                 .right(41, "[time]")
                 .right(51, "<%wall>")
                 .right(60, "%comm")
                 .right(70, "[calls]")
                 .right(80, "%balance"));
    for (size_t i = 0; i < std::min(listed, regions.size()); i++) {
        const RegionRow &row = regions[i];
        page.add(
            TextLine()
                .left(3, shortened(row.path.empty() ? "(whole program)" : row.path, name_width))
                .right(41, fixed_text(row.time_s, decimals_for_seconds(wallclock_s)))
                .right(51, fixed_text(row.wall_percent, 1))
                .right(60, fixed_text(row.comm_percent, 1))
                .right(70, count_text(row.inclusive.calls))
                .right(80, fixed_text(100 * row.load_balance, 1)));
    }
    if (regions.size() > listed)
        page.add(TextLine().left(3, fmt::format("... and {} more", regions.size() - listed)));
    page.empty();
}

void add_worlds(Page &page)
{
    constexpr size_t listed = 20, ranks = 20, wallclock = 34, comm = 43, command = 46;
    const auto &worlds = page.report.worlds;
    if (worlds.empty())
        return;
    const bool spawned = page.report.run.world == 0;
    page.add(TextLine()
                 .left(3, spawned ? "spawned worlds" : "other worlds")
                 .right(wallclock, "wallclock")
                 .right(comm, "%comm")
                 .left(command, "command (all of it: --world N)"));
    for (size_t i = 0; i < std::min(listed, worlds.size()); i++) {
        const WorldRow &row = worlds[i];
        page.add(
            TextLine()
                .left(3, fmt::format("world {}", row.world))
                .right(ranks, plural(row.ranks, "rank"))
                .right(wallclock,
                       fixed_text(row.wallclock_s, decimals_for_seconds(row.wallclock_s)))
                .right(comm, fixed_text(row.comm_percent, 2))
                .left(command, shortened(row.command.empty() ? "unknown"
                                                             : command_without_folder(row.command),
                                         page.width - command + 1)));
        if (row.remark.empty())
            continue;
        for (const std::string &line : fold_words(row.remark, page.width - value_column + 1))
            page.add(TextLine().left(value_column, line));
    }
    if (worlds.size() > listed)
        page.add(TextLine().left(3, fmt::format("... and {} more", worlds.size() - listed)));
    page.empty();
}

void add_quality(Page &page)
{
    bool first = true;
    for (const std::string &remark : page.report.quality.remarks) {
        page.sentence(first ? "quality" : "", remark);
        first = false;
    }
    page.sentence("details", "mprof report --html, --json, --csv; what the words mean: --explain");
    page.empty();
    page.end();
}

}  // namespace

std::string render_text(const Report &report, size_t width)
{
    Page page{{std::max<size_t>(width, 80)}, report};
    page.begin(report.version);
    add_verdict(page);
    add_run(page);
    page.text += last_calls_section(report, page.width) + lints_section(report, page.width);
    add_time(page);
    page.text += accounts_section(report, page.width);
    add_summary(page);
    page.text += when_section(report, page.width);
    page.text += memory_section(report);
    add_strip(page);
    page.text += programs_section(report);
    add_functions(page);
    page.text += causes_section(report, page.width);
    page.text += callsites_section(report, page.width) + overlap_section(report, page.width);
    page.text += segments_section(report, page.width);
    page.text += openmp_section(report, page.width);
    page.text += files_section(report, page.width);
    add_sizes(page);
    page.text += transfers_section(report) + machine_section(report, page.width);
    add_partners(page);
    page.text += nodes_section(report, page.width) + bindings_section(report, page.width);
    page.text += communicators_section(report, page.width);
    add_regions(page);
    page.text += counters_section(report, page.width);
    add_worlds(page);
    add_quality(page);
    return page.text;
}

}  // namespace mprof
