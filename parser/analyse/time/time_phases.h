// The phases of a run: found, named, and what is to be said of each.
#pragma once

#include "analyse/time/change_points.h"
#include "analyse/time/time_view.h"
#include "report/report.h"

#include <vector>

namespace mprof {

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

}  // namespace mprof
