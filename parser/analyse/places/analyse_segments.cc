// Computing between two MPI calls, over all ranks. Rows with the same two lines and functions are
// one row, by whatever path they were reached: the work between the lines is the same.
//
// The time is measured from the end of one call to the start of the next. It includes what mprof
// itself does there, as the compute time does.
#include "analyse/analysis_parts.h"
#include "analyse/places/hot_spots.h"
#include "report/spread.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mprof {
namespace {

// Between short calls nobody knows which samples are of MPI, but for the libraries' names.
bool works_for_mpi(const Frame &frame)
{
    static constexpr const char *names[] = {"libmpi",  "libpmpi",   "libopen-", "mca_",
                                            "libuc",   "libfabric", "libpsm",   "libhcoll",
                                            "libpmix", "libmprof"};
    const std::string module = frame.module_name();
    return std::any_of(std::begin(names), std::end(names),
                       [&](const char *name) { return module.starts_with(name); });
}

// from line, from function, to line, to function; functions are numbers + 1, 0 = none.
using SegmentKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

struct SegmentSum {
    SegmentRow row;
    TimeSpread spread;
    HotSpots spots;
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
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_off_cpu &row : thread.off_cpu)
                add_off_cpu(row, number);
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_cpu_sample &sample : thread.cpu_samples)
                add_sample(sample, rank, number, sample_s(thread.facts));
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_sample_path &path : thread.sample_paths)
                add_path(path, rank, number);
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_sample_path &path : thread.fault_paths)
                add_faults(path, rank, number);
        for (const ThreadRecord &thread : rank.file->threads)
            for (const mprof_sample_path &path : thread.early_paths)
                add_early(path, rank, number);
        for (SegmentSum *sum : touched_) {
            sum->row.time_s += sum->rank_s;
            sum->spread.add(sum->rank_s, rank.rank());
            sum->rank_s = 0;
        }
    }

    std::map<SegmentKey, SegmentSum> &sums() { return sums_; }
    HotSpots &other_spots() { return other_spots_; }
    std::vector<WorkFunctionRow> work_functions() { return functions_.rows(); }
    std::vector<HotPlaceRow> hot_lines() { return lines_.rows(); }
    std::vector<HotPlaceRow> hot_libraries() { return libraries_.rows(); }
    std::vector<FaultRow> fault_places() { return rows_as<FaultRow>(faults_); }
    std::vector<EarlyRow> early_places() { return rows_as<EarlyRow>(early_); }
    std::vector<WorkFunctionRow> early_functions() { return early_functions_.rows(); }

private:
    template <class Row>
    static std::vector<Row> rows_as(HotSpots &spots)
    {
        std::vector<Row> rows;
        for (HotPlaceRow &row : spots.rows())
            rows.push_back({std::move(row)});
        return rows;
    }

    uint32_t function(size_t rank, uint16_t next_id) const
    {
        return next_id == 0 ? 0 : 1 + merged_.names.function(rank, next_id - 1U);
    }
    std::string function_name(uint32_t number) const
    {
        return number == 0 ? "" : merged_.names.function_name(number - 1);
    }

    // Of a segment, or of the time off the CPU in it: their keys have the same names.
    template <class Record>
    SegmentKey key_of(const Record &record, size_t number) const
    {
        return {merged_.paths.line_of(merged_.paths.node_of(number, record.from_callsite)),
                function(number, record.from_function),
                merged_.paths.line_of(merged_.paths.node_of(number, record.to_callsite)),
                function(number, record.to_function)};
    }

    // Rows of segments that are not there are of those that were not kept apart.
    void add_off_cpu(const mprof_off_cpu &row, size_t number)
    {
        const auto at = sums_.find(key_of(row, number));
        if (at == sums_.end())
            return;
        at->second.row.contention_s += seconds_of_ns(row.queue_ns);
        at->second.row.blocked_s += seconds_of_ns(row.blocked_ns);
    }

    static double sample_s(const mprof_thread &facts)
    {
        return seconds_of_ns(facts.cpu_sample_period_ns);
    }

    // Those that were taken in several short segments have no segment.
    HotSpots &spots_of(const mprof_cpu_sample &sample, size_t number)
    {
        const auto at = sample.to_function == 0 ? sums_.end() : sums_.find(key_of(sample, number));
        return at == sums_.end() ? other_spots_ : at->second.spots;
    }

    void add_path(const mprof_sample_path &path, const RankMeasure &rank, size_t number)
    {
        const Frame frame = merged_.paths.frames_of_sample(*rank.file, number, path.sample).front();
        const std::vector<Frame> callers = merged_.paths.callers_of(*rank.file, number, path);
        spots_of(path.sample, number).add_path(frame, callers, path.sample.samples);
        functions_.add(frame, callers, path.sample.samples, rank.rank());
    }

    void add_faults(const mprof_sample_path &path, const RankMeasure &rank, size_t number)
    {
        const Frame frame = merged_.paths.frames_of_sample(*rank.file, number, path.sample).front();
        if (path.sample.to_function == 0 && works_for_mpi(frame))
            return;
        faults_.add(frame, path.sample.samples, path.sample.samples, rank.rank());
        faults_.add_path(frame, merged_.paths.callers_of(*rank.file, number, path),
                         path.sample.samples);
    }

    void add_early(const mprof_sample_path &path, const RankMeasure &rank, size_t number)
    {
        const Frame frame = merged_.paths.frames_of_sample(*rank.file, number, path.sample).front();
        const std::vector<Frame> callers = merged_.paths.callers_of(*rank.file, number, path);
        early_.add(frame, path.sample.samples, early_sample_s * path.sample.samples, rank.rank());
        early_.add_path(frame, callers, path.sample.samples);
        early_functions_.add(frame, callers, path.sample.samples, rank.rank());
    }

    void add_sample(const mprof_cpu_sample &sample, const RankMeasure &rank, size_t number,
                    double period_s)
    {
        HotSpots &spots = spots_of(sample, number);
        const Frame &frame = merged_.paths.frames_of_sample(*rank.file, number, sample).front();
        if (&spots == &other_spots_ && works_for_mpi(frame))
            return;
        for (HotSpots *sum : {&spots, &lines_, &libraries_})
            sum->add(frame, sample.samples, sample.samples * period_s, rank.rank());
    }

    void add(const mprof_segment &segment, const RankMeasure &rank, size_t number)
    {
        const uint32_t from = merged_.paths.node_of(number, segment.from_callsite);
        const uint32_t to = merged_.paths.node_of(number, segment.to_callsite);
        const uint32_t from_function = function(number, segment.from_function);
        const uint32_t to_function = function(number, segment.to_function);
        const auto [at, is_new] = sums_.try_emplace(key_of(segment, number));
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
    HotSpots other_spots_;
    WorkFunctions functions_;
    HotSpots lines_{HotSpotsBy::line}, libraries_{HotSpotsBy::library};
    HotSpots faults_, early_;
    WorkFunctions early_functions_;
};

std::string segment_end(const std::string &function, const Frame &frame)
{
    return frame.words().empty() ? function : frame.words();
}

void add_hot_spots(const std::vector<HotPlaceRow> &rows, std::optional<size_t> number,
                   SegmentRow &segment, std::vector<HotSpotRow> &hot_spots)
{
    // One sample would be 100 %.
    if (!rows.empty() && segment.samples >= verdict_thresholds.hot_spot_samples) {
        segment.mostly_in = rows.front().site.function_words();
        segment.mostly_percent = rows.front().percent;
    }
    for (const HotPlaceRow &row : rows)
        hot_spots.push_back({row, number, segment_end(segment.from_function, segment.from),
                             segment_end(segment.to_function, segment.to)});
}

}  // namespace

SegmentRows analyse_segments(const RankMeasures &ranks, const Merged &merged)
{
    SegmentRows rows;
    Segments segments(merged);
    for (size_t r = 0; r < ranks.size(); r++)
        segments.add_rank(ranks[r], r);
    std::vector<SegmentSum *> sums;
    for (auto &[key, sum] : segments.sums())
        sums.push_back(&sum);
    std::stable_sort(sums.begin(), sums.end(), [](const SegmentSum *a, const SegmentSum *b) {
        return a->row.time_s > b->row.time_s;
    });
    for (SegmentSum *sum : sums) {
        sum->row.spread = sum->spread.result();
        sum->row.samples = sum->spots.samples();
        add_hot_spots(sum->spots.rows(), rows.segments.size(), sum->row, rows.hot_spots);
        sum->spots.take_stacks(rows.segments.size(), rows.stacks);
        rows.segments.push_back(std::move(sum->row));
    }
    SegmentRow none;
    add_hot_spots(segments.other_spots().rows(), std::nullopt, none, rows.hot_spots);
    segments.other_spots().take_stacks(std::nullopt, rows.stacks);
    rows.work_functions = segments.work_functions();
    rows.hot_lines = segments.hot_lines();
    rows.hot_libraries = segments.hot_libraries();
    rows.fault_places = segments.fault_places();
    rows.early_places = segments.early_places();
    rows.early_functions = segments.early_functions();
    return rows;
}

}  // namespace mprof
