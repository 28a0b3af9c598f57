// What the ranks send each other: functions, messages, partners, nodes.
#include "analyse/analysis_parts.h"
#include "sample_parts.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof_test {

using namespace mprof;

void add_functions(const Plan &plan, Report &report)
{
    const auto ranks = static_cast<double>(report.ranks.size());
    for (size_t i = 0; i < functions().size(); i++) {
        const Function &function = functions()[i];
        FunctionRow row;
        row.function = function_name(plan, i);
        row.calls = static_cast<uint64_t>(function.calls * ranks);
        row.bytes = static_cast<uint64_t>(function.calls * function.bytes * ranks);
        double max_s = 0;
        for (const RankRow &rank : report.ranks) {
            row.time_s += rank.functions_s[i];
            if (rank.functions_s[i] > max_s)
                row.max_rank = rank.rank;
            max_s = std::max(max_s, rank.functions_s[i]);
        }
        row.mpi_thread_s = row.time_s;
        row.min_s = row.time_s / static_cast<double>(row.calls) / 8;
        row.max_s = row.time_s / static_cast<double>(row.calls) * 40;
        if (report.totals.wait_s)
            row.wait_s = row.time_s * function.wait;
        if (report.totals.mpi_s > 0)
            row.mpi_percent = 100 * row.time_s / report.totals.mpi_s;
        row.wall_percent = 100 * row.time_s / report.totals.wallclock_s;
        row.max_over_mean = row.time_s > 0 ? max_s / (row.time_s / ranks) : 0;
        report.functions.push_back(row);
    }
}

void add_messages(Report &report)
{
    for (size_t i = 0; i < functions().size(); i++) {
        const FunctionRow &function = report.functions[i];
        std::vector<int> bins = functions()[i].bins;
        const bool sized = !bins.empty();
        if (!sized)
            bins = {0};
        double left = 1;
        for (size_t k = 0; k < bins.size(); k++) {
            const double share = k + 1 == bins.size() ? left : left * 0.7;
            left -= share;
            MessageRow row;
            row.function = function.function;
            row.kind = MessageKind::call;
            row.precision = Precision::exact;
            row.bytes = sized ? 1ULL << static_cast<unsigned>(bins[k]) : 0;
            row.calls = static_cast<uint64_t>(share * static_cast<double>(function.calls));
            row.sum_bytes = row.bytes * row.calls;
            row.time_s = share * function.time_s;
            report.messages.push_back(row);
        }
    }
    for (const MessageRow &message : report.messages) {
        SizeBinRow row;
        row.function = message.function;
        row.low_bytes = message.bytes;
        row.high_bytes = message.bytes;
        row.calls = message.calls;
        row.mpi_percent = report.totals.mpi_s > 0 ? 100 * message.time_s / report.totals.mpi_s : 0;
        report.size_bins.push_back(row);
    }
    std::stable_sort(report.size_bins.begin(), report.size_bins.end(),
                     [](const auto &a, const auto &b) { return a.mpi_percent > b.mpi_percent; });
}

namespace {

void add_pair(Report &report, uint32_t source, uint32_t destination, double gib)
{
    const uint32_t ranks = report.run.ranks;
    if (source == destination || destination >= ranks)
        return;
    MatrixCell cell;
    cell.source = source;
    cell.destination = destination;
    cell.messages = static_cast<uint64_t>(gib * 38'000);
    cell.bytes = static_cast<uint64_t>(gib * (1U << 30U));
    cell.time_s = gib * (0.12 + 0.02 * noise(source, destination));
    report.matrix.push_back(cell);
}

}  // namespace

void add_partners(const Plan &plan, Report &report)
{
    const uint32_t side = plan.side;
    for (uint32_t rank = 0; rank < plan.ranks; rank++) {
        const uint32_t x = rank % side, y = rank / side;
        if (plan.is("dense")) {
            for (uint32_t other = 0; other < plan.ranks; other++)
                add_pair(report, rank, other, 0.02 + 0.0002 * ((rank * 31 + other * 17) % 89));
            continue;
        }
        for (uint32_t step = 1; step < side; step *= 2) {  // butterfly in the row
            const double gib = 1.14 / step;
            if (x >= step)
                add_pair(report, rank, rank - step, gib);
            if (x + step < side)
                add_pair(report, rank, rank + step, gib);
        }
        if (y > 0)
            add_pair(report, rank, rank - side, 1.98);
        add_pair(report, rank, rank + side, 2.01);
        if (x < y && x * side + y < plan.ranks)
            add_pair(report, rank, x * side + y, 0.42);
    }
    std::sort(report.matrix.begin(), report.matrix.end(),
              [](const MatrixCell &a, const MatrixCell &b) {
                  return std::pair(a.source, a.destination) < std::pair(b.source, b.destination);
              });
    report.top_partners = report.matrix;
    std::stable_sort(report.top_partners.begin(), report.top_partners.end(),
                     [](const MatrixCell &a, const MatrixCell &b) { return a.bytes > b.bytes; });
    report.top_partners.resize(std::min<size_t>(report.top_partners.size(), 10));
}

void add_nodes(Report &report)
{
    Topology topology = analyse_topology(report.ranks, report.matrix);
    report.nodes = std::move(topology.nodes);
    report.node_pairs = std::move(topology.pairs);
    report.distances = std::move(topology.distances);
    report.partner_remarks = std::move(topology.remarks);
    for (NodeRow &node : report.nodes)
        node.facts = {{"CPU", "AMD EPYC 7763"}, {"cores", "128"}, {"NUMA nodes", "8"}};
}

}  // namespace mprof_test
