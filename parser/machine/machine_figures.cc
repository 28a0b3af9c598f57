// Figures of a machine, and which of its nodes and links are slow.
#include "machine/machine_figures.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace mprof {

std::optional<double> MachineCurve::latency_s() const
{
    if (points.empty())
        return std::nullopt;
    return points.front().time_s;
}

std::optional<double> MachineCurve::bytes_per_second() const
{
    std::optional<double> most;
    for (const MachinePoint &point : points)
        for (const double time_s : {point.time_s, point.stream_s.value_or(0)})
            if (time_s > 0)
                most = std::max(most.value_or(0), static_cast<double>(point.bytes) / time_s);
    return most;
}

std::string MachineFigures::fact(const std::string &key) const
{
    const auto found = std::find_if(facts.begin(), facts.end(),
                                    [&](const auto &fact) { return fact.first == key; });
    return found == facts.end() ? std::string() : found->second;
}

const MachineCurve *MachineFigures::curve(RankDistance distance) const
{
    const auto found = std::find_if(curves.begin(), curves.end(), [&](const MachineCurve &curve) {
        return curve.distance == distance;
    });
    return found == curves.end() ? nullptr : &*found;
}

std::string MachineFigures::short_library() const
{
    std::string name = library.substr(0, library.find_first_of(",\n"));
    // MPICH: "MPICH Version:      4.0.2 MPICH Release date: ..."
    const size_t next = name.find(" MPICH Release");
    name = name.substr(0, next);
    std::string tidy;
    for (const char c : name)
        if (c != ' ' || (!tidy.empty() && tidy.back() != ' '))
            tidy += c;
    while (tidy.ends_with(' '))
        tidy.pop_back();
    constexpr size_t most = 60;
    return tidy.substr(0, most);
}

// A link is slow against the median of all links, a node against the median of all nodes. Where all
// links of a node are slow and most others are not, it is the node's connection that is slow and
// not each of the links. Two nodes have one link: nothing to compare it with.

namespace {

// Of two in the middle the better one: where one of four nodes is slow, half of the links are.
enum class Better { smaller, larger };
template <class Row>
double median_of(const std::vector<Row> &rows, Better better,
                 const std::function<double(const Row &)> &value)
{
    std::vector<double> values;
    for (const Row &row : rows)
        values.push_back(value(row));
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    return values[better == Better::larger ? values.size() / 2 : (values.size() - 1) / 2];
}

struct UsualLink {
    double latency_s = 0, bytes_s = 0;
};

void judge_links(MachineFigures &figures, const UsualLink &usual)
{
    for (MachineLink &link : figures.links) {
        const bool low_rate =
            link.bytes_per_second() * verdict_thresholds.slow_link_factor < usual.bytes_s;
        const bool long_way =
            link.latency_s > verdict_thresholds.slow_latency_factor * usual.latency_s;
        link.slow = figures.links.size() > 1 && (low_rate || long_way);
    }
}

std::string link_figures(const MachineLink &link, const UsualLink &usual)
{
    return fmt::format("{} and {}, usual are {} and {}", bandwidth_text(link.bytes_per_second()),
                       duration_text(link.latency_s), bandwidth_text(usual.bytes_s),
                       duration_text(usual.latency_s));
}

// The slow links of a node, if all of its links are slow and it has at least two.
std::vector<const MachineLink *> slow_connection(const MachineFigures &figures, uint32_t node)
{
    std::vector<const MachineLink *> links;
    for (const MachineLink &link : figures.links)
        if (link.a == node || link.b == node) {
            if (!link.slow)
                return {};
            links.push_back(&link);
        }
    return links.size() < 2 ? std::vector<const MachineLink *>() : links;
}

void name_links(MachineFigures &figures, const UsualLink &usual)
{
    std::vector<const MachineLink *> explained;
    for (uint32_t node = 0; node < figures.nodes.size(); node++) {
        const auto links = slow_connection(figures, node);
        if (links.empty())
            continue;
        explained.insert(explained.end(), links.begin(), links.end());
        MachineNode &slow = figures.nodes[node];
        slow.slow = true;
        slow.sentence =
            fmt::format("{}: its link to the network is slow: {} of its {} links are, {}",
                        slow.host, links.size(), links.size(), link_figures(*links.front(), usual));
        figures.findings.push_back(slow.sentence + ".");
    }
    for (const MachineLink &link : figures.links)
        if (link.slow && std::find(explained.begin(), explained.end(), &link) == explained.end())
            figures.findings.push_back(
                fmt::format("The link between {} and {} is slow: {}.", figures.nodes[link.a].host,
                            figures.nodes[link.b].host, link_figures(link, usual)));
}

void judge_nodes(MachineFigures &figures)
{
    const double arithmetic_s = median_of<MachineNode>(
        figures.nodes, Better::smaller, [](const MachineNode &node) { return node.arithmetic_s; });
    const double copy = median_of<MachineNode>(
        figures.nodes, Better::larger, [](const MachineNode &node) { return node.copy_bytes_s; });
    for (MachineNode &node : figures.nodes) {
        if (figures.nodes.size() < 3)
            return;
        std::string what;
        if (node.arithmetic_s > verdict_thresholds.slow_node_factor * arithmetic_s)
            what = fmt::format("the same arithmetic takes {}, usual is {}",
                               duration_text(node.arithmetic_s), duration_text(arithmetic_s));
        else if (node.copy_bytes_s * verdict_thresholds.slow_copy_factor < copy)
            what = fmt::format("it copies {} in memory, usual is {}",
                               bandwidth_text(node.copy_bytes_s), bandwidth_text(copy));
        if (what.empty())
            continue;
        node.slow = true;
        node.sentence = fmt::format("{} is slow: {}", node.host, what);
        figures.findings.push_back(node.sentence + ".");
    }
}

std::string headline_of(const MachineFigures &figures)
{
    if (!figures.findings.empty())
        return figures.findings.size() == 1
                   ? figures.findings.front()
                   : fmt::format("{} {} more below.", figures.findings.front(),
                                 figures.findings.size() - 1);
    if (figures.source != MachineSource::measured)
        return fmt::format("Figures of {} logs.", text_of(figures.source));
    if (figures.nodes.size() < 2)
        return "One node was measured.";
    return fmt::format("No node and no link of {} stands out.",
                       plural(figures.nodes.size(), "node"));
}

}  // namespace

void judge_machine(MachineFigures &figures)
{
    figures.findings.clear();
    const UsualLink usual = {
        median_of<MachineLink>(figures.links, Better::smaller,
                               [](const MachineLink &link) { return link.latency_s; }),
        median_of<MachineLink>(figures.links, Better::larger,
                               [](const MachineLink &link) { return link.bytes_per_second(); })};
    judge_links(figures, usual);
    name_links(figures, usual);
    judge_nodes(figures);
    figures.headline = headline_of(figures);
}

}  // namespace mprof
