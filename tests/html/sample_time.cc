// The sample's run over time: a set-up in which all wait for rank 0, three solver phases in which
// one rank becomes slower and one node has to share its CPUs for a while, and output.
#include "sample_parts.h"

#include "report/time_window.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof_test {

using namespace mprof;

namespace {

constexpr size_t bins = 512;
constexpr uint32_t single_rows = 2048, most_rows = 128;  // as the analysis has them
constexpr double bin_s = 0.095, step_s = 0.061, growth = 0.5;

struct Part {
    const char *name;
    PhaseSource source;
    double from_s, to_s;
    Judgement state;
    const char *place, *function, *headline;
};

const std::vector<Part> &parts()
{
    static const std::vector<Part> list = {
        {"start-up", PhaseSource::start_up, 0, 1, Judgement::good, "", "MPI_Init",
         "MPI_Init, the same on every rank."},
        {"set-up", PhaseSource::region, 1, 8.2, Judgement::problem, "setup.c:118", "MPI_Allreduce",
         "63 ranks wait 4.27 s in MPI_Allreduce at setup.c:118 for rank 0, which reads the "
         "matrix."},
        {"solve 1", PhaseSource::region, 8.2, 19.6, Judgement::good, "cg.c:211", "MPI_Allreduce",
         "Compute bound, well balanced."},
        {"rebuild 1", PhaseSource::call_site, 19.6, 20.2, Judgement::good, "partition.c:64",
         "MPI_Alltoallv", "MPI_Alltoallv moves data at the speed of the link."},
        {"solve 2", PhaseSource::region, 20.2, 31.3, Judgement::watch, "cg.c:211", "MPI_Allreduce",
         "A rank slows down. From 24.0 to 26.6 s a node gets only 64% of its CPUs."},
        {"rebuild 2", PhaseSource::call_site, 31.3, 31.9, Judgement::good, "partition.c:64",
         "MPI_Alltoallv", "MPI_Alltoallv moves data at the speed of the link."},
        {"solve 3", PhaseSource::region, 31.9, 44.9, Judgement::problem, "cg.c:211",
         "MPI_Allreduce", "All wait for one rank in MPI_Allreduce at cg.c:211."},
        {"output", PhaseSource::output, 44.9, 48.61, Judgement::watch, "io.c:43",
         "MPI_File_write_at_all", "MPI_File_write_at_all at io.c:43 writes at 2.6 GiB/s."},
    };
    return list;
}

const Part &part_at(double at_s)
{
    for (const Part &part : parts())
        if (at_s < part.to_s)
            return part;
    return parts().back();
}

uint32_t slow_rank(const Plan &plan)
{
    return static_cast<uint32_t>(uint64_t{plan.ranks} * 37 / 64);
}

// How much longer the slow rank computes.
double slowness(const Plan &plan, double at_s)
{
    return plan.is("healthy") || plan.ranks < 2
               ? 1
               : 1 + growth * std::clamp((at_s - 8.2) / 36.7, 0.0, 1.0);
}

bool is_contended(double at_s)
{
    return at_s >= 24 && at_s < 26.6;
}

TimeSplit set_up_split(const Plan &plan, uint32_t rank, double at_s)
{
    if (at_s < 2.3)
        return {.compute_s = 0.95, .transfer_s = 0.05};
    if (at_s > 6.7)
        return {.compute_s = 0.3, .wait_s = 0.1, .transfer_s = 0.6};
    if (rank == 0 || plan.ranks == 1)
        return {.compute_s = 0.35, .blocked_s = 0.65};
    return {.compute_s = 0.03, .wait_s = 0.97};
}

TimeSplit solve_split(const Plan &plan, uint32_t rank, double at_s, double wobble)
{
    constexpr double transfer = 0.08;
    if (plan.is_slow(rank) && is_contended(at_s))
        return {.compute_s = 0.55, .contention_s = 0.36, .wait_s = 0.01, .transfer_s = transfer};
    double longest = slowness(plan, at_s);
    if (is_contended(at_s) && plan.is_slow(plan.per_node * plan.slow_node))
        longest = std::max(longest, 1.45);
    const double own = rank == slow_rank(plan) ? slowness(plan, at_s) : 0.95 + 0.05 * wobble;
    const double compute = std::min((1 - transfer) * own / longest, 1 - transfer);
    return {.compute_s = compute, .wait_s = 1 - transfer - compute, .transfer_s = transfer};
}

// As shares of the time around a moment.
TimeSplit split_at(const Plan &plan, uint32_t rank, double at_s, double wobble)
{
    const std::string name = part_at(at_s).name;
    if (name == "start-up")
        return {.compute_s = 0.09, .startup_s = 0.91};
    if (name == "set-up")
        return set_up_split(plan, rank, at_s);
    if (name == "output")
        return {.compute_s = 0.04, .wait_s = 0.03, .file_s = 0.93};
    if (name.starts_with("rebuild"))
        return {.compute_s = 0.22, .wait_s = 0.08, .transfer_s = 0.7};
    return solve_split(plan, rank, at_s, wobble);
}

void add_scaled(TimeSplit &sum, const TimeSplit &split, double factor)
{
    sum.compute_s += factor * split.compute_s;
    sum.contention_s += factor * split.contention_s;
    sum.blocked_s += factor * split.blocked_s;
    sum.wait_s += factor * split.wait_s;
    sum.transfer_s += factor * split.transfer_s;
    sum.file_s += factor * split.file_s;
    sum.startup_s += factor * split.startup_s;
}

void add_call_line(const std::string &place, const std::string &function, double time_s,
                   Report &report)
{
    CallLineRow row;
    row.place = place;
    row.function = function;
    row.has_line = true;
    row.paths = 1;
    row.calls = 4000;
    row.time_s = time_s;
    report.call_lines.push_back(row);
}

// The calls that phases are named after, and one that solvers have besides.
void add_call_lines(Report &report)
{
    add_call_line("cg.c:187", "MPI_Waitall", 310, report);
    for (const Part &part : parts()) {
        const bool is_new =
            std::none_of(report.call_lines.begin(), report.call_lines.end(),
                         [&](const CallLineRow &row) { return row.place == part.place; });
        if (is_new && part.place[0] != '\0')
            add_call_line(part.place, part.function, 40 * (part.to_s - part.from_s), report);
    }
}

// The row of the call line that takes most of a bin, + 1.
uint32_t call_line(const Report &report, double at_s, double wobble)
{
    const Part &part = part_at(at_s);
    if (std::string(part.name).starts_with("solve") && wobble > 0.4)
        return 1;
    for (uint32_t i = 0; i < report.call_lines.size(); i++)
        if (report.call_lines[i].place == part.place)
            return i + 1;
    return 0;
}

bool stands_out(const Plan &plan, uint32_t rank)
{
    return !plan.is("healthy") && plan.ranks > 1 && (rank == slow_rank(plan) || rank == 0);
}

TimeRow row_of(const Plan &plan, uint32_t first, uint32_t count, const Report &report)
{
    TimeRow row;
    row.first_rank = first;
    row.ranks = count;
    uint32_t shown = first;
    for (uint32_t rank = first; count > 1 && rank < first + count; rank++)
        if (stands_out(plan, rank)) {
            shown = rank;
            row.outlier = rank;
        }
    const double wobbles = count > 1 && !row.outlier ? 0.2 : 1;
    for (size_t bin = 0; bin < bins; bin++) {
        const double at_s = (static_cast<double>(bin) + 0.5) * bin_s;
        const double inside = std::clamp(plan.wall_s / bin_s - static_cast<double>(bin), 0.0, 1.0);
        const double wobble = wobbles * noise(shown, 1000 + static_cast<uint32_t>(bin));
        TimeSplit split;
        add_scaled(split, split_at(plan, shown, at_s, wobble), bin_s * inside);
        row.bins.push_back(split);
        if (count == 1 || row.outlier)
            row.call_lines.push_back(call_line(report, at_s, wobble));
    }
    return row;
}

void add_mean(TimeLine &time)
{
    for (size_t bin = 0; bin < bins; bin++) {
        TimeBin mean;
        mean.begin_s = static_cast<double>(bin) * bin_s;
        for (const TimeRow &row : time.rows)
            add_scaled(mean.split, row.bins[bin], 1.0 / static_cast<double>(time.rows.size()));
        mean.calls = 1500 * (mean.split.mpi_s() / bin_s);
        mean.bytes = 2.6e7 * (mean.split.transfer_s / bin_s);
        mean.written_bytes = 2.4e7 * (mean.split.file_s / bin_s);
        time.bins.push_back(mean);
    }
}

void add_phases(const Plan &plan, TimeLine &time)
{
    for (const Part &part : parts()) {
        PhaseRow row;
        row.name = part.name;
        row.source = part.source;
        row.from_s = part.from_s;
        row.to_s = part.to_s;
        row.wallclock_share = (part.to_s - part.from_s) / plan.wall_s;
        for (const TimeBin &bin : time.bins) {
            const double inside =
                std::min(bin.begin_s + bin_s, part.to_s) - std::max(bin.begin_s, part.from_s);
            add_scaled(row.split, bin.split, std::max(inside, 0.0) / bin_s);
        }
        row.mpi_percent = 100 * row.split.mpi_s() / row.split.all_s();
        row.wait_s = row.split.wait_s;
        const bool is_healthy = plan.is("healthy") || plan.ranks < 2;
        if (!is_healthy && row.name.starts_with("solve")) {
            row.slowest_rank = slow_rank(plan);
            row.slowest_over = slowness(plan, (part.from_s + part.to_s) / 2) / 0.95;
        } else if (!is_healthy && row.name == "set-up") {
            row.slowest_rank = 0;
            row.slowest_over = 1.9;
        }
        row.place = part.place;
        row.function = part.function;
        row.state = is_healthy ? Judgement::good : part.state;
        row.headline = is_healthy ? "Nothing stands out." : part.headline;
        if (plan.is("hostile"))
            row.name = "<b>" + row.name + "</b>";
        if (plan.is("long names"))
            row.name += " of a region that has a long and winding name";
        time.phases.push_back(row);
    }
}

void add_steps(const Plan &plan, TimeLine &time)
{
    StepFacts steps;
    steps.steps = 570;
    steps.place = "cg.c:211";
    steps.first_s = step_s;
    steps.last_s = step_s * slowness(plan, 44.9);
    steps.mean_s = (steps.first_s + steps.last_s) / 2;
    for (const TimeBin &bin : time.bins) {
        const bool solves = std::string(part_at(bin.begin_s).name).starts_with("solve");
        const double wobble = 1 + 0.01 * noise(3, static_cast<uint32_t>(bin.begin_s * 100));
        const double at = slowness(plan, bin.begin_s) * wobble;
        steps.duration_s.push_back(solves ? step_s * at : 0);
    }
    time.steps = steps;
}

// As the analysis makes them: the nodes of groups that show an outlier, and slow ranks.
void add_details(const Plan &plan, Report &report)
{
    TimeLine &time = report.time;
    if (plan.ranks <= most_rows)
        return;
    for (const TimeRow &group : grouped_rows(time, most_rows)) {
        const auto end = group.first_rank + static_cast<uint32_t>(group.ranks);
        for (uint32_t first = group.first_rank; group.outlier && first < end;) {
            const uint32_t behind = std::min(end, (first / plan.per_node + 1) * plan.per_node);
            TimeDetail node{row_of(plan, first, 1, report), host_name(plan, first)};
            node.ranks = behind - first;
            node.call_lines.clear();
            if (behind - first > 1 && group.ranks <= size_t{8} * plan.per_node)
                time.details.push_back(std::move(node));
            first = behind;
        }
    }
    const uint32_t slow = slow_rank(plan);
    for (uint32_t rank = slow; rank < std::min(slow + 64, plan.ranks); rank++)
        time.details.push_back({row_of(plan, rank, 1, report), host_name(plan, rank)});
}

}  // namespace

void add_time(const Plan &plan, Report &report)
{
    TimeLine &time = report.time;
    time.known = true;
    time.bin_s = bin_s;
    add_call_lines(report);
    const uint32_t together =
        plan.ranks <= single_rows ? 1 : (plan.ranks + most_rows - 1) / most_rows;
    for (uint32_t first = 0; first < plan.ranks; first += together)
        time.rows.push_back(row_of(plan, first, std::min(together, plan.ranks - first), report));
    add_details(plan, report);
    add_mean(time);
    add_phases(plan, time);
    add_steps(plan, time);
    time.clock_residual_s = 14e-6;
    if (plan.is("healthy") || plan.ranks < 2)
        return;
    time.headline = fmt::format("Set-up costs 7.20 s, and 4.27 s of that is one MPI_Allreduce "
                                "(setup.c:118), in which {} ranks wait for rank 0.",
                                plan.ranks - 1);
    time.drift = fmt::format("Rank {} gets slower: a step takes 61 ms at first and 92 ms at the "
                             "end.",
                             slow_rank(plan));
}

}  // namespace mprof_test
