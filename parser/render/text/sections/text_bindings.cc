// A line per cache (per NUMA node or socket where the cache is not known), a field per core: the
// ranks that are bound to it, or a point. Ranks that may use several cores stand behind, in words.
#include "render/text/sections/text_bindings.h"

#include "measure/cpu_list.h"
#include "read/printable_text.h"
#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mprof {
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
        const std::string where = row->cpus == strip.cpus ? "any core of it" : "CPUs " + row->cpus;
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
                    .left(3, printable_ascii(fmt::format(
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
                    .left(3, fmt::format("... and {} that are not alike",
                                         plural(report.nodes.size() - shown, "node")))
                    .finished();
    return text + "#\n";
}

}  // namespace mprof
