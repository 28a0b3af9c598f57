// What an archive says: which applications changed, in which lines, and which waste most. All that
// renderers see.
#pragma once

#include "archive/archive.h"
#include "archive/run_series.h"
#include "report/verdict_thresholds.h"

#include <string>
#include <vector>

namespace mprof {

// What an archive says: which applications changed, and which waste most.
//
// The meaning of the fields is in share/doc/howto/archive.md under the same names.

// A node that single slow runs have in common.
struct SlowNode {
    std::string host;
    size_t slow_runs = 0, runs = 0;  // of those that ran with it
};

struct Helped {
    std::string title, words;  // "lmp, rhodo: 3,350 node-hours lost", "waits for ..."
};

struct Fleet {
    std::string version, name, privacy;
    std::vector<RunSeries> series;  // most node-hours lost first
    SharedTexts texts;              // of lanes and hosts
    size_t programs = 0;
    int64_t runs = 0, incomplete_runs = 0;
    double from = 0, to = 0;  // seconds since 1970
    double node_hours = 0, lost_hours = 0;
    std::optional<double> off_cpu_share;  // ready to run, but others had the CPU
    std::vector<const RunSeries *> slower, faster, unsure;
    std::vector<SlowNode> slow_nodes;
    Judgement state = Judgement::good, lost_state = Judgement::good;
    Judgement off_cpu_state = Judgement::good;
    std::string badge, headline, sentence;
    std::vector<Helped> helped;

    double lost_share() const { return node_hours > 0 ? lost_hours / node_hours : 0; }
};

Fleet look_at_fleet(std::vector<RunSeries> series, SharedTexts texts);

// "MPI went from 4.1.6 to 5.0.5"; without what two values have in common.
std::string lane_words(const LaneChange &change, const SharedTexts &texts);
bool has_new_commit(const SeriesChange &change);
std::string commit_words(const std::string &commit);  // "0123456789ab"
// "3 Nov 2026, with MPI ..., at commit 0123456789ab"
std::string since_words(const SeriesChange &change, const SharedTexts &texts);
// Of an application without changes: "noisy: +-12%", "34% is waiting"; "" = neither.
std::string steady_words(const RunSeries &series);
std::string hours_text(double hours);  // 3,350; 12; 0.031; <0.01

// What changed by call line: of the runs just before a change, and those just behind it. Only runs
// whose lines the archive still has.
struct Fleet;

// A run with its lines, to be compared with others.
struct LinesOfRun {
    double wallclock_s = 0, compute_s = 0;  // of the average rank
    int64_t ranks = 1;
    std::vector<ArchivedLine> lines;
};

// What changed most first; what is within the noise is left out, but for computing.
std::vector<LineChange> compare_lines(const std::vector<LinesOfRun> &before,
                                      const std::vector<LinesOfRun> &after);

// Of the last change of each series that is counted.
bool add_line_changes(Archive &archive, Fleet &fleet);

}  // namespace mprof
