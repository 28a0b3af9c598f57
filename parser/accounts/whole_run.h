// The whole run of all nodes without some causes.
#pragma once

#include "accounts/run_times.h"

namespace mprof {

class WholeRun {
public:
    explicit WholeRun(const std::vector<NodeTime> &nodes);

    double longest_s() const { return longest_s_; }  // own time of the busiest rank
    double all_s() const { return all_s_; }          // of the rank that takes longest
    // What the run takes at least, by the model.
    double model_s(const Causes &gone) const;
    // Time of the busiest rank without the causes; a factor, as StretchModel::saves().
    double busy_s(const Causes &gone) const;
    double saves_s(const Causes &gone) const;

private:
    const std::vector<NodeTime> &nodes_;
    size_t programs_ = 1;
    double longest_s_ = 0, all_s_ = 0, first_model_s_ = 0;
};

}  // namespace mprof
