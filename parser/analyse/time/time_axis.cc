#include "analyse/time/time_axis.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace mprof {
namespace {

constexpr size_t fewest_bins = 128;  // of a run of over a second
constexpr size_t most_bins = 512;
constexpr size_t most_bins_of_many = 256;  // ranks
constexpr size_t many_ranks = 64;
constexpr double long_run_s = 1;

double signed_seconds(uint64_t later_ns, uint64_t earlier_ns)
{
    return static_cast<double>(static_cast<int64_t>(later_ns - earlier_ns)) * 1e-9;
}

struct HostClocks {
    uint64_t monotonic_ns = 0, realtime_ns = 0;  // of its first rank
    std::vector<double> shift_s;  // by rank: CLOCK_REALTIME - CLOCK_MONOTONIC, against the first
                                  // one
    double begin_s = 0;           // of the first rank's MPI_Init, against the first host
    double stop_s = 0;            // of its last rank's MPI_Finalize
};

double median_shift(std::vector<double> values)
{
    if (values.empty())
        return 0;
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

// A rank without one of its clocks begins with the first rank of its host.
std::map<std::string, HostClocks> find_hosts(const std::vector<RankMeasure> &ranks)
{
    std::map<std::string, HostClocks> hosts;
    for (const RankMeasure &rank : ranks) {
        const uint64_t monotonic_ns = rank.file->clock.start.monotonic_ns;
        const uint64_t realtime_ns = rank.file->run.start_realtime_ns;
        HostClocks &host = hosts[rank.file->text("host")];
        if (host.shift_s.empty()) {
            host.monotonic_ns = monotonic_ns;
            host.realtime_ns = realtime_ns;
        }
        host.shift_s.push_back(signed_seconds(realtime_ns, host.realtime_ns) -
                               signed_seconds(monotonic_ns, host.monotonic_ns));
    }
    return hosts;
}

// Ranks of a world run at the same time. Where one begins after the end of all others, its clock is
// wrong.
void forget_impossible(const std::vector<RankMeasure> &ranks, TimeAxis &axis)
{
    double longest_s = 0;
    for (const RankMeasure &rank : ranks)
        longest_s = std::max(longest_s, rank.wallclock_s);
    const auto latest = std::max_element(axis.offset_s.begin(), axis.offset_s.end());
    if (*latest > longest_s)
        std::fill(axis.offset_s.begin(), axis.offset_s.end(), 0);
}

bool have_ended(const std::vector<RankMeasure> &ranks)
{
    return std::all_of(ranks.begin(), ranks.end(),
                       [](const RankMeasure &rank) { return rank.complete(); });
}

// Bins of the ranks' own length are exact, if there are neither too few nor too many.
void choose_bins(const std::vector<RankMeasure> &ranks, TimeAxis &axis)
{
    double bin_s = 0;
    for (const RankMeasure &rank : ranks)
        if (!rank.file->time_bins.empty())
            bin_s = std::max(bin_s, static_cast<double>(rank.file->time.bin_ticks) *
                                        rank.clock.seconds_per_tick());
    if (bin_s <= 0 || bin_s > axis.end_s)
        bin_s = axis.end_s;
    const size_t most = ranks.size() > many_ranks ? most_bins_of_many : most_bins;
    while (bin_s > 0 && axis.end_s / bin_s > static_cast<double>(most))
        bin_s *= 2;
    while (axis.end_s > long_run_s && axis.end_s / bin_s < static_cast<double>(fewest_bins))
        bin_s /= 2;
    axis.bin_s = bin_s;
    axis.bins = bin_s > 0
                    ? std::max<size_t>(1, static_cast<size_t>(std::ceil(axis.end_s / bin_s - 1e-6)))
                    : 0;
}

}  // namespace

TimeAxis make_time_axis(const std::vector<RankMeasure> &ranks)
{
    TimeAxis axis;
    std::map<std::string, HostClocks> hosts = find_hosts(ranks);
    const uint64_t first_ns = hosts.begin()->second.realtime_ns;
    for (auto &[name, host] : hosts)
        host.begin_s = signed_seconds(host.realtime_ns, first_ns) + median_shift(host.shift_s);
    double earliest_s = HUGE_VAL;
    for (const RankMeasure &rank : ranks) {
        HostClocks &host = hosts[rank.file->text("host")];
        const double begin_s =
            host.begin_s + signed_seconds(rank.file->clock.start.monotonic_ns, host.monotonic_ns);
        axis.offset_s.push_back(begin_s);
        earliest_s = std::min(earliest_s, begin_s);
        host.stop_s = std::max(host.stop_s, begin_s + rank.wallclock_s);
    }
    for (double &offset_s : axis.offset_s)
        offset_s -= earliest_s;
    forget_impossible(ranks, axis);
    for (size_t r = 0; r < ranks.size(); r++)
        axis.end_s = std::max(axis.end_s, axis.offset_s[r] + ranks[r].wallclock_s);
    if (hosts.size() > 1 && have_ended(ranks)) {
        const auto [first, last] =
            std::minmax_element(hosts.begin(), hosts.end(), [](const auto &a, const auto &b) {
                return a.second.stop_s < b.second.stop_s;
            });
        axis.residual_s = last->second.stop_s - first->second.stop_s;
    }
    choose_bins(ranks, axis);
    return axis;
}

}  // namespace mprof
