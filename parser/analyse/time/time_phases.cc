// A bin is described by what the average rank did in it, what the rank did that is most unlike the
// others, the lines in which it called MPI, and the regions of the program. Where that changes, a
// phase begins.
#include "analyse/time/time_phases.h"

#include "report/spread.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mprof {
namespace {

constexpr size_t most_named = 8;              // lines and regions that are looked at
constexpr double name_weight = 0.7;           // of lines, regions and the unusual rank
constexpr double least_phase_share = 0.02;    // of the run
constexpr double least_gain_of_name = 0.004;  // as PartLimits.least_gain, of phases of one name
constexpr double region_share = 0.6;          // of a phase, which then has the region's name
constexpr double whole_run_share = 0.9;       // of the run: the name of such a region tells nothing
constexpr double startup_share = 0.5;         // of the MPI time of a phase
constexpr double file_share = 0.5;            // likewise
constexpr size_t most_of_one_name = 3;        // neighbours: more are one phase that varies
constexpr double least_mpi_share = 0.02;      // with less, one call says little about the phase
constexpr double least_call_bins = 0.05;      // of the bins, or there is nothing to be named after
constexpr double most_of_usual = 3;           // what a bin counts there, times the median bin

void add_shares(const TimeSplit &split, double weight, std::vector<double> &figures)
{
    const double all_s = split.all_s();
    for (const auto state : split_states)
        figures.push_back(all_s > 0 ? weight * (split.*state) / all_s : 0);
}

// The heaviest of them, over the run.
std::vector<uint32_t> heaviest_of(const std::vector<NumberWeights> &bins)
{
    NumberWeights sums;
    for (const NumberWeights &bin : bins)
        for (const auto &[number, weight] : bin)
            sums[number] += weight;
    std::vector<std::pair<double, uint32_t>> order;
    for (const auto &[number, weight] : sums)
        order.emplace_back(-weight, number);
    std::sort(order.begin(), order.end());
    order.resize(std::min(order.size(), most_named));
    std::vector<uint32_t> numbers;
    for (const auto &[weight, number] : order)
        numbers.push_back(number);
    return numbers;
}

void add_named(const NumberWeights &bin, const std::vector<uint32_t> &numbers, double all_s,
               std::vector<double> &figures)
{
    for (const uint32_t number : numbers) {
        const auto at = bin.find(number);
        figures.push_back(at == bin.end() || all_s <= 0 ? 0 : name_weight * at->second / all_s);
    }
}

Signal signal_of(const TimeView &view, size_t ranks)
{
    const std::vector<uint32_t> lines = heaviest_of(view.line_s);
    const std::vector<uint32_t> regions = heaviest_of(view.region_s);
    Signal signal;
    for (size_t i = 0; i < view.bins.size(); i++) {
        std::vector<double> figures;
        const double all_s = view.bins[i].split.all_s() * static_cast<double>(ranks);
        add_shares(view.bins[i].split, 1, figures);
        if (i < view.outlier.size())
            add_shares(view.outlier[i], name_weight, figures);
        add_named(view.line_s[i], lines, all_s, figures);
        add_named(view.region_s[i], regions, all_s, figures);
        signal.push_back(std::move(figures));
    }
    // Nothing can be said about a last bin in which hardly any rank was left.
    if (signal.size() > 1 && view.bins.back().split.all_s() < 0.5 * view.axis.bin_s)
        signal.back() = signal[signal.size() - 2];
    return signal;
}

std::vector<double> mean_of(const Signal &signal, size_t begin, size_t end)
{
    std::vector<double> mean(signal[begin].size());
    for (size_t i = begin; i < end; i++)
        for (size_t f = 0; f < mean.size(); f++)
            mean[f] += signal[i][f] / static_cast<double>(end - begin);
    return mean;
}

double sum_of(const NumberWeights &weights)
{
    double sum = 0;
    for (const auto &[number, weight] : weights)
        sum += weight;
    return sum;
}

NumberWeights sum_over(const std::vector<NumberWeights> &bins, size_t begin, size_t end)
{
    NumberWeights sums;
    for (size_t i = begin; i < end; i++)
        for (const auto &[number, weight] : bins[i])
            sums[number] += weight;
    return sums;
}

uint32_t heaviest_number(const NumberWeights &weights)
{
    const auto at =
        std::max_element(weights.begin(), weights.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    return at == weights.end() ? 0 : at->first;
}

// What half of the bins with MPI calls have at most.
double usual_weight(const std::vector<NumberWeights> &bins, size_t begin, size_t end)
{
    std::vector<double> sums;
    for (size_t i = begin; i < end; i++)
        if (!bins[i].empty())
            sums.push_back(sum_of(bins[i]));
    if (sums.empty())
        return 0;
    return lower_median(std::move(sums));
}

// The line that a phase with hardly any MPI has in most of its bins. By time alone it would be that
// of one long call, which may belong to the phase before. 0 if hardly any bin has a call.
uint32_t usual_number(const std::vector<NumberWeights> &bins, size_t begin, size_t end)
{
    const auto with_calls = std::count_if(bins.begin() + static_cast<long>(begin),
                                          bins.begin() + static_cast<long>(end),
                                          [](const NumberWeights &bin) { return !bin.empty(); });
    if (static_cast<double>(with_calls) < least_call_bins * static_cast<double>(end - begin))
        return 0;
    const double most = most_of_usual * usual_weight(bins, begin, end);
    NumberWeights sums;
    for (size_t i = begin; i < end; i++) {
        const double sum = sum_of(bins[i]);
        for (const auto &[number, weight] : bins[i])
            sums[number] += sum > most ? weight * most / sum : weight;
    }
    return heaviest_number(sums);
}

// "solve" of "app::Solver<double>::solve(int)".
std::string short_symbol(const std::string &symbol)
{
    const std::string name = without_arguments(symbol);
    const size_t colon = name.rfind("::");
    return colon == std::string::npos ? name : name.substr(colon + 2);
}

// The region that a phase is named after; 0 = none.
uint32_t naming_region(const TimeView &view, size_t begin, size_t end)
{
    const auto share_of = [&](uint32_t number, size_t from, size_t to) {
        const NumberWeights regions = sum_over(view.region_s, from, to);
        const double all_s = sum_of(regions);
        const auto at = regions.find(number);
        return at == regions.end() || all_s <= 0 ? 0 : at->second / all_s;
    };
    const uint32_t region = heaviest_number(sum_over(view.region_s, begin, end));
    const bool is_named = region < view.regions.size() && !view.regions[region].empty();
    if (!is_named || share_of(region, begin, end) < region_share ||
        share_of(region, 0, view.bins.size()) >= whole_run_share)
        return 0;
    return region;
}

bool reads(const std::string &function)
{
    return function.find("read") != std::string::npos;
}

}  // namespace

size_t TimePhases::end_of(size_t phase) const
{
    return phase + 1 < begins_.size() ? begins_[phase + 1] : view_.bins.size();
}

void TimePhases::find()
{
    const Signal signal = signal_of(view_, report_.ranks.size());
    PartLimits limits;
    limits.least_bins = std::max(
        limits.least_bins,
        static_cast<size_t>(std::ceil(least_phase_share * static_cast<double>(signal.size()))));
    begins_ = find_change_points(signal, limits);
    join_alike(signal);
    // A bin in which the run changes is like neither part. It may have become a part of its own,
    // with bins of the part before it, that is now joined to the part behind it.
    const size_t period = std::max<size_t>(1, find_period(signal));
    settle_cuts(signal, period, std::max(limits.least_bins, period), begins_);
    for (size_t p = 0; p < begins_.size(); p++)
        report_.time.phases.push_back(make_phase(begins_[p], end_of(p)));
    number_names();
}

// Opening a file, moving data and closing it look different, and are one output. Other neighbours
// of one name are joined if they differ too little, or for too short, to be distinguished.
void TimePhases::join_alike(const Signal &signal)
{
    const auto bins = static_cast<double>(signal.size());
    for (size_t p = 1; p < begins_.size();) {
        const PhaseRow before = make_phase(begins_[p - 1], begins_[p]);
        const PhaseRow behind = make_phase(begins_[p], end_of(p));
        const size_t shorter = std::min(begins_[p] - begins_[p - 1], end_of(p) - begins_[p]);
        const double gain = square_between(mean_of(signal, begins_[p - 1], begins_[p]),
                                           mean_of(signal, begins_[p], end_of(p))) *
                            static_cast<double>(shorter) / bins;
        if (before.name == behind.name && before.source == behind.source &&
            (before.source == PhaseSource::output || gain < least_gain_of_name))
            begins_.erase(begins_.begin() + static_cast<long>(p));
        else
            p++;
    }
    join_many_of_a_name();
}

// A loop that runs now faster and now slower, on CPUs that others use too, has no parts that
// anybody would look for: nothing in the program begins where its name does not change.
void TimePhases::join_many_of_a_name()
{
    std::vector<size_t> begins;
    std::vector<PhaseRow> phases;
    for (size_t p = 0; p < begins_.size(); p++)
        phases.push_back(make_phase(begins_[p], end_of(p)));
    for (size_t first = 0, end; first < phases.size(); first = end) {
        end = first + 1;
        while (end < phases.size() && phases[end].name == phases[first].name &&
               phases[end].source == phases[first].source)
            end++;
        const size_t kept = end - first > most_of_one_name ? first + 1 : end;
        for (size_t p = first; p < kept; p++)
            begins.push_back(begins_[p]);
    }
    begins_ = begins;
}

PhaseRow TimePhases::make_phase(size_t begin, size_t end) const
{
    PhaseRow phase;
    phase.from_s = static_cast<double>(begin) * view_.axis.bin_s;
    phase.to_s = std::min(view_.axis.end_s, static_cast<double>(end) * view_.axis.bin_s);
    for (size_t i = begin; i < end; i++)
        add_part(phase.split, view_.bins[i].split, 1);
    const double all_s = phase.split.all_s();
    phase.wallclock_share = (phase.to_s - phase.from_s) / view_.axis.end_s;
    phase.mpi_percent = all_s > 0 ? 100 * phase.split.mpi_s() / all_s : 0;
    phase.wait_s = phase.split.wait_s;
    const bool hardly_any = phase.split.mpi_s() < least_mpi_share * all_s;
    const CallLineName &line =
        view_.lines[hardly_any ? usual_number(view_.line_s, begin, end)
                               : heaviest_number(sum_over(view_.line_s, begin, end))];
    phase.place = line.place;
    phase.function = line.function;
    name_phase(naming_region(view_, begin, end), line, phase);
    return phase;
}

void TimePhases::name_phase(uint32_t region, const CallLineName &line, PhaseRow &phase) const
{
    const TimeSplit &split = phase.split;
    const std::string symbol = short_symbol(line.symbol);
    if (split.startup_s > startup_share * split.mpi_s() &&
        split.startup_s > least_mpi_share * split.all_s()) {
        phase.name = "start-up";
        phase.source = PhaseSource::start_up;
    } else if (region != 0) {
        phase.name = view_.regions[region];
        phase.source = PhaseSource::region;
    } else if (split.file_s > file_share * split.mpi_s() &&
               split.file_s > least_mpi_share * split.all_s()) {
        phase.name = reads(line.function) ? "input" : "output";
        phase.source = PhaseSource::output;
    } else if (line.function.empty()) {
        phase.name = "computing";
        phase.source = PhaseSource::position;
    } else {
        const bool telling = !symbol.empty() && symbol != "main";
        phase.name = telling ? symbol : !line.place.empty() ? line.place : line.function;
        phase.source = PhaseSource::call_site;
    }
}

void TimePhases::number_names()
{
    std::map<std::string, size_t> times, numbers;
    for (const PhaseRow &phase : report_.time.phases)
        times[phase.name]++;
    for (PhaseRow &phase : report_.time.phases) {
        const std::string name = phase.name;
        if (times[name] > 1)
            phase.name += " " + std::to_string(++numbers[name]);
    }
}

RankInPhase TimePhases::rank_in(size_t phase, const std::vector<TimeSplit> &splits) const
{
    TimeSplit sum;
    for (size_t i = begins_[phase]; i < end_of(phase); i++)
        add_part(sum, splits[i], 1);
    return {static_cast<float>(sum.compute_s),
            static_cast<float>(sum.contention_s),
            static_cast<float>(sum.blocked_s),
            static_cast<float>(sum.wait_s),
            static_cast<float>(sum.file_s),
            static_cast<float>(sum.gpu_wait_s),
            static_cast<float>(sum.gpu_copy_s + sum.gpu_launch_s)};
}

// Beyond the spread of the others, and by enough to matter.
void TimePhases::find_slowest(const std::vector<RankInPhase> &ranks, PhaseRow &phase) const
{
    if (ranks.size() < 2)
        return;
    std::vector<double> seconds;
    for (const RankInPhase &rank : ranks)
        seconds.push_back(static_cast<double>(rank.all_s()));
    const auto longest =
        static_cast<size_t>(std::max_element(seconds.begin(), seconds.end()) - seconds.begin());
    const double longest_s = seconds[longest], median_s = lower_median(seconds);
    std::vector<double> away;
    for (const double value : seconds)
        away.push_back(std::abs(value - median_s));
    const double spread_s = lower_median(std::move(away));
    const double least_s = phase_limits.slowest_of_phase * (phase.to_s - phase.from_s);
    if (longest_s < phase_limits.slowest_factor * median_s ||
        longest_s - median_s < least_s + phase_limits.slowest_spreads * spread_s)
        return;
    phase.slowest_rank = report_.ranks[longest].rank;
    phase.slowest_over = median_s > 0 ? longest_s / median_s : 1;
}

void TimePhases::describe(const std::vector<std::vector<RankInPhase>> &ranks)
{
    for (size_t p = 0; p < count(); p++) {
        PhaseRow &phase = report_.time.phases[p];
        find_slowest(ranks[p], phase);
        judge_phase(ranks[p], report_, phase);
    }
    report_.time.headline = time_headline(report_);
    report_.time.drift = drift_of_run(report_);
}

}  // namespace mprof
