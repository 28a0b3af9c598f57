// All documents beside the report: each is laid out as text of at most `width` columns (at least
// 80), as JSON, and most as a page that needs nothing else. For the commands.
#pragma once

#include "archive/fleet.h"
#include "diff/comparison.h"
#include "list/profile_list.h"
#include "machine/machine_figures.h"
#include "place/placing.h"
#include "results/results_comparison.h"
#include "scale/scaling.h"
#include "tune/tuning.h"

#include <string>
#include <vector>

namespace mprof {

// Lays a comparison out: as text of at most `width` columns (at least 80), as JSON, as a page, or
// as Markdown for a comment on a code host.
std::string render_diff_text(const Comparison &comparison, size_t width);
std::string render_diff_json(const Comparison &comparison);
std::string render_diff_html(const Comparison &comparison);
std::string render_diff_markdown(const Comparison &comparison);

// Lays a Scaling out: as text of at most `width` columns (at least 80), as JSON, or as a page. For
// compare_commands.cc.
std::string render_scale_text(const Scaling &scaling, size_t width);
std::string render_scale_json(const Scaling &scaling);
std::string render_scale_html(const Scaling &scaling);

// Lays a Placing out: as text of at most `width` columns (at least 80), as JSON, or as a page. For
// compare_commands.cc.

// `profile` is what the user named; `file` is the launch file that was written, "" = none was.
struct PlacingPaths {
    std::string profile, file;
};

std::string render_place_text(const Placing &placing, const PlacingPaths &paths, size_t width);
std::string render_place_json(const Placing &placing);
std::string render_place_html(const Placing &placing, const PlacingPaths &paths);

// Lays a ResultsComparison out: as text of at most `width` columns (at least 80), as JSON, or as a
// page for the browser. For mprof diff --results.
std::string render_results_text(const ResultsComparison &comparison, size_t width);
std::string render_results_json(const ResultsComparison &comparison);
std::string render_results_html(const ResultsComparison &comparison);

// Lays a Tuning out: as text of at most `width` columns (at least 80), or as JSON. For
// tune_command.cc.
std::string render_tune_text(const Tuning &tuning, size_t width);
std::string render_tune_json(const Tuning &tuning);

// Lays out what a machine can do: as text of at most `width` columns (at least 80), or as JSON,
// which `mprof report --machine` reads.
std::string render_machine_text(const MachineFigures &figures, size_t width);
std::string render_machine_json(const MachineFigures &figures);

// A small picture for the front page of a program's source: how long a run takes, and whether that
// changed. SVG, which needs no font of its own. For mprof archive publish.
std::string render_archive_badge(const Fleet &fleet, const std::string &program);

// Lays an archive out: as text of at most `width` columns (at least 80), as JSON, or as a page. For
// main/archive/.
std::string render_archive_text(const Fleet &fleet, size_t width);  // what changed
std::string render_history_text(const Fleet &fleet, size_t width);  // each series in detail
std::string render_archived_runs_text(const std::vector<ArchivedRun> &runs, size_t width);
std::string render_archive_html(const Fleet &fleet);
std::string render_archive_json(const Fleet &fleet);
std::string render_history_json(const Fleet &fleet);  // with each run
std::string render_archived_runs_json(const std::vector<ArchivedRun> &runs);

// Lays a list of profiles out: as text whose head and foot have `width` columns (at least 80), or
// as JSON. For report_commands.cc.
std::string render_list_text(const ProfileList &list, size_t width);
std::string render_list_json(const ProfileList &list);

// Two sets of runs of an archive.
struct ArchivedPair {
    std::string version;
    std::vector<ArchivedRun> a, b;
    std::vector<LineChange> lines;
    std::vector<std::string> environment;  // "MPI went from ... to ..."
};
std::string render_archived_pair_text(const ArchivedPair &pair, size_t width);
std::string render_archived_pair_json(const ArchivedPair &pair);

}  // namespace mprof
