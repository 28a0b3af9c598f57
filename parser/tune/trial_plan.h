// Which run comes next, and what the runs up to now tell: for main/tune_command.cc. Knows nothing
// of how a run is made.
//
// Each trial runs beside the base, in changing order: base A base B, then B base A base. So a
// machine that becomes slower meanwhile slows both. A trial ends as soon as the noise band
// (diff/noise_band.h) tells. It is called better only if two looks in a row say so, because who
// looks often enough finds something by chance.
#pragma once

#include "tune/tuning.h"

#include <deque>
#include <optional>
#include <string>

namespace mprof {

inline constexpr size_t least_tune_runs = 5;  // the first, two of the base, two of a trial

class TrialPlan {
public:
    // `tuning` outlives this; it has the trials, and its first run is over.
    explicit TrialPlan(Tuning &tuning);

    struct Run {
        std::optional<size_t> trial;  // none: the base
    };
    // Nothing: no run is left, or none would tell more.
    std::optional<Run> next();

    void took(const Run &run, double seconds);
    void failed(const Run &run, TrialState state, const std::string &reason);

private:
    bool is_open(size_t trial) const;
    void add_round();
    void add_combination();
    void look(Trial &trial);

    Tuning &tuning_;
    std::deque<Run> planned_;
    size_t rounds_ = 0;
    bool combined_ = false;
};

// That so many trials need at most: the first one, and of each trial three beside three of the
// base.
size_t runs_for(size_t trials);

// The most promising ones for which there are enough runs; why the others are left out stands in
// not_tried.
void choose_trials(std::vector<Experiment> experiments, Tuning &tuning);

}  // namespace mprof
