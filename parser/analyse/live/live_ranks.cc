// The states of a rank are found as those of the whole run are (analyse_time.cc), for each report;
// what lies between two of them is their difference.
#include "analyse/live/live_ranks.h"

#include "measure/function_facts.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mprof {
namespace {

// Which of `functions` are start-up, and which MPI I/O.
struct FunctionKinds {
    explicit FunctionKinds(const Report &report)
    {
        for (const FunctionRow &row : report.functions) {
            const FunctionFacts facts = facts_of(row.function);
            start_up.push_back(facts.is_startup());
            file.push_back(facts.kind == FunctionKind::file);
        }
    }
    std::vector<bool> start_up, file;
};

double sum_of(const std::vector<double> &seconds, const std::vector<bool> &wanted)
{
    double sum = 0;
    for (size_t i = 0; i < std::min(seconds.size(), wanted.size()); i++)
        sum += wanted[i] ? seconds[i] : 0;
    return sum;
}

TimeSplit split_of(const RankRow &row, const FunctionKinds &kinds)
{
    TimeSplit split;
    split.contention_s = row.contention_s.value_or(0);
    split.blocked_s = row.blocked_s.value_or(0);
    split.compute_s = std::max(0.0, row.compute_s - split.contention_s - split.blocked_s);
    double left_s = row.mpi_thread_s;
    const auto take = [&](double seconds) {
        const double part = std::clamp(seconds, 0.0, left_s);
        left_s -= part;
        return part;
    };
    split.wait_s = take(row.wait_thread_s.value_or(0));
    split.file_s = take(sum_of(row.functions_s, kinds.file));
    split.startup_s = take(sum_of(row.functions_s, kinds.start_up));
    split.transfer_s = left_s;
    return split;
}

void subtract(TimeSplit &split, const TimeSplit &earlier)
{
    for (double TimeSplit::*part :
         {&TimeSplit::compute_s, &TimeSplit::contention_s, &TimeSplit::blocked_s,
          &TimeSplit::wait_s, &TimeSplit::transfer_s, &TimeSplit::file_s, &TimeSplit::startup_s})
        split.*part = std::max(0.0, split.*part - earlier.*part);
}

void add(TimeSplit &sum, const TimeSplit &split)
{
    for (double TimeSplit::*part :
         {&TimeSplit::compute_s, &TimeSplit::contention_s, &TimeSplit::blocked_s,
          &TimeSplit::wait_s, &TimeSplit::transfer_s, &TimeSplit::file_s, &TimeSplit::startup_s})
        sum.*part += split.*part;
}

std::map<uint32_t, const RankRow *> rows_by_rank(const std::optional<Report> &report)
{
    std::map<uint32_t, const RankRow *> rows;
    if (report)
        for (const RankRow &row : report->ranks)
            rows[row.rank] = &row;
    return rows;
}

std::string facts_of_rank(const RankRow &row)
{
    std::string words = row.host;
    if (!row.cpu_list.empty())
        words += ", CPU " + row.cpu_list;
    if (row.memory_bytes)
        words += ", " + bytes_text(*row.memory_bytes);
    return words;
}

std::string at(const std::string &place)
{
    return place.empty() ? "" : " at " + place;
}

// What it does, and for how long.
std::string now_of(const RankRow &row, const LastCallRow *last, double run_s)
{
    if (row.end != RankEnd::none)
        return row.end == RankEnd::abort ? "called MPI_Abort" : "has ended";
    if (row.in_call) {
        const double length_s = row.wallclock_s - row.in_call_since_s.value_or(row.wallclock_s);
        return fmt::format("in {}{} for {}", *row.in_call, at(row.in_call_place),
                           duration_text(std::max(0.0, length_s)));
    }
    if (last == nullptr)
        return row.in_call_place.empty() ? "computes" : "computes since " + row.in_call_place;
    const double end_s = last->began_s + last->time_s.value_or(0);
    return fmt::format("computes for {} since {}{}", duration_text(std::max(0.0, run_s - end_s)),
                       last->function, at(last->place));
}

// The paths of the calls at a place, of each the one that took most time.
class Stacks {
public:
    explicit Stacks(const Report &report)
    {
        for (const CallsiteRow &site : report.callsites) {  // most time first
            const std::string place = site.site.words();
            by_call_.try_emplace({site.function, place}, &site);
            by_call_.try_emplace({"", place}, &site);
        }
    }

    std::vector<std::string> of(const RankRow &row) const
    {
        std::vector<std::string> stack;
        const auto found = by_call_.find({row.in_call.value_or(""), row.in_call_place});
        if (row.in_call_place.empty() || found == by_call_.end())
            return stack;
        for (const Frame &frame : found->second->path)
            stack.push_back(frame.symbol.empty()
                                ? frame.words()
                                : without_arguments(frame.symbol) + " (" + frame.place() + ")");
        return stack;
    }

private:
    std::map<std::pair<std::string, std::string>, const CallsiteRow *> by_call_;
};

std::map<uint32_t, const LastCallRow *> newest_calls(const Report &report)
{
    std::map<uint32_t, const LastCallRow *> newest;
    for (const LastCallRow &row : report.last_calls)
        newest[row.rank] = &row;
    return newest;
}

size_t node_of(const RankRow &row, LiveView &view, std::map<std::string, size_t> &nodes)
{
    const auto [found, is_new] = nodes.try_emplace(row.host, view.nodes.size());
    if (is_new)
        view.nodes.push_back({row.host, 0, {}, false});
    return found->second;
}

// After the split of all ranks.
void note_medians(LiveView &view)
{
    std::vector<double> compute;
    for (const LiveRank &rank : view.rank_bars)
        if (!rank.ended)
            compute.push_back(rank.split.compute_s);
    if (compute.empty())
        return;
    const auto middle = compute.begin() + static_cast<ptrdiff_t>(compute.size() / 2);
    std::nth_element(compute.begin(), middle, compute.end());
    for (LiveRank &rank : view.rank_bars)
        rank.over_median = *middle > 0 ? rank.split.compute_s / *middle : 1;
}

}  // namespace

LiveSplit as_shares(const TimeSplit &seconds)
{
    LiveSplit shares = seconds;
    const double all_s = seconds.all_s();
    for (double TimeSplit::*part :
         {&TimeSplit::compute_s, &TimeSplit::contention_s, &TimeSplit::blocked_s,
          &TimeSplit::wait_s, &TimeSplit::transfer_s, &TimeSplit::file_s, &TimeSplit::startup_s})
        shares.*part = all_s > 0 ? shares.*part / all_s : 0;
    return shares;
}

TimeState most_of(const LiveSplit &split)
{
    const std::pair<double, TimeState> parts[] = {
        {split.compute_s, TimeState::computing}, {split.contention_s, TimeState::cpu_wait},
        {split.blocked_s, TimeState::blocked},   {split.wait_s, TimeState::waiting},
        {split.transfer_s, TimeState::transfer}, {split.file_s, TimeState::io},
        {split.startup_s, TimeState::start_up}};
    return std::max_element(std::begin(parts), std::end(parts),
                            [](const auto &a, const auto &b) { return a.first < b.first; })
        ->second;
}

void note_ranks(const Report &now, const std::optional<Report> &before, LiveView &view)
{
    const FunctionKinds kinds(now), kinds_before(before ? *before : now);
    const auto earlier = rows_by_rank(before);
    const auto newest = newest_calls(now);
    const Stacks stacks(now);
    std::map<std::string, size_t> nodes;
    TimeSplit sum;
    for (const RankRow &row : now.ranks) {
        LiveRank rank;
        rank.rank = row.rank;
        rank.node = node_of(row, view, nodes);
        TimeSplit split = split_of(row, kinds);
        if (const auto old = earlier.find(row.rank); old != earlier.end())
            subtract(split, split_of(*old->second, kinds_before));
        rank.split = as_shares(split);
        rank.mostly = most_of(split);
        rank.ended = row.end != RankEnd::none;
        rank.facts = facts_of_rank(row);
        const auto last = newest.find(row.rank);
        rank.now = now_of(row, last == newest.end() ? nullptr : last->second, now.run.wallclock_s);
        rank.stack = stacks.of(row);
        add(sum, split);
        add(view.nodes[rank.node].split, split);
        view.nodes[rank.node].ranks++;
        view.rank_bars.push_back(std::move(rank));
    }
    view.split = as_shares(sum);
    for (LiveNode &node : view.nodes)
        node.split = as_shares(node.split);
    note_medians(view);
}

}  // namespace mprof
