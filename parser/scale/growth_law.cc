// Each law has a scale and at most one more parameter. All are fitted by least squares to the
// logarithms of the values, as times vary by a share of themselves. The logarithm of the ratio of
// two sums of squares then says how much less likely one law is than another.
#include "scale/growth_law.h"

#include "diff/noise_band.h"
#include "report/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace mprof {
namespace {

// Found with 20,000 planted cases of each law (test_growth_law.cc has a part of them): no law is
// named wrongly, and as many as possible are named.
constexpr double unlikely = 4.5;        // logarithm of the ratio from which on a law is ruled out
constexpr double likely = 2.0;          // up to here it counts for projections
constexpr double least_noise = 0.03;    // of two runs more, which agree too well by chance
constexpr double most_constant = 0.15;  // |exponent| that may still be 0, with its error
constexpr double most_error = 0.2;      // of an exponent that is told
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

// What a simpler law that fits says, too: c + f x p^a with hardly any c, or hardly any f.
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

}  // namespace mprof
