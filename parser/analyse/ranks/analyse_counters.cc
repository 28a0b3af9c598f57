// Counters over ranks, and the metrics that they make together. Counters of different ranks are the
// same when their names are.
#include "analyse/analysis_parts.h"
#include "measure/merged_profile.h"
#include "report/number_text.h"
#include "report/report.h"
#include "report/spread.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <strings.h>
#include <vector>

namespace mprof {
namespace {

// What the counters of one rank grew by, with its threads added up.

struct CounterGrowth {
    uint32_t region = 0;  // slot
    bool in_mpi = false;
    std::vector<double> values;  // of each of `counters`; NaN if the rank did not count it
};

// Values of all threads, and how often they were read.
struct Gross {
    uint64_t reads = 0;
    uint64_t values[MPROF_MAX_COUNTERS] = {};
};

std::map<std::pair<uint32_t, bool>, Gross> gross_of_threads(const RankFile &file)
{
    std::map<std::pair<uint32_t, bool>, Gross> sums;
    for (const ThreadRecord &thread : file.threads)
        for (const mprof_counter_values &row : thread.counter_values) {
            Gross &sum = sums[{row.region, row.in_mpi != 0}];
            sum.reads += row.reads;
            for (size_t i = 0; i < MPROF_MAX_COUNTERS; i++)
                sum.values[i] += row.values[i];
        }
    return sums;
}

// A scaled value may have shrunk between two reads: sums are signed.
double net(const mprof_counter &counter, uint64_t value, uint64_t reads)
{
    const double own = static_cast<double>(counter.read_growth) * static_cast<double>(reads);
    return std::max(0.0, static_cast<double>(static_cast<int64_t>(value)) - own);
}

// Net of what reading the counters made them grow by; never below 0.
std::vector<CounterGrowth> counter_growth(const RankFile &file,
                                          const std::vector<CounterRow> &counters)
{
    std::vector<CounterGrowth> growths;
    for (const auto &[key, gross] : gross_of_threads(file)) {
        CounterGrowth growth;
        growth.region = key.first;
        growth.in_mpi = key.second;
        growth.values.assign(counters.size(), std::numeric_limits<double>::quiet_NaN());
        for (size_t i = 0; i < counters.size(); i++)
            for (const CounterSlot &slot : file.counters)
                if (slot.name == counters[i].name && slot.slot < MPROF_MAX_COUNTERS)
                    growth.values[i] = net(slot.facts, gross.values[slot.slot], gross.reads);
        growths.push_back(std::move(growth));
    }
    return growths;
}

// How often the rank's counters were read.
uint64_t counter_reads(const RankFile &file)
{
    uint64_t reads = 0;
    for (const ThreadRecord &thread : file.threads)
        for (const mprof_counter_values &row : thread.counter_values)
            reads += row.reads;
    return reads;
}

}  // namespace

// Metrics: what counters mean together, as a table.
enum class Denominator {
    counter,       // the other counter, both outside MPI: what MPI does while it waits says nothing
    rank_seconds,  // wallclock, of all ranks together
    run_seconds    // wallclock of the run
};

struct MetricRule {
    const char *name;
    const char *unit;
    const char *numerator;  // a counter
    const char *counter;    // the other one, of Denominator::counter
    double scale;
    Denominator denominator;
    bool of_one_thread;  // has no meaning for the sum over several threads of a rank
};

constexpr MetricRule ratio(const char *name, const char *unit, const char *numerator,
                           const char *counter, double scale)
{
    return {name, unit, numerator, counter, scale, Denominator::counter, false};
}

// If rules have the same name, the first one whose counters were counted is used.
inline constexpr MetricRule metric_rules[] = {
    ratio("instructions per cycle", "", "PAPI_TOT_INS", "PAPI_TOT_CYC", 1),
    ratio("instructions per cycle", "", "instructions", "cycles", 1),
    ratio("instructions per cycle", "", "instructions", "cpu-cycles", 1),
    ratio("clock rate", "GHz", "PAPI_TOT_CYC", "task-clock", 1),
    ratio("clock rate", "GHz", "cycles", "task-clock", 1),
    {"clock rate", "GHz", "PAPI_TOT_CYC", "", 1e-9, Denominator::rank_seconds, true},
    {"clock rate", "GHz", "cycles", "", 1e-9, Denominator::rank_seconds, true},
    {"CPU use", "%", "task-clock", "", 1e-7, Denominator::rank_seconds, false},
    {"CPU use", "%", "cpu-clock", "", 1e-7, Denominator::rank_seconds, false},
    {"floating point", "Gflop/s", "PAPI_FP_OPS", "", 1e-9, Denominator::run_seconds, false},
    {"double precision", "Gflop/s", "PAPI_DP_OPS", "", 1e-9, Denominator::run_seconds, false},
    {"single precision", "Gflop/s", "PAPI_SP_OPS", "", 1e-9, Denominator::run_seconds, false},
    ratio("L1 data misses", "%", "PAPI_L1_DCM", "PAPI_L1_DCA", 100),
    ratio("L1 data misses", "%", "PAPI_L1_DCM", "PAPI_LST_INS", 100),
    ratio("L1 data misses", "%", "L1-dcache-load-misses", "L1-dcache-loads", 100),
    ratio("L2 data misses", "%", "PAPI_L2_DCM", "PAPI_L2_DCA", 100),
    ratio("L2 misses", "%", "PAPI_L2_TCM", "PAPI_L2_TCA", 100),
    ratio("L3 misses", "%", "PAPI_L3_TCM", "PAPI_L3_TCA", 100),
    ratio("last cache misses", "%", "LLC-load-misses", "LLC-loads", 100),
    ratio("last cache misses", "%", "cache-misses", "cache-references", 100),
    ratio("L1 misses per 1000 instructions", "", "PAPI_L1_DCM", "PAPI_TOT_INS", 1000),
    ratio("L3 misses per 1000 instructions", "", "PAPI_L3_TCM", "PAPI_TOT_INS", 1000),
    ratio("TLB misses per 1000 instructions", "", "PAPI_TLB_DM", "PAPI_TOT_INS", 1000),
    ratio("TLB misses", "%", "dTLB-load-misses", "dTLB-loads", 100),
    ratio("branch mispredictions", "%", "PAPI_BR_MSP", "PAPI_BR_CN", 100),
    ratio("branch mispredictions", "%", "branch-misses", "branches", 100),
    ratio("loads from another NUMA node", "%", "node-load-misses", "node-loads", 100),
};

namespace {

constexpr double not_counted = std::numeric_limits<double>::quiet_NaN();

CounterSource source_of(const mprof_counter &counter)
{
    const bool user_only = (counter.flags & MPROF_COUNTER_USER_ONLY) != 0;
    switch (counter.source) {
    case MPROF_COUNTER_PAPI:
        return CounterSource::papi;
    case MPROF_COUNTER_PERF:
        return user_only ? CounterSource::perf_user : CounterSource::perf;
    case MPROF_COUNTER_ACCOUNTING:
        return CounterSource::accounting;
    default:
        return CounterSource::unknown;
    }
}

CounterRow &find_row(Report &report, const CounterSlot &slot)
{
    for (CounterRow &row : report.counters)
        if (row.name == slot.name)
            return row;
    CounterRow row;
    row.name = slot.name;
    if (slot.unit == text_of(CounterUnit::nanoseconds))
        row.unit = CounterUnit::nanoseconds;
    row.source = source_of(slot.facts);
    return report.counters.emplace_back(std::move(row));
}

void add_up_rank(const RankMeasure &rank, Report &report, RankRow &row)
{
    row.counters.assign(report.counters.size(), not_counted);
    row.counters_in_mpi = row.counters;
    for (const CounterGrowth &growth : counter_growth(*rank.file, report.counters))
        for (size_t i = 0; i < growth.values.size(); i++) {
            if (std::isnan(growth.values[i]))
                continue;
            if (std::isnan(row.counters[i]))
                row.counters[i] = row.counters_in_mpi[i] = 0;
            row.counters[i] += growth.values[i];
            row.counters_in_mpi[i] += growth.in_mpi ? growth.values[i] : 0;
        }
}

std::optional<double> if_counted(double value)
{
    return std::isnan(value) ? std::nullopt : std::optional<double>(value);
}

void add_up(Report &report)
{
    for (size_t i = 0; i < report.counters.size(); i++) {
        CounterRow &row = report.counters[i];
        const auto total = spread_over_ranks(
            report.ranks, [i](const RankRow &rank) { return if_counted(rank.counters[i]); }, row);
        row.total = total.value_or(0);
        for (const RankRow &rank : report.ranks)
            row.in_mpi += if_counted(rank.counters_in_mpi[i]).value_or(0);
        row.outside_mpi = row.total - row.in_mpi;
    }
}

// -1 = not counted.
int find_counter(const Report &report, const char *name)
{
    for (size_t i = 0; i < report.counters.size(); i++)
        if (strcasecmp(report.counters[i].name.c_str(), name) == 0)
            return static_cast<int>(i);
    return -1;
}

// What a rule divides by what, of one rank.
struct Fraction {
    double above = not_counted;
    double below = not_counted;
    double value(double scale) const { return below > 0 ? scale * above / below : not_counted; }
};

double outside_mpi(const RankRow &rank, int counter)
{
    const auto i = static_cast<size_t>(counter);
    return rank.counters[i] - rank.counters_in_mpi[i];
}

Fraction fraction_of(const Report &report, const MetricRule &rule, const RankRow &rank)
{
    const int above = find_counter(report, rule.numerator);
    if (rule.denominator != Denominator::counter)
        return {rank.counters[static_cast<size_t>(above)], rank.wallclock_s};
    return {outside_mpi(rank, above), outside_mpi(rank, find_counter(report, rule.counter))};
}

bool applies(const Report &report, const MetricRule &rule)
{
    for (const MetricRow &row : report.metrics)
        if (row.name == rule.name)
            return false;  // by a better rule
    if (rule.of_one_thread && std::any_of(report.ranks.begin(), report.ranks.end(),
                                          [](const RankRow &row) { return row.threads > 1; }))
        return false;
    return find_counter(report, rule.numerator) >= 0 &&
           (rule.denominator != Denominator::counter || find_counter(report, rule.counter) >= 0);
}

std::string formula_of(const MetricRule &rule)
{
    switch (rule.denominator) {
    case Denominator::rank_seconds:
        return fmt::format("{} / wallclock", rule.numerator);
    case Denominator::run_seconds:
        return fmt::format("{} / wallclock, all ranks together", rule.numerator);
    default:
        return fmt::format("{} / {}, outside MPI", rule.numerator, rule.counter);
    }
}

void add_metric(const MetricRule &rule, Report &report)
{
    MetricRow row{rule.name, rule.unit, formula_of(rule)};
    double above = 0;
    double below = 0;
    for (const RankRow &rank : report.ranks) {
        const Fraction fraction = fraction_of(report, rule, rank);
        if (std::isnan(fraction.value(rule.scale)))
            continue;
        above += fraction.above;
        below += fraction.below;
    }
    if (rule.denominator == Denominator::run_seconds)
        below = report.run.wallclock_s;
    if (!(below > 0))
        return;
    row.value = rule.scale * above / below;
    const auto value_of = [&](const RankRow &rank) {
        return if_counted(fraction_of(report, rule, rank).value(rule.scale));
    };
    spread_over_ranks(report.ranks, value_of, row);
    for (RankRow &rank : report.ranks)
        rank.metrics.push_back(value_of(rank).value_or(not_counted));
    report.metrics.push_back(std::move(row));
}

// Sums over ranks by the path of the region, with the regions in it.
std::map<std::string, std::vector<double>> sums_by_region(const RankMeasures &ranks,
                                                          const Report &report)
{
    std::map<std::string, std::vector<double>> sums;
    for (const RankMeasure &rank : ranks) {
        const auto paths = region_paths(*rank.file);
        for (const CounterGrowth &growth : counter_growth(*rank.file, report.counters)) {
            const auto found = paths.find(growth.region);
            std::string path = found == paths.end() ? "" : found->second;
            for (;;) {
                std::vector<double> &sum = sums[path];
                sum.resize(growth.values.size());
                for (size_t i = 0; i < sum.size(); i++)
                    sum[i] += std::isnan(growth.values[i]) ? 0 : growth.values[i];
                if (path.empty())
                    break;
                const size_t end = path.rfind(region_separator);
                path.resize(end == std::string::npos ? 0 : end);
            }
        }
    }
    return sums;
}

// The report's regions are also in the order of the paths.
void fill_regions(const RankMeasures &ranks, Report &report)
{
    const auto sums = sums_by_region(ranks, report);
    auto next = sums.begin();
    for (RegionRow &row : report.regions) {
        row.counters.assign(report.counters.size(), 0);
        if (next != sums.end() && region_text(next->first) == row.path)
            row.counters = next++->second;
    }
}

// Usually all ranks refuse the same counters.
void add_refused(const RankMeasures &ranks, Quality &quality)
{
    constexpr std::string_view separator = "; ";
    std::set<std::string> refused;
    for (const RankMeasure &rank : ranks) {
        const std::string all = rank.file->text("counters_refused");
        for (size_t begin = 0; begin < all.size();) {
            const size_t end = std::min(all.find(separator, begin), all.size());
            refused.insert(all.substr(begin, end - begin));
            begin = end + separator.size();
        }
    }
    quality.counters_refused.assign(refused.begin(), refused.end());
}

bool any_has(const RankMeasures &ranks, uint32_t flag)
{
    return std::any_of(ranks.begin(), ranks.end(), [flag](const RankMeasure &rank) {
        const auto &slots = rank.file->counters;
        return std::any_of(slots.begin(), slots.end(), [flag](const CounterSlot &slot) {
            return (slot.facts.flags & flag) != 0;
        });
    });
}

}  // namespace

void analyse_counters(const RankMeasures &ranks, Report &report)
{
    add_refused(ranks, report.quality);
    for (const RankMeasure &rank : ranks)
        for (const CounterSlot &slot : rank.file->counters) {
            CounterRow &row = find_row(report, slot);
            row.multiplexed =
                row.multiplexed || (slot.facts.flags & MPROF_COUNTER_MULTIPLEXED) != 0;
            if (slot.slot == 0)
                report.quality.counters_s += static_cast<double>(counter_reads(*rank.file)) *
                                             static_cast<double>(slot.facts.read_ticks) *
                                             rank.clock.seconds_per_tick();
        }
    if (report.counters.empty())
        return;
    for (size_t i = 0; i < ranks.size(); i++)
        add_up_rank(ranks[i], report, report.ranks[i]);
    add_up(report);
    fill_regions(ranks, report);
    for (const MetricRule &rule : metric_rules)
        if (applies(report, rule))
            add_metric(rule, report);
}

void remark_on_counters(const RankMeasures &ranks, Report &report)
{
    auto &remarks = report.quality.remarks;
    if (report.quality.counters_s > 0)
        remarks.push_back(fmt::format("reading the counters took {} of mprof's own cost",
                                      duration_text(report.quality.counters_s)));
    for (const std::string &refused : report.quality.counters_refused)
        remarks.push_back("counter not counted: " + refused);
    std::string estimated;
    for (const CounterRow &row : report.counters)
        if (row.multiplexed)
            estimated += (estimated.empty() ? "" : ", ") + row.name;
    if (!estimated.empty())
        remarks.push_back("counters that took turns, so their values are estimates: " + estimated);
    if (any_has(ranks, MPROF_COUNTER_INCOMPLETE))
        remarks.push_back("counters are incomplete: on some threads they could not be opened or "
                          "read");
    if (any_has(ranks, MPROF_COUNTER_FOLDED))
        remarks.push_back("for lack of space, some counts belong to the whole program instead of "
                          "their region (totals are exact)");
}

}  // namespace mprof
