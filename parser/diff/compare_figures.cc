// What all tables of a comparison have in common: from the figures of each run to the row.
#include "diff/comparison_parts.h"
#include "report/number_text.h"

#include <fmt/format.h>

namespace mprof {
namespace {

// "2.00x", or nothing if there is no difference worth a word.
std::string factor_text(double a, double b)
{
    if (a <= 0 || b <= 0 || std::abs(b - a) <= noise_rules.count_share * std::max(a, b))
        return "";
    return fmt::format("{}x", fixed_text(b / a, 2));
}

void add_remarks(RowChange &row)
{
    if (!row.in_a || !row.in_b)
        row.remarks.emplace_back(row.in_a ? "not in B" : "not in A");
    if (row.wait && row.wait->outcome != Outcome::same)
        row.remarks.push_back("waiting " + signed_duration(row.wait->difference));
    const std::string calls = factor_text(row.a_calls, row.b_calls);
    if (!calls.empty())
        row.remarks.push_back(calls + " as often");
    if (row.a_calls <= 0 || row.b_calls <= 0)
        return;
    const std::string bytes = factor_text(row.a_bytes / row.a_calls, row.b_bytes / row.b_calls);
    if (!bytes.empty())
        row.remarks.push_back(bytes + " the bytes each time");
}

}  // namespace

Runs::Runs(const std::vector<RunReport> &a, const std::vector<RunReport> &b) : a_count_(a.size())
{
    for (const RunReport &run : a)
        reports_.push_back(&run.report);
    for (const RunReport &run : b)
        reports_.push_back(&run.report);
    least_part_s_ =
        least_part_seconds(values([&](size_t run) { return reports_[run]->run.wallclock_s; }));
}

double Runs::per_rank(size_t run, double sum) const
{
    return sum / static_cast<double>(std::max<size_t>(1, reports_[run]->ranks.size()));
}

void Figures::add(const Figures &more)
{
    if (!more.is_there)
        return;
    if (!is_there || more.slowest_s > slowest_s)
        slowest_rank = more.slowest_rank;
    is_there = true;
    time_s += more.time_s;
    calls += more.calls;
    bytes += more.bytes;
    contention_s += more.contention_s;
    blocked_s += more.blocked_s;
    slowest_s += more.slowest_s;
    fastest_s += more.fastest_s;
    ranks = std::max(ranks, more.ranks);
    if (!wait_s || !more.wait_s)
        wait_s.reset();
    else
        *wait_s += *more.wait_s;
}

void fill_row(const Runs &runs, const std::vector<Figures> &figures, RowChange &row)
{
    row.time = runs.part_change([&](size_t run) { return figures[run].time_s; });
    row.outcome = row.time.outcome;
    const bool knows_waiting = std::all_of(figures.begin(), figures.end(),
                                           [](const Figures &f) { return f.wait_s.has_value(); });
    if (knows_waiting)
        row.wait = runs.part_change([&](size_t run) { return *figures[run].wait_s; });
    const Values calls = runs.values([&](size_t run) { return figures[run].calls; });
    const Values bytes = runs.values([&](size_t run) { return figures[run].bytes; });
    row.a_calls = mean(calls.a);
    row.b_calls = mean(calls.b);
    row.a_bytes = mean(bytes.a);
    row.b_bytes = mean(bytes.b);
    for (size_t run = 0; run < runs.count(); run++)
        (runs.is_of_a(run) ? row.in_a : row.in_b) |= figures[run].is_there;
    add_remarks(row);
}

void fill_slowest(const Runs &runs, const std::vector<Figures> &figures, RowChange &row)
{
    row.slowest = runs.part_change([&](size_t run) { return figures[run].slowest_s; });
    if (row.outcome == Outcome::same)
        row.outcome = row.slowest->outcome;
    // If all ranks change alike, the mean is enough.
    if (row.slowest->outcome == Outcome::same ||
        std::abs(row.slowest->difference) < 2 * std::abs(row.time.difference))
        return;
    const auto rank = slowest_rank(runs, figures, *row.slowest);
    row.remarks.push_back(
        fmt::format("slowest rank{}: {} -> {}", rank ? fmt::format(" ({})", *rank) : "",
                    duration_text(row.slowest->a), duration_text(row.slowest->b)));
}

std::optional<uint32_t> slowest_rank(const Runs &runs, const std::vector<Figures> &figures,
                                     const Change &slowest)
{
    const bool of_a = slowest.difference < 0;
    std::optional<uint32_t> rank;
    for (size_t run = 0; run < runs.count(); run++) {
        if (runs.is_of_a(run) != of_a || !figures[run].is_there)
            continue;
        if (rank && *rank != figures[run].slowest_rank)
            return std::nullopt;
        rank = figures[run].slowest_rank;
    }
    return rank;
}

std::string signed_duration(double seconds)
{
    return fmt::format("{}{}", seconds < 0 ? "-" : "+", duration_text(std::abs(seconds)));
}

double size_of_change(const RowChange &row)
{
    const auto size = [](const Change &change) {
        return change.outcome == Outcome::same ? 0 : std::abs(change.difference);
    };
    return std::max(size(row.time), row.slowest ? size(*row.slowest) : 0);
}

}  // namespace mprof
