// How quantities grow with the number of ranks: laws, and what they say of a program.
//
// Each law has a scale and at most one more parameter. All are fitted by least squares to the
// logarithms of the values, as times vary by a share of themselves. The logarithm of the ratio of
// two sums of squares then says how much less likely one law is than another.
#include "diff/noise_band.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "scale/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace mprof {

namespace {

// Found with 20,000 planted cases of each law (test_growth_law.cc has a part of them): no law is
// named wrongly, and as many as possible are named.
constexpr double unlikely = 4.5;        // logarithm of the ratio from which on a law is ruled out
constexpr double likely = 2.0;          // up to here it counts for projections
constexpr double least_noise = 0.03;    // of two runs more, which agree too well by chance
constexpr double most_constant = 0.15;  // |exponent| that may still be 0, with its error
constexpr double most_error = 0.2;      // of an exponent that is reported
constexpr double error_width = 3;       // standard errors

constexpr std::array<double, 4> exponents = {-1, 0.5, 1, 2};

// A law with the sum of squares of what it leaves.
struct Candidate {
    GrowthLaw law;
    double squares = 0;
};

class Fitter {
public:
    explicit Fitter(const std::vector<GrowthPoint> &points)
    {
        for (const GrowthPoint &point : points) {
            ranks_.push_back(point.ranks);
            logs_.push_back(std::log(point.value));
            middle_ += std::log(point.ranks) / static_cast<double>(points.size());
        }
    }

    std::vector<Candidate> all()
    {
        std::vector<Candidate> found = {fitted({LawKind::constant, 0, 1}), power()};
        if (*std::min_element(ranks_.begin(), ranks_.end()) >= 2) {
            found.push_back(fitted({LawKind::logarithm, 0, 1}));
            found.push_back(fitted({LawKind::power_and_logarithm, 0, 1, 1}));
        }
        for (const double exponent : exponents)
            found.push_back(sum({LawKind::constant_and_power, 1, 1, exponent}));
        found.push_back(sum({LawKind::constant_and_logarithm, 1, 1}));
        return found;
    }
    double exponent_error() const { return exponent_error_; }

private:
    // Scales the law to the points.
    Candidate fitted(GrowthLaw law) const
    {
        double mean = 0, squares = 0;
        std::vector<double> away;
        for (size_t i = 0; i < logs_.size(); i++) {
            away.push_back(logs_[i] - std::log(law.value_at(ranks_[i])));
            mean += away.back() / static_cast<double>(logs_.size());
        }
        for (const double value : away)
            squares += (value - mean) * (value - mean);
        law.constant *= std::exp(mean);
        law.factor *= std::exp(mean);
        return {law, squares + 2 * least_noise * least_noise};
    }

    Candidate power()
    {
        double of_ranks = 0, of_both = 0;
        for (size_t i = 0; i < logs_.size(); i++) {
            const double away = std::log(ranks_[i]) - middle_;
            of_ranks += away * away;
            of_both += away * logs_[i];
        }
        Candidate found = fitted({LawKind::power, 0, 1, of_both / of_ranks});
        const size_t degrees = logs_.size() - 2;
        exponent_error_ = std::sqrt(found.squares / static_cast<double>(degrees) / of_ranks);
        found.law.low = found.law.exponent - student_t(degrees) * exponent_error_;
        found.law.high = found.law.exponent + student_t(degrees) * exponent_error_;
        return found;
    }

    // Tries all shares that the growing part may have in the middle of the sizes.
    Candidate sum(const GrowthLaw &law) const
    {
        const double in_middle =
            GrowthLaw{law.kind, 0, 1, law.exponent}.value_at(std::max(std::exp(middle_), 2.0));
        Candidate best;
        best.squares = std::numeric_limits<double>::infinity();
        const auto try_ratio = [&](double log_ratio) {
            GrowthLaw tried = law;
            tried.factor = std::exp(log_ratio) / in_middle;
            const Candidate found = fitted(tried);
            if (found.squares < best.squares) {
                best = found;
                best_log_ratio_ = log_ratio;
            }
        };
        constexpr double widest = 7, coarse = 0.1, fine = 0.01;
        for (double at = -widest; at <= widest; at += coarse)
            try_ratio(at);
        const double around = best_log_ratio_;
        for (double at = around - coarse; at <= around + coarse; at += fine)
            try_ratio(at);
        return best;
    }

    std::vector<double> ranks_, logs_;
    double middle_ = 0;  // mean of the logarithms of the ranks
    double exponent_error_ = 0;
    mutable double best_log_ratio_ = 0;
};

size_t count_sizes(const std::vector<GrowthPoint> &points)
{
    std::vector<double> sizes;
    for (const GrowthPoint &point : points)
        sizes.push_back(point.ranks);
    std::sort(sizes.begin(), sizes.end());
    return static_cast<size_t>(std::unique(sizes.begin(), sizes.end()) - sizes.begin());
}

// What a simpler law that fits also says: c + f x p^a with hardly any c, or hardly any f.
bool is_said_by(const GrowthLaw &law, const GrowthLaw &simpler, double exponent_error)
{
    const bool is_sum =
        law.kind == LawKind::constant_and_power || law.kind == LawKind::constant_and_logarithm;
    if (simpler.kind == LawKind::constant)
        return is_sum || law.kind == LawKind::power;
    if (simpler.kind == LawKind::power)
        return law.kind == LawKind::constant_and_power &&
               std::abs(law.exponent - simpler.exponent) < error_width * exponent_error;
    return simpler.kind == LawKind::logarithm && law.kind == LawKind::constant_and_logarithm;
}

bool is_exact(const GrowthLaw &law, const GrowthLaw &power, double exponent_error)
{
    const double error = error_width * exponent_error;
    if (law.kind == LawKind::constant)
        return std::abs(power.exponent) + error <= most_constant;
    return law.kind != LawKind::power || error <= most_error;
}

// Of "p^0.50".
std::string power_text(double exponent, int decimals)
{
    if (exponent == 1)
        return "p";
    return exponent == -1 ? "1/p" : "p^" + fixed_text(exponent, decimals);
}

}  // namespace

double GrowthLaw::value_at(double ranks) const
{
    switch (kind) {
    case LawKind::constant:
        return factor;
    case LawKind::power:
    case LawKind::constant_and_power:
        return constant + factor * std::pow(ranks, exponent);
    case LawKind::power_and_logarithm:
        return factor * ranks * std::log2(ranks);
    default:
        return constant + factor * std::log2(ranks);
    }
}

std::string GrowthLaw::text() const
{
    switch (kind) {
    case LawKind::none:
        return "no clear law";
    case LawKind::constant:
        return "constant";
    case LawKind::power:
        return "p^" + fixed_text(exponent, 2);
    case LawKind::logarithm:
        return "log p";
    case LawKind::power_and_logarithm:
        return "p log p";
    case LawKind::constant_and_power:
        return "constant + " + power_text(exponent, exponent == 0.5 ? 1 : 0);
    default:
        return "constant + log p";
    }
}

Growth::Growth(const std::vector<GrowthPoint> &points)
{
    const bool positive = std::all_of(points.begin(), points.end(), [](const GrowthPoint &point) {
        return point.ranks > 0 && point.value > 0;
    });
    if (!positive || count_sizes(points) < least_law_sizes)
        return;
    Fitter fitter(points);
    const std::vector<Candidate> all = fitter.all();
    const GrowthLaw &power = all[1].law;
    const double least =
        std::min_element(all.begin(), all.end(), [](const Candidate &a, const Candidate &b) {
            return a.squares < b.squares;
        })->squares;
    std::vector<GrowthLaw> possible;
    for (const Candidate &each : all) {
        const double unlike =
            0.5 * static_cast<double>(points.size() - 2) * std::log(each.squares / least);
        if (unlike < unlikely)
            possible.push_back(each.law);
        if (unlike < likely)
            likely_.push_back(each.law);
    }
    std::vector<GrowthLaw> simplest;
    for (const GrowthLaw &law : possible)
        if (std::none_of(possible.begin(), possible.end(), [&](const GrowthLaw &simpler) {
                return is_said_by(law, simpler, fitter.exponent_error());
            }))
            simplest.push_back(law);
    if (simplest.size() == 1 && is_exact(simplest[0], power, fitter.exponent_error()))
        law_ = simplest[0];
}

std::optional<Projection> Growth::at(double ranks) const
{
    if (likely_.empty())
        return std::nullopt;
    Projection projection;
    projection.low = std::numeric_limits<double>::infinity();
    double logs = 0;
    for (const GrowthLaw &law : likely_) {
        const double value = law.value_at(ranks);
        projection.low = std::min(projection.low, value);
        projection.high = std::max(projection.high, value);
        logs += std::log(value) / static_cast<double>(likely_.size());
    }
    projection.value = law_.kind == LawKind::none ? std::exp(logs) : law_.value_at(ranks);
    projection.low = std::min(projection.low, projection.value);
    projection.high = std::max(projection.high, projection.value);
    return projection;
}

// What grows: each part of the average rank's time by size, its law, and what that says of ten
// times as many ranks. Call lines and computing together are the whole time, so their projections
// add up to that of the run.

namespace {

constexpr double projected_times = 10;       // the largest size
constexpr double least_share = 0.002;        // of a run, for a row of its own
constexpr double least_measurable = 0.0005;  // of a run
constexpr double most_unknown = 0.05;        // of the largest run, in rows without a projection
constexpr int projected_steps = 8;
constexpr double furthest_times = 100;  // where the end of the scaling is looked for
constexpr double step_of_search = 1.05;

using RowsOfRun = std::map<std::string, RunRow>;

const RunRow *row_in(const SizeRun &run, RowsOfRun SizeRun::*rows, const std::string &key)
{
    const auto at = (run.*rows).find(key);
    return at == (run.*rows).end() ? nullptr : &at->second;
}

Growth growth_over(const SizesOfRuns &sizes, uint32_t least_ranks,
                   const std::function<std::optional<double>(const SizeRun &)> &value_of)
{
    std::vector<GrowthPoint> points;
    for (const RunsOfSize &runs : sizes)
        for (const SizeRun *run : runs)
            if (run->run.ranks >= least_ranks)
                points.push_back({static_cast<double>(run->run.ranks), value_of(*run).value_or(0)});
    return Growth(points);
}

bool is_communication(GrowthKind kind)
{
    return kind == GrowthKind::call_line || kind == GrowthKind::function ||
           kind == GrowthKind::nccl;
}

// What is lost in the noise of the clock has no law.
bool is_measurable(const SizesOfRuns &sizes, const GrowthRow &row)
{
    for (size_t i = 0; i < sizes.size(); i++) {
        const double run_s = sizes[i][0]->run.wallclock_s;
        const bool is_alone = is_communication(row.kind) && sizes[i][0]->run.ranks == 1;
        if (!is_alone && row.time_s[i] < least_measurable * run_s)
            return false;
    }
    return true;
}

GrowthRow growth_row(const SizesOfRuns &sizes, RowsOfRun SizeRun::*rows, const std::string &key)
{
    GrowthRow row;
    const auto time_of = [&](const SizeRun &run) -> std::optional<double> {
        const RunRow *found = row_in(run, rows, key);
        return found == nullptr ? 0 : found->time_s;
    };
    for (const RunsOfSize &runs : sizes) {
        row.time_s.push_back(*median_of(runs, time_of));
        row.wait_s.push_back(*median_of(runs, [&](const SizeRun &run) -> std::optional<double> {
            const RunRow *found = row_in(run, rows, key);
            return found == nullptr ? 0 : found->wait_s.value_or(0);
        }));
        const RunRow *longest = nullptr;
        for (const SizeRun *run : runs)
            if (const RunRow *found = row_in(*run, rows, key)) {
                row.kind = found->names.kind;
                row.what = found->names.what;
                row.place = found->names.place;
                row.symbol = found->names.symbol;
                row.function = found->names.function;
                row.file = found->names.file;
                row.line = found->names.line;
                if (longest == nullptr || found->slowest_s > longest->slowest_s)
                    longest = found;
            }
        row.slowest_s.push_back(*median_of(runs, [&](const SizeRun &run) -> std::optional<double> {
            const RunRow *found = row_in(run, rows, key);
            return found == nullptr ? 0 : found->slowest_s;
        }));
        row.slowest_rank.push_back(longest == nullptr ? 0 : longest->slowest_rank);
    }
    // With one rank MPI and NCCL have nobody to talk to: that run says nothing of how its calls
    // grow.
    if (is_measurable(sizes, row))
        row.growth = growth_over(sizes, is_communication(row.kind) ? 2 : 1, time_of);
    return row;
}

std::set<std::string> keys_worth(const SizesOfRuns &sizes, RowsOfRun SizeRun::*rows)
{
    std::set<std::string> keys;
    for (const RunsOfSize &runs : sizes)
        for (const SizeRun *run : runs)
            for (const auto &[key, row] : run->*rows)
                if (std::max(row.time_s, row.slowest_s) >= least_share * run->run.wallclock_s)
                    keys.insert(key);
    return keys;
}

bool is_part_of_run(const GrowthRow &row)
{
    return row.kind == GrowthKind::call_line || row.kind == GrowthKind::compute;
}

// Of all parts together; what has no projection stays as it is at the largest size. None if that is
// too much.
std::optional<Projection> whole_at(const Scaling &scaling, double ranks)
{
    Projection whole;
    double unknown_s = 0;
    for (const GrowthRow &row : scaling.growth) {
        if (!is_part_of_run(row))
            continue;
        const double last_s = row.time_s.back();
        const auto part = row.growth.at(ranks);
        unknown_s += part ? 0 : last_s;
        whole.value += part ? part->value : last_s;
        whole.low += part ? part->low : last_s;
        whole.high += part ? part->high : last_s;
    }
    return unknown_s <= most_unknown * scaling.sizes.back().wallclock_s ? std::optional(whole)
                                                                        : std::nullopt;
}

// `scale`: of the slowest rank against the average one.
ProjectedSize projected_size(const Scaling &scaling, double ranks, const Projection &rows_s,
                             double scale)
{
    const Projection whole = {scale * rows_s.value, scale * rows_s.low, scale * rows_s.high};
    const auto speedup = [&](double wallclock_s) {
        return ranks * efficiency_of(scaling, wallclock_s, ranks);
    };
    return {ranks, whole, {speedup(whole.value), speedup(whole.high), speedup(whole.low)}};
}

}  // namespace

void add_growth(const SizesOfRuns &sizes, Scaling &scaling)
{
    for (const std::string &key : keys_worth(sizes, &SizeRun::rows))
        scaling.growth.push_back(growth_row(sizes, &SizeRun::rows, key));
    for (const std::string &key : keys_worth(sizes, &SizeRun::segments))
        scaling.segments.push_back(growth_row(sizes, &SizeRun::segments, key));
}

void add_memory(const SizesOfRuns &sizes, Scaling &scaling)
{
    LibraryMemory memory;
    for (const RunsOfSize &runs : sizes) {
        const auto bytes = median_of(runs, [](const SizeRun &run) { return run.library_bytes; });
        if (!bytes || *bytes <= 0)
            return;
        memory.bytes.push_back(*bytes);
    }
    memory.growth = growth_over(sizes, 1, [](const SizeRun &run) { return run.library_bytes; });
    scaling.memory = std::move(memory);
}

void project(Scaling &scaling)
{
    const double largest = scaling.sizes.back().ranks;
    if (scaling.sizes.size() >= least_law_sizes)
        scaling.projected_wallclock_s = whole_at(scaling, projected_times * largest);
    if (scaling.projected_wallclock_s) {
        scaling.projected_ranks = projected_times * largest;
        // The rows are of the average rank, the wallclock is that of the slowest.
        double rows_s = 0;
        for (const GrowthRow &row : scaling.growth)
            rows_s += is_part_of_run(row) ? row.time_s.back() : 0;
        const double scale = rows_s > 0 ? scaling.sizes.back().wallclock_s / rows_s : 1;
        Projection &whole = *scaling.projected_wallclock_s;
        whole = {scale * whole.value, scale * whole.low, scale * whole.high};
        const auto efficiency = [&](double wallclock_s, double ranks) {
            return efficiency_of(scaling, wallclock_s, ranks);
        };
        scaling.projected_efficiency = {efficiency(whole.value, scaling.projected_ranks),
                                        efficiency(whole.high, scaling.projected_ranks),
                                        efficiency(whole.low, scaling.projected_ranks)};
        for (int step = 1; step <= projected_steps; step++) {
            const double ranks =
                largest * std::pow(projected_times, step / double{projected_steps});
            if (const auto here = whole_at(scaling, ranks))
                scaling.projected.push_back(projected_size(scaling, ranks, *here, scale));
        }
        for (double ranks = largest;
             !scaling.first_bad && !scaling.ends_at_ranks && ranks <= furthest_times * largest;
             ranks *= step_of_search)
            if (efficiency(scale * whole_at(scaling, ranks)->value, ranks) <
                scaling_limits.worth_efficiency)
                scaling.ends_at_ranks = ranks;
        for (GrowthRow &row : scaling.growth) {
            row.projected_s = row.growth.at(scaling.projected_ranks);
            if (row.projected_s)
                row.projected_share = std::min(1.0, scale * row.projected_s->value / whole.value);
        }
        if (scaling.memory)
            scaling.memory->projected_bytes = scaling.memory->growth.at(scaling.projected_ranks);
    }
    std::stable_sort(
        scaling.growth.begin(), scaling.growth.end(), [](const GrowthRow &a, const GrowthRow &b) {
            return a.projected_share != b.projected_share ? a.projected_share > b.projected_share
                                                          : a.time_s.back() > b.time_s.back();
        });
}

}  // namespace mprof
