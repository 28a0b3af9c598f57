// Nodes may be added in any order: of their models the longest counts.
#include "accounts/run_times.h"

#include "accounts/account_limits.h"

#include <algorithm>

namespace mprof {
namespace {

constexpr AccountKind modelled[] = {AccountKind::uneven,  AccountKind::blocked,
                                    AccountKind::kernel,  AccountKind::files,
                                    AccountKind::latency, AccountKind::bandwidth};
constexpr AccountKind of_gpus[] = {AccountKind::gpu_uneven, AccountKind::gpu_wait,
                                   AccountKind::gpu_copy, AccountKind::gpu_launch};

std::vector<EvenWork> even_works(const std::vector<ProgramWork> &works)
{
    std::vector<EvenWork> even;
    for (const ProgramWork &work : works)
        even.push_back(even_work(work));
    return even;
}

// What the busiest rank of each program works beyond the next one is left out.
double without_surplus(const NodeTime &node, const StretchTimes &stretch, const ProgramWork &work)
{
    std::vector<Need> needs;
    needs.reserve(stretch.size());
    for (size_t i = 0; i < stretch.size(); i++) {
        const RankPart &rank = node.ranks[i];
        const StretchWork &of = work[rank.program];
        needs.push_back(need_without(node, stretch[i], rank, {}, {}));
        if (of.ranks > 1 && rank.rank == of.most_rank)
            needs.back().work_s = std::min(needs.back().work_s, of.next_s);
    }
    return makespan(std::move(needs), node.cpus, others_in(node, stretch, {}), node.keeps);
}

void add_all(std::vector<StretchModel> &models, const std::vector<StretchModel> &others)
{
    models.resize(std::max(models.size(), others.size()));
    for (size_t i = 0; i < others.size(); i++)
        models[i].add(others[i]);
}

}  // namespace

double TransferLimit::of(double calls, double bytes, double transfer_s)
{
    const double begun_s = calls * account_limits.most_call_s + bytes * account_limits.most_byte_s;
    const double taken_s = std::min(transfer_s, left_s_ + begun_s);
    left_s_ += begun_s - taken_s;
    if (calls > 1)
        left_s_ = std::min(left_s_, begun_s / calls);
    return taken_s;
}

WindowGrid::WindowGrid(size_t bins)
{
    if (bins == 0)
        return;
    bins_ = (bins + account_limits.windows - 1) / account_limits.windows;
    windows_ = (bins + bins_ - 1) / bins_;
    together_ = (windows_ + account_limits.long_windows - 1) / account_limits.long_windows;
    long_windows_ = (windows_ + together_ - 1) / together_;
}

void StretchWork::add(double seconds, size_t rank, double of_gpu_s)
{
    add(StretchWork{seconds, 1, seconds, 0, rank, of_gpu_s, of_gpu_s, rank});
}

void StretchWork::add(const StretchWork &other)
{
    work_s += other.work_s;
    ranks += other.ranks;
    gpu_s += other.gpu_s;
    if (other.most_gpu_s > most_gpu_s) {
        most_gpu_s = other.most_gpu_s;
        most_gpu_rank = other.most_gpu_rank;
    }
    if (other.most_s > most_s) {
        next_s = std::max(most_s, other.next_s);
        most_s = other.most_s;
        most_rank = other.most_rank;
    } else {
        next_s = std::max(next_s, other.most_s);
    }
}

EvenWork even_work(const ProgramWork &work)
{
    EvenWork even;
    for (const StretchWork &of_program : work)
        even.push_back({of_program.mean_s(), of_program.mean_gpu_s()});
    return even;
}

std::optional<size_t> busiest_rank(const ProgramWork &work)
{
    std::optional<size_t> rank;
    double most_s = 0;
    for (const StretchWork &of_program : work) {
        const double beyond_s = of_program.most_s - of_program.mean_s();
        if (of_program.ranks == 0 || of_program.most_s <= 0 || (rank && beyond_s <= most_s))
            continue;
        rank = of_program.most_rank;
        most_s = beyond_s;
    }
    return rank;
}

std::optional<size_t> busiest_gpu(const ProgramWork &work)
{
    std::optional<size_t> rank;
    double most_s = 0;
    for (const StretchWork &of_program : work) {
        const double beyond_s = of_program.most_gpu_s - of_program.mean_gpu_s();
        if (of_program.most_gpu_s <= 0 || (rank && beyond_s <= most_s))
            continue;
        rank = of_program.most_gpu_rank;
        most_s = beyond_s;
    }
    return rank;
}

RunWork::RunWork(const WindowGrid &grid, size_t programs)
    : windows(grid.windows(), ProgramWork(programs)),
      long_windows(grid.long_windows(), ProgramWork(programs))
{
}

void RunWork::add_rank(size_t rank, uint32_t program, const std::vector<double> &work_s,
                       const WindowGrid &grid, const std::vector<double> &gpu_s)
{
    std::vector<double> long_s(long_windows.size()), long_gpu_s(long_windows.size());
    for (size_t w = 0; w < work_s.size(); w++) {
        const double of_gpu_s = w < gpu_s.size() ? gpu_s[w] : 0;
        windows[w][program].add(work_s[w], rank, of_gpu_s);
        long_s[grid.long_of(w)] += work_s[w];
        long_gpu_s[grid.long_of(w)] += of_gpu_s;
    }
    for (size_t w = 0; w < long_s.size(); w++)
        long_windows[w][program].add(long_s[w], rank, long_gpu_s[w]);
}

void RunWork::add(const RunWork &other)
{
    const auto add_each = [](std::vector<ProgramWork> &sums,
                             const std::vector<ProgramWork> &others) {
        for (size_t w = 0; w < sums.size(); w++)
            for (size_t p = 0; p < sums[w].size(); p++)
                sums[w][p].add(others[w][p]);
    };
    calls += other.calls;
    moving_calls += other.moving_calls;
    add_each(windows, other.windows);
    add_each(long_windows, other.long_windows);
}

void StretchModel::add(const StretchModel &other)
{
    if (other.is_empty)
        return;
    least_wait_s = is_empty ? other.least_wait_s : std::min(least_wait_s, other.least_wait_s);
    is_empty = false;
    longest_s = std::max(longest_s, other.longest_s);
    all_s = std::max(all_s, other.all_s);
    most_wait_s = std::max(most_wait_s, other.most_wait_s);
    model_s = std::max(model_s, other.model_s);
    without_surplus_s = std::max(without_surplus_s, other.without_surplus_s);
    for (size_t i = 0; i < without_s.size(); i++)
        without_s[i] = std::max(without_s[i], other.without_s[i]);
}

double StretchModel::saves(double without) const
{
    return model_s > 0 ? std::max(0.0, longest_s * (1 - without / model_s)) : 0;
}

StretchModel model_stretch(const NodeTime &node, const StretchTimes &stretch, const EvenWork &even,
                           const ProgramWork &work)
{
    StretchModel model;
    model.is_empty = stretch.empty();
    for (size_t i = 0; i < stretch.size(); i++) {
        const double own_s = stretch[i].own_s();
        const auto wait_s = stretch[i].wait_s;
        model.longest_s = std::max(model.longest_s, own_s);
        model.all_s = std::max(model.all_s, own_s + wait_s);
        model.most_wait_s = std::max(model.most_wait_s, wait_s);
        model.least_wait_s = i == 0 ? wait_s : std::min(model.least_wait_s, wait_s);
    }
    model.model_s = makespan_without(node, stretch, {}, even);
    for (const AccountKind kind : modelled)
        model.without_s[static_cast<size_t>(kind)] =
            makespan_without(node, stretch, only(kind), even);
    const bool has_gpu = std::any_of(stretch.begin(), stretch.end(), [](const RankTime &time) {
        return time.gpu_s() + time.gpu_launch_s > 0;
    });
    for (const AccountKind kind : of_gpus)
        model.without_s[static_cast<size_t>(kind)] =
            has_gpu ? makespan_without(node, stretch, only(kind), even) : model.model_s;
    model.without_surplus_s = without_surplus(node, stretch, work);
    return model;
}

NodeModels model_node(NodeTime &node, std::vector<StretchTimes> windows, const WindowGrid &grid,
                      const RunWork &work)
{
    std::vector<StretchTimes> long_windows(grid.long_windows(), StretchTimes(node.ranks.size()));
    for (size_t w = 0; w < windows.size(); w++)
        for (size_t i = 0; i < windows[w].size(); i++)
            long_windows[grid.long_of(w)][i].add(windows[w][i]);
    NodeModels models;
    const auto model_all = [&](std::vector<StretchTimes> &stretches,
                               const std::vector<ProgramWork> &of,
                               std::vector<StretchModel> &result) {
        const std::vector<EvenWork> even = even_works(of);
        for (size_t w = 0; w < stretches.size(); w++) {
            count_late_as_blocked(stretches[w]);
            result.push_back(model_stretch(node, stretches[w], even[w], of[w]));
        }
    };
    model_all(windows, work.windows, models.windows);
    model_all(long_windows, work.long_windows, models.long_windows);
    return models;
}

void RunTimes::add(const NodeModels &models)
{
    add_all(windows, models.windows);
    add_all(long_windows, models.long_windows);
}

void RunTimes::note_busiest(const RunWork &work)
{
    for (const ProgramWork &of_window : work.windows) {
        busiest.push_back(busiest_rank(of_window));
        busiest_gpu.push_back(mprof::busiest_gpu(of_window));
    }
    for (const ProgramWork &of_window : work.long_windows) {
        long_busiest.push_back(busiest_rank(of_window));
        long_busiest_gpu.push_back(mprof::busiest_gpu(of_window));
    }
}

}  // namespace mprof
