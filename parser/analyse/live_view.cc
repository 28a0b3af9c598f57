// A view is the difference of two reports of the same folder. It shows how the time between them
// was spent.
#include "analyse/live_view.h"

#include "report/number_text.h"
#include "report/program_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mprof {
namespace {

// A collective that takes longer than this is reported.
constexpr double long_wait_s = 5;
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
        amounts.push_back({row.function, row.calls, row.time_s});
    return amounts;
}

std::vector<Amount> line_amounts(const Report &report)
{
    std::vector<Amount> amounts;
    for (const CallLineRow &row : report.call_lines)
        if (!row.place.empty())
            amounts.push_back(
                {fmt::format("{} at {}", row.function, row.place), row.calls, row.time_s});
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

std::string program_of(const Report &report)
{
    const std::string name = program_name(report.run.command);
    return name.empty() ? "a program" : name;
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
        view.ranks.push_back(
            fmt::format("... and at {} more places", now.standing.rows.size() - most_ranks_shown));
    if (longest_s > long_wait_s || !now.standing.running)
        view.waiting = now.standing.headline;
    if (!now.standing.ended.empty())
        view.ranks.push_back(now.standing.ended);
    if (!now.standing.missing.empty())
        view.ranks.push_back(now.standing.missing);
    view.functions = make_rows(now, before, function_amounts);
    view.lines = make_rows(now, before, line_amounts);
    return view;
}

}  // namespace mprof
