// Sections about ranks and groups of them: all of them in a strip, communicators and nodes, where
// they sit in these, and the programs of the job.
#include "read/printable_text.h"
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>

namespace mprof {

// Differences of under 1 % of the largest value are noise and all look the same.
RankStrip make_rank_strip(const Report &report, size_t width)
{
    static constexpr std::string_view shades = ".:-=+*%@";
    const uint64_t expected = report.quality.ranks_expected;
    const uint64_t per_character = (expected + width - 1) / width;
    std::vector<std::optional<double>> slowest((expected + per_character - 1) / per_character);
    double low = HUGE_VAL;
    double high = 0;
    for (const RankRow &row : report.ranks) {
        auto &value = slowest[row.rank / per_character];
        value = std::max(value.value_or(0), row.compute_s);
        low = std::min(low, row.compute_s);
        high = std::max(high, row.compute_s);
    }
    RankStrip strip;
    const bool flat = high - low < 0.01 * high || high <= 0;
    bool unread = false;
    for (const auto &value : slowest) {
        unread = unread || !value;
        if (!value)
            strip.characters += '?';
        else if (flat)
            strip.characters += shades.front();
        else
            strip.characters +=
                shades[static_cast<size_t>(std::lround((*value - low) / (high - low) * 7))];
    }
    strip.legend = per_character == 1 ? "one character per rank"
                                      : fmt::format("one per {} ranks, the slowest", per_character);
    strip.legend += fmt::format("  . = {}", duration_text(low));
    if (!flat)
        strip.legend += fmt::format("  @ = {}", duration_text(high));
    if (unread)
        strip.legend += "  ? = not read";
    return strip;
}

// Tables of groups of ranks: communicators and nodes.

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

// Those that something was called on. In a short text those that take time; MPI_COMM_WORLD is
// beside them for comparison.
std::vector<CommunicatorRow> shown_communicators(const Report &report, const TextScope &scope)
{
    const double least_s =
        scope.is_short() ? text_rules.run_percent / 100 * report.totals.wallclock_s : 0;
    std::vector<CommunicatorRow> rows;
    std::copy_if(report.communicators.begin(), report.communicators.end(), std::back_inserter(rows),
                 [&](const CommunicatorRow &row) {
                     return row.kind != CommunicatorKind::none &&
                            (row.calls > 0 || row.time_s > 0) && row.time_s >= least_s;
                 });
    // With MPI_COMM_WORLD alone the table of functions tells as much.
    const bool tells = std::any_of(rows.begin(), rows.end(), [](const CommunicatorRow &row) {
        return row.calls > 0 && row.name != "MPI_COMM_WORLD";
    });
    return tells ? rows : std::vector<CommunicatorRow>();
}

}  // namespace

std::string communicators_section(const Report &report, const TextScope &scope)
{
    const std::vector<CommunicatorRow> rows = shown_communicators(report, scope);
    if (rows.empty())
        return "";
    const size_t shift = scope.wide() ? 38 : 0;
    std::string text = TextLine()
                           .left(3, "communicators")
                           .right(38 + shift, "ranks")
                           .right(49 + shift, "[time]")
                           .right(58 + shift, "<%mpi>")
                           .right(69 + shift, "[calls]")
                           .right(80 + shift, "bytes")
                           .finished();
    const size_t listed =
        std::min(scope.most(text_rules.communicators, listed_narrow, listed_wide), rows.size());
    const int decimals = decimals_for_seconds(report.totals.mpi_s);
    const double whole_s = report.totals.mpi_s;
    for (size_t i = 0; i < listed; i++) {
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

namespace {

// In a short text those with more ranks than CPUs, and those that compute longer than the mean one.
std::vector<const NodeRow *> shown_nodes(const Report &report, const TextScope &scope)
{
    double sum_s = 0;
    for (const NodeRow &node : report.nodes)
        sum_s += node.compute_s;
    const double mean_s = sum_s / static_cast<double>(std::max<size_t>(1, report.nodes.size()));
    std::vector<const NodeRow *> rows;
    for (const NodeRow &node : report.nodes)
        if (!scope.is_short() || node.crowded ||
            (mean_s > 0 && node.compute_s >= text_rules.uneven * mean_s))
            rows.push_back(&node);
    return report.nodes.size() < 2 ? std::vector<const NodeRow *>() : rows;
}

std::string node_line(const NodeRow &node, int decimals)
{
    return TextLine()
        .left(3, shortened_middle(node.host, 22) + (node.crowded ? " *" : ""))
        .right(32, std::to_string(node.ranks))
        .right(42, fixed_text(node.compute_s, decimals))
        .right(50, fixed_text(node.mpi_s, decimals))
        .right(58, node.wait_s ? fixed_text(*node.wait_s, decimals) : "-")
        .right(69, bytes_text(node.inside_bytes))
        .right(80, bytes_text(node.outside_bytes))
        .finished();
}

}  // namespace

std::string nodes_section(const Report &report, const TextScope &scope)
{
    const std::vector<const NodeRow *> rows = shown_nodes(report, scope);
    if (rows.empty())
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
    const size_t listed =
        std::min(scope.most(text_rules.nodes, listed_narrow, listed_wide), rows.size());
    const int decimals = std::min(decimals_for_seconds(report.totals.wallclock_s), 3);
    for (size_t i = 0; i < listed; i++)
        text += node_line(*rows[i], decimals);
    if (std::any_of(rows.begin(), rows.end(), [](const NodeRow *node) { return node->crowded; }))
        text +=
            TextLine().left(3, "* more ranks than CPUs, or several bound to one core").finished();
    return text + more_line(rows.size(), listed) + "#\n";
}

// A line per cache (per NUMA node or socket where the cache is not known), a field per core: the
// ranks that are bound to it, or a point. Ranks that may use several cores follow, in words.

namespace {

constexpr size_t shown_kinds = 2, shown_strips = 16;
constexpr size_t part_column = 5, cells_column = 41;

// One part of a node, and the rows whose CPUs it holds.
struct Strip {
    std::string label, cpus;
    std::vector<const BindingRow *> bound, wide;  // to one core; to more
};

std::string label_of(const BindingRow &row)
{
    std::string label;
    if (!row.socket_cpus.empty())
        label = "socket " + row.socket_cpus;
    if (!row.numa_cpus.empty() && row.numa_cpus != row.socket_cpus)
        label += (label.empty() ? "NUMA " : ", NUMA ") + row.numa_cpus;
    if (!row.cache_cpus.empty() && row.cache_cpus != row.socket_cpus &&
        row.cache_cpus != row.numa_cpus)
        label += (label.empty() ? "cache " : ", cache ") + row.cache_cpus;
    return label.empty() ? "any CPU of " + row.cpus : label;
}

const std::string &smallest_part(const BindingRow &row)
{
    for (const std::string *cpus : {&row.cache_cpus, &row.numa_cpus, &row.socket_cpus})
        if (!cpus->empty())
            return *cpus;
    return row.cpus;
}

std::vector<Strip> strips_of(const std::vector<const BindingRow *> &rows)
{
    std::vector<Strip> strips;
    std::map<std::string, size_t> numbers;
    for (const BindingRow *row : rows) {
        std::string label = label_of(*row);
        const auto [at, is_new] = numbers.emplace(label, strips.size());
        if (is_new)
            strips.push_back({std::move(label), smallest_part(*row), {}, {}});
        Strip &strip = strips[at->second];
        (row->level == BindingLevel::core ? strip.bound : strip.wide).push_back(row);
    }
    return strips;
}

// A field per core, by its first CPU. All cores of a part have as many threads, and these are as
// far apart as those of a core that is known.
std::vector<std::string> cells_of(const Strip &strip)
{
    if (strip.bound.empty())
        return {};
    std::map<std::string, std::string> ranks_of_core;
    for (const BindingRow *row : strip.bound) {
        std::string &ranks = ranks_of_core[row->core_cpus];
        ranks += (ranks.empty() ? "" : "+") + row->rank_list;
    }
    std::map<uint32_t, std::pair<CpuSet, std::string>> known;  // by each CPU of the core
    for (const auto &[cpus, ranks] : ranks_of_core) {
        const CpuSet core = parse_cpus(cpus);
        known[*core.begin()] = {core, ranks};
    }
    const CpuSet &example = known.begin()->second.first;
    const uint32_t apart = example.size() > 1 ? *std::next(example.begin()) - *example.begin() : 1;
    std::vector<std::string> cells;
    CpuSet left = parse_cpus(strip.cpus);
    while (!left.empty()) {
        const uint32_t cpu = *left.begin();
        const auto core = known.find(cpu);
        cells.push_back(core == known.end() ? "." : core->second.second);
        for (uint32_t i = 0; i < example.size(); i++)
            left.erase(cpu + i * apart);
    }
    return cells;
}

// "ranks 0-3 on any core of it", "rank 0 on CPUs 0-3".
std::string wide_words(const Strip &strip)
{
    std::string words;
    for (const BindingRow *row : strip.wide) {
        const std::string where =
            row->cpus == strip.cpus ? "any of its cores" : "CPUs " + row->cpus;
        words += fmt::format("{}{} {} on {}", words.empty() ? "" : "; ",
                             row->ranks == 1 ? "rank" : "ranks", row->rank_list, where);
    }
    return words;
}

void add_strip_lines(const Strip &strip, size_t width, std::string &text)
{
    size_t widest = 1;
    const std::vector<std::string> cells = cells_of(strip);
    for (const std::string &cell : cells)
        widest = std::max(widest, cell.size());
    const size_t room = width - cells_column + 1;
    std::vector<std::string> lines;
    for (const std::string &cell : cells) {
        if (lines.empty() || lines.back().size() + widest + 1 > room)
            lines.emplace_back();
        lines.back() += fmt::format("{:>{}} ", cell, widest);
    }
    if (!strip.wide.empty())
        for (const std::string &line : fold_words(wide_words(strip), room))
            lines.push_back(line);
    for (size_t i = 0; i < lines.size(); i++) {
        TextLine line;
        if (i == 0)
            line.left(part_column, shortened(strip.label, cells_column - part_column - 2));
        text += line.left(cells_column, lines[i]).finished();
    }
}

}  // namespace

std::string bindings_section(const Report &report, size_t width)
{
    const auto &rows = report.bindings;
    if (std::all_of(rows.begin(), rows.end(),
                    [](const BindingRow &row) { return row.level == BindingLevel::node; }))
        return "";
    std::string text = TextLine().left(3, "where ranks sit, by cores").finished();
    uint64_t shown = 0;
    for (size_t i = 0, kinds = 0; i < rows.size() && kinds < shown_kinds; kinds++) {
        std::vector<const BindingRow *> node;
        for (const std::string &host = rows[i].host; i < rows.size() && rows[i].host == host; i++)
            node.push_back(&rows[i]);
        shown += node[0]->nodes;
        text += TextLine()
                    .left(3, printable_text(fmt::format(
                                 "{}{}", node[0]->host,
                                 node[0]->nodes == 1
                                     ? ""
                                     : fmt::format(", and {} alike",
                                                   plural(node[0]->nodes - 1, "more node")))))
                    .finished();
        const std::vector<Strip> strips = strips_of(node);
        for (size_t s = 0; s < std::min(shown_strips, strips.size()); s++)
            add_strip_lines(strips[s], width, text);
        if (strips.size() > shown_strips)
            text += TextLine()
                        .left(part_column,
                              "... and " + plural(strips.size() - shown_strips, "more part"))
                        .finished();
    }
    if (shown < report.nodes.size())
        text += TextLine()
                    .left(3, fmt::format("... and {} that differ",
                                         plural(report.nodes.size() - shown, "node")))
                    .finished();
    return text + "#\n";
}

// Two tables: a row per program, and a row per program and program that it waits for. All times are
// of the average rank.

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
