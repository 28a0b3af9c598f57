// A view is the difference of two reports of the same folder. It shows how the time between them
// was spent.
#include "analyse/live/live_view.h"

#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mprof {
namespace {

constexpr size_t most_ranks_shown = 6;

struct Amount {
    std::string name;
    uint64_t calls = 0;
    double time_s = 0;
};

std::vector<Amount> function_amounts(const Report &report)
{
    std::vector<Amount> amounts;
    for (const FunctionRow &row : report.functions)
        amounts.push_back({row.function, row.calls, row.mpi_thread_s});
    return amounts;
}

std::vector<Amount> line_amounts(const Report &report)
{
    std::vector<Amount> amounts;
    for (const CallLineRow &row : report.call_lines)
        if (!row.place.empty())
            amounts.push_back(
                {fmt::format("{} at {}", row.function, row.words()), row.calls, row.mpi_thread_s});
    return amounts;
}

using Amounts = std::vector<Amount> (*)(const Report &);

std::vector<LiveRow> make_rows(const Report &now, const std::optional<Report> &before,
                               Amounts amounts_of)
{
    std::map<std::string, Amount> earlier;
    double length_s = now.totals.wallclock_s;
    if (before) {
        for (const Amount &amount : amounts_of(*before))
            earlier[amount.name] = amount;
        length_s -= before->totals.wallclock_s;
    }
    const double ranks = static_cast<double>(std::max<size_t>(1, now.ranks.size()));
    std::vector<LiveRow> rows;
    for (const Amount &amount : amounts_of(now)) {
        const Amount &old = earlier[amount.name];
        LiveRow row;
        row.name = amount.name;
        row.calls = amount.calls;
        row.run_percent =
            now.totals.wallclock_s > 0 ? 100 * amount.time_s / now.totals.wallclock_s : 0;
        if (length_s > 0) {
            if (before)
                row.now_percent = std::max(0.0, 100 * (amount.time_s - old.time_s) / length_s);
            row.calls_per_s =
                static_cast<double>(amount.calls - std::min(amount.calls, old.calls)) * ranks /
                length_s;
        }
        rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const LiveRow &a, const LiveRow &b) {
        return a.now_percent.value_or(a.run_percent) > b.now_percent.value_or(b.run_percent);
    });
    return rows;
}

using PlacedTimes = std::map<std::pair<std::string, std::string>, const CallLineRow *>;

PlacedTimes times_before(const std::optional<Report> &before)
{
    PlacedTimes times;
    if (before)
        for (const CallLineRow &row : before->call_lines)
            times[{row.place, row.function}] = &row;
    return times;
}

// Of the MPI threads, which wait as much of their time there as all threads do.
double wait_in(const CallLineRow &row)
{
    return row.time_s > 0 ? row.wait_s.value_or(0) * row.mpi_thread_s / row.time_s : 0;
}

// Most time first.
std::vector<LiveSite> make_sites(const Report &now, const std::optional<Report> &before)
{
    const double length_s = now.totals.wallclock_s - (before ? before->totals.wallclock_s : 0);
    const PlacedTimes earlier = times_before(before);
    std::vector<LiveSite> sites;
    for (const CallLineRow &row : now.call_lines) {
        const auto old = earlier.find({row.place, row.function});
        const bool is_old = old != earlier.end();
        const double time_s = row.mpi_thread_s - (is_old ? old->second->mpi_thread_s : 0);
        if (time_s <= 0 || length_s <= 0)
            continue;
        LiveSite site;
        site.place = row.words();
        site.function = row.function;
        site.percent = 100 * time_s / length_s;
        if (row.wait_s) {
            const double wait_s = wait_in(row) - (is_old ? wait_in(*old->second) : 0);
            site.wait_percent = std::clamp(100 * wait_s / length_s, 0.0, site.percent);
            site.state = 2 * wait_s > time_s ? TimeState::waiting : TimeState::transfer;
        }
        sites.push_back(std::move(site));
    }
    std::stable_sort(sites.begin(), sites.end(),
                     [](const LiveSite &a, const LiveSite &b) { return a.percent > b.percent; });
    return sites;
}

std::string words_of_standing(const StandingRow &row)
{
    const std::string at = row.place.empty() ? "" : " at " + row.place;
    switch (row.state) {
    case RankState::in_call:
        return "in " + row.function + at;
    case RankState::polling:
        return "polling with " + row.function + at;
    case RankState::outside_mpi:
        return row.function.empty() ? "computing" : "computing after " + row.function + at;
    default:
        return text_of(row.state);
    }
}

std::vector<LiveNow> make_now(const Standing &standing)
{
    std::vector<LiveNow> all;
    for (const StandingRow &row : standing.rows) {
        LiveNow now;
        now.state = row.state == RankState::in_call || row.state == RankState::polling
                        ? TimeState::waiting
                    : row.state == RankState::outside_mpi ? TimeState::computing
                                                          : TimeState::blocked;
        now.ranks = row.ranks;
        now.words = words_of_standing(row);
        now.longest_s = row.longest_s;
        all.push_back(std::move(now));
    }
    return all;
}

std::string program_of(const Report &report)
{
    const std::string name = program_name(report.run.command);
    return name.empty() ? "a program" : name;
}

std::string steps_of(const TimeLine &time)
{
    std::string words = time.phases.empty() ? "" : time.phases.back().name;
    if (time.steps && time.steps->last_s > 0)
        words +=
            fmt::format("{}{}/step", words.empty() ? "" : ", ", duration_text(time.steps->last_s));
    return words;
}

// All that the new look of mprof top shows.
void note_screen(const Report &now, const std::optional<Report> &before, LiveView &view)
{
    view.program = program_of(now);
    view.size =
        fmt::format("{} on {}", plural(now.run.ranks, "rank"), plural(now.run.nodes, "node"));
    view.running = now.standing.running;
    view.run_s = now.run.wallclock_s;
    view.length_s = now.run.wallclock_s - (before ? before->run.wallclock_s : 0);
    view.steps = steps_of(now.time);
    for (const TimeBin &bin : now.time.bins)
        view.waiting_by_time.push_back(bin.split.all_s() > 0 ? bin.split.wait_s / bin.split.all_s()
                                                             : 0);
    view.phases = now.time.phases;
    view.now = make_now(now.standing);
    view.sites = make_sites(now, before);
    view.last_calls = now.last_calls;
    note_ranks(now, before, view);
    note_waits(now, before, view);
    note_answer(now, view);
}

}  // namespace

LiveView make_live_view(const Report &now, const std::optional<Report> &before)
{
    LiveView view;
    view.headline = fmt::format("{} on {}, {}, {}", program_of(now), plural(now.run.ranks, "rank"),
                                text_of(now.standing.state), duration_text(now.run.wallclock_s));
    view.balance =
        fmt::format("{} of the time in MPI, load balance {}", percent_text(now.totals.comm_percent),
                    percent_text(100 * now.totals.load_balance));
    double longest_s = 0;
    for (const StandingRow &row : now.standing.rows) {
        longest_s = std::max(longest_s, row.longest_s);
        if (view.ranks.size() < most_ranks_shown)
            view.ranks.push_back(row.text);
    }
    if (now.standing.rows.size() > most_ranks_shown)
        view.ranks.push_back(fmt::format(
            "... and at {}", plural(now.standing.rows.size() - most_ranks_shown, "more place")));
    if (longest_s > live_limits.long_wait_s || !now.standing.running)
        view.waiting = now.standing.headline;
    if (!now.standing.ended.empty())
        view.ranks.push_back(now.standing.ended);
    if (!now.standing.missing.empty())
        view.ranks.push_back(now.standing.missing);
    view.functions = make_rows(now, before, function_amounts);
    view.lines = make_rows(now, before, line_amounts);
    note_screen(now, before, view);
    return view;
}

}  // namespace mprof
