// Who is waited for, and the answer: the first of a few rules that matches.
#include "analyse/live/live_ranks.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mprof {
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

// The largest group that stands in a call.
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
           fmt::format("{} of the time ranks {}.", percent_text(percent),
                       contention ? "wait for a CPU" : "are blocked outside of MPI"));
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
        return answer(view, Judgement::watch, "WAITING",
                      view.waits.empty()
                          ? fmt::format("{} of the time ranks wait for each other, and no rank "
                                        "stands out.",
                                        percent_text(100 * view.split.wait_s))
                          : fmt::format("{} of the time is waiting in MPI, most of it for rank {}.",
                                        percent_text(100 * view.split.wait_s),
                                        view.waits.front().rank));
    const bool calm = mpi_percent < live_limits.mpi_percent;
    answer(view, calm ? Judgement::good : Judgement::watch, calm ? "COMPUTING" : "COMMUNICATING",
           fmt::format("{} of the time is computing, {} is in MPI.",
                       percent_text(100 * (1 - view.split.mpi_s())), percent_text(mpi_percent)));
}

}  // namespace mprof
