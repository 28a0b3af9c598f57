// The fields of what mprof archive says: of its JSON and of share/doc/howto/archive.md
// (report/field.h says how). Those of an archived run are the columns of the table of runs
// (archived_run.cc).
#pragma once

#include "archive/fleet.h"
#include "report/field.h"

#include <utility>

namespace mprof {

inline std::string lane_before(const LaneChange &change, const Fleet &fleet)
{
    return fleet.texts.text(change.before);
}
inline std::string lane_after(const LaneChange &change, const Fleet &fleet)
{
    return fleet.texts.text(change.after);
}

template <>
inline constexpr auto fields_of<LaneChange> =
    fields(field("lane", &LaneChange::lane, "", "what of the environment changed"),
           field("before", lane_before, "", "what it was").always_known(),
           field("after", lane_after, "", "what it is").always_known());

template <>
inline constexpr auto fields_of<LineChange> =
    fields(field("place", &LineChange::place, "", "`file:line`; null: outside MPI"),
           field("function", &LineChange::function, "", "of MPI, or `compute`").always_known(),
           field("before_s", &LineChange::before_s, "s", "of the average rank, before"),
           field("after_s", &LineChange::after_s, "s", "of the average rank, after"),
           field("difference_s", &LineChange::difference_s, "s", "of the two"),
           field("noise_s", &LineChange::noise_s, "s", "a difference up to this may be chance"),
           field("beyond_noise", &LineChange::beyond_noise, "", "it is larger than that"));

inline std::string start_of_change(const SeriesChange &change)
{
    return iso_of_seconds(change.start);
}

inline std::string commit_before_change(const SeriesChange &change, const Fleet &fleet)
{
    return fleet.texts.text(change.commit_before);
}
inline std::string commit_of_change(const SeriesChange &change, const Fleet &fleet)
{
    return fleet.texts.text(change.commit);
}

template <>
inline constexpr auto fields_of<SeriesChange> = fields(
    field("start", start_of_change, "", "start of the first run of the new level").always_known(),
    field("kind", &SeriesChange::kind, "", "`slower`, `faster`"),
    field("before_s", &SeriesChange::before_s, "s", "median of the level before"),
    field("after_s", &SeriesChange::after_s, "s", "median of the new level"),
    field("percent", &SeriesChange::percent, "%", "of `before_s`"),
    field("runs_before", &SeriesChange::runs_before, "", "runs of the level before"),
    field("runs_after", &SeriesChange::runs_after, "", "runs of the new level"),
    field("enough", &SeriesChange::enough, "", "runs on both sides to count"),
    field("lasts", &SeriesChange::lasts, "", "no later level is back"),
    field("commit_before", commit_before_change, "", "of the last run before it"),
    field("commit", commit_of_change, "", "of the first run of the new level"),
    field("lanes", &SeriesChange::lanes, "", "what of the environment changed then"),
    field("lines", &SeriesChange::lines, "", "what changed, by line of the program"));

inline double noise_percent(const RunSeries &series)
{
    return 100 * series.levels.noise;
}
inline size_t slow_runs(const RunSeries &series)
{
    return series.levels.outliers.size();
}

template <>
inline constexpr auto fields_of<RunSeries> = fields(
    field("program", &RunSeries::program, "", "its name"),
    field("input", &RunSeries::input, "", "what it works on"),
    field("ranks", &RunSeries::ranks, "", "of each run"),
    field("runs", &RunSeries::run_count, "", "how many"),
    field("node_hours", &RunSeries::node_hours, "h", "sum of all runs"),
    field("lost_hours", &RunSeries::lost_hours, "h", "of these, those that ranks wait for others"),
    field("now_s", &RunSeries::now_s, "s", "median of the last level"),
    field("noise_percent", noise_percent, "%", "one standard deviation of a run"),
    field("slow_runs", slow_runs, "", "single ones that stand out"),
    field("changes", &RunSeries::changes, "", "one row per change, oldest first"));

inline std::string start_of_run(const RunPoint &run)
{
    return iso_of_seconds(run.start);
}
inline std::string slow_host_of_run(const RunPoint &run, const Fleet &fleet)
{
    return fleet.texts.text(run.slow_host);
}
inline std::string commit_of_run(const RunPoint &run, const Fleet &fleet)
{
    return fleet.texts.text(run.commit);
}
inline std::string name_of_account(const RunAccount &account, const Fleet &fleet)
{
    return fleet.texts.text(account.name);
}

template <>
inline constexpr auto fields_of<RunAccount> = fields(
    field("name", name_of_account, "", "the cause, as in `accounts` of the report").always_known(),
    field("cost_s", &RunAccount::cost_s, "s", "how much shorter the run would be without it"));

template <size_t lane>
inline std::string lane_of_run(const RunPoint &run, const Fleet &fleet)
{
    return fleet.texts.text(run.lanes[lane]);
}
template <size_t... lane>
constexpr auto lane_fields(std::index_sequence<lane...>)
{
    return fields(field(texts_of<Lane>[lane], lane_of_run<lane>, "", "what it ran with")...);
}

template <>
inline constexpr auto fields_of<RunPoint> =
    fields(field("run", &RunPoint::run, "", "which one").always_known(),
           field("start", start_of_run, "", "when it started").always_known(),
           field("wallclock_s", &RunPoint::wallclock_s, "s", "of the slowest rank"),
           field("wait_s", &RunPoint::wait_s, "s", "waiting in MPI, of the average rank"),
           field("slow_host", slow_host_of_run, "", "the node whose ranks compute longest"),
           field("commit", commit_of_run, "", "of the program's source"),
           field("accounts", &RunPoint::accounts, "", "one row per cause that cost something"),
           lane_fields(std::make_index_sequence<lane_count>()));

template <>
inline constexpr auto fields_of<SlowNode> =
    fields(field("host", &SlowNode::host, "", "its name").always_known(),
           field("slow_runs", &SlowNode::slow_runs, "", "single slow runs with it"),
           field("runs", &SlowNode::runs, "", "all runs with it"));

inline std::string first_start(const Fleet &fleet)
{
    return iso_of_seconds(fleet.from);
}
inline std::string last_start(const Fleet &fleet)
{
    return iso_of_seconds(fleet.to);
}
inline size_t slower_series(const Fleet &fleet)
{
    return fleet.slower.size();
}
inline size_t faster_series(const Fleet &fleet)
{
    return fleet.faster.size();
}

template <>
inline constexpr auto fields_of<Fleet> = fields(
    field("mprof", &Fleet::version, "", "version of the program that wrote this").always_known(),
    field("privacy", &Fleet::privacy, "", "what the archive keeps of names").always_known(),
    field("headline", &Fleet::headline, "", "the answer in words").always_known(),
    field("sentence", &Fleet::sentence, "", "the evidence").always_known(),
    field("programs", &Fleet::programs, "", "how many"),
    field("runs", &Fleet::runs, "", "how many"),
    field("incomplete_runs", &Fleet::incomplete_runs, "", "of these, which are in no history"),
    field("from", first_start, "", "start of the first run").always_known(),
    field("to", last_start, "", "start of the last run").always_known(),
    field("node_hours", &Fleet::node_hours, "h", "sum of all runs"),
    field("lost_hours", &Fleet::lost_hours, "h", "of these, those that ranks wait for others"),
    field("slower", slower_series, "",
          "kinds of run whose last change that counts and lasts is `slower`"),
    field("faster", faster_series, "", "kinds of run whose last such change is `faster`"),
    field("slow_nodes", &Fleet::slow_nodes, "", "one row per node of single slow runs")
        .only(in_json),
    field("series", &Fleet::series, "", "one row per program, input and ranks"));

}  // namespace mprof
