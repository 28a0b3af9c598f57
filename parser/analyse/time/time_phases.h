// The phases of a run: found, named, and what there is to say about each; and what they are found
// in.
#pragma once

#include "analyse/time/change_points.h"
#include "analyse/time/rank_bins.h"
#include "report/report.h"
#include "waits/journal_lineup.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// What the phases are found in: the run over time as the mean of all ranks, as one rank that is
// unlike the others, and what stands out in each bin.

// A line of the program that calls MPI.
struct CallLineName {
    std::string function, place, symbol;  // as CallLineRow has them
    bool has_line = false;
    uint32_t row = 0;  // of report.call_lines, + 1; 0 = none
};

using NumberWeights = std::map<uint32_t, double>;

struct TimeView {
    TimeAxis axis;
    std::vector<TimeBin> bins;
    std::vector<CallLineName> lines{1};
    std::vector<std::string> regions;     // by number, as people read them; "" = none
    std::vector<NumberWeights> line_s;    // by bin: MPI seconds of lines, all ranks together
    std::vector<NumberWeights> region_s;  // by bin: seconds in regions, all ranks together
    std::vector<TimeSplit> outlier;       // of the rank furthest from the mean
};

// Ranks in a stretch of time. `gpu_s`: copying and launching.
struct RankInPhase {
    float compute_s = 0, contention_s = 0, blocked_s = 0, wait_s = 0, file_s = 0;
    float gpu_wait_s = 0, gpu_s = 0;
    float all_s() const { return compute_s + contention_s + blocked_s + gpu_wait_s + gpu_s; }
};

// The phases of a run: found, named, and what there is to say about each.
class TimePhases {
public:
    TimePhases(const TimeView &view, Report &report) : view_(view), report_(report) {}

    // Cuts the run and names its parts.
    void find();
    size_t count() const { return begins_.size(); }
    // What a rank did in a phase; `splits` by bin.
    RankInPhase rank_in(size_t phase, const std::vector<TimeSplit> &splits) const;
    // By phase and rank.
    void describe(const std::vector<std::vector<RankInPhase>> &ranks);

private:
    size_t end_of(size_t phase) const;
    PhaseRow make_phase(size_t begin, size_t end) const;
    void join_alike(const Signal &signal);
    void join_many_of_a_name();
    void name_phase(uint32_t region, const CallLineName &line, PhaseRow &phase) const;
    void number_names();
    void find_slowest(const std::vector<RankInPhase> &ranks, PhaseRow &phase) const;

    const TimeView &view_;
    Report &report_;
    std::vector<size_t> begins_;  // of phases, in bins
};

// Judgement and sentence of a phase: phase_words.cc.
void judge_phase(const std::vector<RankInPhase> &ranks, const Report &report, PhaseRow &phase);
// The headline of the run over time, and what becomes slower.
std::string time_headline(const Report &report);
std::string drift_of_run(const Report &report);

// ---- steps (step_facts.cc) ----------------------------------------------------------------------

// The step that a program repeats: how often a call site was passed in each time bin, and how long
// a step takes from there. An estimate: where in a bin a step ended is not known.

// Steps of one rank, which has the number `number`; `bins` are its bins.
StepCounts count_steps(size_t number, const RankMeasure &rank, const std::vector<RankBin> &bins,
                       FactsByNumber &rules);

// All but the place; `counts` are the steps that end in each bin. Nothing if they are too few.
std::optional<StepFacts> step_facts(const std::vector<double> &counts, double bin_s);

}  // namespace mprof
