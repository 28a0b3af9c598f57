// Logarithms are cut, so that noise and change are shares. Single slow runs are clipped first, as
// they say nothing about a level. The cuts are the optimal ones (analyse/time/change_points.h) for
// a low penalty. Then neighbours that do not differ beyond the noise are joined again; there the
// noise counts for more where one run is like the one before (a warm week, a full file system).
#include "archive/levels.h"

#include "analyse/time/change_points.h"

#include <algorithm>
#include <cmath>

namespace mprof {
namespace {

constexpr size_t window = 11;           // runs around one, for the local median
constexpr double of_normal = 1.4826;    // standard deviation / median distance from the median
constexpr double least_noise = 0.0005;  // what clocks and rounding do in any case
constexpr double cut_penalty = 10;      // of a cut, in squares of the noise
constexpr double most_memory = 0.9;     // how much a run can be like the one before

std::vector<double> logarithms(const std::vector<double> &values)
{
    std::vector<double> logs;
    logs.reserve(values.size());
    for (const double value : values)
        logs.push_back(std::log(std::max(value, 1e-9)));
    return logs;
}

// How far each run is from the median of those around it.
std::vector<double> local_medians(const std::vector<double> &logs)
{
    std::vector<double> medians;
    const size_t wide = std::min(window, logs.size());
    for (size_t i = 0; i < logs.size(); i++) {
        const size_t begin = std::min(i > wide / 2 ? i - wide / 2 : 0, logs.size() - wide);
        medians.push_back(median_of({logs.begin() + static_cast<long>(begin),
                                     logs.begin() + static_cast<long>(begin + wide)}));
    }
    return medians;
}

double deviation_of(std::vector<double> distances)
{
    for (double &distance : distances)
        distance = std::abs(distance);
    return distances.empty() ? least_noise
                             : std::max(least_noise, of_normal * median_of(std::move(distances)));
}

std::vector<double> clipped(const std::vector<double> &logs)
{
    const std::vector<double> medians = local_medians(logs);
    std::vector<double> distances;
    for (size_t i = 0; i < logs.size(); i++)
        distances.push_back(logs[i] - medians[i]);
    const double most = 3 * deviation_of(distances);
    std::vector<double> result;
    for (size_t i = 0; i < logs.size(); i++)
        result.push_back(medians[i] + std::clamp(distances[i], -most, most));
    return result;
}

// Means of `group` runs each; the last group may have more.
Signal grouped(const std::vector<double> &logs, size_t group)
{
    Signal signal;
    const size_t groups = std::max<size_t>(1, logs.size() / group);
    for (size_t g = 0; g < groups; g++) {
        const size_t begin = g * group, end = g + 1 == groups ? logs.size() : begin + group;
        double sum = 0;
        for (size_t i = begin; i < end; i++)
            sum += logs[i];
        signal.push_back({sum / static_cast<double>(end - begin)});
    }
    return signal;
}

std::vector<double> differences(const Signal &signal)
{
    std::vector<double> steps;
    for (size_t i = 1; i < signal.size(); i++)
        steps.push_back((signal[i][0] - signal[i - 1][0]) / std::sqrt(2.0));
    return steps;
}

std::vector<size_t> rough_cuts(const std::vector<double> &logs)
{
    const size_t group = (logs.size() + level_rules.most_bins - 1) / level_rules.most_bins;
    const Signal signal = grouped(logs, group);
    const double noise = deviation_of(differences(signal));
    const size_t least = std::max<size_t>(1, level_rules.least_runs / group);
    std::vector<size_t> cuts = best_parts_of(signal, least, cut_penalty * noise * noise);
    for (size_t &cut : cuts)
        cut *= group;
    Signal single;
    for (const double value : logs)
        single.push_back({value});
    if (group > 1)
        settle_cuts(single, 1, 2 * group, cuts);
    return cuts;
}

Level level_of(const std::vector<double> &logs, size_t begin, size_t end)
{
    return {begin, end,
            median_of(
                {logs.begin() + static_cast<long>(begin), logs.begin() + static_cast<long>(end)})};
}

// Standard deviation of a run around its level, and how much it is like the one before (0 to 1).
struct Noise {
    double deviation = least_noise;
    double memory = 0;
};

Noise noise_around(const std::vector<double> &logs, const std::vector<Level> &levels)
{
    std::vector<double> distances;
    double products = 0, squares = 0;
    for (const Level &level : levels)
        for (size_t i = level.begin; i < level.end; i++) {
            const double distance = logs[i] - level.median;
            squares += distance * distance;
            if (i > level.begin)
                products += distance * distances.back();
            distances.push_back(distance);
        }
    Noise noise;
    noise.deviation = deviation_of(distances);
    noise.memory = squares > 0 ? std::clamp(products / squares, 0.0, most_memory) : 0;
    return noise;
}

// By how many standard errors two levels differ; 0 = by less than counts at all.
double score(const Level &a, const Level &b, const Noise &noise)
{
    const double difference = std::abs(b.median - a.median);
    if (difference < std::log1p(level_rules.least_share) ||
        std::min(a.runs(), b.runs()) < level_rules.least_runs)
        return 0;
    const double of_means = 1 / static_cast<double>(a.runs()) + 1 / static_cast<double>(b.runs());
    const double longer = (1 + noise.memory) / (1 - noise.memory);
    // The median of normal noise is 1.25 times as unsure as the mean.
    return difference / (1.25 * noise.deviation * std::sqrt(of_means * longer));
}

// Joins the two neighbours that differ least, until all differ.
void join_alike(const std::vector<double> &logs, std::vector<Level> &levels)
{
    while (levels.size() > 1) {
        const Noise noise = noise_around(logs, levels);
        size_t least = 1;
        double least_score = HUGE_VAL;
        for (size_t i = 1; i < levels.size(); i++)
            if (const double here = score(levels[i - 1], levels[i], noise); here < least_score) {
                least = i;
                least_score = here;
            }
        if (least_score >= level_rules.sure_score)
            return;
        levels[least - 1] = level_of(logs, levels[least - 1].begin, levels[least].end);
        levels.erase(levels.begin() + static_cast<long>(least));
    }
}

}  // namespace

double median_of(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<long>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Levels find_levels(const std::vector<double> &values)
{
    Levels result;
    if (values.empty())
        return result;
    const std::vector<double> logs = logarithms(values);
    const std::vector<double> calm = clipped(logs);
    std::vector<size_t> cuts = rough_cuts(calm);
    cuts.push_back(values.size());
    for (size_t i = 1; i < cuts.size(); i++)
        result.levels.push_back(level_of(calm, cuts[i - 1], cuts[i]));
    join_alike(calm, result.levels);
    result.noise = noise_around(calm, result.levels).deviation;
    for (Level &level : result.levels) {
        const double most = level.median + level_rules.outlier_score *
                                               std::max(result.noise, level_rules.least_share / 2);
        for (size_t i = level.begin; i < level.end; i++)
            if (logs[i] > most)
                result.outliers.push_back(i);
        level.median = median_of({values.begin() + static_cast<long>(level.begin),
                                  values.begin() + static_cast<long>(level.end)});
    }
    return result;
}

}  // namespace mprof
