// Optimal partitioning (B. Jackson et al., 2005): the parts with the least sum of squares around
// their means plus a penalty per cut; a run has few bins, so all cuts are tried. A steps' pattern
// would be cut into its steps. So a period is looked for first, and the means over whole periods
// are cut; then each cut is moved to where the signal itself changes.
#include "analyse/time/change_points.h"

#include <algorithm>
#include <cmath>

namespace mprof {
namespace {

constexpr double least_repetition = 0.5;  // correlation with itself one period later
constexpr double least_swing = 0.002;     // mean square around the mean of a period
constexpr size_t most_period_parts = 5;   // at least so many periods in the run

// Sums of squares around the mean of any part, by prefix sums.
class Squares {
public:
    explicit Squares(const Signal &signal)
        : figures_(signal.empty() ? 0 : signal[0].size()),
          sums_((signal.size() + 1) * figures_),
          squares_(signal.size() + 1)
    {
        for (size_t i = 0; i < signal.size(); i++) {
            squares_[i + 1] = squares_[i];
            for (size_t f = 0; f < figures_; f++) {
                sums_[(i + 1) * figures_ + f] = sums_[i * figures_ + f] + signal[i][f];
                squares_[i + 1] += signal[i][f] * signal[i][f];
            }
        }
    }
    double of(size_t begin, size_t end) const
    {
        double squared_sums = 0;
        for (size_t f = 0; f < figures_; f++) {
            const double sum = sums_[end * figures_ + f] - sums_[begin * figures_ + f];
            squared_sums += sum * sum;
        }
        const double around = squares_[end] - squares_[begin] -
                              squared_sums / static_cast<double>(std::max<size_t>(1, end - begin));
        return std::max(0.0, around);
    }
    double mean(size_t begin, size_t end, size_t figure) const
    {
        return (sums_[end * figures_ + figure] - sums_[begin * figures_ + figure]) /
               static_cast<double>(std::max<size_t>(1, end - begin));
    }

private:
    size_t figures_;
    std::vector<double> sums_, squares_;
};

// Means over `window` bins around each.
Signal smoothed(const Signal &signal, size_t window)
{
    const Squares sums(signal);
    Signal means = signal;
    for (size_t i = 0; i < signal.size(); i++) {
        const size_t begin = std::min(signal.size() - window, i > window / 2 ? i - window / 2 : 0);
        for (size_t f = 0; f < signal[i].size(); f++)
            means[i][f] = sums.mean(begin, begin + window, f);
    }
    return means;
}

// How the signal without its means over `period` bins correlates with itself one period later.
double repetition(const Signal &signal, size_t period)
{
    const Signal means = smoothed(signal, period);
    double squares = 0, products = 0;
    for (size_t i = 0; i < signal.size(); i++)
        for (size_t f = 0; f < signal[i].size(); f++) {
            const double here = signal[i][f] - means[i][f];
            squares += here * here;
            if (i + period < signal.size())
                products += here * (signal[i + period][f] - means[i + period][f]);
        }
    const auto bins = static_cast<double>(signal.size());
    const double compared = (bins - static_cast<double>(period)) / bins;
    return squares / bins < least_swing ? 0 : products / (squares * compared);
}

// Of the differences between neighbouring bins the median, which single changes leave as it is.
double noise_of(const Signal &signal)
{
    double sum = 0;
    for (size_t f = 0; signal.size() > 2 && f < signal[0].size(); f++) {
        std::vector<double> steps;
        for (size_t i = 1; i < signal.size(); i++)
            steps.push_back(std::abs(signal[i][f] - signal[i - 1][f]));
        std::nth_element(steps.begin(), steps.begin() + static_cast<long>(steps.size() / 2),
                         steps.end());
        const double deviation = steps[steps.size() / 2] / 0.954;  // of a normal distribution
        sum += deviation * deviation;
    }
    return sum;
}

std::vector<size_t> best_parts(const Squares &squares, size_t bins, size_t least, double penalty)
{
    std::vector<double> best(bins + 1, HUGE_VAL);
    std::vector<size_t> begin_of(bins + 1, 0);
    best[0] = 0;
    for (size_t end = std::min(least, bins); end <= bins; end++)
        for (size_t begin = 0; begin + std::min(least, bins) <= end; begin++) {
            const double cost = best[begin] + squares.of(begin, end) + (begin > 0 ? penalty : 0);
            if (cost < best[end]) {
                best[end] = cost;
                begin_of[end] = begin;
            }
        }
    std::vector<size_t> parts;
    for (size_t end = bins; end > 0; end = begin_of[end])
        parts.push_back(begin_of[end]);
    std::reverse(parts.begin(), parts.end());
    return parts;
}

// The mean course of a period in a part of the signal.
Signal course_of(const Signal &signal, size_t begin, size_t end, size_t period)
{
    const size_t figures = signal[0].size();
    const Squares sums(
        Signal(signal.begin() + static_cast<long>(begin), signal.begin() + static_cast<long>(end)));
    Signal course(period, std::vector<double>(figures));
    std::vector<double> counts(period);
    for (size_t i = begin; i < end; i++) {
        counts[i % period]++;
        for (size_t f = 0; f < figures; f++)
            course[i % period][f] += signal[i][f];
    }
    for (size_t at = 0; at < period; at++)
        for (size_t f = 0; f < figures; f++)
            course[at][f] =
                counts[at] > 0 ? course[at][f] / counts[at] : sums.mean(0, end - begin, f);
    return course;
}

// Where, up to `reach` bins from the cut, the bins begin to follow the course of the part behind it
// better than that of the part before it.
size_t settled_cut(const Signal &signal, size_t begin, size_t cut, size_t end, size_t period,
                   size_t reach)
{
    const size_t from = std::max(begin + 1, cut > reach ? cut - reach : 0);
    const size_t to = std::min(end - 1, cut + reach);
    const Signal before = course_of(signal, begin, std::max(from, begin + 1), period);
    const Signal behind = course_of(signal, std::min(to, end - 1), end, period);
    double sum = 0, least = 0;
    size_t best = from;
    for (size_t i = from; i < to; i++) {
        sum += square_between(signal[i], before[i % period]) -
               square_between(signal[i], behind[i % period]);
        if (sum < least) {
            least = sum;
            best = i + 1;
        }
    }
    return best;
}

}  // namespace

double square_between(const std::vector<double> &a, const std::vector<double> &b)
{
    double sum = 0;
    for (size_t f = 0; f < a.size(); f++)
        sum += (a[f] - b[f]) * (a[f] - b[f]);
    return sum;
}

size_t find_period(const Signal &signal)
{
    std::vector<double> found(2, 0);
    for (size_t period = 2; period <= signal.size() / most_period_parts; period++)
        found.push_back(repetition(signal, period));
    if (found.size() < 4)
        return 0;
    const double most = *std::max_element(found.begin(), found.end());
    if (most < least_repetition)
        return 0;
    // The shortest period that repeats nearly as well: not a multiple of it.
    for (size_t period = 2; period + 1 < found.size(); period++)
        if (found[period] >= 0.8 * most && found[period] >= found[period - 1] &&
            found[period] >= found[period + 1])
            return period;
    return 0;
}

std::vector<size_t> find_change_points(const Signal &signal, const PartLimits &limits)
{
    if (signal.size() < 2 * limits.least_bins)
        return {0};
    const size_t period = find_period(signal);
    const Signal means = period > 0 ? smoothed(signal, period) : signal;
    const size_t least = std::max(limits.least_bins, period);
    const Squares squares(means);
    const auto bins = static_cast<double>(signal.size());
    double penalty = std::max(limits.least_gain * bins, 4 * noise_of(means) * std::log(bins));
    std::vector<size_t> parts = best_parts(squares, signal.size(), least, penalty);
    while (parts.size() > limits.most_parts) {
        penalty *= 1.5;
        parts = best_parts(squares, signal.size(), least, penalty);
    }
    if (period > 0)  // the means around a cut run from one level to the other over a period
        settle_cuts(signal, period, period, parts);
    return parts;
}

std::vector<size_t> best_parts_of(const Signal &signal, size_t least, double penalty)
{
    return best_parts(Squares(signal), signal.size(), least, penalty);
}

void settle_cuts(const Signal &signal, size_t period, size_t reach, std::vector<size_t> &parts)
{
    for (size_t p = 1; p < parts.size(); p++)
        parts[p] = settled_cut(signal, parts[p - 1], parts[p],
                               p + 1 < parts.size() ? parts[p + 1] : signal.size(), period, reach);
}

}  // namespace mprof
