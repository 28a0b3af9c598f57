// When a rank waited in collectives: which instances ended in which of its time bins is recorded
// (mprof_time_bin.instances), and how long it waited in each instance is known.
#pragma once

#include "read/kept_instances.h"
#include "waits/journal_lineup.h"

#include <cstdint>
#include <vector>

namespace mprof {

// Of one journal of one rank. Without time bins, or if the bins do not have its positions, nothing
// is kept.
class WaitBins {
public:
    WaitBins() = default;
    // `kept`: listed as far as the journal has items.
    WaitBins(const RankFile &file, const LinedJournal &journal, const KeptInstances &kept);

    // `instance` counts those that were kept, and never goes down.
    void add(size_t instance, double wait_s)
    {
        while (bin_ < ends_.size() && ends_[bin_] <= instance)
            bin_++;
        if (bin_ < ends_.size())
            waits_s_[bin_] += static_cast<float>(wait_s);
    }
    // By bin of the rank.
    void add_to(std::vector<float> &sums, double scale) const;

private:
    std::vector<uint32_t> ends_;  // kept instances before the end of the bin
    std::vector<float> waits_s_;
    size_t bin_ = 0;
};

}  // namespace mprof
