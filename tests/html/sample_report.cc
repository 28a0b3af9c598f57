// The order is that of the analysis: ranks first, then what is summed over them, the words last.
#include "sample_report.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace mprof_test {
namespace {

using namespace mprof;

struct Function {
    const char *name;
    double share;           // of MPI time
    double wait;            // of its own time
    double calls;           // per rank
    double bytes;           // of one call
    std::vector<int> bins;  // message sizes, as powers of two
};

const std::vector<Function> &functions()
{
    static const std::vector<Function> list = {
        {"MPI_Allreduce", 0.534, 0.875, 152'000, 28'700, {3, 10, 20}},
        {"MPI_Waitall", 0.214, 0.77, 76'000, 0, {}},
        {"MPI_Allgather", 0.067, 0.56, 2600, 30'100, {11, 12}},
        {"MPI_Alltoallv", 0.060, 0.43, 1300, 14'200, {10, 14}},
        {"MPI_Send", 0.033, 0.476, 7600, 90'500, {16, 17}},
        {"MPI_Barrier", 0.025, 0.80, 64, 0, {}},
        {"MPI_Bcast", 0.021, 0.43, 420, 2'310'000, {16, 21}},
        {"MPI_Recv", 0.015, 0.60, 7600, 90'500, {16, 17}},
        {"MPI_Isend", 0.012, 0, 152'000, 25'800, {10, 12, 15}},
        {"MPI_Reduce", 0.010, 0.517, 410, 2'290'000, {20, 21}},
        {"MPI_Irecv", 0.007, 0, 152'000, 25'800, {10, 12, 15}},
        {"MPI_Comm_split", 0.001, 0, 6, 0, {}},
        {"MPI_Init", 0.001, 0, 1, 0, {}},
    };
    return list;
}

struct Plan {
    uint32_t ranks = 1, per_node = 4, slow_node = 3, side = 1;
    std::string variant;
    double wall_s = 48.61, compute_s = 29.3, slow_factor = 1.46;
    bool is(const char *name) const { return variant == name; }
    bool has_details() const { return !is("bare"); }
    bool is_slow(uint32_t rank) const
    {
        return !is("healthy") && ranks > per_node * slow_node && rank / per_node == slow_node;
    }
    bool is_missing(uint32_t rank) const
    {
        return is("missing ranks") && (rank % 9 == 4 || (rank >= 20 && rank < 25));
    }
};

// The same number for the same rank on every machine, in [-1, 1).
double noise(uint32_t rank, uint32_t salt)
{
    uint64_t hash = (rank + 1) * 0x9e3779b97f4a7c15U + salt * 0xd6e8feb86659fd93U;
    hash ^= hash >> 32U;
    hash *= 0xd6e8feb86659fd93U;
    hash ^= hash >> 29U;
    return static_cast<double>(hash >> 11U) / 4503599627370496.0 - 1;
}

Plan make_plan(uint32_t ranks, const std::string &variant)
{
    Plan plan;
    plan.ranks = ranks;
    plan.variant = variant;
    plan.per_node = ranks >= 4096 ? 128 : 4;
    while ((plan.side + 1) * (plan.side + 1) <= ranks)
        plan.side++;
    if (variant == "healthy")
        plan.compute_s = 45.6;
    if (variant == "no MPI time")
        plan.compute_s = plan.wall_s;
    return plan;
}

std::string host_name(const Plan &plan, uint32_t rank)
{
    if (plan.is("hostile"))
        return rank / plan.per_node % 2 == 0 ? "</script><b>node\"'&\x01" : "\xe2\x80\xaenode\xff";
    if (plan.is("long names"))
        return fmt::format("a-very-long-host-name-{:05}.cluster.department.example.org",
                           rank / plan.per_node);
    return fmt::format("node{:0{}}", rank / plan.per_node, plan.ranks >= 4096 ? 4 : 2);
}

std::string function_name(const Plan &plan, size_t i)
{
    if (plan.is("hostile") && i == 1)
        return "MPI_<img src=x onerror=alert(1)>";
    if (plan.is("long names") && i == 1)
        return "MPI_Ineighbor_alltoallw_with_a_very_long_name_init";
    return functions()[i].name;
}

void fill_rank(const Plan &plan, RankRow &row)
{
    const uint32_t rank = row.rank;
    const double factor = plan.is_slow(rank) ? plan.slow_factor : 1;
    row.host = host_name(plan, rank);
    row.wallclock_s = plan.wall_s * (1 + 0.0004 * noise(rank, 1));
    row.compute_s =
        std::min(plan.compute_s * factor * (1 + 0.03 * noise(rank, 2)), row.wallclock_s);
    if (plan.is("no MPI time"))
        row.compute_s = row.wallclock_s;
    row.mpi_s = row.wallclock_s - row.compute_s;
    row.mpi_thread_s = row.mpi_s;
    row.comm_percent = 100 * row.mpi_s / row.wallclock_s;
    row.user_s = row.wallclock_s * 0.98;
    row.system_s = row.wallclock_s * 0.01;
    row.calls = 552'000;
    row.sent_bytes = static_cast<uint64_t>(7.3e9 * (1 + 0.1 * noise(rank, 3)));
    row.memory_bytes = static_cast<uint64_t>(1.52 * (1U << 30U) * (1 + 0.09 * noise(rank, 4)));
    row.threads = 1;
    row.complete = true;
    row.end = "finalize";
    double shares = 0;
    for (size_t i = 0; i < functions().size(); i++) {
        const double share =
            functions()[i].share * (1 + 0.15 * noise(rank, 10 + static_cast<uint32_t>(i)));
        row.functions_s.push_back(share);
        shares += share;
    }
    for (double &seconds : row.functions_s)
        seconds *= row.mpi_s / shares;
    if (!plan.has_details())
        return;
    const double transfer_s = plan.is("healthy") ? 0.8 * row.mpi_s : std::min(4.5, row.mpi_s);
    row.wait_s = row.mpi_s - transfer_s;
    row.caused_wait_s = plan.is_slow(rank) ? 190 + 40 * noise(rank, 5) : 2 + noise(rank, 5);
    row.cpu = fmt::format("{}", rank % plan.per_node);
    row.numa_node = rank % plan.per_node / 2;
    row.cpus_allowed = 1;
    row.migrations = rank % 7 == 0 ? 3 : 0;
    row.minor_faults = 410'000 + rank % 13;
    row.major_faults = 0;
    row.voluntary_switches = 900 + rank % 31;
    row.involuntary_switches = plan.is_slow(rank) ? 5200 : 140;
    row.init_memory_bytes = 68U << 20U;
    row.shared_memory_bytes = 41U << 20U;
    const double clock = (plan.is_slow(rank) ? 1.98 : 2.87) * (1 + 0.01 * noise(rank, 6));
    const double cycles = clock * 1e9 * row.wallclock_s;
    const double instructions =
        cycles * 1.62 * (plan.is_slow(rank) ? 1.42 : 1) * (1 + 0.01 * noise(rank, 7));
    row.counters = {instructions, cycles, 3.4e8 * (1 + 0.06 * noise(rank, 8)),
                    3.16e10 * (1 + 0.02 * noise(rank, 9))};
    row.metrics = {instructions / cycles, clock, row.counters[3] / row.wallclock_s / 1e9};
}

void stop_rank(const Plan &plan, RankRow &row)
{
    row.complete = false;
    row.end = "none";
    row.user_s.reset();
    row.system_s.reset();
    row.memory_bytes.reset();
    row.in_call_since_s = 21.5 + 0.01 * row.rank;
    row.in_call = row.rank == 2 ? "MPI_Recv" : "MPI_Allreduce";
    row.in_call_place = row.rank == 2 ? "exchange.c:96" : "cg.c:211";
    if (row.rank == 2)
        row.in_call_peer = 5;
    if (row.rank == plan.ranks / 2)
        row.in_call.reset();
}

void add_ranks(const Plan &plan, Report &report)
{
    for (uint32_t rank = 0; rank < plan.ranks; rank++) {
        if (plan.is_missing(rank))
            continue;
        RankRow row;
        row.rank = rank;
        fill_rank(plan, row);
        if (plan.is("killed"))
            stop_rank(plan, row);
        report.ranks.push_back(row);
    }
}

SummaryRow summary_row(const Report &report, const char *name, double RankRow::*figure)
{
    SummaryRow row;
    row.name = name;
    row.min = HUGE_VAL;
    double sum = 0;
    for (const RankRow &rank : report.ranks) {
        const double value = rank.*figure;
        sum += value;
        if (value < row.min)
            row.min_rank = rank.rank;
        if (value > row.max)
            row.max_rank = rank.rank;
        row.min = std::min(row.min, value);
        row.max = std::max(row.max, value);
    }
    row.total = sum;
    row.mean = sum / static_cast<double>(report.ranks.size());
    row.share = sum / report.totals.wallclock_s;
    return row;
}

void add_totals(Report &report)
{
    Totals &totals = report.totals;
    double max_compute_s = 0;
    for (const RankRow &row : report.ranks) {
        totals.wallclock_s += row.wallclock_s;
        totals.mpi_s += row.mpi_s;
        totals.compute_s += row.compute_s;
        totals.calls += row.calls;
        totals.sent_bytes += row.sent_bytes;
        totals.memory_bytes += row.memory_bytes.value_or(0);
        if (row.wait_s)
            totals.wait_s = totals.wait_s.value_or(0) + *row.wait_s;
        max_compute_s = std::max(max_compute_s, row.compute_s);
    }
    totals.user_s = totals.wallclock_s * 0.98;
    totals.system_s = totals.wallclock_s * 0.01;
    totals.comm_percent = 100 * totals.mpi_s / totals.wallclock_s;
    totals.load_balance =
        totals.compute_s / static_cast<double>(report.ranks.size()) / max_compute_s;
    totals.communication_efficiency = max_compute_s / report.run.wallclock_s;
    totals.parallel_efficiency = totals.load_balance * totals.communication_efficiency;
    report.summary = {summary_row(report, "wallclock", &RankRow::wallclock_s),
                      summary_row(report, "compute", &RankRow::compute_s),
                      summary_row(report, "MPI", &RankRow::mpi_s)};
}

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
            row.kind = "call";
            row.precision = "exact";
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
    std::map<int64_t, DistanceRow> distances;
    for (const MatrixCell &cell : report.matrix) {
        DistanceRow &row = distances[int64_t{cell.destination} - int64_t{cell.source}];
        row.distance = int64_t{cell.destination} - int64_t{cell.source};
        row.pairs++;
        row.messages += cell.messages;
        row.bytes += cell.bytes;
        row.time_s += cell.time_s;
    }
    if (!plan.has_details())
        return;
    for (const auto &[distance, row] : distances)
        report.distances.push_back(row);
    std::stable_sort(report.distances.begin(), report.distances.end(),
                     [](const auto &a, const auto &b) { return a.bytes > b.bytes; });
}

void add_nodes(const Plan &plan, Report &report)
{
    for (const RankRow &rank : report.ranks) {
        const uint32_t number = rank.rank / plan.per_node;
        if (report.nodes.empty() || report.nodes.back().first_rank / plan.per_node != number) {
            NodeRow row;
            row.host = rank.host;
            row.first_rank = rank.rank;
            row.facts = {{"CPU", "AMD EPYC 7763"}, {"cores", "128"}, {"NUMA nodes", "8"}};
            report.nodes.push_back(row);
        }
        NodeRow &row = report.nodes.back();
        row.ranks++;
        row.compute_s += rank.compute_s;
        row.mpi_s += rank.mpi_s;
        row.wait_s = row.wait_s.value_or(0) + rank.wait_s.value_or(0);
        row.memory_bytes += rank.memory_bytes.value_or(0);
    }
    for (NodeRow &row : report.nodes) {
        const auto ranks = static_cast<double>(row.ranks);
        row.compute_s /= ranks;
        row.mpi_s /= ranks;
        *row.wait_s /= ranks;
    }
    std::map<std::pair<uint32_t, uint32_t>, NodePair> pairs;
    for (const MatrixCell &cell : report.matrix) {
        const uint32_t from = cell.source / plan.per_node, to = cell.destination / plan.per_node;
        if (from >= report.nodes.size() || to >= report.nodes.size())
            continue;
        NodePair &pair = pairs[{from, to}];
        pair.source = from;
        pair.destination = to;
        pair.messages += cell.messages;
        pair.bytes += cell.bytes;
        NodeRow &node = report.nodes[from];
        (from == to ? node.inside_bytes : node.outside_bytes) += cell.bytes;
        (from == to ? node.inside_messages : node.outside_messages) += cell.messages;
    }
    for (const auto &[key, pair] : pairs)
        report.node_pairs.push_back(pair);
}

Frame frame(const Plan &plan, const char *file, uint32_t line, const char *symbol)
{
    Frame result;
    result.file = fmt::format("/home/user/cg/src/{}", file);
    result.symbol = symbol;
    result.module = "/home/user/cg/bin/cg.D.x";
    result.line = line;
    result.offset = 0x4f00 + line * 16;
    if (plan.is("hostile"))
        result.symbol = "operator<</script><script>alert(2)</script>(std::ostream&)";
    if (plan.is("long names"))
        result.symbol =
            "std::vector<std::pair<std::string, std::map<int, solver::conjugate_gradient"
            "<double, preconditioner::schwarz<3>>>>>::emplace_back";
    return result;
}

struct Site {
    const char *function, *file;
    uint32_t line;
    const char *symbol;
    double share, wait, calls;
    uint64_t size;
    const char *region, *communicator;
};

const std::vector<Site> &sites()
{
    static const std::vector<Site> list = {
        {"MPI_Allreduce", "cg.c", 211, "conj_grad", 0.331, 0.90, 76'000, 8, "solve/dot",
         "MPI_COMM_WORLD"},
        {"MPI_Waitall", "cg.c", 187, "halo_exchange", 0.201, 0.77, 70'000, 0, "solve/spmv",
         "cart 2-D"},
        {"MPI_Allreduce", "cg.c", 233, "conj_grad", 0.155, 0.86, 65'000, 8, "solve/dot",
         "MPI_COMM_WORLD"},
        {"MPI_Allgather", "precond.c", 96, "apply_schwarz", 0.067, 0.56, 2600, 3072,
         "solve/precond", "row (split of MPI_COMM_WORLD)"},
        {"MPI_Alltoallv", "transpose.c", 52, "transpose_grid", 0.060, 0.43, 1300, 1434,
         "solve/spmv", "row (split of MPI_COMM_WORLD)"},
        {"MPI_Allreduce", "cg.c", 260, "residual_norm", 0.048, 0.70, 10'640, 1024, "solve/dot",
         "MPI_COMM_WORLD"},
        {"MPI_Send", "exchange.c", 88, "pack_send", 0.033, 0.476, 7600, 65'536, "solve/precond",
         "cart 2-D"},
        {"MPI_Barrier", "main.c", 140, "main", 0.020, 0.97, 45, 0, "io/checkpoint",
         "MPI_COMM_WORLD"},
        {"MPI_Recv", "exchange.c", 96, "unpack", 0.015, 0.60, 7600, 65'536, "solve/precond",
         "cart 2-D"},
        {"MPI_Isend", "cg.c", 171, "halo_exchange", 0.012, 0, 152'000, 25'600, "solve/spmv",
         "cart 2-D"},
        {"MPI_Bcast", "exec.c", 77, "read_input", 0.010, 0.5, 12, 2'097'152, "setup",
         "MPI_COMM_WORLD"},
    };
    return list;
}

Spread spread_of(const Plan &plan, double mean_s, uint64_t ranks)
{
    Spread spread;
    spread.ranks = ranks;
    spread.mean_s = mean_s;
    spread.min_s = mean_s * 0.3;
    spread.max_s = mean_s * 1.17;
    spread.variation = 0.21;
    spread.min_rank = std::min(plan.ranks - 1, 12U);
    spread.max_rank = std::min(plan.ranks - 1, 49U);
    return spread;
}

CallsiteRow callsite(const Plan &plan, const Report &report, const Site &site)
{
    const auto ranks = static_cast<double>(report.ranks.size());
    CallsiteRow row;
    row.function = site.function;
    row.site = frame(plan, site.file, site.line, site.symbol);
    row.path = {row.site, frame(plan, "solver.c", 88, "solve"), frame(plan, "main.c", 120, "main")};
    row.path[1].inlined = true;
    row.path_cut = site.line % 2 == 0;
    row.calls = static_cast<uint64_t>(site.calls * ranks);
    row.bytes = row.calls * site.size;
    row.time_s = site.share * report.totals.mpi_s;
    row.spread = spread_of(plan, row.time_s / ranks, report.ranks.size());
    row.mpi_percent = 100 * site.share;
    row.wait_s = row.time_s * site.wait;
    if (site.size > 0)
        row.size = site.size;
    row.region = site.region;
    row.communicator = site.communicator;
    if (row.function == "MPI_Isend") {
        row.completions = row.calls;
        row.completion_s = 0.08 * report.totals.mpi_s;
        row.span_s = 0.5 * report.totals.wallclock_s;
        row.overlapped_s = 0.62 * row.span_s;
        row.top_partner = 8;
        row.top_partner_s = 21;
    }
    if (row.function == "MPI_Allreduce") {
        row.last_rank = row.spread.min_rank;
        row.last_percent = 88;
        row.caused_wait_s = 0.4 * *row.wait_s;
    }
    return row;
}

void add_code(const Plan &plan, Report &report)
{
    for (const Site &site : sites())
        report.callsites.push_back(callsite(plan, report, site));
    if (plan.is("many callsites"))
        for (uint32_t i = 0; i < 290; i++) {
            Site site = sites()[i % sites().size()];
            site.line = 300 + i;
            site.share = 0.0001 / (1 + i);
            report.callsites.push_back(callsite(plan, report, site));
        }
    const auto ranks = static_cast<double>(report.ranks.size());
    for (size_t i = 0; i + 1 < sites().size(); i++) {
        SegmentRow row;
        row.from_function = sites()[i].function;
        row.to_function = sites()[i + 1].function;
        row.from = frame(plan, sites()[i].file, sites()[i].line, sites()[i].symbol);
        row.to = frame(plan, sites()[i + 1].file, sites()[i + 1].line, sites()[i + 1].symbol);
        row.count = report.callsites[i].calls;
        row.time_s = report.totals.compute_s / static_cast<double>(2U << i);
        row.spread = spread_of(plan, row.time_s / ranks, report.ranks.size());
        if (i == 0)
            row.spread.max_s = row.spread.mean_s * plan.slow_factor;
        report.segments.push_back(row);
    }
}

void add_regions(const Plan &plan, Report &report)
{
    struct Region {
        const char *path;
        double time, mpi, wait, balance;
        uint64_t visits;
    };
    static const std::vector<Region> regions = {
        {"", 1, 0.38, 0.75, 0.68, 1},
        {"setup", 0.04, 0.31, 0.4, 0.93, 1},
        {"solve", 0.92, 0.39, 0.78, 0.68, 1},
        {"solve/spmv", 0.51, 0.25, 0.7, 0.71, 75},
        {"solve/dot", 0.28, 0.60, 0.87, 0.66, 1950},
        {"solve/precond", 0.16, 0.41, 0.5, 0.65, 75},
        {"io", 0.03, 0.24, 0.6, 0.97, 1},
        {"io/checkpoint", 0.03, 0.22, 0.97, 0.95, 4},
    };
    for (const Region &region : regions) {
        RegionRow row;
        row.path = region.path;
        if (plan.is("hostile") && row.path == "setup")
            row.path = "<svg/onload=alert(3)> \xd7\xa2\xd6\xb4\xd7\x91\xd7\xa8\xd7\x99\xd7\xaa "
                       "\xe2\x80\xae{{data}}";
        row.ranks = report.ranks.size();
        row.visits = region.visits * row.ranks;
        row.time_s = region.time * report.totals.wallclock_s;
        row.inclusive.mpi_s = region.mpi * row.time_s;
        row.inclusive.wait_s = region.wait * row.inclusive.mpi_s;
        row.inclusive.calls = region.visits * row.ranks * 700;
        row.exclusive = row.inclusive;
        row.compute_s = row.time_s - row.inclusive.mpi_s;
        row.load_balance = region.balance;
        row.max_rank = std::min(plan.ranks - 1, 12U);
        report.regions.push_back(row);
    }
}

void add_communicators(const Plan &plan, Report &report)
{
    struct Communicator {
        const char *name, *kind, *made_by, *made_at;
        uint32_t size;
        double share, wait;
    };
    const std::vector<Communicator> list = {
        {"MPI_COMM_WORLD", "intra", "", "", plan.ranks, 0.54, 0.88},
        {"row (split of MPI_COMM_WORLD)", "intra", "MPI_Comm_split", "setup.c:44", plan.side, 0.15,
         0.5},
        {"cart 2-D", "cartesian", "MPI_Cart_create", "setup.c:51", plan.ranks, 0.28, 0.72},
        {"io (leaders)", "intra", "MPI_Comm_split", "io.c:31", std::max(plan.ranks / 4, 1U), 0.01,
         0.4},
    };
    for (const Communicator &communicator : list) {
        CommunicatorRow row;
        row.name = communicator.name;
        row.kind = communicator.kind;
        row.made_by = communicator.made_by;
        row.made_at = communicator.made_at;
        row.size = communicator.size;
        row.ranks = communicator.size;
        row.created = 1;
        row.calls = 1000;
        row.time_s = communicator.share * report.totals.mpi_s;
        row.wait_s = communicator.wait * row.time_s;
        report.communicators.push_back(row);
    }
}

template <class Row>
void summarise(const Report &report, Row &row, const std::vector<double> RankRow::*values, size_t i)
{
    double sum = 0;
    row.min = HUGE_VAL;
    for (const RankRow &rank : report.ranks) {
        const double value = (rank.*values)[i];
        sum += value;
        if (value < row.min)
            row.min_rank = rank.rank;
        if (value > row.max)
            row.max_rank = rank.rank;
        row.min = std::min(row.min, value);
        row.max = std::max(row.max, value);
    }
    row.mean = sum / static_cast<double>(report.ranks.size());
}

void add_counters(Report &report)
{
    for (const char *name : {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L3_TCM", "PAPI_DP_OPS"}) {
        CounterRow row;
        row.name = name;
        row.source = "PAPI";
        summarise(report, row, &RankRow::counters, report.counters.size());
        row.total = row.mean * static_cast<double>(report.ranks.size());
        row.in_mpi = row.total * 0.21;
        row.outside_mpi = row.total * 0.79;
        report.counters.push_back(row);
    }
    const std::vector<std::vector<std::string>> metrics = {
        {"Instructions per cycle", "", "PAPI_TOT_INS / PAPI_TOT_CYC"},
        {"Clock", "GHz", "PAPI_TOT_CYC / time"},
        {"Floating point", "GFLOP/s", "PAPI_DP_OPS / time"}};
    for (const auto &metric : metrics) {
        MetricRow row;
        row.name = metric[0];
        row.unit = metric[1];
        row.formula = metric[2];
        summarise(report, row, &RankRow::metrics, report.metrics.size());
        row.value = row.mean;
        report.metrics.push_back(row);
    }
}

void add_causes(const Plan &plan, Report &report)
{
    for (const RankRow &rank : report.ranks) {
        if (!plan.is_slow(rank.rank) || report.causes.size() >= 8)
            continue;
        CauseRow row;
        row.rank = rank.rank;
        row.host = rank.host;
        row.caused_wait_s = *rank.caused_wait_s;
        row.last_percent = 88.0 / (1 + static_cast<double>(report.causes.size()) * 3);
        row.compute_s = rank.compute_s;
        row.over_mean =
            rank.compute_s / (report.totals.compute_s / static_cast<double>(report.ranks.size()));
        row.place = "cg.c:211";
        row.segment = "cg.c:187 to cg.c:211";
        row.reason = "clock 31% below the others'";
        report.causes.push_back(row);
    }
}

void add_transfers(Report &report)
{
    for (const char *locality : {"same node", "other node"}) {
        const bool near = locality == std::string("same node");
        for (unsigned power = 3; power <= 21; power += 2) {
            TransferRow row;
            row.locality = locality;
            row.low_bytes = 1ULL << power;
            row.high_bytes = (1ULL << (power + 2)) - 1;
            row.messages = 100'000 >> (power / 4);
            row.possible_s =
                (near ? 4e-7 : 1.6e-6) + static_cast<double>(row.low_bytes) / (near ? 1.1e10 : 9e9);
            row.observed_s = row.possible_s * (near ? 1.4 : 2.6);
            row.source = power < 12 ? "baseline" : "best case of the run";
            report.transfers.push_back(row);
        }
    }
}

void add_run(const Plan &plan, Report &report)
{
    RunFacts &run = report.run;
    run.command =
        plan.is("hostile")
            ? "./a\"b'</script><script>document.title='owned'</script>\x1b[31m --x={{data}}"
            : fmt::format("./bin/cg.D.x --grid {0}x{0} --tol 1e-10", plan.side);
    if (plan.is("long names"))
        run.command += " --input /" + std::string(400, 'x');
    run.start_text = "Thu Nov 19 14:02:11 2026";
    run.stop_text = "Thu Nov 19 14:03:00 2026";
    run.start = "2026-11-19T14:02:11.000Z";
    run.stop = "2026-11-19T14:02:59.610Z";
    run.host = host_name(plan, 0);
    run.mpi_library = "Open MPI v5.0.6";
    run.mpi_abi = "openmpi";
    run.run_id = "1122334455667788";
    run.wallclock_s = plan.wall_s;
    run.ranks = plan.ranks;
    run.nodes = (plan.ranks + plan.per_node - 1) / plan.per_node;
    run.complete = !plan.is("killed") && !plan.is("missing ranks");
    run.end = plan.is("killed") ? "killed or still running" : "completed";
    run.texts = {{"command", run.command},
                 {"executable", "/home/user/cg/bin/cg.D.x"},
                 {"working_directory", "/scratch/user/run7"},
                 {"job", "8812374"},
                 {"environment.OMP_NUM_THREADS", "1"},
                 {"environment.SLURM_NTASKS", fmt::format("{}", plan.ranks)}};
}

void add_quality(const Plan &plan, Report &report)
{
    Quality &quality = report.quality;
    quality.ranks_expected = plan.ranks;
    quality.ranks_read = report.ranks.size();
    quality.ranks_finished = plan.is("killed") ? 0 : report.ranks.size();
    for (uint32_t rank = 0; rank < plan.ranks; rank++) {
        if (!plan.is_missing(rank))
            continue;
        if (!quality.missing.empty() && quality.missing.back().last + 1 == rank)
            quality.missing.back().last = rank;
        else
            quality.missing.push_back({rank, rank});
    }
    quality.overhead_percent = 0.41;
    quality.overhead_s = 0.0041 * report.totals.wallclock_s;
    quality.clock_resolution_s = 2.1e-8;
    quality.remarks = {fmt::format("{} of {} ranks read.", quality.ranks_read, plan.ranks)};
    if (!plan.has_details())
        return;
    quality.collectives = 160'000ULL * plan.ranks;
    quality.collectives_kept = 40'000ULL * plan.ranks;
    quality.wait_source = "collectives: per instance, duration beyond the fastest rank's; point to "
                          "point: beyond what a message costs";
}

VerdictCard card(const char *title, std::string value, const char *note, const char *state,
                 std::optional<double> share = std::nullopt, std::vector<double> limits = {})
{
    VerdictCard result;
    result.title = title;
    result.value = std::move(value);
    result.note = note;
    result.state = state;
    result.share = share;
    result.limits = std::move(limits);
    return result;
}

void add_verdict(const Plan &plan, Report &report)
{
    Verdict &verdict = report.verdict;
    if (plan.is("healthy") || plan.is("no MPI time")) {
        verdict.class_name = "compute bound";
        verdict.headline = "COMPUTE BOUND. MPI is not the bottleneck: 6% of the run, evenly "
                           "spread over the ranks.";
        verdict.why = "94% of the time is your own code. The slowest rank computes 3% longer than "
                      "the average.";
        verdict.gain = "A run without any MPI cost would end 2.9 s earlier (-6%).";
        verdict.next = {{"Profile the compute part",
                         "a CPU profiler shows where it spends its time", "medium"}};
    } else {
        verdict.class_name = "load-imbalance bound";
        verdict.headline =
            "LOAD-IMBALANCE BOUND. 38% of the run is MPI, and 75% of that is waiting "
            "for slower ranks.";
        verdict.why =
            "The 4 ranks on node03 compute 1.46x as long as everyone else; rank 12 is the "
            "slowest. The waiting surfaces mostly in MPI_Allreduce (8 B) at cg.c:211, "
            "which alone holds 33% of all MPI time.";
        verdict.gain = "Perfect balance would end the run up to 13.9 s earlier (-29%).";
        verdict.gain_s = 13.9;
        verdict.next = {
            {"Take node03 out, or check its clock and thermal state",
             "its cores ran at 1.98 GHz against 2.87 GHz elsewhere, while instructions per rank "
             "differ by less than 2%. The node is slow; the work is not uneven.",
             "high"},
            {"Merge the two 8-byte reductions at cg.c:211 and cg.c:233",
             "141 k calls per rank carry 8 bytes each. One 16-byte MPI_Allreduce halves the number "
             "of synchronisation points.",
             "medium"},
            {"Place row neighbours on the same node",
             "65% of point-to-point bytes cross nodes. Mapping 2 x 2 blocks per node keeps more of "
             "the halo local.",
             "low"}};
    }
    if (plan.is("killed")) {
        StandingRow others;
        others.state = "in call";
        others.function = "MPI_Allreduce";
        others.place = "cg.c:211";
        others.communicator = "MPI_COMM_WORLD";
        others.where = {{0, 1}, {3, plan.ranks - 1}};
        others.ranks = plan.ranks - 1;
        others.longest_s = 312;
        StandingRow one = others;
        one.function = "MPI_Recv";
        one.place = "exchange.c:96";
        one.where = {{2, 2}};
        one.ranks = 1;
        report.standing.rows = {others, one};
        report.standing.headline = "All other ranks wait for rank 2.";
    }
    if (!report.run.complete)
        verdict.extra = {"INCOMPLETE PROFILE: what is said here holds for the ranks that were read "
                         "and up to where they got."};
    const double share = report.totals.comm_percent / 100;
    verdict.cards = {
        card("MPI share", fmt::format("{:.0f}%", 100 * share), "of wallclock, average over ranks",
             share > 0.25 ? "problem" : "good", share, {0.1, 0.25}),
        card("Load balance", fmt::format("{:.0f}%", 100 * report.totals.load_balance),
             "average / slowest compute time",
             report.totals.load_balance < 0.7 ? "problem" : "good", report.totals.load_balance,
             {0.7, 0.85}),
        card("Comm. efficiency", "91%", "slowest compute time / wallclock", "good", 0.91,
             {0.7, 0.85}),
        card("Slowest rank", "12", "computes 44.1 s, average 30.2 s", "problem"),
        card("Top call site", "cg.c:211", "MPI_Allreduce, 8 B: 33% of MPI time", "problem"),
        card("Profile quality", report.run.complete ? "Complete" : "Incomplete",
             "ranks read, overhead 0.4%", report.run.complete ? "good" : "watch")};
    verdict.cards[3].detail = host_name(plan, std::min(plan.ranks - 1, 12U));
}

}  // namespace

const std::vector<std::string> &sample_variants()
{
    static const std::vector<std::string> variants = {
        "slow node", "healthy", "bare",       "no messages",    "no MPI time", "missing ranks",
        "killed",    "hostile", "long names", "many callsites", "dense"};
    return variants;
}

Report sample_report(uint32_t ranks, const std::string &variant)
{
    const Plan plan = make_plan(ranks, variant);
    Report report;
    report.version = "0.1.0";
    add_run(plan, report);
    add_ranks(plan, report);
    add_totals(report);
    add_functions(plan, report);
    add_messages(report);
    if (!plan.is("no messages") && ranks > 1)
        add_partners(plan, report);
    add_communicators(plan, report);
    if (plan.has_details()) {
        add_nodes(plan, report);
        add_code(plan, report);
        add_regions(plan, report);
        add_counters(report);
        add_causes(plan, report);
        add_transfers(report);
    }
    add_quality(plan, report);
    add_verdict(plan, report);
    return report;
}

}  // namespace mprof_test
