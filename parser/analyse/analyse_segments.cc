// Computing between two MPI calls, over all ranks. Rows with the same two lines and functions are
// one row, by whatever path they were reached: the work between the lines is the same.
//
// The time is measured from the end of one call to the begin of the next. It includes what mprof
// itself does there, as the compute time does.
#include "analyse/analysis_parts.h"
#include "measure/time_spread.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mprof {
namespace {

// from line, from function, to line, to function; functions are numbers + 1, 0 = none.
using SegmentKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

struct SegmentSum {
    SegmentRow row;
    TimeSpread spread;
    double rank_s = 0;     // of the rank that is being added
    size_t last_rank = 0;  // 1 + index of the rank that was added last
};

class Segments {
public:
    explicit Segments(const Merged &merged) : merged_(merged) {}

    void add_rank(const RankMeasure &rank, size_t number)
    {
        touched_.clear();
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_segment &segment : thread.segments)
                add(segment, rank, number);
        for (SegmentSum *sum : touched_) {
            sum->row.time_s += sum->rank_s;
            sum->spread.add(sum->rank_s, rank.rank());
            sum->rank_s = 0;
        }
    }

    std::map<SegmentKey, SegmentSum> &sums() { return sums_; }

private:
    uint32_t function(size_t rank, uint16_t next_id) const
    {
        return next_id == 0 ? 0 : 1 + merged_.names.function(rank, next_id - 1U);
    }
    std::string function_name(uint32_t number) const
    {
        return number == 0 ? "" : merged_.names.function_name(number - 1);
    }

    void add(const mprof_segment &segment, const RankMeasure &rank, size_t number)
    {
        const uint32_t from = merged_.paths.node_of(number, segment.from_callsite);
        const uint32_t to = merged_.paths.node_of(number, segment.to_callsite);
        const uint32_t from_function = function(number, segment.from_function);
        const uint32_t to_function = function(number, segment.to_function);
        const auto [at, is_new] = sums_.try_emplace(
            {merged_.paths.line_of(from), from_function, merged_.paths.line_of(to), to_function});
        SegmentSum &sum = at->second;
        if (is_new) {
            sum.row.from = merged_.paths.site_of(from);
            sum.row.to = merged_.paths.site_of(to);
            sum.row.from_function = function_name(from_function);
            sum.row.to_function = function_name(to_function);
            sum.row.counters.resize(
                std::min<size_t>(MPROF_SEGMENT_COUNTERS, rank.file->counters.size()));
        }
        if (sum.last_rank != number + 1)
            touched_.push_back(&sum);
        sum.last_rank = number + 1;
        sum.rank_s += static_cast<double>(segment.ticks) * rank.clock.seconds_per_tick();
        sum.row.count += segment.count;
        for (size_t i = 0; i < sum.row.counters.size(); i++)
            sum.row.counters[i] += segment.counters[i];
    }

    const Merged &merged_;
    std::map<SegmentKey, SegmentSum> sums_;
    std::vector<SegmentSum *> touched_;
};

}  // namespace

void analyse_segments(const RankMeasures &ranks, const Merged &merged, Report &report)
{
    Segments segments(merged);
    for (size_t r = 0; r < ranks.size(); r++)
        segments.add_rank(ranks[r], r);
    for (auto &[key, sum] : segments.sums()) {
        sum.row.spread = sum.spread.result();
        report.segments.push_back(std::move(sum.row));
    }
    std::stable_sort(report.segments.begin(), report.segments.end(),
                     [](const SegmentRow &a, const SegmentRow &b) { return a.time_s > b.time_s; });
}

}  // namespace mprof
