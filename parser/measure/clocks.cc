// Only differences of ticks become floating point: 2^53 ticks are a month, absolute counts may be
// larger.
#include "measure/clocks.h"

#include "report/spread.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mprof {
namespace {

uint64_t middle(const mprof_clock_pair &pair)
{
    return pair.ticks_before + (pair.ticks_after - pair.ticks_before) / 2;
}

double rate_of(const mprof_clock &clock)
{
    constexpr double ns = 1e-9;
    if (clock.kind == MPROF_CLOCK_MONOTONIC)
        return ns;
    const uint64_t begin = middle(clock.start);
    const uint64_t end = middle(clock.latest);
    if (end <= begin || clock.latest.monotonic_ns <= clock.start.monotonic_ns)
        return 0;
    return static_cast<double>(clock.latest.monotonic_ns - clock.start.monotonic_ns) /
           static_cast<double>(end - begin) * ns;
}

}  // namespace

TickClock::TickClock(const mprof_clock &clock)
    : seconds_per_tick_(rate_of(clock)),
      start_ticks_(middle(clock.start)),
      latest_ticks_(middle(clock.latest)),
      read_ticks_(clock.read_ticks),
      record_ticks_(clock.record_ticks),
      kind_(clock.kind)
{
}

double TickClock::seconds_at(uint64_t ticks) const
{
    return ticks <= start_ticks_ ? 0
                                 : static_cast<double>(ticks - start_ticks_) * seconds_per_tick_;
}

// The rate is that of the rank whose two clock pairs are furthest apart: the longer, the more
// exact. A rank that was killed has its second pair from the end of MPI_Init, or from later.
//
// The line of a node goes through medians (H. Theil, 1950; P. Sen, 1968), so that ranks which got
// no CPU in time for some collectives do not bend it. On a busy machine most ranks leave late, and
// then medians mislead. But no rank leaves before the last one has come: that bounds the line from
// both sides, and where the medians break a bound, or tell less, the bounds count.

namespace {

constexpr double most_drift = 500e-6;  // clocks of the day are slewed by no more
constexpr double told_share = 0.9;     // of the collectives that fit as well as stated

double seconds_between(uint64_t later, uint64_t earlier, double unit_s)
{
    return static_cast<double>(static_cast<int64_t>(later - earlier)) * unit_s;
}

uint64_t middle_ticks(const mprof_clock_pair &pair)
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

// A collective on one node: when its last rank had come, when its first rank had done, and how long
// it took the rank that came last, which waited for nobody.
struct NodeCall {
    double start_s = -HUGE_VAL, end_s = HUGE_VAL, shortest_s = HUGE_VAL;
};
using NodeCalls = std::map<uint64_t, NodeCall>;  // by number of the collective

// Two nodes in one collective: by how much the node's clock is ahead of the first node's.
struct Meeting {
    double at_s = 0;     // by the node's clock
    double ahead_s = 0;  // if both had done at the same moment
    double least_s = 0, most_s = 0;
    double within_s = 0;  // they may really have ended so far apart
};

struct Line {
    double offset_s = 0, drift = 0;
    double residual_s = 0;  // by how much it may be wrong
    double at(double time_s) const { return offset_s + drift * time_s; }
};

double drift_of(const std::vector<Meeting> &meetings)
{
    std::vector<double> slopes;
    for (size_t i = 0; i < meetings.size(); i++)
        for (size_t j = 0; j < i; j++)
            if (meetings[i].at_s != meetings[j].at_s)
                slopes.push_back((meetings[i].ahead_s - meetings[j].ahead_s) /
                                 (meetings[i].at_s - meetings[j].at_s));
    return slopes.empty() ? 0 : std::clamp(quantile(slopes, 0.5), -most_drift, most_drift);
}

double median_offset(const std::vector<Meeting> &meetings, double drift)
{
    std::vector<double> offsets;
    for (const Meeting &meeting : meetings)
        offsets.push_back(meeting.ahead_s - drift * meeting.at_s);
    return quantile(offsets, 0.5);
}

// How well the meetings fit.
double spread_around(const std::vector<Meeting> &meetings, const Line &line)
{
    std::vector<double> away, within;
    for (const Meeting &meeting : meetings) {
        away.push_back(std::abs(meeting.ahead_s - line.at(meeting.at_s)));
        within.push_back(meeting.within_s);
    }
    return quantile(away, told_share) + quantile(within, 0.5);
}

struct Range {
    double least = HUGE_VAL, most = -HUGE_VAL;
    void add(double value)
    {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    double middle() const { return (least + most) / 2; }
    double half() const { return (most - least) / 2; }
};

// The middle of all lines that no meeting forbids; none, if they forbid all.
std::optional<Line> bounded_line(const std::vector<Meeting> &meetings)
{
    constexpr double step = 1e-6;
    const double first_s = meetings.front().at_s, last_s = meetings.back().at_s;
    Range first, last;
    for (double drift = -most_drift; drift <= most_drift; drift += step) {
        double least_s = -HUGE_VAL, most_s = HUGE_VAL;
        for (const Meeting &meeting : meetings) {
            least_s = std::max(least_s, meeting.least_s - drift * meeting.at_s);
            most_s = std::min(most_s, meeting.most_s - drift * meeting.at_s);
        }
        for (const double offset_s : {least_s, most_s})
            if (least_s <= most_s) {
                first.add(offset_s + drift * first_s);
                last.add(offset_s + drift * last_s);
            }
    }
    if (first.half() < 0)
        return std::nullopt;
    Line line;
    line.drift = last_s > first_s ? (last.middle() - first.middle()) / (last_s - first_s) : 0;
    line.offset_s = first.middle() - line.drift * first_s;
    line.residual_s = std::max(first.half(), last.half());
    return line;
}

bool keeps_bounds(const std::vector<Meeting> &meetings, const Line &line)
{
    return std::all_of(meetings.begin(), meetings.end(), [&](const Meeting &meeting) {
        const double ahead_s = line.at(meeting.at_s);
        return ahead_s >= meeting.least_s && ahead_s <= meeting.most_s;
    });
}

Line line_through(const std::vector<Meeting> &meetings)
{
    Line line;
    line.drift = drift_of(meetings);
    line.offset_s = median_offset(meetings, line.drift);
    line.residual_s = spread_around(meetings, line);
    const std::optional<Line> bounded = bounded_line(meetings);
    const bool is_better =
        bounded && (bounded->residual_s < line.residual_s || !keeps_bounds(meetings, line));
    return is_better ? *bounded : line;
}

std::vector<Meeting> meetings_of(const NodeCalls &node, const NodeCalls &first)
{
    std::vector<Meeting> meetings;
    for (const auto &[number, call] : node) {
        const auto at = first.find(number);
        if (at == first.end())
            continue;
        const NodeCall &other = at->second;
        meetings.push_back({call.end_s, call.end_s - other.end_s, call.start_s - other.end_s,
                            call.end_s - other.start_s,
                            std::min(call.shortest_s, other.shortest_s)});
    }
    return meetings;
}

}  // namespace

// Fills the clocks of a node: one for each kind, of which there is hardly ever more than one.
void NodeClocks::add_node(const Files &ranks, const std::vector<size_t> &of_node)
{
    const RankFile &base = *ranks.front();
    std::map<uint32_t, size_t> best;  // rank with the longest clock, by kind
    std::vector<double> shifts;
    for (const size_t r : of_node) {
        shifts.push_back(day_shift(*ranks[r], base));
        const auto at = best.try_emplace(ranks[r]->clock.kind, r).first;
        if (length_ns(*ranks[r]) > length_ns(*ranks[at->second]))
            at->second = r;
    }
    const double shift_s = quantile(shifts, 0.5);
    const auto seconds_of_node = [&](const mprof_clock &clock) {
        return shift_s +
               seconds_between(clock.start.monotonic_ns, base.clock.start.monotonic_ns, 1e-9);
    };
    for (const size_t r : of_node) {
        const mprof_clock &clock = ranks[best[ranks[r]->clock.kind]]->clock;
        ranks_[r].start_ticks = middle_ticks(clock.start);
        ranks_[r].tick_s = TickClock(clock).seconds_per_tick();
        ranks_[r].start_s = seconds_of_node(clock);
        ranks_[r].begin_s = seconds_of_node(ranks[r]->clock);
    }
}

void NodeClocks::correct_nodes(const Files &ranks)
{
    std::vector<NodeCalls> calls(nodes_.size());
    for (size_t r = 0; r < ranks.size(); r++)
        for (const mprof_collective_time &time : ranks[r]->collective_times) {
            NodeCall &call = calls[ranks_[r].node][time.number];
            call.start_s = std::max(call.start_s, seconds_at(r, time.start_ticks));
            call.end_s = std::min(call.end_s, seconds_at(r, time.start_ticks + time.ticks));
            call.shortest_s = std::min(call.shortest_s, seconds_of(r, time.ticks));
        }
    std::vector<Line> lines(nodes_.size());
    for (size_t node = 1; node < nodes_.size(); node++) {
        const std::vector<Meeting> meetings = meetings_of(calls[node], calls[0]);
        if (meetings.empty())
            continue;
        lines[node] = line_through(meetings);
        residual_s_ = std::max(residual_s_.value_or(0), lines[node].residual_s);
    }
    for (Clock &clock : ranks_) {
        const Line &line = lines[clock.node];
        clock.start_s -= line.at(clock.start_s);
        clock.begin_s -= line.at(clock.begin_s);
        clock.tick_s *= 1 - line.drift;
    }
}

NodeClocks::NodeClocks(const std::vector<const RankFile *> &ranks)
{
    std::map<std::string, size_t> numbers;
    std::vector<std::vector<size_t>> by_node;
    for (size_t r = 0; r < ranks.size(); r++) {
        const std::string &host = ranks[r]->text("host");
        const auto [at, is_new] = numbers.try_emplace(host, numbers.size());
        if (is_new) {
            nodes_.push_back(host);
            by_node.emplace_back();
        }
        ranks_.push_back({at->second});
        by_node[at->second].push_back(r);
    }
    for (const std::vector<size_t> &of_node : by_node)
        add_node(ranks, of_node);
    if (nodes_.size() > 1)
        correct_nodes(ranks);
    double first_s = HUGE_VAL;
    for (const Clock &clock : ranks_)
        first_s = std::min(first_s, clock.begin_s);
    for (size_t r = 0; r < ranks_.size(); r++) {
        ranks_[r].start_s -= first_s;
        ranks_[r].begin_s -= first_s;
        ranks_[r].latest_s = seconds_at(r, middle_ticks(ranks[r]->clock.latest));
    }
}

double NodeClocks::seconds_at(size_t rank, uint64_t ticks) const
{
    const Clock &clock = ranks_[rank];
    return clock.start_s + seconds_between(ticks, clock.start_ticks, clock.tick_s);
}

double NodeClocks::seconds_of(size_t rank, uint64_t ticks) const
{
    return static_cast<double>(ticks) * ranks_[rank].tick_s;
}

}  // namespace mprof
