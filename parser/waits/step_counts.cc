// Of a thinned journal the steps that were not kept are like those that were.
#include "waits/step_counts.h"

#include "read/kept_instances.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mprof {
namespace {

// Of an operation in a journal: kept items by bin, and how long they took.
struct OperationCount {
    std::vector<double> ends;
    double ticks = 0, count = 0;
    size_t first_bin = 0, last_bin = 0;

    void add(size_t bin, double duration)
    {
        first_bin = count > 0 ? first_bin : bin;
        last_bin = bin;
        ends[bin]++;
        count++;
        ticks += duration;
    }
    bool is_step() const
    {
        return count >= fewest_counted_steps &&
               static_cast<double>(last_bin - first_bin) >=
                   least_step_span * static_cast<double>(ends.size());
    }
};

using OperationCounts = std::map<uint32_t, OperationCount>;  // by slot

// `column` of the positions in the bins is that of the journal.
void count_operations(const RankFile &file, const JournalRecord &journal, size_t column,
                      KeptInstances &kept, OperationCounts &counts)
{
    constexpr uint32_t code_mask = (uint32_t{1} << MPROF_JOURNAL_CODE_BITS) - 1;
    const size_t size =
        std::min(journal.items.size(), kept.count(journal.facts.instances, journal.items.size()));
    uint64_t ended = 0;
    size_t item = 0;
    size_t bin = 0;
    for (const mprof_time_bin &record : file.time_bins) {
        ended = std::max<uint64_t>(ended, record.instances[column]);
        for (; item < size && kept[item] < ended; item++) {
            const uint32_t value = journal.items[item];
            const auto at = counts.try_emplace(value >> MPROF_JOURNAL_CODE_BITS).first;
            at->second.ends.resize(file.time_bins.size());
            at->second.add(bin, mprof_duration_ticks(value & code_mask));
        }
        bin++;
    }
}

}  // namespace

StepCounts steps_in_journals(const RankFile &file)
{
    StepCounts best;
    double most_ticks = 0;
    KeptByThinning kept;
    for (size_t column = 0; column < MPROF_TIME_JOURNALS; column++) {
        const uint32_t slot = file.time.communicators[column];
        for (const JournalRecord &journal : file.journals) {
            if (slot == 0 || journal.facts.communicator != slot || !is_usable(journal, kept))
                continue;
            OperationCounts counts;
            count_operations(file, journal, column, kept.of(journal.facts.thinning), counts);
            const double factor = std::exp2(journal.facts.thinning);
            for (const OperationSlot &operation : file.operations) {
                const auto at = counts.find(operation.slot);
                if (at == counts.end() || !at->second.is_step() ||
                    factor * at->second.ticks <= most_ticks)
                    continue;
                most_ticks = factor * at->second.ticks;
                best = {at->second.ends, static_cast<uint16_t>(1 + operation.facts.function),
                        operation.facts.callsite};
                for (double &ends : best.ends)
                    ends *= factor;
            }
        }
    }
    return best;
}

}  // namespace mprof
