// What is counted: the collective of one place that takes most time (waits/journal_lineup.h). A
// rank without such a place has the line that dominates most bins: it makes its share of the calls
// of these bins.
//
// How long a step takes: the time between two bins in which steps end, divided by the steps between
// them. The nearest two may be off by a bin, so bins are taken until they hold ten steps or have
// the length of ten bins. Steps that are shorter than a tenth of a bin, or longer than ten bins,
// are not mixed with their neighbours. A pause in which the place is not passed is no step.
#include "analyse/time/time_phases.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mprof {
namespace {

constexpr double enough_steps = 10, enough_bins = 10;
constexpr double pause_factor = 20;  // times the median step
constexpr double edge_steps = 0.1;   // of all: the beginning, the end

using LineOfRank = std::pair<uint16_t, uint32_t>;  // function + 1 and callsite

// By the calls of the bins that the heaviest line dominates.
StepCounts count_calls(size_t number, const RankMeasure &rank, const std::vector<RankBin> &bins,
                       FactsByNumber &rules)
{
    std::map<LineOfRank, size_t> bins_of;
    for (const RankBin &bin : bins)
        if (bin.function != 0)
            bins_of[{bin.function, bin.callsite}]++;
    const auto most = std::max_element(bins_of.begin(), bins_of.end(),
                                       [](auto &a, auto &b) { return a.second < b.second; });
    if (most == bins_of.end() ||
        static_cast<double>(most->second) < least_step_span * static_cast<double>(bins.size()))
        return {};
    const LineOfRank line = most->first;
    const auto function = static_cast<uint16_t>(line.first - 1);
    if (rules.of(number, function).poll)
        return {};  // how often one polls says nothing
    double calls = 0, all_calls = 0;
    for (const MeasuredEntry &entry : rank.entries)
        if (entry.key.function == function && entry.key.callsite == line.second)
            calls += static_cast<double>(entry.counted_calls());
    const auto is_of_line = [&](const RankBin &bin) {
        return LineOfRank(bin.function, bin.callsite) == line;
    };
    for (const RankBin &bin : bins)
        all_calls += is_of_line(bin) ? bin.calls : 0;
    if (calls < fewest_counted_steps || all_calls <= 0)
        return {};
    StepCounts counts = {{}, line.first, line.second};
    for (const RankBin &bin : bins)
        counts.ends.push_back(is_of_line(bin) ? bin.calls * std::min(1.0, calls / all_calls) : 0);
    return counts;
}

// Bins in which steps end, in order, and how many ended until then.
struct StepEnd {
    size_t bin;
    double until;
};

// Ends next to each other: how many bins a step between them takes.
double bins_per_step(const StepEnd &before, const StepEnd &behind)
{
    return static_cast<double>(behind.bin - before.bin) / (behind.until - before.until);
}

// Between two of the ends, around a bin: from the one before it to the one behind it, and more of
// them until there are enough. Steps that differ by more than the bins can be wrong are not mixed.
class StepsAround {
public:
    StepsAround(const std::vector<StepEnd> &ends, size_t behind)
        : ends_(ends), first_(behind - 1), last_(behind)
    {
        for (bool back = true; !is_enough() && (grows(back) || grows(!back)); back = !back) {
        }
    }
    double bins() const { return bins_per_step(ends_[first_], ends_[last_]); }

private:
    bool is_enough() const
    {
        return ends_[last_].until - ends_[first_].until >= enough_steps ||
               static_cast<double>(ends_[last_].bin - ends_[first_].bin) >= enough_bins;
    }
    bool is_alike(double other) const { return other <= 2 * bins() + 1 && bins() <= 2 * other + 1; }
    bool grows(bool back)
    {
        if (back && first_ > 0 && is_alike(bins_per_step(ends_[first_ - 1], ends_[first_])))
            first_--;
        else if (!back && last_ + 1 < ends_.size() &&
                 is_alike(bins_per_step(ends_[last_], ends_[last_ + 1])))
            last_++;
        else
            return false;
        return true;
    }

    const std::vector<StepEnd> &ends_;
    size_t first_, last_;
};

// Half of the steps take longer.
double median_of_steps(const std::vector<StepEnd> &ends)
{
    std::vector<std::pair<double, double>> parts;  // bins per step, steps
    double steps = 0;
    for (size_t i = 1; i < ends.size(); i++) {
        parts.emplace_back(bins_per_step(ends[i - 1], ends[i]), ends[i].until - ends[i - 1].until);
        steps += parts.back().second;
    }
    std::sort(parts.begin(), parts.end());
    double seen = 0;
    for (const auto &[bins, count] : parts) {
        seen += count;
        if (seen >= steps / 2)
            return bins;
    }
    return 0;
}

// Mean of the first steps that the range has, as many as that.
template <class Iterator>
double mean_of_first(Iterator begin, Iterator end, double wanted, double bin_s)
{
    double steps = 0, length_s = 0;
    for (auto at = begin; at != end && steps < wanted; ++at) {
        if (*at <= 0)
            continue;
        steps += bin_s / *at;
        length_s += bin_s;
    }
    return steps > 0 ? length_s / steps : 0;
}

}  // namespace

StepCounts count_steps(size_t number, const RankMeasure &rank, const std::vector<RankBin> &bins,
                       FactsByNumber &rules)
{
    StepCounts counts = steps_in_journals(*rank.file);
    return counts.function != 0 ? counts : count_calls(number, rank, bins, rules);
}

std::optional<StepFacts> step_facts(const std::vector<double> &counts, double bin_s)
{
    std::vector<StepEnd> ends;
    double sum = 0;
    for (size_t bin = 0; bin < counts.size(); bin++) {
        sum += counts[bin];
        if (counts[bin] > 0)
            ends.push_back({bin, sum});
    }
    if (sum < fewest_counted_steps || ends.size() < 3)
        return std::nullopt;
    StepFacts facts;
    facts.duration_s.resize(counts.size());
    size_t behind = 1;
    for (size_t bin = ends.front().bin + 1; bin <= ends.back().bin; bin++) {
        while (ends[behind].bin < bin)
            behind++;
        facts.duration_s[bin] = bin_s * StepsAround(ends, behind).bins();
    }
    const double pause_s = bin_s * std::max(pause_factor * median_of_steps(ends), enough_bins);
    double steps = 0;
    for (double &duration : facts.duration_s) {
        duration = duration > pause_s ? 0 : duration;
        steps += duration > 0 ? bin_s / duration : 0;
    }
    facts.steps = static_cast<uint64_t>(std::llround(sum));
    const auto &all = facts.duration_s;
    facts.mean_s = mean_of_first(all.begin(), all.end(), steps + 1, bin_s);
    facts.first_s = mean_of_first(all.begin(), all.end(), edge_steps * steps, bin_s);
    facts.last_s = mean_of_first(all.rbegin(), all.rend(), edge_steps * steps, bin_s);
    if (facts.mean_s <= 0)
        return std::nullopt;
    return facts;
}

}  // namespace mprof
