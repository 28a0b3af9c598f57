// The fields of a comparison: of its JSON, share/doc/reference/diff-json.md, its page and the
// Python module (report/field.h says how).
#pragma once

#include "diff/comparison.h"
#include "report/fields/fields_of_places.h"

#include <fmt/format.h>

namespace mprof {

template <>
inline constexpr const char *shape_of<Change> = "change";
template <>
inline constexpr const char *shape_of<RowChange> = "row";
template <>
inline constexpr const char *shape_of<PlaceChange> = "place";
template <>
inline constexpr const char *shape_of<Side> = "side";

template <>
inline constexpr auto fields_of<Change> =
    fields(field("a", &Change::a, "", "mean over the runs of A"),
           field("b", &Change::b, "", "mean over the runs of B"),
           field("difference", &Change::difference, "", "`b` - `a`"),
           field("difference_percent", &Change::percent, "%",
                 "of `a`; null if `a` is 0, and for percentages"),
           field("noise", &Change::noise, "", "a difference up to this may be chance"),
           field("outcome", &Change::outcome, "",
                 "`more`, `less`; `same`: the difference is not larger than `noise`"),
           field("a_min", &Change::a_min, "", "smallest of the runs of A"),
           field("a_max", &Change::a_max, "", "largest of the runs of A"),
           field("b_min", &Change::b_min, "", "smallest of the runs of B"),
           field("b_max", &Change::b_max, "", "largest of the runs of B"));

// A change on the page: of the row's own, without a name before them.
template <class Get>
constexpr auto page_change_fields(Get change)
{
    return only_in(in_page,
                   fields(field("a", through(change, &Change::a), "", "of A"),
                          field("b", through(change, &Change::b), "", "of B"),
                          field("noise", through(change, &Change::noise), "",
                                "a difference up to this may be chance"),
                          field("percent", through(change, &Change::percent), "%", "of `a`")));
}

// ---- rows ------------------------------------------------------------------------------------

inline std::optional<double> wait_of_a(const RowChange &row)
{
    return row.wait ? std::optional(row.wait->a) : std::nullopt;
}
inline std::optional<double> wait_of_b(const RowChange &row)
{
    return row.wait ? std::optional(row.wait->b) : std::nullopt;
}
inline std::string joined_remarks(const RowChange &row)
{
    return fmt::format("{}", fmt::join(row.remarks, "; "));
}

template <>
inline constexpr auto fields_of<RowChange> = fields(
    field("name", &RowChange::name, "", "how the row is called in text").always_known(),
    field("outcome", &RowChange::outcome, "", "of `time_s`, or if that is `same`, of `slowest_s`"),
    field("in_a", &RowChange::in_a, "", "A has it at all; else its figures are 0").only(in_json),
    field("in_b", &RowChange::in_b, "", "B has it at all; else its figures are 0").only(in_json),
    field("time_s", &RowChange::time, "s", "seconds per rank"),
    field("wait_s", &RowChange::wait, "s",
          "waiting in it; null where it is not known for every run, and for computing"),
    field("slowest_s", &RowChange::slowest, "s",
          "of the rank that spends most in it; null if not known"),
    page_change_fields(&RowChange::time),
    field("wait_a", wait_of_a, "s", "waiting in it, of A").only(in_page),
    field("wait_b", wait_of_b, "s", "waiting in it, of B").only(in_page),
    field("a_calls", &RowChange::a_calls, "", "calls of A, visits of a region, turns of a segment"),
    field("b_calls", &RowChange::b_calls, "", "the same of B"),
    field("a_bytes", &RowChange::a_bytes, "bytes", "bytes of A").only(in_json),
    field("b_bytes", &RowChange::b_bytes, "bytes", "bytes of B").only(in_json),
    field("remarks", &RowChange::remarks, "", "further remarks, in words"),
    field("remarks", joined_remarks, "", "further remarks").only(in_page));

template <>
inline constexpr auto fields_of<FunctionChange> =
    fields(field("function", &FunctionChange::function, "", "name").only(in_json).always_known(),
           fields_of<RowChange>);

// A place on one side, with the fields of any place but `inlined`.
struct SideFrame : Frame {};
template <>
inline constexpr auto fields_of<SideFrame> =
    fields(field("place", &Frame::place, "", "`file:line`, or what else is known"), place_fields);

inline std::optional<SideFrame> frame_of_a(const PlaceChange &place)
{
    return place.in_a ? std::optional(SideFrame{place.a}) : std::nullopt;
}
inline std::optional<SideFrame> frame_of_b(const PlaceChange &place)
{
    return place.in_b ? std::optional(SideFrame{place.b}) : std::nullopt;
}

template <>
inline constexpr auto fields_of<PlaceChange> =
    fields(field("function", &PlaceChange::function, "", "of MPI; null: the start of the program"),
           field("match", &PlaceChange::match, "", "how the two were found to be the same"),
           field("a", frame_of_a, "", "where in A; null if it is not there"),
           field("b", frame_of_b, "", "where in B; null if it is not there"));

template <>
inline constexpr auto fields_of<CallsiteChange> =
    fields(field("site", &CallsiteChange::site, "", "where it is"), fields_of<RowChange>);

template <>
inline constexpr auto fields_of<SegmentChange> = fields(
    field("from", &SegmentChange::from, "",
          "the call that was left. A call that is on only one side does not divide the computing "
          "(`remarks`), if one path leads to it and one from it"),
    field("to", &SegmentChange::to, "", "the call that was entered"),
    field("fastest_s", &SegmentChange::fastest, "s", "of the rank that spends least in it"),
    field("contention_s", &SegmentChange::cpu_wait, "s", "of `time_s`, without a CPU"),
    field("blocked_s", &SegmentChange::blocked, "s", "of `time_s`, blocked"),
    field("ranks", &SegmentChange::ranks, "",
          "whose computing changed, in words: `on all ranks`, `on the slowest rank, 2`, `per "
          "rank`; empty for a single rank")
        .only(in_json)
        .always_known(),
    field("cause_s", &SegmentChange::cause_s, "s", "by how much it changed for those ranks")
        .only(in_json),
    fields_of<RowChange>);

template <>
inline constexpr auto fields_of<SizeChange> = fields(
    field("function", &SizeChange::function, "", "name").only(in_json).always_known(),
    field("low_bytes", &SizeChange::low_bytes, "bytes",
          "message sizes from this power of two; null: the size is not known")
        .only(in_json),
    field("high_bytes", &SizeChange::high_bytes, "bytes", "up to the next one").only(in_json),
    fields_of<RowChange>);

template <>
inline constexpr auto fields_of<RegionChange> = fields(
    field("region", &RegionChange::path, "", "path; empty: the whole program")
        .only(in_json)
        .always_known(),
    field("compute_s", &RegionChange::compute, "s", "of `time_s`, which is with the regions in it"),
    field("mpi_s", &RegionChange::mpi, "s", "likewise, in MPI"), fields_of<RowChange>);

template <>
inline constexpr auto fields_of<PhaseChange> =
    fields(field("mpi_percent", &PhaseChange::mpi_percent, "%",
                 "MPI time of the phase, of its time on all ranks"),
           field("a_place", &PhaseChange::a_place, "",
                 "the call site of A with most MPI time; null: none, or not known")
               .only(in_json),
           field("b_place", &PhaseChange::b_place, "", "the same of B").only(in_json),
           fields_of<RowChange>);

template <>
inline constexpr auto fields_of<AccountChange> =
    fields(field("kind", &AccountChange::kind, "", "the cause, as in the report's `accounts`"),
           field("a_rank", &AccountChange::a_rank, "",
                 "the rank that has most of it in A; null: no rank has, or A lacks it")
               .only(in_json),
           field("b_rank", &AccountChange::b_rank, "", "the same of B").only(in_json),
           field("a_place", &AccountChange::a_place, "",
                 "where it arises in A; null: not known, or A lacks it")
               .only(in_json),
           field("b_place", &AccountChange::b_place, "", "the same of B").only(in_json),
           fields_of<RowChange>);

template <>
inline constexpr auto fields_of<RankChange> =
    fields(field("rank", &RankChange::rank, "", "`time_s` is its compute time"),
           field("a_host", &RankChange::a_host, "", "the node of A"),
           field("b_host", &RankChange::b_host, "", "the node of B"),
           field("wallclock_s", &RankChange::wallclock, "s", "its wallclock"),
           field("mpi_s", &RankChange::mpi, "s", "of which in MPI"),
           field("mpi_a", through(&RankChange::mpi, &Change::a), "s", "in MPI, of A").only(in_page),
           field("mpi_b", through(&RankChange::mpi, &Change::b), "s", "in MPI, of B").only(in_page),
           fields_of<RowChange>);

inline bool is_more_better(const TotalChange &total)
{
    return more_is_better(total.figure);
}

template <>
inline constexpr auto fields_of<TotalChange> = fields(
    field("name", &TotalChange::figure, "", "the figure"),
    field("more_is_better", is_more_better, "", "else more of it costs more"),
    field("measure", &TotalChange::measure, "", "what `change` is in"),
    field("change", &TotalChange::change, "", "per rank, except for the wallclock and percentages"),
    field("outcome", through(&TotalChange::change, &Change::outcome), "",
          "of B against A, beyond noise")
        .only(in_page),
    page_change_fields(&TotalChange::change));

// ---- the answer, and what was compared ---------------------------------------------------------

template <>
inline constexpr auto fields_of<RunInfo> =
    fields(field("path", &RunInfo::path, "", "the profile").always_known(),
           field("command", &RunInfo::command, "", "as in the report, like all of these"),
           field("start", &RunInfo::start, "", "when it started"),
           field("wallclock_s", &RunInfo::wallclock_s, "s", "of the slowest rank"),
           field("ranks", &RunInfo::ranks, "", "ranks of the run"),
           field("ranks_read", &RunInfo::ranks_read, "", "those whose files were read"),
           field("nodes", &RunInfo::nodes, "", "nodes of the run"),
           field("mpi_library", &RunInfo::mpi_library, "", "name and version"),
           field("complete", &RunInfo::complete, "", "all ranks are there and finished"),
           field("end", &RunInfo::end, "", "how it ended"),
           field("run_id", &RunInfo::run_id, "", "of this run alone").always_known(),
           field("verdict_class", &RunInfo::verdict_class, "", "the `class` of its `verdict`"));

template <>
inline constexpr auto fields_of<Side> =
    fields(field("description", &Side::description, "", "what it is, in words").always_known(),
           field("runs", &Side::runs, "", "one row per run"));

template <>
inline constexpr auto fields_of<LimitCheck> =
    fields(field("name", through(&LimitCheck::limit, &Limit::figure), "",
                 "`wallclock`, or for `cpu:` `on a CPU`"),
           field("allowed_percent", through(&LimitCheck::limit, &Limit::percent), "%",
                 "how much it may grow"),
           field("state", &LimitCheck::state, "",
                 "`kept`; `cannot tell`: `noise` is larger than the limit, and B may exceed it or "
                 "not; `exceeded`: it grew by more than the limit, and by more than `noise`"),
           field("change", &LimitCheck::change, "",
                 "of that figure; null if not every run has recorded it"));

inline std::optional<NamedRow> named_row(const DiffAnswer &answer)
{
    if (answer.cause_segment)
        return NamedRow{"segments", *answer.cause_segment};
    if (answer.cause_callsite)
        return NamedRow{"callsites", *answer.cause_callsite};
    if (answer.cause_function)
        return NamedRow{"functions", *answer.cause_function};
    return std::nullopt;
}
template <>
inline constexpr auto fields_of<NamedRow> =
    fields(field("list", &NamedRow::list, "", "the name of the list").always_known(),
           field("index", &NamedRow::index, "", "the row's number in it, from 0"));

template <>
inline constexpr auto fields_of<DiffAnswer> = fields(
    field("headline", &DiffAnswer::headline, "", "the answer and its cause, in a sentence")
        .always_known(),
    field("why", &DiffAnswer::why, "", "where the time went, in sentences").always_known(),
    field("noise", &DiffAnswer::noise, "", "how sure the answer is, in sentences").always_known(),
    field("remarks", &DiffAnswer::remarks, "",
          "what makes the comparison less sure, in sentences: incomplete runs, other programs or "
          "ranks, places found by order ..."),
    field("outcome", through(&DiffAnswer::wallclock, &Change::outcome), "", "of the wallclock"),
    field("state", &DiffAnswer::state, "",
          "how good the answer is: `good`, `watch`, `problem`; the mark of the page"),
    field("wallclock_s", &DiffAnswer::wallclock, "s", "wallclock of the slowest rank"),
    field("cause", named_row, "", "the row that the headline names; null if it names none"),
    field("limits", &DiffAnswer::limits, "", "one row per limit of `--fail-if-slower`"),
    field("limit", &DiffAnswer::limit, "",
          "the worst `state`: `kept`; `cannot tell` (exit status 4); `exceeded` (exit status 3)"));

inline const DiffAnswer &answer_of(const Comparison &comparison)
{
    return comparison;
}

template <>
inline constexpr auto fields_of<Comparison> = fields(
    field("mprof", &Comparison::version, "", "version of the program that wrote this")
        .always_known(),
    field("answer", answer_of, "", "what changed, in words"),
    field("a", &Comparison::a, "", "what was compared"),
    field("b", &Comparison::b, "", "with what"),
    field("totals", &Comparison::totals, "",
          "one row per figure of the run, if it is known for every run; parts that are 0 on both "
          "sides are left out"),
    field("accounts", &Comparison::accounts, "",
          "one row per cause of lost time; `time_s` is how much shorter a run would be without it, "
          "in seconds of its wallclock. Empty if a run has none: files without time bins"),
    field("segments", &Comparison::segments, "", "one row per part of computing between two calls"),
    field("callsites", &Comparison::callsites, "", "one row per MPI function and place"),
    field("functions", &Comparison::functions, "",
          "one row per MPI function, and per function of NCCL, which runs beside all else"),
    field("sizes", &Comparison::sizes, "", "one row per function and range of message sizes"),
    field("regions", &Comparison::regions, "", "one row per region that the program names"),
    field("phases", &Comparison::phases, "",
          "one row per part of the run that differs from those before and after it"),
    field("ranks", &Comparison::ranks, "",
          "one row per rank that could be read in every run; empty if numbers of ranks differ"));

}  // namespace mprof
