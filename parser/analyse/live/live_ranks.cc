// Ranks of a running job between two reports, and the first of a few rules that matches.
#include "analyse/live/live_view.h"

#include "measure/function_facts.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mprof {

// The states of a rank are found as those of the whole run are (analyse_ranks.cc), for each report;
// what happened between two of them is their difference.

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
    split.gpu_wait_s = row.gpu->wait_s.value_or(0);
    split.gpu_copy_s = row.gpu->copy_s.value_or(0);
    split.gpu_launch_s = row.gpu->launch_s.value_or(0);
    split.compute_s =
        std::max(0.0, row.compute_s - split.contention_s - split.blocked_s - split.gpu_s());
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
    for (const auto part : split_states)
        split.*part = std::max(0.0, split.*part - earlier.*part);
}

void add(TimeSplit &sum, const TimeSplit &split)
{
    for (const auto part : split_states)
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
        return row.in_call_place.empty() ? "computes" : "computing since " + row.in_call_place;
    const double end_s = last->began_s + last->time_s.value_or(0);
    return fmt::format("computing for {} since {}{}", duration_text(std::max(0.0, run_s - end_s)),
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
    for (const auto part : split_states)
        shares.*part = all_s > 0 ? shares.*part / all_s : 0;
    return shares;
}

TimeState most_of(const LiveSplit &split)
{
    const TimeStateRow *most = time_states;
    for (const TimeStateRow *row = time_states; row->seconds != nullptr; row++)
        if (split.*row->seconds > split.*most->seconds)
            most = row;
    return most->state;
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

// Who is waited for, and the answer: the first of a few rules that matches.

namespace {

constexpr size_t most_waits = 10;

std::map<uint32_t, double> caused_before(const std::optional<Report> &before)
{
    std::map<uint32_t, double> caused;
    if (before)
        for (const RankRow &row : before->ranks)
            caused[row.rank] = row.caused_wait_s.value_or(0);
    return caused;
}

std::string place_of_cause(const Report &report, uint32_t rank)
{
    for (const CauseRow &row : report.causes)
        if (row.rank == rank)
            return row.place;
    return "";
}

// The largest group of ranks in one call.
const StandingRow *waiting_row(const Report &report)
{
    const StandingRow *most = nullptr;
    for (const StandingRow &row : report.standing.rows)
        if (row.state == RankState::in_call && (most == nullptr || row.ranks > most->ranks))
            most = &row;
    return most;
}

double longest_wait_s(const Report &report)
{
    double longest_s = 0;
    for (const StandingRow &row : report.standing.rows)
        if (row.state == RankState::in_call)
            longest_s = std::max(longest_s, row.longest_s);
    return longest_s;
}

// A call has not ended, so that nothing says yet that it was waiting for a rank.
void add_hang(const Report &report, LiveView &view)
{
    const StandingRow *row = waiting_row(report);
    if (row == nullptr || report.standing.headline.empty() || report.standing.look_at.empty() ||
        row->longest_s < live_limits.long_wait_s)
        return;
    LiveWait wait;
    wait.who = plural(row->ranks, "rank");
    wait.rank = report.standing.look_at.front();
    wait.wait_s = static_cast<double>(row->ranks) * std::min(row->longest_s, view.length_s);
    wait.place = row->function + (row->place.empty() ? "" : " at " + row->place);
    view.waits.push_back(std::move(wait));
}

void mark_waited_for(LiveView &view)
{
    if (view.waits.empty() || 100 * view.split.wait_s < live_limits.wait_percent)
        return;
    for (LiveRank &rank : view.rank_bars)
        if (rank.rank == view.waits.front().rank) {
            rank.waited_for = true;
            view.nodes[rank.node].waited_for = true;
        }
}

void answer(LiveView &view, Judgement state, const std::string &words, std::string sentence)
{
    view.state = state;
    view.answer = words;
    view.sentence = std::move(sentence);
}

// The rank that is waited for computes longer.
bool is_imbalanced(LiveView &view)
{
    for (const LiveRank &rank : view.rank_bars) {
        if (!rank.waited_for || rank.over_median < live_limits.slow_factor)
            continue;
        answer(view, Judgement::problem, "LOAD IMBALANCE",
               fmt::format("Rank {} on {} computes {:.2f}x as long, and {}.", rank.rank,
                           view.nodes[rank.node].host, rank.over_median,
                           view.rank_bars.size() == 2 ? "the other one waits" : "the others wait"));
        return true;
    }
    return false;
}

bool is_off_cpu(LiveView &view)
{
    const double percent = 100 * (view.split.contention_s + view.split.blocked_s);
    if (percent < live_limits.off_cpu_percent)
        return false;
    const bool contention = view.split.contention_s >= view.split.blocked_s;
    answer(view, Judgement::problem, contention ? "KEPT OFF THE CPU" : "BLOCKED",
           fmt::format("{} of the time, ranks {}.", percent_text(percent),
                       contention ? "wait for a CPU" : "are blocked outside MPI"));
    return true;
}

}  // namespace

void note_waits(const Report &now, const std::optional<Report> &before, LiveView &view)
{
    add_hang(now, view);
    const auto earlier = caused_before(before);
    std::vector<LiveWait> waits;
    for (const RankRow &row : now.ranks) {
        LiveWait wait;
        const auto old = earlier.find(row.rank);
        wait.who = now.ranks.size() == 2 ? "the other" : "others";
        wait.rank = row.rank;
        wait.wait_s = row.caused_wait_s.value_or(0) - (old == earlier.end() ? 0 : old->second);
        wait.place = place_of_cause(now, row.rank);
        const double all_s = view.length_s * static_cast<double>(now.ranks.size());
        if (wait.wait_s > 0 && 100 * wait.wait_s >= live_limits.cause_percent * all_s)
            waits.push_back(std::move(wait));
    }
    std::stable_sort(waits.begin(), waits.end(),
                     [](const LiveWait &a, const LiveWait &b) { return a.wait_s > b.wait_s; });
    for (LiveWait &wait : waits)
        if (view.waits.size() < most_waits)
            view.waits.push_back(std::move(wait));
    mark_waited_for(view);
}

void note_answer(const Report &now, LiveView &view)
{
    const double mpi_percent = 100 * view.split.mpi_s();
    if (!now.standing.headline.empty() &&
        (longest_wait_s(now) >= live_limits.long_wait_s || !now.standing.running))
        return answer(view, Judgement::problem, now.standing.running ? "WAITING" : "NOT RUNNING",
                      capitalised(now.standing.headline) + ".");
    if (is_imbalanced(view) || is_off_cpu(view))
        return;
    if (100 * view.split.wait_s >= live_limits.wait_percent)
        return answer(
            view, Judgement::watch, "WAITING",
            view.waits.empty()
                ? fmt::format("{} of the time, ranks wait for each other, and no rank stands out.",
                              percent_text(100 * view.split.wait_s))
                : fmt::format("{} of the time is waiting in MPI, mostly for rank {}.",
                              percent_text(100 * view.split.wait_s), view.waits.front().rank));
    const bool calm = mpi_percent < live_limits.mpi_percent;
    answer(view, calm ? Judgement::good : Judgement::watch, calm ? "COMPUTING" : "COMMUNICATING",
           fmt::format("{} of the time is computing, {} is in MPI.",
                       percent_text(100 * (1 - view.split.mpi_s())), percent_text(mpi_percent)));
}

}  // namespace mprof
