// Each reason is a figure of the rank, compared with the mean of the other ranks that have it.
#include "verdict/cause_reasons.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>

namespace mprof {
namespace {

using Value = std::optional<double>;
using ValueOf = std::function<Value(const Report &, const RankRow &)>;

struct Reason {
    ValueOf value_of;
    double least_ratio;   // to the others; below 1: at most that
    double least_amount;  // more than the others have
    std::function<std::string(double own, double others)> words;
};

template <class Row>
Value named_value(const std::vector<Row> &rows, const std::vector<double> &values,
                  std::initializer_list<const char *> names)
{
    for (size_t i = 0; i < std::min(rows.size(), values.size()); i++)
        for (const char *name : names)
            if (rows[i].name == name && std::isfinite(values[i]))
                return values[i];
    return std::nullopt;
}

Value instructions(const Report &report, const RankRow &row)
{
    const auto names = {"PAPI_TOT_INS", "instructions"};
    const Value all = named_value(report.counters, row.counters, names);
    const Value in_mpi = named_value(report.counters, row.counters_in_mpi, names);
    return all ? Value(*all - in_mpi.value_or(0)) : std::nullopt;
}

Value clock_rate(const Report &report, const RankRow &row)
{
    return named_value(report.metrics, row.metrics, {"clock rate"});
}

Value per_second(const RankRow &row, const std::optional<uint64_t> &count)
{
    if (!count || row.wallclock_s <= 0)
        return std::nullopt;
    return static_cast<double>(*count) / row.wallclock_s;
}

Value percent_of_run(const RankRow &row, const std::optional<double> &seconds)
{
    if (!seconds || row.wallclock_s <= 0)
        return std::nullopt;
    return 100 * *seconds / row.wallclock_s;
}

Value other_numa_percent(const RankRow &row)
{
    const auto other = static_cast<double>(row.numa_other_bytes.value_or(0));
    const auto own = static_cast<double>(row.numa_own_bytes.value_or(0));
    return own + other > 0 ? Value(100 * other / (own + other)) : std::nullopt;
}

std::string more_text(const char *format, double own, double others)
{
    return fmt::format(fmt::runtime(format), own, others);
}

const std::vector<Reason> &reasons()
{
    constexpr const auto &apart = apart_limits;
    static const std::vector<Reason> table = {
        {instructions, apart.instructions_factor, 0,
         [](double own, double others) {
             return fmt::format("executes {:.2f}x as many instructions as the others",
                                own / others);
         }},
        {clock_rate, apart.clock_share, 0,
         [](double own, double others) {
             return more_text("runs at {:.2f} GHz, the others at {:.2f} GHz", own, others);
         }},
        {[](const Report &, const RankRow &row) { return row.work_s; },
         verdict_thresholds.slow_cpu_factor, 0,
         [](double own, double others) {
             return fmt::format("does the same arithmetic {} slower",
                                percent_text(100 * (own / others - 1)));
         }},
        {[](const Report &, const RankRow &row) {
             return row.heat_throttles ? Value(static_cast<double>(*row.heat_throttles)) : Value();
         },
         apart.factor, apart.heat_throttles,
         [](double own, double) {
             return more_text("has a CPU that was throttled by heat {:.0f} times", own, 0);
         }},
        {[](const Report &, const RankRow &row) { return percent_of_run(row, row.throttled_s); },
         apart.factor, apart.off_cpu_percent,
         [](double own, double) {
             return fmt::format("has used up its CPU quota for {} of the run", percent_text(own));
         }},
        {[](const Report &, const RankRow &row) { return percent_of_run(row, row.contention_s); },
         apart.factor, apart.off_cpu_percent,
         [](double own, double others) {
             return fmt::format("lacks a CPU for {} of the run, the others for {}",
                                percent_text(own), percent_text(others));
         }},
        {[](const Report &, const RankRow &row) { return percent_of_run(row, row.blocked_s); },
         apart.factor, apart.off_cpu_percent,
         [](double own, double others) {
             return fmt::format("is blocked outside MPI for {} of the run, the others for {}",
                                percent_text(own), percent_text(others));
         }},
        {[](const Report &, const RankRow &row) { return other_numa_percent(row); }, apart.factor,
         apart.other_numa_percent,
         [](double own, double) {
             return fmt::format("has {} of its memory on another NUMA node", percent_text(own));
         }},
        {[](const Report &, const RankRow &row) {
             return per_second(row, row.involuntary_switches);
         },
         apart.factor, apart.preempted_per_s,
         [](double own, double others) {
             return more_text("is preempted {:.0f} times a second, the others {:.0f}", own, others);
         }},
        {[](const Report &, const RankRow &row) { return per_second(row, row.major_faults); },
         apart.factor, apart.pages_read_per_s,
         [](double own, double others) {
             return more_text("reads {:.0f} pages a second from disk, the others {:.0f}", own,
                              others);
         }},
        {[](const Report &, const RankRow &row) { return per_second(row, row.minor_faults); },
         apart.factor, apart.faults_per_s,
         [](double own, double others) {
             return more_text("has {:.0f} page faults a second, the others {:.0f}", own, others);
         }},
    };
    return table;
}

struct HostCompute {
    double sum_s = 0;
    double min_s = HUGE_VAL;
    double max_s = 0;
    size_t ranks = 0;
    double mean_s() const { return sum_s / static_cast<double>(ranks); }
};

}  // namespace

std::string unusual_words(const Report &report, const RankRow &row)
{
    std::string words;
    for (const Reason &reason : reasons()) {
        const Value own = reason.value_of(report, row);
        double sum = 0, count = 0;
        for (const RankRow &other : report.ranks)
            if (const Value value = reason.value_of(report, other); value && &other != &row) {
                sum += *value;
                count++;
            }
        if (!own || count == 0)
            continue;
        const double others = sum / count;
        const bool less = reason.least_ratio < 1;
        const bool unusual =
            less ? *own < reason.least_ratio * others
                 : *own > reason.least_ratio * others && *own - others > reason.least_amount;
        if (unusual && others + *own > 0)
            words += (words.empty() ? "" : ", ") + reason.words(*own, others);
    }
    return words;
}

namespace {

// What the same arithmetic takes the other ranks: their median; 0 = there are none.
double work_of_others(const Report &report, const RankRow &row)
{
    std::vector<double> others;
    for (const RankRow &other : report.ranks)
        if (other.work_s && &other != &row)
            others.push_back(*other.work_s);
    if (others.empty())
        return 0;
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
    std::nth_element(others.begin(), middle, others.end());
    return *middle;
}

}  // namespace

double slow_cpu(const Report &report, const RankRow &row)
{
    const double others_s = work_of_others(report, row);
    return row.work_s && others_s > 0 ? *row.work_s / others_s : 1;
}

std::optional<double> slow_since_s(const Report &report, const RankRow &row)
{
    // Samples are less exact than what both ends of the run have: halfway tells fast from slow.
    const double others_s = work_of_others(report, row);
    const double slow_s = others_s > 0 ? (others_s + row.work_s.value_or(0)) / 2 : 0;
    std::optional<double> since;
    bool was_fast = false;
    for (const MemorySample &sample : row.samples) {
        if (!sample.work_s || slow_s <= 0)
            continue;
        const bool is_slow = *sample.work_s > slow_s;
        was_fast = was_fast || !is_slow;
        if (!is_slow)
            since.reset();
        else if (!since)
            since = sample.time_s;
    }
    return was_fast ? since : std::nullopt;
}

// A host is to blame only if each of its ranks is slower than every rank elsewhere: else it is the
// work of single ranks.
SlowHost find_slow_host(const Report &report)
{
    std::map<std::string, HostCompute> hosts;
    for (const RankRow &row : report.ranks) {
        HostCompute &host = hosts[row.host];
        host.sum_s += row.compute_s;
        host.min_s = std::min(host.min_s, row.compute_s);
        host.max_s = std::max(host.max_s, row.compute_s);
        host.ranks++;
    }
    if (hosts.size() < 2)
        return {};
    const auto slowest =
        std::max_element(hosts.begin(), hosts.end(), [](const auto &a, const auto &b) {
            return a.second.mean_s() < b.second.mean_s();
        });
    const HostCompute &host = slowest->second;
    for (const auto &[name, other] : hosts)
        if (&other != &host && other.max_s >= host.min_s)
            return {};
    const double others_s = (report.totals.compute_s - host.sum_s) /
                            static_cast<double>(report.ranks.size() - host.ranks);
    if (others_s <= 0 || host.mean_s() < verdict_thresholds.slow_host_factor * others_s)
        return {};
    return {slowest->first, host.ranks, host.mean_s() / others_s};
}

}  // namespace mprof
