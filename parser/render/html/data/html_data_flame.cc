// The call tree of the flame view: the stacks of mprof export --folded, of all ranks together, as a
// tree. Nodes are in the order in which a reader walks it, the wider one of two children first.
// So that the page stays small at any scale, only the nodes with most time are in it: a node has
// never more than the one around it, so what is left is still a tree.
#include "render/html/data/html_data.h"
#include "render/render_report.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace mprof {
namespace {

struct FlameNode {
    std::string name;
    double mpi_s = 0, cpu_s = 0;  // with all that is called in it
    std::map<std::string, size_t, std::less<>> children;

    double time_s() const { return mpi_s + cpu_s; }
};

struct FlameRow {
    size_t depth = 0, name = 0;
    double mpi_s = 0, cpu_s = 0;
};

class FlameTree {
public:
    void add(const FoldedStacks &stacks, double FlameNode::*part)
    {
        for (const auto &[stack, microseconds] : stacks)
            add(stack, 1e-6 * microseconds, part);
    }
    Json json() const;

private:
    void add(std::string_view stack, double seconds, double FlameNode::*part);
    size_t child_of(size_t node, std::string_view name);
    double least_shown_s() const;
    void walk(size_t node, size_t depth, double least_s, TextNumbers &names,
              std::vector<FlameRow> &rows) const;

    std::vector<FlameNode> nodes_ = std::vector<FlameNode>(1);  // the first one is all ranks
};

size_t FlameTree::child_of(size_t node, std::string_view name)
{
    const auto at = nodes_[node].children.find(name);
    if (at != nodes_[node].children.end())
        return at->second;
    const size_t child = nodes_.size();
    nodes_[node].children.emplace(name, child);
    nodes_.emplace_back().name = name.substr(0, flame_name_bytes);
    return child;
}

void FlameTree::add(std::string_view stack, double seconds, double FlameNode::*part)
{
    size_t node = 0;
    nodes_[node].*part += seconds;
    for (size_t begin = 0; begin <= stack.size();) {
        const size_t end = std::min(stack.find(';', begin), stack.size());
        node = child_of(node, stack.substr(begin, end - begin));
        nodes_[node].*part += seconds;
        begin = end + 1;
    }
}

// Only what is above it is shown. Of nodes that are alike at this limit there is none: each is too
// narrow to see.
double FlameTree::least_shown_s() const
{
    std::vector<double> times;
    for (const FlameNode &node : nodes_)
        times.push_back(node.time_s());
    const double least_s = flame_least_share * nodes_.front().time_s();
    if (times.size() <= most_flame_nodes)
        return least_s;
    std::nth_element(times.begin(), times.begin() + most_flame_nodes, times.end(),
                     std::greater<>());
    return std::max(least_s, times[most_flame_nodes]);
}

// Stacks have at most as many frames as a profile records.
// NOLINTNEXTLINE(misc-no-recursion)
void FlameTree::walk(size_t node, size_t depth, double least_s, TextNumbers &names,
                     std::vector<FlameRow> &rows) const
{
    std::vector<size_t> children;
    for (const auto &[name, child] : nodes_[node].children)
        if (nodes_[child].time_s() > least_s)
            children.push_back(child);
    std::stable_sort(children.begin(), children.end(),
                     [&](size_t a, size_t b) { return nodes_[a].time_s() > nodes_[b].time_s(); });
    for (const size_t child : children) {
        const FlameNode &row = nodes_[child];
        rows.push_back({depth, names.number(row.name), row.mpi_s, row.cpu_s});
        walk(child, depth + 1, least_s, names, rows);
    }
}

Json FlameTree::json() const
{
    if (nodes_.front().time_s() <= 0)
        return nullptr;
    TextNumbers names;
    std::vector<FlameRow> rows;
    walk(0, 0, least_shown_s(), names, rows);
    Json json = columns_of(rows)
                    .add("depth", &FlameRow::depth)
                    .add("name", &FlameRow::name)
                    .add("mpi_s", &FlameRow::mpi_s, bar_digits)
                    .add("cpu_s", &FlameRow::cpu_s, bar_digits)
                    .json();
    json["names"] = names.json();
    return json;
}

}  // namespace

Json html_flame(const Report &report)
{
    FoldedStacks calls, computing;
    add_call_stacks(report, calls);
    add_computing_stacks(report, computing);
    FlameTree tree;
    tree.add(calls, &FlameNode::mpi_s);
    tree.add(computing, &FlameNode::cpu_s);
    return tree.json();
}

}  // namespace mprof
