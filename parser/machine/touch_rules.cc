// When the data of a message should be touched (share/doc/change/machine.md), by its size:
//
//   up to the eager limit: while it is in the cache, because the MPI copies it anyway;
//   above it, up to half of the last-level cache, to other nodes: not right after it came, because
//     what the network card brings is not in the cache yet;
//   more than the cache: in pieces that stay in the cache.
//
// Where cache misses were recorded, they must say so: as many misses in the computing behind the
// call as half of the message's cache lines. Without them the size alone speaks.
#include "machine/compare_with_machine.h"

#include "measure/function_facts.h"
#include "report/number_text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr uint64_t line_bytes = 64;
constexpr double least_touch_percent = 1;  // of the MPI time at a place

uint64_t cache_bytes(const MachineFigures &figures, const Report &report)
{
    std::string text = figures.fact("node.l3_bytes");
    for (const auto &[key, value] : report.run.texts)
        if (key == "node.l3_bytes")
            text = value;
    uint64_t bytes = 0;
    std::from_chars(text.data(), text.data() + text.size(), bytes);
    return bytes;
}

std::optional<uint64_t> eager_limit(const MachineFigures &figures, Locality locality)
{
    const MachineCurve *curve = curve_for(figures, locality);
    if (curve == nullptr || !curve->eager)
        return std::nullopt;
    return curve->eager->limit_bytes;
}

// Which of the counters are misses of the last-level cache.
std::optional<size_t> miss_counter(const Report &report)
{
    for (size_t i = 0; i < report.counters.size(); i++) {
        std::string name = report.counters[i].name;
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        if (name.find("L3_TCM") != std::string::npos ||
            (name.find("MISS") != std::string::npos &&
             (name.find("CACHE") != std::string::npos || name.find("LLC") != std::string::npos)))
            return i;
    }
    return std::nullopt;
}

// Misses per visit in what is computed behind the call; nothing if that was not recorded.
std::optional<double> misses_behind(const Report &report, const CallsiteRow &site)
{
    const auto counter = miss_counter(report);
    double misses = 0, visits = 0;
    for (const SegmentRow &segment : report.segments)
        if (counter && segment.from_function == site.function &&
            segment.from.place() == site.site.place() && segment.counters.size() > *counter) {
            misses += static_cast<double>(segment.counters[*counter]);
            visits += static_cast<double>(segment.count);
        }
    return visits > 0 ? std::optional(misses / visits) : std::nullopt;
}

bool moves_data(const CallsiteRow &site)
{
    const FunctionFacts &facts = facts_of(site.function);
    return facts.sends || facts.receives || facts.kind == FunctionKind::collective;
}

std::string sentence_for(const TouchRow &row, uint64_t cache, std::optional<double> misses)
{
    const std::string because =
        misses ? fmt::format(" {:.0f} cache misses per call follow it.", *misses) : std::string();
    switch (row.rule) {
    case TouchRule::while_cached:
        return "Send what was just written, and use what arrives at once: so small a message stays "
               "in the cache." +
               because;
    case TouchRule::not_right_after:
        return "Do not touch the data right after it: what arrives from another node is not in the "
               "cache yet. Compute with other data first." +
               because;
    default:
        return fmt::format("Cut it into pieces of at most {}, half of the last-level cache, and "
                           "use each piece before the next one.{}",
                           bytes_text(cache / 2), because);
    }
}

}  // namespace

std::vector<TouchRow> find_touch_rules(const MachineFigures &figures, const Report &report)
{
    std::vector<TouchRow> rows;
    const bool between_nodes = report.run.nodes > 1;
    const auto limit =
        eager_limit(figures, between_nodes ? Locality::other_node : Locality::same_node);
    const uint64_t cache = cache_bytes(figures, report);
    for (const CallsiteRow &site : report.callsites) {
        if (!site.size || *site.size == 0 || site.mpi_percent < least_touch_percent ||
            !moves_data(site))
            continue;
        TouchRow row;
        if (limit && *site.size <= *limit)
            row.rule = TouchRule::while_cached;
        else if (limit && between_nodes && cache > 0 && *site.size <= cache / 2)
            row.rule = TouchRule::not_right_after;
        else if (cache > 0 && *site.size > cache)
            row.rule = TouchRule::in_pieces;
        else
            continue;
        const auto misses = misses_behind(report, site);
        if (misses &&
            *misses * static_cast<double>(2 * line_bytes) < static_cast<double>(*site.size))
            continue;
        // A small message is in the cache unless counters say that it was not.
        if (row.rule == TouchRule::while_cached && !misses)
            continue;
        row.evidence = misses ? TouchEvidence::counters : TouchEvidence::size;
        row.function = site.function;
        row.place = site.site.place();
        row.bytes = *site.size;
        row.calls = site.size_calls;
        row.mpi_percent = site.mpi_percent;
        row.sentence = sentence_for(row, cache, misses);
        rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto &a, const auto &b) { return a.mpi_percent > b.mpi_percent; });
    return rows;
}

}  // namespace mprof
