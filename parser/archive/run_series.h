// Runs that can be compared: one program, input and size, in the order of time. The levels of what
// they take, what changed in them since when, and what changed in their environment at the same
// time.
#pragma once

#include "archive/archived_run.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace mprof {

// The levels of a series: how long the runs of one program, input and size take, and since when.
// A level is a stretch of runs between two changes. What is not told from the noise of the runs is
// one level.
struct LevelRules {
    double least_share = 0.02;  // a change below it is none, however sure
    double sure_score = 4.5;    // standard errors by which two levels differ
    size_t least_runs = 3;      // of a level
    size_t enough_runs = 8;     // from which on a level counts in the headline
    double outlier_score = 5;   // standard deviations by which a single run stands out
    size_t most_bins = 256;     // a longer series is looked at in so many groups of runs
};
inline constexpr LevelRules level_rules;

struct Level {
    size_t begin = 0, end = 0;  // runs of the series
    double median = 0;
    size_t runs() const { return end - begin; }
};

struct Levels {
    std::vector<Level> levels;     // at least one, unless there is no run
    double noise = 0;              // standard deviation of a run, as a share of its level
    std::vector<size_t> outliers;  // runs that are single slow ones
};

// `values` are positive, in the order of time.
Levels find_levels(const std::vector<double> &values);

// What a run had around it, as a lane below the history shows it.
enum class Lane { mpi, compiler, kernel, program, node };
template <>
inline constexpr std::array texts_of<Lane> = {"MPI", "compiler", "kernel", "program", "node"};
inline constexpr size_t lane_count = texts_of<Lane>.size();

// Texts that many runs share, and a number for each; 0 = not known.
class SharedTexts {
public:
    uint32_t number(const std::string &text);
    const std::string &text(uint32_t number) const { return texts_[number]; }
    const std::vector<std::string> &all() const { return texts_; }

private:
    std::map<std::string, uint32_t> numbers_;
    std::vector<std::string> texts_ = {""};
};

// What a cause cost a run.
struct RunAccount {
    uint32_t name = 0;
    double cost_s = 0;
};

// A run, as far as histories need it.
struct RunPoint {
    std::string run;
    double start = 0;  // seconds since 1970
    double wallclock_s = 0, node_hours = 0, lost_hours = 0;
    double mpi_s = 0, compute_s = 0;  // of the average rank
    std::optional<double> wait_s, contention_s;
    double memory_bytes = 0;
    int64_t stands_for = 1;
    std::array<uint32_t, lane_count> lanes = {};
    uint32_t slow_host = 0, verdict_class = 0, commit = 0;
    std::vector<RunAccount> accounts;
};

enum class ChangeKind { slower, faster };
template <>
inline constexpr std::array texts_of<ChangeKind> = {"slower", "faster"};

struct LaneChange {
    Lane lane = Lane::mpi;
    uint32_t before = 0, after = 0;
};

// Seconds of the average rank at a line of the program, before and after.
struct LineChange {
    std::string place, function;  // "" and "compute": outside MPI
    double before_s = 0, after_s = 0, difference_s = 0, noise_s = 0;
    bool beyond_noise = false;
};

struct SeriesChange {
    size_t at = 0;  // the first run of the new level
    double start = 0;
    uint32_t commit_before = 0, commit = 0;  // of the runs on both sides of the change
    ChangeKind kind = ChangeKind::slower;
    double before_s = 0, after_s = 0, percent = 0;
    size_t runs_before = 0, runs_after = 0;
    bool enough = false;            // runs on both sides, to be counted
    bool lasts = false;             // no later level is back where it was before
    std::vector<LaneChange> lanes;  // what of the environment changed then
    std::vector<LineChange> lines;  // by add_line_changes()
};

struct RunSeries {
    std::string program, input;
    int64_t ranks = 0;
    std::vector<RunPoint> runs;
    Levels levels;
    std::vector<SeriesChange> changes;  // oldest first
    double node_hours = 0, lost_hours = 0;
    int64_t run_count = 0;  // with those that were thinned out

    double now_s() const { return levels.levels.empty() ? 0 : levels.levels.back().median; }
    // The last change that counts and lasts; nullptr: as before.
    const SeriesChange *last_change() const;
    // The last one that has too few runs to count yet.
    const SeriesChange *unsure_change() const;
    std::string words() const;  // "lmp, rhodo, 512 ranks"
};

// All series of the runs that are added, each looked at.
class SeriesMaker {
public:
    void add(const ArchivedRun &run);
    // Most node-hours lost first.
    std::vector<RunSeries> made();
    const SharedTexts &texts() const { return texts_; }

private:
    std::map<std::tuple<std::string, std::string, int64_t>, RunSeries> series_;
    SharedTexts texts_;
};

}  // namespace mprof
