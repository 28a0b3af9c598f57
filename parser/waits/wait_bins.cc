#include "waits/wait_bins.h"

#include <algorithm>

namespace mprof {

WaitBins::WaitBins(const RankFile &file, const LinedJournal &journal, const KeptInstances &kept)
{
    const auto &slots = file.time.communicators;
    const auto *const at = std::find(std::begin(slots), std::end(slots), journal.slot);
    if (file.time_bins.empty() || at == std::end(slots))
        return;
    const auto column = static_cast<size_t>(at - std::begin(slots));
    uint32_t instances = 0;
    ends_.reserve(file.time_bins.size());
    for (const mprof_time_bin &bin : file.time_bins) {
        instances = std::max(instances, bin.instances[column]);
        ends_.push_back(static_cast<uint32_t>(kept.listed_of(instances)));
    }
    waits_s_.resize(ends_.size());
}

void WaitBins::add_to(std::vector<float> &sums, double scale) const
{
    sums.resize(std::max(sums.size(), waits_s_.size()));
    for (size_t i = 0; i < waits_s_.size(); i++)
        sums[i] += static_cast<float>(scale * waits_s_[i]);
}

}  // namespace mprof
