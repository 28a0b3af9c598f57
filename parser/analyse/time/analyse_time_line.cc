// The run over time: ranks' bins on one axis, their mean, a row per rank or group, and exact rows
// of those that people ask for.
#include "analyse/analysis_parts.h"
#include "analyse/time/gather_times.h"
#include "analyse/time/time_phases.h"
#include "measure/for_all_ranks.h"
#include "report/report.h"
#include "report/time_window.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace mprof {
namespace {

// Of a hundred thousand ranks most are alike. Exact rows are kept of those that people ask for.

constexpr size_t most_detailed_ranks = 64;
constexpr size_t most_detailed_groups = 8;
constexpr size_t most_nodes_of_group = 8;

using RowOf = std::function<TimeRow(size_t)>;

std::vector<size_t> slowest_ranks(const std::vector<double> &compute_s)
{
    std::vector<size_t> ranks(compute_s.size());
    std::iota(ranks.begin(), ranks.end(), size_t{0});
    const size_t count = std::min(most_detailed_ranks, ranks.size());
    std::partial_sort(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(count),
                      ranks.end(), [&](size_t a, size_t b) {
                          return compute_s[a] != compute_s[b] ? compute_s[a] > compute_s[b] : a < b;
                      });
    ranks.resize(count);
    return ranks;
}

// The mean of ranks that follow each other.
TimeDetail node_row(const Report &report, size_t first, size_t ranks, const RowOf &row_of)
{
    TimeDetail node;
    node.host = report.ranks[first].host;
    node.first_rank = report.ranks[first].rank;
    node.ranks = ranks;
    node.bins.resize(report.time.bins.size());
    for (size_t r = first; r < first + ranks; r++) {
        const TimeRow row = row_of(r);
        for (size_t bin = 0; bin < node.bins.size(); bin++)
            add_part(node.bins[bin], row.bins[bin], 1 / static_cast<double>(ranks));
    }
    return node;
}

// None if there are too many: then their means would be of few ranks.
void add_nodes(const Report &report, size_t first, size_t ranks, const RowOf &row_of,
               std::vector<TimeDetail> &details)
{
    std::vector<size_t> begins;
    for (size_t r = first; r < first + ranks; r++)
        if (r == first || report.ranks[r].host != report.ranks[r - 1].host)
            begins.push_back(r);
    if (begins.size() > most_nodes_of_group)
        begins.resize(1);
    begins.push_back(first + ranks);
    for (size_t i = 0; i + 1 < begins.size(); i++)
        details.push_back(node_row(report, begins[i], begins[i + 1] - begins[i], row_of));
}

// Nodes in groups that show an outlier, as the mean of the group's ranks on them, and then the
// ranks that compute longest, the slowest one first. None if each rank has a row of its own on a
// page. `report` has ranks and rows; `compute_s` is by rank; `row_of` makes the row of a rank.
std::vector<TimeDetail> time_details(const Report &report, const std::vector<double> &compute_s,
                                     const RowOf &row_of)
{
    std::vector<TimeDetail> details;
    if (compute_s.size() <= most_time_groups || report.ranks.size() != compute_s.size())
        return details;
    size_t first = 0, groups = 0;
    for (const TimeRow &group : grouped_rows(report.time, most_time_groups)) {
        if (group.outlier && groups < most_detailed_groups) {
            add_nodes(report, first, group.ranks, row_of, details);
            groups++;
        }
        first += group.ranks;
    }
    for (const size_t rank : slowest_ranks(compute_s))
        details.push_back(TimeDetail{row_of(rank), report.ranks[rank].host});
    return details;
}

// The run over time: ranks' bins on one axis, their mean, and a row per rank or group.
//
// The bins of a rank are made whenever they are asked for, so that of a hundred thousand ranks only
// the rows are kept. Rows are made on several threads, and put together in their order. A group of
// neighbours shows the rank that is furthest from the group's mean
// if that is far beyond what is usual there: a mean would hide a slow rank.

constexpr size_t most_rank_rows = 2048;
constexpr size_t most_step_ranks = 16;
constexpr size_t rows_at_once = 64;

// Rows of call_lines by what people see of them.
using RowNumbers = std::map<std::pair<std::string, std::string>, uint32_t>;

// A function and a node of the call paths, both numbers of all ranks.
using CallLine = std::pair<uint32_t, uint32_t>;

// Seconds by key, in a bin of the axis. Most ranks have the same key there as the one before.
template <class Key>
class KeySums {
public:
    KeySums() = default;
    KeySums(const KeySums &) = delete;
    KeySums &operator=(const KeySums &) = delete;

    void add(const Key &key, double seconds)
    {
        if (last_ == nullptr || last_->first != key)
            last_ = &*sums_.try_emplace(key).first;
        last_->second += seconds;
    }
    auto begin() const { return sums_.begin(); }
    auto end() const { return sums_.end(); }

private:
    std::map<Key, double> sums_;
    std::pair<const Key, double> *last_ = nullptr;
};

// What the ranks of a row did, added up.
struct RowSums {
    explicit RowSums(size_t axis_bins = 0) : bins(axis_bins), line_s(axis_bins), region_s(axis_bins)
    {
    }
    std::vector<TimeBin> bins;
    std::vector<KeySums<CallLine>> line_s;    // by bin
    std::vector<KeySums<uint32_t>> region_s;  // by bin
    RunWork work;
    std::optional<size_t> outlier;  // number of the rank that the row shows
    std::vector<TimeSplit> shown;   // the mean, or the outlier's
    std::vector<RankBin> of_shown;  // bins of the row's only rank, or of the outlier
};

class TimeLineMaker {
public:
    TimeLineMaker(const RankMeasures &ranks, const Merged &merged, const Waits &waits,
                  Report &report)
        : ranks_(ranks), merged_(merged), waits_(waits), report_(report), rules_(merged.names)
    {
        view_.axis = make_time_axis(ranks);
        times_.emplace(ranks, view_.axis, waits, report);
        for (uint32_t i = 0; i < report.call_lines.size(); i++)
            rows_.try_emplace({report.call_lines[i].function, report.call_lines[i].place}, i + 1);
    }

    RunTimes make()
    {
        add_rows();
        if (view_.axis.bins == 0)
            return {};
        compute_s_.resize(ranks_.size());
        make_for_all_ranks(
            report_.time.rows.size(), [&](size_t row) { return sums_of(row); },
            [&](size_t row, RowSums &sums) { add_row(row, sums); }, rows_at_once, 1);
        find_outlier_of_all();
        report_.time.details =
            time_details(report_, compute_s_, [&](size_t rank) { return row_of(rank); });
        find_steps();
        times_->end_first_walk(report_.time.bins);
        finish();
        return times_->finish();
    }

private:
    void add_rows();
    RowSums sums_of(size_t row_number);
    void add_rank(size_t rank, const std::vector<RankBin> &bins, RowSums &sums);
    void find_outlier_of_row(size_t first, const std::vector<std::vector<RankBin>> &of_ranks,
                             RowSums &sums) const;
    void add_row(size_t row_number, const RowSums &sums);
    void find_outlier_of_all();
    void find_steps();
    void add_steps_of(size_t rank, const StepCounts &counts, const std::vector<RankBin> &bins);
    void finish();
    uint32_t line_of(size_t rank, const RankBin &bin);
    uint32_t line_of(const CallLine &call_line);
    CallLine call_line_of(size_t rank, const RankBin &bin) const
    {
        return {merged_.names.function(rank, bin.function - 1U),
                merged_.paths.node_of(rank, bin.callsite)};
    }
    void fill_rank_row(size_t rank, const std::vector<RankBin> &bins, TimeRow &row);
    TimeRow row_of(size_t rank);
    std::vector<RankBin> bins_of(size_t rank) const
    {
        return RankSums(rank, ranks_[rank], waits_, rules_).bins();
    }
    void fill_splits(size_t rank, const std::vector<RankBin> &bins,
                     std::vector<TimeSplit> &splits) const;
    double distance(const std::vector<TimeSplit> &a, const std::vector<TimeSplit> &b) const;

    const RankMeasures &ranks_;
    const Merged &merged_;
    const Waits &waits_;
    Report &report_;
    FactsByNumber rules_;
    TimeView view_;
    std::optional<TimesGatherer> times_;
    RowNumbers rows_;
    size_t ranks_per_row_ = 1;
    std::vector<double> compute_s_;  // by rank
    std::map<CallLine, uint32_t> line_numbers_;
    double outlier_distance_ = -1;  // of the one of all ranks
};

void TimeLineMaker::add_rows()
{
    TimeLine &time = report_.time;
    time.known = true;
    time.bin_s = view_.axis.bin_s;
    time.clock_residual_s = view_.axis.residual_s;
    time.bins.resize(view_.axis.bins);
    view_.line_s.resize(view_.axis.bins);
    view_.region_s.resize(view_.axis.bins);
    for (size_t i = 0; i < time.bins.size(); i++)
        time.bins[i].begin_s = static_cast<double>(i) * time.bin_s;
    if (ranks_.size() > most_rank_rows)
        ranks_per_row_ = (ranks_.size() + most_time_groups - 1) / most_time_groups;
    for (size_t first = 0; first < ranks_.size(); first += ranks_per_row_) {
        TimeRow row;
        row.first_rank = ranks_[first].rank();
        row.ranks = std::min(ranks_per_row_, ranks_.size() - first);
        row.bins.resize(view_.axis.bins);
        time.rows.push_back(std::move(row));
    }
}

uint32_t TimeLineMaker::line_of(size_t rank, const RankBin &bin)
{
    return bin.function == 0 ? 0 : line_of(call_line_of(rank, bin));
}

uint32_t TimeLineMaker::line_of(const CallLine &call_line)
{
    const auto [function, node] = call_line;
    const auto [at, is_new] =
        line_numbers_.try_emplace(call_line, static_cast<uint32_t>(view_.lines.size()));
    if (!is_new)
        return at->second;
    CallLineName line;
    line.function = merged_.names.function_name(function);
    if (node != 0) {
        const Frame &site = merged_.paths.site_of(node);
        line.place = site.place();
        line.symbol = site.symbol;
        line.has_line = site.line != 0;
    }
    const auto row = rows_.find({line.function, line.place});
    line.row = row == rows_.end() ? 0 : row->second;
    // Paths to the same line are the same line.
    for (uint32_t other = 1; other < view_.lines.size(); other++)
        if (view_.lines[other].function == line.function && view_.lines[other].place == line.place)
            return at->second = other;
    view_.lines.push_back(std::move(line));
    return at->second;
}

// Called on several threads.
RowSums TimeLineMaker::sums_of(size_t row_number)
{
    RowSums sums(view_.axis.bins);
    sums.work = times_->no_work();
    const size_t first = row_number * ranks_per_row_;
    const size_t ranks = report_.time.rows[row_number].ranks;
    std::vector<std::vector<RankBin>> of_ranks;
    for (size_t rank = first; rank < first + ranks; rank++) {
        std::vector<RankBin> bins = bins_of(rank);
        add_rank(rank, bins, sums);
        of_ranks.push_back(std::move(bins));
    }
    sums.shown.resize(view_.axis.bins);
    for (size_t i = 0; i < sums.shown.size(); i++)
        add_part(sums.shown[i], sums.bins[i].split, 1 / static_cast<double>(ranks));
    if (ranks_per_row_ > 1)
        find_outlier_of_row(first, of_ranks, sums);
    if (sums.outlier || ranks == 1)
        sums.of_shown = std::move(of_ranks[sums.outlier.value_or(first) - first]);
    return sums;
}

void TimeLineMaker::add_rank(size_t rank, const std::vector<RankBin> &bins, RowSums &sums)
{
    const double offset_s = view_.axis.offset_s[rank];
    std::vector<double> work_s(times_->grid().windows()), gpu_s(work_s), gpu_wait_s(work_s);
    for (const RankBin &bin : bins) {
        compute_s_[rank] += bin.split.compute_s;
        sums.work.calls += bin.calls;
        sums.work.moving_calls += bin.moving_calls;
        const uint32_t region = merged_.names.region(rank, bin.region);
        const CallLine line = bin.function == 0 ? CallLine() : call_line_of(rank, bin);
        for_each_part(
            view_.axis, offset_s + bin.begin_s, offset_s + bin.end_s, [&](size_t at, double part) {
                TimeBin &sum = sums.bins[at];
                add_part(sum.split, bin.split, part);
                work_s[times_->grid().of_bin(at)] += part * bin.work_s();
                gpu_wait_s[times_->grid().of_bin(at)] += part * bin.split.gpu_wait_s;
                gpu_s[times_->grid().of_bin(at)] +=
                    part * (bin.split.gpu_wait_s + bin.split.gpu_copy_s);
                sum.calls += part * bin.calls;
                sum.bytes += part * bin.bytes;
                sum.read_bytes += part * bin.read_bytes;
                sum.written_bytes += part * bin.written_bytes;
                if (part <= 0)
                    return;
                sums.region_s[at].add(region, part * bin.split.all_s());
                if (bin.function != 0)
                    sums.line_s[at].add(line, part * std::min(bin.line_s, bin.split.mpi_s()));
            });
    }
    const std::vector<double> nccl_s = times_->nccl_waits(rank, gpu_wait_s);
    for (size_t w = 0; w < nccl_s.size(); w++)
        gpu_s[w] -= nccl_s[w];
    if (!nccl_s.empty())
        report_.ranks[rank].gpu.own().nccl_wait_s =
            std::accumulate(nccl_s.begin(), nccl_s.end(), 0.0);
    times_->add_work(rank, work_s, gpu_s, sums.work);
}

void TimeLineMaker::find_outlier_of_row(size_t first,
                                        const std::vector<std::vector<RankBin>> &of_ranks,
                                        RowSums &sums) const
{
    std::vector<double> distances;
    std::vector<TimeSplit> splits;
    for (size_t i = 0; i < of_ranks.size(); i++) {
        fill_splits(first + i, of_ranks[i], splits);
        distances.push_back(distance(splits, sums.shown));
    }
    const std::optional<size_t> outlier = find_outlier(distances, view_.axis.end_s);
    if (!outlier)
        return;
    sums.outlier = first + *outlier;
    fill_splits(*sums.outlier, of_ranks[*outlier], sums.shown);
}

void TimeLineMaker::add_row(size_t row_number, const RowSums &sums)
{
    const double share = 1 / static_cast<double>(ranks_.size());
    times_->add(sums.work);
    for (size_t i = 0; i < view_.axis.bins; i++) {
        TimeBin &bin = report_.time.bins[i];
        const TimeBin &added = sums.bins[i];
        add_part(bin.split, added.split, share);
        bin.calls += share * added.calls;
        bin.bytes += share * added.bytes;
        bin.read_bytes += share * added.read_bytes;
        bin.written_bytes += share * added.written_bytes;
        for (const auto &[call_line, seconds] : sums.line_s[i])
            view_.line_s[i][line_of(call_line)] += seconds;
        for (const auto &[region, seconds] : sums.region_s[i]) {
            view_.region_s[i][region] += seconds;
            if (view_.regions.size() <= region)
                view_.regions.resize(region + 1);
            if (view_.regions[region].empty())
                view_.regions[region] = region_text(merged_.names.region_path(region));
        }
    }
    TimeRow &row = report_.time.rows[row_number];
    row.bins = sums.shown;
    if (sums.outlier)
        row.outlier = ranks_[*sums.outlier].rank();
    if (sums.outlier || row.ranks == 1)
        fill_rank_row(sums.outlier.value_or(row_number * ranks_per_row_), sums.of_shown, row);
}

// Which line took most of the bin: of the rank's bins in it, the one with the most.
void TimeLineMaker::fill_rank_row(size_t rank, const std::vector<RankBin> &bins, TimeRow &row)
{
    std::vector<double> most_s(view_.axis.bins);
    row.call_lines.assign(view_.axis.bins, 0);
    const double offset_s = view_.axis.offset_s[rank];
    for (const RankBin &bin : bins)
        for_each_part(view_.axis, offset_s + bin.begin_s, offset_s + bin.end_s,
                      [&](size_t at, double part) {
                          if (part * bin.line_s <= most_s[at])
                              return;
                          most_s[at] = part * bin.line_s;
                          row.call_lines[at] = view_.lines[line_of(rank, bin)].row;
                      });
}

// On the axis, which may have many times as many bins as the rank.
void TimeLineMaker::fill_splits(size_t rank, const std::vector<RankBin> &bins,
                                std::vector<TimeSplit> &splits) const
{
    splits.assign(view_.axis.bins, {});
    const double offset_s = view_.axis.offset_s[rank];
    for (const RankBin &bin : bins)
        for_each_part(view_.axis, offset_s + bin.begin_s, offset_s + bin.end_s,
                      [&](size_t at, double part) { add_part(splits[at], bin.split, part); });
}

double TimeLineMaker::distance(const std::vector<TimeSplit> &a,
                               const std::vector<TimeSplit> &b) const
{
    double sum = 0;
    for (size_t i = 0; i < a.size(); i++)
        sum += distance_of(a[i], b[i]);
    return sum;
}

TimeRow TimeLineMaker::row_of(size_t rank)
{
    TimeRow row;
    row.first_rank = ranks_[rank].rank();
    const std::vector<RankBin> bins = bins_of(rank);
    fill_splits(rank, bins, row.bins);
    fill_rank_row(rank, bins, row);
    return row;
}

void TimeLineMaker::find_outlier_of_all()
{
    std::vector<TimeSplit> mean;
    for (const TimeBin &bin : report_.time.bins)
        mean.push_back(bin.split);
    const TimeRow *furthest = nullptr;
    for (const TimeRow &row : report_.time.rows) {
        const double distance_s = distance(row.bins, mean);
        if (distance_s <= outlier_distance_)
            continue;
        outlier_distance_ = distance_s;
        furthest = &row;
    }
    if (furthest != nullptr)
        view_.outlier = furthest->bins;
}

// Ranks take steps together, so one of them is enough: the first that has some.
void TimeLineMaker::find_steps()
{
    for (size_t r = 0; r < std::min(ranks_.size(), most_step_ranks) && !report_.time.steps; r++) {
        const std::vector<RankBin> bins = bins_of(r);
        const StepCounts counts = count_steps(r, ranks_[r], bins, rules_);
        if (counts.function != 0)
            add_steps_of(r, counts, bins);
    }
}

void TimeLineMaker::add_steps_of(size_t rank, const StepCounts &counts,
                                 const std::vector<RankBin> &bins)
{
    TimeLine &time = report_.time;
    std::vector<double> ends(view_.axis.bins);
    for (size_t i = 0; i < std::min(bins.size(), counts.ends.size()); i++) {
        const double middle_s = view_.axis.offset_s[rank] + (bins[i].begin_s + bins[i].end_s) / 2;
        const double at = std::max(0.0, middle_s / view_.axis.bin_s);
        ends[std::min(ends.size() - 1, static_cast<size_t>(at))] += counts.ends[i];
    }
    time.steps = step_facts(ends, view_.axis.bin_s);
    if (!time.steps)
        return;
    RankBin site;
    site.function = counts.function;
    site.callsite = counts.callsite;
    const CallLineName &line = view_.lines[line_of(rank, site)];
    time.steps->place = line.place.empty() ? line.function : line.place;
    for (const TimeRow &row : time.rows) {
        double busy_s = 0, steps = 0;
        for (size_t i = 0; i < row.bins.size(); i++) {
            const double duration_s = time.steps->duration_s[i];
            if (duration_s <= 0)
                continue;
            busy_s += row.bins[i].busy_s();
            steps += view_.axis.bin_s / duration_s;
        }
        time.steps->busy_s.push_back(steps > 0 ? busy_s / steps : 0);
    }
}

void TimeLineMaker::finish()
{
    view_.bins = report_.time.bins;
    TimePhases phases(view_, report_);
    phases.find();
    std::vector<std::vector<RankInPhase>> in_phases(phases.count(),
                                                    std::vector<RankInPhase>(ranks_.size()));
    const auto walk_over_node = [&](size_t node) {
        std::vector<TimeSplit> splits;
        NodeWalk walk = times_->begin_node(node);
        for (const size_t r : times_->ranks_of(node)) {
            const std::vector<RankBin> bins = bins_of(r);
            fill_splits(r, bins, splits);
            for (size_t p = 0; p < phases.count(); p++)
                in_phases[p][r] = phases.rank_in(p, splits);
            times_->add_rank(r, bins, walk);
        }
        times_->end_node(std::move(walk));
    };
    for_all_ranks(times_->nodes(), walk_over_node, 1);
    phases.describe(in_phases);
}

}  // namespace

RunTimes analyse_time_line(const RankMeasures &ranks, const Merged &merged, const Waits &waits,
                           Report &report)
{
    const bool any = std::any_of(ranks.begin(), ranks.end(), [](const RankMeasure &rank) {
        return !rank.file->time_bins.empty();
    });
    return any ? TimeLineMaker(ranks, merged, waits, report).make() : RunTimes();
}

}  // namespace mprof
