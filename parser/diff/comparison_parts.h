// The parts of a comparison, in the order in which they run: each fills its own fields of the
// Comparison. compare_runs.cc is the table of contents.
#pragma once

#include "diff/comparison.h"
#include "diff/noise_band.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace mprof {

// The runs of both sides in one row, those of A first.
class Runs {
public:
    Runs(const std::vector<RunReport> &a, const std::vector<RunReport> &b);

    size_t count() const { return reports_.size(); }
    bool is_of_a(size_t run) const { return run < a_count_; }
    size_t a_count() const { return a_count_; }
    size_t b_count() const { return count() - a_count_; }
    const Report &operator[](size_t run) const { return *reports_[run]; }
    // Of sums over the ranks of a run, the mean.
    double per_rank(size_t run, double sum) const;
    // In one of the runs ranks lacked CPUs.
    bool is_crowded() const { return is_crowded_; }

    // `value_of(run)` of each run.
    template <class Value>
    Values values(const Value &value_of) const
    {
        Values values;
        if (is_crowded_)
            values.guessed_share = noise_rules.crowded_share;
        for (size_t run = 0; run < count(); run++)
            (is_of_a(run) ? values.a : values.b).push_back(value_of(run));
        return values;
    }

    // A figure in per cent.
    template <class Value>
    Change percent_change(const Value &value_of) const
    {
        constexpr double one_percent = 1;
        Change change = change_of_times(values(value_of), one_percent);
        change.percent.reset();  // of a percentage: nobody would understand it
        return change;
    }

    // A time of a part of the run, which must change by more than `least_s`.
    template <class Value>
    Change part_change(const Value &value_of, double least_s = 0) const
    {
        return change_of_times(values(value_of), std::max(least_part_s_, least_s));
    }

private:
    std::vector<const Report *> reports_;
    size_t a_count_;
    bool is_crowded_ = false;
    double least_part_s_ = 0;
};

// What one run has of a row: per rank, but for the slowest and the fastest.
struct Figures {
    bool is_there = false;
    double time_s = 0, calls = 0, bytes = 0;
    std::optional<double> wait_s = 0;
    double contention_s = 0, blocked_s = 0;  // of computing
    double slowest_s = 0, fastest_s = 0;
    uint64_t ranks = 0;  // that have it
    uint32_t slowest_rank = 0;

    // Further ranks' or further paths' figures of the same run.
    void add(const Figures &more);
};

// Of the average rank, from sums over the ranks of a run; without waiting if it is not known.
inline Figures figures_of_sums(const Runs &runs, size_t run, double time_s, uint64_t calls,
                               uint64_t bytes, const std::optional<double> &wait_s)
{
    Figures figures;
    figures.is_there = true;
    figures.time_s = runs.per_rank(run, time_s);
    figures.calls = runs.per_rank(run, static_cast<double>(calls));
    figures.bytes = runs.per_rank(run, static_cast<double>(bytes));
    figures.wait_s = wait_s;
    if (wait_s)
        figures.wait_s = runs.per_rank(run, *wait_s);
    return figures;
}

// Rows of all runs by what makes them the same row.
template <class Key>
class FigureTable {
public:
    explicit FigureTable(size_t runs) : runs_(runs) {}

    Figures &at(const Key &key, size_t run)
    {
        return rows_.try_emplace(key, runs_).first->second[run];
    }
    std::map<Key, std::vector<Figures>> &rows() { return rows_; }

private:
    size_t runs_;
    std::map<Key, std::vector<Figures>> rows_;
};

// All but the name. `figures`: one per run.
void fill_row(const Runs &runs, const std::vector<Figures> &figures, RowChange &row);
void fill_slowest(const Runs &runs, const std::vector<Figures> &figures, RowChange &row);
// The rank that is the slowest one in all runs of the side that takes longer.
std::optional<uint32_t> slowest_rank(const Runs &runs, const std::vector<Figures> &figures,
                                     const Change &slowest);

// "the 5% that its wallclock may grow by"
std::string limit_words(const Limit &limit);
std::string signed_duration(double seconds);  // +64.8 us

// By how much a row changed, on average or on its slowest rank.
double size_of_change(const RowChange &row);

// Changes first, the largest first; then what did not change, most time first.
template <class Row>
void sort_rows(std::vector<Row> &rows)
{
    std::stable_sort(rows.begin(), rows.end(), [](const Row &x, const Row &y) {
        const bool x_changed = x.outcome != Outcome::same;
        const bool y_changed = y.outcome != Outcome::same;
        if (x_changed != y_changed)
            return x_changed;
        return x_changed ? size_of_change(x) > size_of_change(y)
                         : std::max(x.time.a, x.time.b) > std::max(y.time.a, y.time.b);
    });
}

void compare_accounts(const Runs &runs, Comparison &comparison);   // accounts
void compare_functions(const Runs &runs, Comparison &comparison);  // functions
void compare_sizes(const Runs &runs, Comparison &comparison);      // sizes
void compare_regions(const Runs &runs, Comparison &comparison);    // regions
void compare_phases(const Runs &runs, Comparison &comparison);     // phases
void compare_ranks(const Runs &runs, Comparison &comparison);      // ranks
void compare_places(const Runs &runs, Comparison &comparison);     // callsites, segments
void describe_sides(const std::vector<RunReport> &a, const std::vector<RunReport> &b,
                    Comparison &comparison);                   // a, b
void find_cause(Comparison &comparison);                       // cause_*
void write_words(const Runs &runs, Comparison &comparison);    // headline, why, noise
void write_remarks(const Runs &runs, Comparison &comparison);  // remarks

// Finds the places of one build of a program in another one.
//
// Line numbers shift when somebody edits the file, so a place is its MPI function, file and
// enclosing function of the program; where these have several calls, their order decides, and if
// there are more on one side, how far the lines shift. Where no lines are known, module and
// function of the program take the place of the file; where not even these, the order of the code
// in the module, and that only if there are as many calls on both sides.

struct Site {
    std::string function;  // of MPI
    Frame at;
    std::string module;  // its module_key()
};

// The part of a module's name that stays between builds: "libx.so.1.2" is "libx.so", and the
// program itself, of which this is the command line, is "", however it is called.
std::string module_key(const Frame &at, const std::string &command);

struct SitePair {
    std::optional<size_t> a, b;  // indices into the two lists; at least one is there
    Match match = Match::none;
};

// Every site of both lists is in exactly one pair. No two sites of a list may be alike.
std::vector<SitePair> match_sites(const std::vector<Site> &a, const std::vector<Site> &b);

using PositionPair = std::pair<size_t, size_t>;

// Pairs (indices) of two rising lists of lines: as many as the shorter list has, in order. If one
// is longer: those that one common shift brings to the same line, as many as possible; then the
// same between these.
std::vector<PositionPair> align_positions(const std::vector<int64_t> &a,
                                          const std::vector<int64_t> &b);

}  // namespace mprof
