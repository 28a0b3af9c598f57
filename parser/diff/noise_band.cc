#include "diff/noise_band.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace mprof {
namespace {

double squares(const std::vector<double> &values, double around)
{
    return std::accumulate(values.begin(), values.end(), 0.0, [&](double sum, double value) {
        return sum + (value - around) * (value - around);
    });
}

// By how much the means of repetitions may differ by chance.
double spread_of_runs(const Values &values, const Change &change)
{
    const size_t degrees = degrees_of_freedom(values.a.size(), values.b.size());
    if (degrees < enough_degrees)
        return std::max(change.a_max - change.a_min, change.b_max - change.b_min);
    const double variance =
        (squares(values.a, change.a) + squares(values.b, change.b)) / static_cast<double>(degrees);
    const double of_means =
        1 / static_cast<double>(values.a.size()) + 1 / static_cast<double>(values.b.size());
    return student_t(degrees) * std::sqrt(variance * of_means);
}

Change change_of(const Values &values, double share, double least)
{
    Change change;
    change.a = mean(values.a);
    change.b = mean(values.b);
    const auto [a_min, a_max] = std::minmax_element(values.a.begin(), values.a.end());
    const auto [b_min, b_max] = std::minmax_element(values.b.begin(), values.b.end());
    change.a_min = *a_min;
    change.a_max = *a_max;
    change.b_min = *b_min;
    change.b_max = *b_max;
    change.difference = change.b - change.a;
    if (change.a > 0)
        change.percent = 100 * change.difference / change.a;
    const double larger = std::max(std::abs(change.a), std::abs(change.b));
    change.noise = std::max({spread_of_runs(values, change), share * larger, least});
    if (std::abs(change.difference) > change.noise)
        change.outcome = change.difference > 0 ? Outcome::more : Outcome::less;
    return change;
}

bool noise_is_measured(const Values &values)
{
    return is_measured(values.a.size(), values.b.size());
}

}  // namespace

double mean(const std::vector<double> &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

size_t degrees_of_freedom(size_t a_runs, size_t b_runs)
{
    return a_runs + b_runs - 2;
}

double student_t(size_t degrees)
{
    static constexpr std::array<double, 30> table = {
        63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169,
        3.106,  3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845,
        2.831,  2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750};
    return table.at(std::clamp<size_t>(degrees, 1, table.size()) - 1);
}

Change change_of_times(const Values &values, double least)
{
    return change_of(values,
                     noise_is_measured(values) ? noise_rules.measured_share : values.guessed_share,
                     least);
}

Change change_of_counts(const Values &values)
{
    return change_of(values, noise_rules.count_share, 0);
}

double least_seconds(const Values &wallclock)
{
    return noise_is_measured(wallclock) ? noise_rules.measured_s : noise_rules.guessed_s;
}

double least_part_seconds(const Values &wallclock)
{
    const double share =
        noise_is_measured(wallclock) ? noise_rules.measured_part : noise_rules.guessed_part;
    return std::max(share * mean(wallclock.a), least_seconds(wallclock));
}

}  // namespace mprof
