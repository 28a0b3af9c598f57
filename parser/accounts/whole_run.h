// The whole run of all nodes without some causes.
#pragma once

#include "accounts/run_times.h"

#include <map>

namespace mprof {

class WholeRun {
public:
    explicit WholeRun(const std::vector<NodeTime> &nodes);

    double longest_s() const { return longest_s_; }  // own time of the busiest rank
    double all_s() const { return all_s_; }          // of the rank that takes longest
    // What the run takes at least, by the model. Whoever looks for the next cause asks for the same
    // again and again, and all ranks are in it: what was asked for is kept. On one thread.
    double model_s(const Causes &gone) const;
    // Time of the busiest rank without the causes; a factor, as StretchModel::saves().
    double busy_s(const Causes &gone) const;
    double saves_s(const Causes &gone) const;

private:
    double longest_without_s(const Causes &gone) const;
    EvenWork even_without(const Causes &gone) const;

    const std::vector<NodeTime> &nodes_;
    mutable std::map<unsigned long, double> models_s_;  // by Causes
    size_t programs_ = 1;
    double longest_s_ = 0, all_s_ = 0, first_model_s_ = 0;
};

}  // namespace mprof
