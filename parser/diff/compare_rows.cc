// From the figures of each run to the rows of a comparison: what all tables have in common, and the
// tables whose rows have names that both sides share (functions, message sizes, regions, ranks).
#include "diff/comparison_parts.h"
#include "report/number_text.h"

#include <bit>
#include <fmt/format.h>
#include <set>

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

bool lacks_cpus(const Report &report)
{
    return std::any_of(report.accounts.rows.begin(), report.accounts.rows.end(),
                       [&](const AccountRow &row) {
                           return is_around(row.kind) &&
                                  row.gain_low_s >= noise_rules.crowded * report.accounts.span_s;
                       });
}

}  // namespace

Runs::Runs(const std::vector<RunReport> &a, const std::vector<RunReport> &b) : a_count_(a.size())
{
    for (const RunReport &run : a)
        reports_.push_back(&run.report);
    for (const RunReport &run : b)
        reports_.push_back(&run.report);
    is_crowded_ = std::any_of(reports_.begin(), reports_.end(),
                              [](const Report *report) { return lacks_cpus(*report); });
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

namespace {

// Number of the power of two; no_size if it is not known.
constexpr int no_size = -1;
int size_class(const MessageRow &row)
{
    const bool known = row.kind == MessageKind::call && row.precision != Precision::function;
    return known ? static_cast<int>(std::bit_width(row.bytes)) : no_size;
}

void set_size(int size_class, SizeChange &row)
{
    row.name = row.function + ", size not known";
    if (size_class == no_size)
        return;
    row.low_bytes = size_class == 0 ? 0 : uint64_t{1} << (size_class - 1);
    row.high_bytes = size_class == 0 ? 0 : *row.low_bytes + (*row.low_bytes - 1);
    row.name = *row.low_bytes == *row.high_bytes
                   ? fmt::format("{}, {}", row.function, bytes_text(*row.low_bytes))
                   : fmt::format("{}, {} - {}", row.function, bytes_text(*row.low_bytes),
                                 bytes_text(*row.high_bytes));
}

// Functions that move no bytes have no sizes either.
std::set<std::string> functions_with_bytes(const Runs &runs)
{
    std::set<std::string> functions;
    for (size_t run = 0; run < runs.count(); run++)
        for (const FunctionRow &row : runs[run].functions)
            if (row.bytes > 0)
                functions.insert(row.function);
    return functions;
}

// "rank 2, in step_row (heat.c:81)", or ""
std::string holder_words(std::optional<uint32_t> rank, const std::string &place)
{
    const std::string who = rank ? fmt::format("rank {}", *rank) : "";
    return who + (who.empty() || place.empty() ? "" : ", ") + place;
}

// Who has it on each side, once if that is the same.
std::string holders_words(const AccountChange &row)
{
    const std::string a = holder_words(row.a_rank, row.a_place);
    const std::string b = holder_words(row.b_rank, row.b_place);
    if (a == b || b.empty())
        return b.empty() && !a.empty() ? "A: " + a : b;
    return a.empty() ? "B: " + b : fmt::format("A: {}; B: {}", a, b);
}

std::string place_of(const AccountRow &row)
{
    if (row.function.empty())
        return row.place;
    return row.place.empty() ? row.function : fmt::format("{} ({})", row.function, row.place);
}

struct RegionFigures {
    double compute_s = 0, mpi_s = 0;
};

}  // namespace

void compare_accounts(const Runs &runs, Comparison &comparison)
{
    std::map<AccountKind, AccountChange> changes;
    FigureTable<AccountKind> table(runs.count());
    for (size_t run = 0; run < runs.count(); run++) {
        if (!runs[run].accounts.known)
            return;
        for (const AccountRow &row : runs[run].accounts.rows) {
            table.at(row.kind, run).is_there = true;
            table.at(row.kind, run).time_s = row.gain_s;
            AccountChange &change = changes[row.kind];
            const bool is_new = !(runs.is_of_a(run) ? change.in_a : change.in_b);
            (runs.is_of_a(run) ? change.in_a : change.in_b) = true;
            if (!is_new)
                continue;
            (runs.is_of_a(run) ? change.a_rank : change.b_rank) = row.rank;
            (runs.is_of_a(run) ? change.a_place : change.b_place) = place_of(row);
        }
    }
    for (const auto &[kind, figures] : table.rows()) {
        AccountChange &row = comparison.accounts.emplace_back(changes.at(kind));
        row.kind = kind;
        row.name = text_of(kind);
        fill_row(runs, figures, row);
        row.wait.reset();
        row.remarks.clear();  // a cause that gains nothing is not in the list: that is no news
        if (std::string words = holders_words(row); !words.empty())
            row.remarks.push_back(std::move(words));
    }
    sort_rows(comparison.accounts);
}

void compare_functions(const Runs &runs, Comparison &comparison)
{
    FigureTable<std::string> table(runs.count());
    std::set<std::string> of_nccl;
    for (size_t run = 0; run < runs.count(); run++) {
        for (const FunctionRow &row : runs[run].functions) {
            table.at(row.function, run)
                .add(figures_of_sums(runs, run, row.time_s, row.calls, row.bytes, row.wait_s));
        }
        for (const NcclFunctionRow &row : runs[run].nccl_functions) {
            table.at(row.function, run)
                .add(figures_of_sums(runs, run, row.time_s, row.calls, row.bytes, row.wait_s));
            of_nccl.insert(row.function);
        }
    }
    for (const auto &[function, figures] : table.rows()) {
        FunctionChange &row = comparison.functions.emplace_back();
        row.name = row.function = function;
        row.is_of_nccl = of_nccl.contains(function);
        fill_row(runs, figures, row);
    }
    sort_rows(comparison.functions);
}

void compare_sizes(const Runs &runs, Comparison &comparison)
{
    const auto functions = functions_with_bytes(runs);
    FigureTable<std::pair<std::string, int>> table(runs.count());
    for (size_t run = 0; run < runs.count(); run++) {
        for (const MessageRow &row : runs[run].messages) {
            if (row.kind == MessageKind::start || functions.count(row.function) == 0)
                continue;  // the time of starts is elsewhere
            table.at({row.function, size_class(row)}, run)
                .add(
                    figures_of_sums(runs, run, row.time_s, row.calls, row.sum_bytes, std::nullopt));
        }
    }
    for (const auto &[key, figures] : table.rows()) {
        SizeChange &row = comparison.sizes.emplace_back();
        row.function = key.first;
        set_size(key.second, row);
        fill_row(runs, figures, row);
        row.wait.reset();
    }
    sort_rows(comparison.sizes);
}

void compare_regions(const Runs &runs, Comparison &comparison)
{
    FigureTable<std::string> table(runs.count());
    std::map<std::string, std::vector<RegionFigures>> parts;
    for (size_t run = 0; run < runs.count(); run++) {
        for (const RegionRow &row : runs[run].regions) {
            table.at(row.path, run)
                .add(figures_of_sums(runs, run, row.time_s, row.visits, 0, row.inclusive.wait_s));
            RegionFigures &part = parts.try_emplace(row.path, runs.count()).first->second[run];
            part.compute_s = runs.per_rank(run, row.compute_s);
            part.mpi_s = runs.per_rank(run, row.inclusive.mpi_s);
        }
    }
    for (const auto &[path, figures] : table.rows()) {
        const auto &part = parts.at(path);
        RegionChange &row = comparison.regions.emplace_back();
        row.path = path;
        row.name = path.empty() ? "(whole program)" : path;
        fill_row(runs, figures, row);
        row.compute = runs.part_change([&](size_t run) { return part[run].compute_s; });
        row.mpi = runs.part_change([&](size_t run) { return part[run].mpi_s; });
    }
    sort_rows(comparison.regions);
}

void compare_ranks(const Runs &runs, Comparison &comparison)
{
    std::map<uint32_t, std::vector<const RankRow *>> ranks;
    for (size_t run = 0; run < runs.count(); run++) {
        if (runs[run].run.ranks != runs[0].run.ranks)
            return;
        for (const RankRow &row : runs[run].ranks)
            ranks.try_emplace(row.rank, runs.count()).first->second[run] = &row;
    }
    for (const auto &entry : ranks) {
        const std::vector<const RankRow *> &rows = entry.second;
        // A rank that could not be read in one of the runs has no figures there. That is not 0.
        if (std::find(rows.begin(), rows.end(), nullptr) != rows.end())
            continue;
        std::vector<Figures> figures(runs.count());
        for (size_t run = 0; run < runs.count(); run++) {
            figures[run].is_there = true;
            figures[run].time_s = rows[run]->compute_s;
            figures[run].calls = static_cast<double>(rows[run]->calls);
            figures[run].bytes = static_cast<double>(rows[run]->sent_bytes);
            figures[run].wait_s = rows[run]->wait_s;
        }
        RankChange &row = comparison.ranks.emplace_back();
        row.rank = entry.first;
        row.name = fmt::format("rank {}", entry.first);
        row.a_host = rows.front()->host;
        row.b_host = rows[runs.a_count()]->host;
        fill_row(runs, figures, row);
        row.remarks.clear();  // of calls, which other tables tell better
        row.wallclock = runs.part_change([&](size_t run) { return rows[run]->wallclock_s; });
        row.mpi = runs.part_change([&](size_t run) { return rows[run]->mpi_s; });
    }
    sort_rows(comparison.ranks);
}

}  // namespace mprof
