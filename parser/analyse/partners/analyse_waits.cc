// Whom others waited for and why, what messages cost, and how reliable these figures are.
#include "analyse/analysis_parts.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "verdict/cause_reasons.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace mprof {

// Further results of the search for waiting: whom others waited for, what messages cost, and how
// reliable these figures are.

namespace {

std::string collectives_words(const Waits &waits)
{
    if (waits.collectives_lined == 0)
        return "";
    if (!waits.thinned)
        return "collectives measured";
    const double percent =
        100 * static_cast<double>(waits.collectives_lined) / static_cast<double>(waits.collectives);
    return fmt::format("collectives estimated from {} of {}", percent_text(percent),
                       spoken_count(waits.collectives));
}

std::string messages_words(const Waits &waits)
{
    if (waits.transfers.empty())
        return "";
    return waits.has_baseline ? "messages estimated from the best case"
                              : "messages estimated only from the best case of the run, without a "
                                "baseline: a partner that is late every time may be missed";
}

// "how waiting was found"
std::string source_words(const Waits &waits)
{
    const std::string collectives = collectives_words(waits);
    const std::string messages = messages_words(waits);
    if (collectives.empty() && messages.empty())
        return waits.known ? "no call was recorded in which ranks could wait for each other" : "";
    return collectives + (collectives.empty() || messages.empty() ? "" : ", ") + messages;
}

// Without time bins it is not known when the rank waited for its GPU.
void note_nccl(const NcclWaits &waits, std::vector<RankRow> &rows)
{
    for (size_t r = 0; r < waits.caused_s.size(); r++) {
        RankGpu &gpu = rows[r].gpu.own();
        gpu.nccl_caused_s = waits.caused_s[r];
        if (gpu.nccl_wait_s)
            continue;
        double waited_s = 0;
        for (const NcclStretch &stretch : waits.of_rank[r])
            waited_s += stretch.weight * (stretch.end_s - stretch.begin_s);
        gpu.nccl_wait_s = std::min(waited_s, gpu.wait_s.value_or(0));
    }
}

}  // namespace

void note_last_rank(const Waits &waits, CallPlace place, const RankMeasures &ranks,
                    CallsiteRow &row)
{
    const auto found = waits.places.find(place);
    if (found == waits.places.end() || found->second.last.empty())
        return;
    const auto &last = *std::max_element(
        found->second.last.begin(), found->second.last.end(),
        [](const auto &a, const auto &b) { return a.second.weight < b.second.weight; });
    if (last.second.weight <= 0)
        return;
    row.last_rank = ranks[last.first].rank();
    row.last_percent =
        100 * static_cast<double>(last.second.times) / static_cast<double>(found->second.instances);
    row.caused_wait_s = last.second.weight;
    const RareInstances &rare = found->second.rare;
    if (rare.instances <= 0)
        return;
    row.rare = RareSteps{rare.instances, rare.all, rare.late_s, rare.sum_s, std::nullopt};
    if (rare.last != nobody)
        row.rare->rank = ranks[rare.last].rank();
}

void analyse_waits(const Waits &waits, const RankMeasures &ranks, Report &report)
{
    Quality &quality = report.quality;
    report.transfers = waits.transfers;
    report.message_costs = waits.costs;
    quality.collectives = waits.collectives;
    quality.collectives_kept = waits.collectives_lined;
    quality.wait_source = source_words(waits);
    note_nccl(waits.nccl, report.ranks);
    if (!waits.known)
        return;
    report.totals.small_transfer_s = waits.short_transfer_s;
    report.totals.large_transfer_s = waits.large_transfer_s;
    if (ranks.size() < ranks[0].file->header().ranks)
        report.totals.missing_wait_s = waits.missing_s;
    for (size_t r = 0; r < ranks.size(); r++) {
        report.ranks[r].caused_wait_s = waits.caused[r].wait_s;
        report.ranks[r].message_s = waits.messages[r].time_s;
        report.ranks[r].message_wait_s = waits.messages[r].wait_s;
    }
}

// Who makes the others wait, where that shows, between which lines it computes longer, and what is
// unusual about it.
//
// Only ranks that cause a good part of all waiting are listed. With hardly any waiting no rank is
// listed, because even small differences have a largest one.

namespace {

// Line left, function left, line entered, function entered; functions + 1, 0 = none.
using SegmentKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;
struct SegmentTime {
    double seconds = 0;
    uint32_t from = 0, to = 0;  // nodes
};
using SegmentTimes = std::map<SegmentKey, SegmentTime>;
struct PassingSum {
    double seconds = 0;
    size_t ranks = 0;  // that pass there
};

SegmentTimes segment_times(const RankMeasure &rank, size_t number, const Merged &merged)
{
    SegmentTimes times;
    const auto function = [&](uint16_t next_id) {
        return next_id == 0 ? 0 : 1 + merged.names.function(number, next_id - 1U);
    };
    for (const ThreadRecord &thread : rank.file->threads)
        for (const mprof_segment &segment : thread.segments) {
            const uint32_t from = merged.paths.node_of(number, segment.from_callsite);
            const uint32_t to = merged.paths.node_of(number, segment.to_callsite);
            SegmentTime &time = times[{merged.paths.line_of(from), function(segment.from_function),
                                       merged.paths.line_of(to), function(segment.to_function)}];
            time.seconds += static_cast<double>(segment.ticks) * rank.clock.seconds_per_tick();
            time.from = from;
            time.to = to;
        }
    return times;
}

class CauseFinder {
public:
    CauseFinder(const RankMeasures &ranks, const Merged &merged, const Report &report)
        : ranks_(ranks), merged_(merged), report_(report)
    {
    }

    CauseRow make_row(size_t rank, const CausedWait &caused, const Waits &waits)
    {
        const RankRow &of = report_.ranks[rank];
        const ProgramRow *program = program_of_rank(report_, of.rank);
        const double mean_s = program != nullptr ? program->compute_s
                                                 : report_.totals.compute_s /
                                                       static_cast<double>(report_.ranks.size());
        CauseRow row;
        row.rank = of.rank;
        row.host = of.host;
        row.caused_wait_s = caused.wait_s;
        if (waits.waited_collectives > 0)
            row.last_percent = 100 * static_cast<double>(caused.last_times) /
                               static_cast<double>(waits.waited_collectives);
        row.compute_s = of.compute_s;
        row.over_mean = mean_s > 0 ? of.compute_s / mean_s : 1;
        const auto places = waits.caused_at.find(rank);
        row.place = places == waits.caused_at.end() ? "" : place_words(places->second);
        row.segment = segment_words(rank, row.segment_ends);
        if (2 * ranks_[rank].gpu->all_s() > ranks_[rank].compute_s)
            row.segment.clear();  // that it computes would be wrong
        row.reason = unusual_words(report_, of);
        return row;
    }

private:
    // "MPI_Allreduce at cg.c:211"
    std::string place_words(const std::map<CallPlace, double> &places) const
    {
        const auto most =
            std::max_element(places.begin(), places.end(),
                             [](const auto &a, const auto &b) { return a.second < b.second; });
        if (most == places.end())
            return "";
        const std::string &function = merged_.names.function_name(most->first.function);
        const std::string place = merged_.paths.site_of(most->first.node).words();
        return place.empty() ? function : function + " at " + place;
    }

    // Of the ranks of one program: nullptr if there is only one.
    using Sums = std::map<SegmentKey, PassingSum>;
    Sums &sums_of(const ProgramRow *program)
    {
        const auto [at, is_new] = sums_.try_emplace(program);
        if (is_new)
            for (size_t r = 0; r < ranks_.size(); r++)
                if (program_of_rank(report_, report_.ranks[r].rank) == program)
                    for (const auto &[key, time] : segment_times(ranks_[r], r, merged_)) {
                        at->second[key].seconds += time.seconds;
                        at->second[key].ranks++;
                    }
        return at->second;
    }

    // "the others 30.2 s", where some never pass "2 of 3 others 30.2 s"
    static std::string others_words(size_t passing, size_t others, double sum_s)
    {
        if (passing == 0 || sum_s <= 0)
            return "no other rank does";
        const std::string mean = duration_text(sum_s / static_cast<double>(passing));
        return passing == others ? "the others " + mean
                                 : fmt::format("{} of {} others {}", passing, others, mean);
    }

    // "halo.c:58 and cg.c:211 (44.1 s, the others 30.2 s)"
    std::string segment_words(size_t rank, std::string &ends)
    {
        const ProgramRow *program = program_of_rank(report_, report_.ranks[rank].rank);
        Sums &sums = sums_of(program);
        const size_t alike = program != nullptr ? program->ranks : ranks_.size();
        const size_t others = std::max<size_t>(2, alike) - 1;
        const SegmentTimes::value_type *longer = nullptr;
        double most_s = 0;
        const SegmentTimes times = segment_times(ranks_[rank], rank, merged_);
        for (const auto &segment : times) {
            const double own_s = segment.second.seconds;
            const double mean_s =
                (sums[segment.first].seconds - own_s) / static_cast<double>(others);
            if (own_s - mean_s <= most_s)
                continue;
            most_s = own_s - mean_s;
            longer = &segment;
        }
        const double wallclock_s = report_.ranks[rank].wallclock_s;
        if (longer == nullptr || 100 * most_s < verdict_thresholds.segment_percent * wallclock_s)
            return "";
        const auto &[key, time] = *longer;
        const std::string from = end_words(time.from, std::get<1>(key));
        const std::string to = end_words(time.to, std::get<3>(key));
        const PassingSum &sum = sums[key];
        const std::string others_text =
            others_words(sum.ranks - 1, others, sum.seconds - time.seconds);
        ends = fmt::format("{} and {}", from, from == to ? "its next call" : to);
        return fmt::format("{} ({}, {}){}", ends, duration_text(time.seconds), others_text,
                           hot_words(time));
    }

    // ", 71% of it in update (heat.c:88)"
    std::string hot_words(const SegmentTime &time) const
    {
        const Frame &from = merged_.paths.site_of(time.from);
        const Frame &to = merged_.paths.site_of(time.to);
        for (const SegmentRow &row : report_.segments)
            if (row.from.words() == from.words() && row.to.words() == to.words() &&
                row.mostly_percent >= verdict_thresholds.hot_spot_percent && !row.mostly_in.empty())
                return fmt::format(", {} of that in {}", percent_text(row.mostly_percent),
                                   row.mostly_in);
        return "";
    }

    std::string end_words(uint32_t node, uint32_t function) const
    {
        if (function == 0)
            return "its start";
        const std::string place = merged_.paths.site_of(node).words();
        return place.empty() ? merged_.names.function_name(function - 1) : place;
    }

    const RankMeasures &ranks_;
    const Merged &merged_;
    const Report &report_;
    std::map<const ProgramRow *, Sums> sums_;
};

}  // namespace

std::vector<CauseRow> analyse_causes(const Waits &waits, const RankMeasures &ranks,
                                     const Merged &merged, const Report &report)
{
    const double all_s = report.totals.wait_s.value_or(0);
    const auto &limits = verdict_thresholds;
    if (100 * all_s < limits.cause_run_percent * report.totals.wallclock_s)
        return {};
    std::vector<CauseRow> rows;
    CauseFinder finder(ranks, merged, report);
    for (const size_t rank : waits.main_causes)
        if (100 * waits.caused[rank].wait_s >= limits.cause_wait_percent * all_s)
            rows.push_back(finder.make_row(rank, waits.caused[rank], waits));
    return rows;
}

}  // namespace mprof
