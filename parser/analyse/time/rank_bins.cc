// The run of one rank over time, on the axis that all ranks share (rank_bins.h).
#include "analyse/time/rank_bins.h"

#include "measure/clocks.h"
#include "measure/function_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

namespace mprof {

// A number for each bin of a rank, in memory of that rank's own.
using BinValues = std::span<double>;

// Memory for the numbers of one rank's bins, which goes as a whole: a rank needs some forty lists
// of them, twice, and of 100,000 ranks to allocate each took as long as to fill it.
class BinMemory {
public:
    explicit BinMemory(size_t bins) : bins_(bins) {}

    // All 0.
    BinValues take()
    {
        if (left_ < bins_) {
            left_ = lists_at_once * bins_;
            pieces_.push_back(std::make_unique_for_overwrite<double[]>(left_));
            next_ = pieces_.back().get();
        }
        const BinValues values(next_, bins_);
        std::fill(values.begin(), values.end(), 0.0);
        next_ += bins_;
        left_ -= bins_;
        return values;
    }
    size_t bins() const { return bins_; }
    // From now on lists have fewer.
    void shorten(size_t bins) { bins_ = bins; }

private:
    static constexpr size_t lists_at_once = 32;

    size_t bins_;
    std::vector<std::unique_ptr<double[]>> pieces_;
    double *next_ = nullptr;
    size_t left_ = 0;
};

// Divides a sum among bins of limited room, so that nothing of it gets lost.

inline double sum_of(BinValues values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// In proportion to `weights`, in each bin at most its `room`. What does not fit goes where room is
// left. The rest, if the room of all bins is too small, is not given out.
inline BinValues fill_bins(double total, BinValues weights, BinValues room, BinMemory &memory)
{
    const BinValues filled = memory.take();
    if (!(total > 0))
        return filled;
    const BinValues parts = memory.take();
    std::copy(weights.begin(), weights.end(), parts.begin());
    for (int turn = 0; turn < 4 && total > 0; turn++) {
        double sum = 0;
        for (size_t i = 0; i < room.size(); i++) {
            parts[i] = filled[i] < room[i] ? parts[i] : 0;
            sum += parts[i];
        }
        if (sum <= 0)
            break;
        double given = 0;
        for (size_t i = 0; i < room.size(); i++) {
            const double part = std::min(room[i] - filled[i], total * parts[i] / sum);
            filled[i] += std::max(0.0, part);
            given += std::max(0.0, part);
        }
        total -= given;
    }
    const double left = sum_of(room) - sum_of(filled);
    if (total > 0 && left > 0)
        for (size_t i = 0; i < room.size(); i++)
            filled[i] += std::min(1.0, total / left) * (room[i] - filled[i]);
    return filled;
}

// What does not fit into its bin goes to the bins before it: a call covers the time before its end.
inline BinValues fill_backwards(BinValues parts, BinValues room, BinMemory &memory)
{
    const BinValues filled = memory.take();
    double carry = 0;
    for (size_t i = room.size(); i-- > 0;) {
        carry += parts[i];
        filled[i] = std::clamp(carry, 0.0, room[i]);
        carry -= filled[i];
    }
    if (carry <= 0)
        return filled;
    const double left = sum_of(room) - sum_of(filled);
    if (left > 0)
        for (size_t i = 0; i < room.size(); i++)
            filled[i] += std::min(1.0, carry / left) * (room[i] - filled[i]);
    return filled;
}

namespace {

constexpr size_t fewest_bins = 128;  // of a run of over a second
constexpr size_t most_bins = 512;
constexpr size_t most_bins_of_many = 256;  // ranks
constexpr size_t many_ranks = 64;
constexpr double long_run_s = 1;

// Ranks of a world run at the same time. Where one begins after the end of all others, its clock is
// wrong.
void forget_impossible(const std::vector<RankMeasure> &ranks, TimeAxis &axis)
{
    double longest_s = 0;
    for (const RankMeasure &rank : ranks)
        longest_s = std::max(longest_s, rank.wallclock_s);
    const auto latest = std::max_element(axis.offset_s.begin(), axis.offset_s.end());
    if (*latest > longest_s)
        std::fill(axis.offset_s.begin(), axis.offset_s.end(), 0);
}

bool have_ended(const std::vector<RankMeasure> &ranks)
{
    return std::all_of(ranks.begin(), ranks.end(),
                       [](const RankMeasure &rank) { return rank.complete(); });
}

// Without collectives: MPI_Finalize ends on all nodes at about the same time.
std::optional<double> residual_at_end(const std::vector<RankMeasure> &ranks,
                                      const NodeClocks &clocks, const TimeAxis &axis)
{
    if (!have_ended(ranks))
        return std::nullopt;
    std::vector<double> stop_s(clocks.nodes().size());
    for (size_t r = 0; r < ranks.size(); r++) {
        double &stop = stop_s[clocks.node_of(r)];
        stop = std::max(stop, axis.offset_s[r] + ranks[r].wallclock_s);
    }
    const auto [first, last] = std::minmax_element(stop_s.begin(), stop_s.end());
    return *last - *first;
}

// Bins of the ranks' own length are exact, if there are neither too few nor too many.
void choose_bins(const std::vector<RankMeasure> &ranks, TimeAxis &axis)
{
    double bin_s = 0;
    for (const RankMeasure &rank : ranks)
        if (!rank.file->time_bins.empty())
            bin_s = std::max(bin_s, static_cast<double>(rank.file->time.bin_ticks) *
                                        rank.clock.seconds_per_tick());
    if (bin_s <= 0 || bin_s > axis.end_s)
        bin_s = axis.end_s;
    const size_t most = ranks.size() > many_ranks ? most_bins_of_many : most_bins;
    while (bin_s > 0 && axis.end_s / bin_s > static_cast<double>(most))
        bin_s *= 2;
    while (axis.end_s > long_run_s && axis.end_s / bin_s < static_cast<double>(fewest_bins))
        bin_s /= 2;
    axis.bin_s = bin_s;
    axis.bins = bin_s > 0
                    ? std::max<size_t>(1, static_cast<size_t>(std::ceil(axis.end_s / bin_s - 1e-6)))
                    : 0;
}

}  // namespace

TimeAxis make_time_axis(const std::vector<RankMeasure> &ranks)
{
    std::vector<const RankFile *> files;
    for (const RankMeasure &rank : ranks)
        files.push_back(rank.file);
    const NodeClocks clocks(files);
    TimeAxis axis;
    for (size_t r = 0; r < ranks.size(); r++)
        axis.offset_s.push_back(clocks.begin_s(r));
    forget_impossible(ranks, axis);
    for (size_t r = 0; r < ranks.size(); r++)
        axis.end_s = std::max(axis.end_s, axis.offset_s[r] + ranks[r].wallclock_s);
    if (clocks.nodes().size() > 1)
        axis.residual_s =
            clocks.residual_s() ? clocks.residual_s() : residual_at_end(ranks, clocks, axis);
    choose_bins(ranks, axis);
    return axis;
}

// The order of the steps: MPI time per bin, then computing is what is left of the bin, then what of
// it had no CPU, then waiting inside the MPI time. Each step gives out exactly the rank's total, in
// proportion to the shares of the bins.

namespace {

using Classes = std::vector<size_t>;

// As libmprof's generator has it (libmprof/api/generate.py, TIME_CLASSES).
size_t time_class_of(const FunctionFacts &facts)
{
    if (facts.is_startup())
        return MPROF_TIME_START_UP;
    if (facts.kind == FunctionKind::file)
        return MPROF_TIME_FILE;
    if (facts.kind == FunctionKind::one_sided)
        return MPROF_TIME_ONE_SIDED;
    if (facts.completes)
        return MPROF_TIME_COMPLETION;
    if (facts.kind == FunctionKind::point_to_point)
        return MPROF_TIME_POINT_TO_POINT;
    const bool collective = facts.kind == FunctionKind::collective ||
                            facts.kind == FunctionKind::synchronisation || facts.ends_mpi;
    return collective ? MPROF_TIME_COLLECTIVE : MPROF_TIME_OTHER;
}

// A call of MPI-IO that takes no longer is served from memory.
constexpr double quick_call_s = 5e-5;

bool is_of_rest(size_t time_class)
{
    return time_class != MPROF_TIME_START_UP && time_class != MPROF_TIME_FILE;
}

}  // namespace

struct RankSums::Grid {
    explicit Grid(const PackedTable<mprof_time_bin> &bins)
        : records(bins.all()),
          memory(records.size() + 1),
          begin_s(memory.take()),
          length_s(memory.take())
    {
        for (BinValues &values : class_s)
            values = memory.take();
    }

    std::vector<mprof_time_bin> records;  // of the file
    BinMemory memory;
    BinValues begin_s, length_s;
    std::array<BinValues, MPROF_TIME_CLASSES> class_s;

    size_t size() const { return memory.bins(); }
    // The last one is no bin of the file.
    bool has_tail() const { return size() > records.size(); }
    void drop_tail()
    {
        memory.shorten(records.size());
        begin_s = begin_s.first(size());
        length_s = length_s.first(size());
        for (BinValues &values : class_s)
            values = values.first(size());
    }
    double mpi_s(size_t i) const
    {
        double sum = 0;
        for (const BinValues &values : class_s)
            sum += values[i];
        return sum;
    }
};

RankSums::RankSums(size_t number, const RankMeasure &rank, const Waits &waits,
                   const FactsByNumber &rules)
    : rank_(rank)
{
    if (number < waits.by_bin.size())
        by_bin_ = &waits.by_bin[number];
    if (number < waits.asking.size())
        asking_ = waits.asking[number];
    asking_calls_ = asking_.calls;
    MovedAtEnd moved;
    for (const MeasuredEntry &entry : rank.entries) {
        add_entry(entry, rules.of(number, entry.key.function));
        moved.add(entry, rules.of(number, entry.key.function));
    }
    double &idle_s = class_idle_s_[MPROF_TIME_COLLECTIVE];
    idle_s = std::max(0.0, idle_s - moved.seconds());
}

void RankSums::add_entry(const MeasuredEntry &entry, const FunctionFacts &facts)
{
    bytes_ += entry.counted_bytes();
    if (!entry.counts_calls())
        return;
    const size_t time_class = time_class_of(facts);
    const Part part = time_class == MPROF_TIME_START_UP ? start_up
                      : time_class == MPROF_TIME_FILE   ? file
                                                        : rest;
    calls_ += entry.calls;
    asking_calls_ += facts.asks_only() ? entry.calls : 0;
    makes_often_ = makes_often_ || (facts.makes_comm && facts.made_often);
    const double time_s = entry.mpi_thread_s();
    const double wait_s = std::clamp(entry.mpi_thread_wait_s().value_or(0), 0.0, time_s);
    mpi_s_[part] += time_s;
    class_s_[time_class] += time_s;
    class_wait_s_[time_class] += wait_s;
    if (facts.ends_mpi) {
        finalize_wait_s_ += wait_s;
        finalize_own_s_ += time_s - wait_s;
    }
    class_idle_s_[time_class] += idle_seconds(entry, facts);
    local_s_ += local_seconds(entry, facts);
    if (facts.moves_file && time_s <= quick_call_s * static_cast<double>(entry.calls))
        quick_files_s_ += time_s - wait_s;
}

// The bins of the file, and behind them the time that they do not tell of.
void RankSums::lay_out(Grid &grid) const
{
    const RankFile &rank = *rank_.file;
    const double per_tick = rank_.clock.seconds_per_tick();
    const double bin_s = static_cast<double>(rank.time.bin_ticks) * per_tick;
    double begin = 0, end = rank_.clock.seconds_at(rank.time.begin_ticks);
    const double told_until =
        std::min(rank_.wallclock_s, rank_.clock.seconds_at(rank.time.end_ticks));
    const auto &records = grid.records;
    for (size_t i = 0; i < records.size(); i++) {
        end = std::min(rank_.wallclock_s, end + bin_s);
        if (i + 1 == records.size())
            end = std::clamp(told_until, begin, end);
        grid.begin_s[i] = begin;
        grid.length_s[i] = std::max(0.0, end - begin);
        for (size_t c = 0; c < MPROF_TIME_CLASSES; c++)
            grid.class_s[c][i] = static_cast<double>(records[i].ticks[c]) * per_tick;
        begin = end;
    }
    const double left_s = rank_.wallclock_s - begin;
    if (!records.empty() && left_s <= 1e-6 * rank_.wallclock_s) {
        grid.drop_tail();
        grid.length_s.back() += left_s;
        return;
    }
    grid.begin_s.back() = begin;
    grid.length_s.back() = std::max(0.0, left_s);
}

// Communicators that are made again and again are no start-up, though the file counts them so. What
// is start-up came first.
void RankSums::move_making(Grid &grid) const
{
    double left_s = mpi_s_[start_up];
    for (size_t i = 0; makes_often_ && i < grid.size(); i++) {
        double &start_up_s = grid.class_s[MPROF_TIME_START_UP][i];
        const double kept_s = std::min(left_s, start_up_s);
        left_s -= kept_s;
        grid.class_s[MPROF_TIME_OTHER][i] += start_up_s - kept_s;
        start_up_s = kept_s;
    }
}

// What the totals have beyond the bins came after them. Else the bins are scaled to the totals:
// they have the reads of the clock in them, and perhaps all threads.
void RankSums::scale_mpi(Grid &grid) const
{
    for (int part = 0; part < parts; part++) {
        Classes classes;
        if (part == start_up)
            classes = {MPROF_TIME_START_UP};
        else if (part == file)
            classes = {MPROF_TIME_FILE};
        else
            for (size_t c = 0; c < MPROF_TIME_CLASSES; c++)
                if (is_of_rest(c))
                    classes.push_back(c);
        double have_s = 0;
        for (const size_t c : classes)
            have_s += sum_of(grid.class_s[c]);
        const double want_s = mpi_s_[part];
        double late_s = 0;
        if (grid.has_tail() && want_s > have_s)
            late_s = std::min(want_s - have_s, grid.length_s.back() - grid.mpi_s(grid.size() - 1));
        late_s = std::max(0.0, late_s);
        const double factor = have_s > 0 ? (want_s - late_s) / have_s : 0;
        for (const size_t c : classes)
            for (double &value : grid.class_s[c])
                value *= factor;
        grid.class_s[classes.back()].back() += late_s;
        if (have_s <= 0 && want_s > late_s)
            for (size_t i = 0; i < grid.size(); i++)
                grid.class_s[classes.back()][i] +=
                    (want_s - late_s) * grid.length_s[i] / std::max(1e-12, rank_.wallclock_s);
    }
}

// Of the computing, mprof's own time is taken off where it was: at both ends.
void RankSums::divide_computing(Grid &grid, std::vector<RankBin> &bins) const
{
    const auto &records = grid.records;
    const BinValues idle_s = grid.memory.take(), queue = grid.memory.take(),
                    blocked = grid.memory.take();
    for (size_t i = 0; i < grid.size(); i++) {
        idle_s[i] = std::max(0.0, grid.length_s[i] - grid.mpi_s(i));
        queue[i] = i < records.size() ? static_cast<double>(records[i].queue_ns) : 0;
        blocked[i] = i < records.size() ? static_cast<double>(records[i].blocked_ns) : 0;
    }
    double surplus_s = sum_of(idle_s) - rank_.compute_s;
    for (double *end : {&idle_s.back(), &idle_s.front()}) {
        const double taken_s = std::clamp(surplus_s, 0.0, *end);
        *end -= taken_s;
        surplus_s -= taken_s;
    }
    const double left_s = sum_of(idle_s);
    for (size_t i = 0; i < grid.size(); i++)
        idle_s[i] = left_s > 0
                        ? idle_s[i] * rank_.compute_s / left_s
                        : rank_.compute_s * grid.length_s[i] / std::max(1e-12, rank_.wallclock_s);
    const auto fill = [&](double total, BinValues weights, BinValues room) {
        return fill_bins(total, sum_of(weights) > 0 ? weights : room, room, grid.memory);
    };
    const BinValues queue_s = fill(rank_.split.contention_s, queue, idle_s);
    for (size_t i = 0; i < grid.size(); i++)
        idle_s[i] -= queue_s[i];
    const BinValues blocked_s = fill(rank_.split.blocked_s, blocked, idle_s);
    for (size_t i = 0; i < grid.size(); i++) {
        bins[i].split.contention_s = queue_s[i];
        bins[i].split.blocked_s = blocked_s[i];
        idle_s[i] -= blocked_s[i];
    }
    const auto take_gpu = [&](double total_s, size_t state, double TimeSplit::*part) {
        if (!(total_s > 0))
            return;
        const BinValues ticks = grid.memory.take();
        for (size_t i = 0; i < std::min(grid.size(), records.size()); i++)
            ticks[i] = static_cast<double>(records[i].gpu_ticks[state]);
        const BinValues part_s = fill(total_s, ticks, idle_s);
        for (size_t i = 0; i < grid.size(); i++) {
            bins[i].split.*part = part_s[i];
            idle_s[i] -= part_s[i];
        }
    };
    take_gpu(rank_.gpu->wait_s, 0, &TimeSplit::gpu_wait_s);
    take_gpu(rank_.gpu->copy_s, 1, &TimeSplit::gpu_copy_s);
    take_gpu(rank_.gpu->launch_s, 2, &TimeSplit::gpu_launch_s);
    for (size_t i = 0; i < grid.size(); i++)
        bins[i].split.compute_s = idle_s[i];
}

// Its room is what it takes from. MPI_Finalize, which no journal has, is what comes last.
std::span<double> RankSums::waiting_of_collectives(Grid &grid) const
{
    const BinValues room = grid.class_s[MPROF_TIME_COLLECTIVE];
    const BinValues at_end = grid.memory.take();
    at_end.back() = finalize_wait_s_;
    const BinValues waiting = fill_backwards(at_end, room, grid.memory);
    for (size_t i = 0; i < grid.size(); i++)
        room[i] -= waiting[i];
    const double total_s = class_wait_s_[MPROF_TIME_COLLECTIVE] - finalize_wait_s_;
    const BinValues weights = grid.memory.take();
    for (size_t i = 0; by_bin_ != nullptr && i < std::min(grid.size(), by_bin_->size()); i++)
        weights[i] = static_cast<double>((*by_bin_)[i]);
    const double sum = sum_of(weights);
    for (double &part : weights)
        part *= sum > 0 ? total_s / sum : 0;
    const BinValues more = sum > 0 ? fill_backwards(weights, room, grid.memory)
                                   : fill_bins(total_s, room, room, grid.memory);
    for (size_t i = 0; i < grid.size(); i++) {
        waiting[i] += more[i];
        room[i] -= more[i];
    }
    return waiting;
}

void RankSums::divide_waiting(Grid &grid, std::vector<RankBin> &bins) const
{
    std::array<BinValues, MPROF_TIME_CLASSES> waiting;  // of a class without any: empty
    waiting[MPROF_TIME_COLLECTIVE] = waiting_of_collectives(grid);
    for (size_t c = 0; c < MPROF_TIME_CLASSES; c++) {
        if (c == MPROF_TIME_COLLECTIVE || !(class_wait_s_[c] > 0))
            continue;
        waiting[c] = fill_bins(class_wait_s_[c], grid.class_s[c], grid.class_s[c], grid.memory);
        for (size_t i = 0; i < grid.size(); i++)
            grid.class_s[c][i] -= waiting[c][i];
    }
    // What a class has no room for, because a function counts in another class there.
    const BinValues room = grid.memory.take();
    double wanted_s = 0, given_s = 0;
    for (size_t c = 0; c < MPROF_TIME_CLASSES; c++) {
        wanted_s += class_wait_s_[c];
        given_s += sum_of(waiting[c]);
        for (size_t i = 0; i < grid.size() && is_of_rest(c); i++)
            room[i] += std::max(0.0, grid.class_s[c][i]);
    }
    const BinValues more = fill_bins(wanted_s - given_s, room, room, grid.memory);
    for (const BinValues &of_class : waiting)
        for (size_t i = 0; i < of_class.size(); i++)
            bins[i].split.wait_s += of_class[i];
    for (size_t i = 0; i < grid.size(); i++) {
        TimeSplit &split = bins[i].split;
        split.wait_s += more[i];
        split.transfer_s = std::max(0.0, room[i] - more[i]);
        split.file_s = std::max(0.0, grid.class_s[MPROF_TIME_FILE][i]);
        split.startup_s = std::max(0.0, grid.class_s[MPROF_TIME_START_UP][i]);
    }
}

// The grid's classes no longer have waiting. MPI_Finalize is what comes last.
void RankSums::divide_transfer(const Grid &grid, std::vector<RankBin> &bins) const
{
    double left_s = finalize_own_s_;
    for (size_t i = bins.size(); i-- > 0 && left_s > 0;) {
        bins[i].finalize_s = std::clamp(grid.class_s[MPROF_TIME_COLLECTIVE][i], 0.0,
                                        std::min(left_s, bins[i].split.transfer_s));
        left_s -= bins[i].finalize_s;
    }
    for (size_t c = 0; c < MPROF_TIME_CLASSES; c++) {
        const double moving_s = class_s_[c] - class_wait_s_[c];
        if (!is_of_rest(c) || class_idle_s_[c] <= 0 || moving_s <= 0)
            continue;
        for (size_t i = 0; i < bins.size(); i++)
            bins[i].idle_s += class_idle_s_[c] / moving_s * std::max(0.0, grid.class_s[c][i]);
    }
    const double other_s = class_s_[MPROF_TIME_OTHER] - class_wait_s_[MPROF_TIME_OTHER];
    const double local_part = other_s > 0 ? local_s_ / other_s : 0;
    const double file_s = class_s_[MPROF_TIME_FILE] - class_wait_s_[MPROF_TIME_FILE];
    const double quick_part = file_s > 0 ? quick_files_s_ / file_s : 0;
    for (size_t i = 0; i < bins.size(); i++) {
        RankBin &bin = bins[i];
        const double left_of_bin_s = bin.split.transfer_s - bin.finalize_s;
        bin.local_s =
            std::min(left_of_bin_s, local_part * std::max(0.0, grid.class_s[MPROF_TIME_OTHER][i]));
        bin.idle_s = std::min(bin.idle_s, left_of_bin_s - bin.local_s);
        bin.quick_files_s = quick_part * bin.split.file_s;
    }
}

// The rank that asks is in MPI for most of the time.
void RankSums::divide_asking(Grid &grid, std::vector<RankBin> &bins) const
{
    if (asking_.calls == 0)
        return;
    const BinValues weights = grid.memory.take();
    for (size_t i = 0; i < std::min(grid.size(), grid.records.size()); i++)
        weights[i] = static_cast<double>(grid.records[i].ticks[MPROF_TIME_ONE_SIDED] +
                                         grid.records[i].ticks[MPROF_TIME_COLLECTIVE]);
    const auto divide = [&](double AskingCalls::*part, double TimeSplit::*of) {
        const BinValues room = grid.memory.take();
        for (size_t i = 0; i < grid.size(); i++)
            room[i] = bins[i].split.*of;
        const BinValues part_s = fill_bins(asking_.*part, weights, room, grid.memory);
        for (size_t i = 0; i < grid.size(); i++)
            bins[i].asking.*part = part_s[i];
    };
    divide(&AskingCalls::work_s, &TimeSplit::compute_s);
    divide(&AskingCalls::queue_s, &TimeSplit::contention_s);
    divide(&AskingCalls::blocked_s, &TimeSplit::blocked_s);
}

std::vector<RankBin> RankSums::bins() const
{
    Grid grid(rank_.file->time_bins);
    lay_out(grid);
    move_making(grid);
    scale_mpi(grid);
    std::vector<RankBin> bins(grid.size());
    const auto &records = grid.records;
    double calls = 0, bytes = 0;
    for (const mprof_time_bin &record : records) {
        calls += static_cast<double>(record.calls);
        bytes += static_cast<double>(record.bytes);
    }
    // Of a file that still grows, the rest came after the bins.
    const double late_calls =
        grid.has_tail() ? std::max(0.0, static_cast<double>(rank_.calls) - calls) : 0;
    const double late_bytes =
        grid.has_tail() ? std::max(0.0, static_cast<double>(bytes_) - bytes) : 0;
    const double calls_factor =
        calls > 0 ? (static_cast<double>(rank_.calls) - late_calls) / calls : 0;
    const double bytes_factor = bytes > 0 ? (static_cast<double>(bytes_) - late_bytes) / bytes : 0;
    for (size_t i = 0; i < bins.size(); i++) {
        bins[i].begin_s = grid.begin_s[i];
        bins[i].end_s = grid.begin_s[i] + grid.length_s[i];
        if (i >= records.size())
            continue;
        const mprof_time_bin &record = records[i];
        bins[i].calls = calls_factor * static_cast<double>(record.calls);
        bins[i].bytes = bytes_factor * static_cast<double>(record.bytes);
        bins[i].read_bytes = static_cast<double>(record.read_bytes);
        bins[i].written_bytes = static_cast<double>(record.written_bytes);
        bins[i].function = record.function;
        bins[i].callsite = record.callsite;
        bins[i].line_s = 1024.0 * record.site_kiloticks * rank_.clock.seconds_per_tick();
        bins[i].region = record.region;
    }
    bins.back().calls += late_calls;
    bins.back().bytes += late_bytes;
    const double moving_part =
        calls_ > 0 ? 1 - static_cast<double>(asking_calls_) / static_cast<double>(calls_) : 1;
    for (RankBin &bin : bins)
        bin.moving_calls = moving_part * bin.calls;
    divide_computing(grid, bins);
    divide_waiting(grid, bins);
    divide_transfer(grid, bins);
    divide_asking(grid, bins);
    return bins;
}

}  // namespace mprof
