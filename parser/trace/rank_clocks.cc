// The rate is that of the rank whose two clock pairs are furthest apart: the longer, the more
// exact. A rank that was killed has its second pair from the end of MPI_Init, or from later.
#include "trace/rank_clocks.h"

#include "measure/quantile.h"
#include "measure/tick_clock.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mprof {
namespace {

double seconds_between(uint64_t later, uint64_t earlier, double unit_s)
{
    return static_cast<double>(static_cast<int64_t>(later - earlier)) * unit_s;
}

uint64_t middle(const mprof_clock_pair &pair)
{
    return pair.ticks_before + (pair.ticks_after - pair.ticks_before) / 2;
}

uint64_t length_ns(const RankFile &file)
{
    const mprof_clock &clock = file.clock;
    return clock.latest.monotonic_ns > clock.start.monotonic_ns
               ? clock.latest.monotonic_ns - clock.start.monotonic_ns
               : 0;
}

// Of the clock of the day when that of the node is 0, against those of `base`.
double day_shift(const RankFile &file, const RankFile &base)
{
    constexpr double ns = 1e-9;
    return seconds_between(file.run.start_realtime_ns, base.run.start_realtime_ns, ns) -
           seconds_between(file.clock.start.monotonic_ns, base.clock.start.monotonic_ns, ns);
}

}  // namespace

// Fills the clocks of a node: one for each kind, of which there is hardly ever more than one.
void RankClocks::add_node(const Profile &profile, size_t node)
{
    const RankFile &base = profile.ranks.front();
    std::map<uint32_t, size_t> best;  // rank with the longest clock, by kind
    std::vector<double> shifts;
    for (size_t r = 0; r < ranks_.size(); r++) {
        if (ranks_[r].node != node)
            continue;
        const RankFile &file = profile.ranks[r];
        shifts.push_back(day_shift(file, base));
        const auto at = best.try_emplace(file.clock.kind, r).first;
        if (length_ns(file) > length_ns(profile.ranks[at->second]))
            at->second = r;
    }
    const double shift_s = quantile(shifts, 0.5);
    for (size_t r = 0; r < ranks_.size(); r++) {
        if (ranks_[r].node != node)
            continue;
        const mprof_clock &clock = profile.ranks[best[profile.ranks[r].clock.kind]].clock;
        ranks_[r].start_ticks = middle(clock.start);
        ranks_[r].tick_s = TickClock(clock).seconds_per_tick();
        ranks_[r].start_s = shift_s + seconds_between(clock.start.monotonic_ns,
                                                      base.clock.start.monotonic_ns, 1e-9);
    }
}

RankClocks::RankClocks(const Profile &profile)
{
    std::map<std::string, size_t> numbers;
    for (const RankFile &file : profile.ranks) {
        const std::string &host = file.text("host");
        const auto [at, is_new] = numbers.try_emplace(host, numbers.size());
        if (is_new)
            nodes_.push_back(host);
        ranks_.push_back({at->second});
    }
    for (size_t node = 0; node < nodes_.size(); node++)
        add_node(profile, node);
    double first_s = HUGE_VAL;
    for (size_t r = 0; r < ranks_.size(); r++)
        first_s = std::min(first_s, seconds_at(r, middle(profile.ranks[r].clock.start)));
    for (size_t r = 0; r < ranks_.size(); r++) {
        ranks_[r].start_s -= first_s;
        ranks_[r].latest_s = seconds_at(r, middle(profile.ranks[r].clock.latest));
    }
}

double RankClocks::seconds_at(size_t rank, uint64_t ticks) const
{
    const Clock &clock = ranks_[rank];
    return clock.start_s + seconds_between(ticks, clock.start_ticks, clock.tick_s);
}

double RankClocks::seconds_of(size_t rank, uint64_t ticks) const
{
    return static_cast<double>(ticks) * ranks_[rank].tick_s;
}

}  // namespace mprof
