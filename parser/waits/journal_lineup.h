// What journals tell when they are put side by side (format.h: mprof_journal): which instance on
// one rank is which on another one, when a rank waited in them, and how often a step ended.
//
// All ranks of a communicator call its collectives in the same order, so the n-th instance is the
// same operation on all of them.
#pragma once

#include "measure/rank_measure.h"
#include "read/journals.h"
#include "read/rank_file.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mprof {

// Lays the journals of a communicator's ranks side by side (format.h: mprof_journal).
//
// All ranks of a communicator call its collectives in the same order, so the n-th instance is the
// same operation on all of them. Journals that became long keep only some instances, the same ones
// on all ranks that thinned equally often; here all are brought down to the thinnest. A rank
// without a usable journal is left out; one that ended early takes part as far as it got.
struct LinedJournal {
    size_t rank = 0;         // index into the ranks
    uint32_t comm_rank = 0;  // in the communicator
    uint32_t slot = 0;       // of the communicator on this rank
    uint64_t instances = 0;
    std::span<const uint32_t> items;  // of the kept instances; the n-th is the same on all
    std::vector<uint32_t> thinned;    // what `items` refers to, where the journal had more
};                                    // may be moved, not copied: `items`

struct Lineup {
    uint32_t size = 0;             // of the communicator
    bool one_node = true;          // the ranks that are here share a host
    uint64_t instances = 0;        // of the rank that counted most
    size_t kept = 0;               // items of the rank that has most
    uint32_t thinning = 0;         // of all, now
    std::vector<LinedJournal> of;  // by rank in the communicator
};

struct Lineups {
    std::vector<Lineup> all;       // of communicators with at least two usable journals
    uint64_t unusable = 0;         // journals that hold not as many items as they should
    uint64_t instances = 0;        // summed over ranks
    uint64_t instances_lined = 0;  // of these, items that are next to another rank's
};

// They refer to the files of `ranks`.
Lineups line_up_journals(const std::vector<RankMeasure> &ranks);

// When a rank waited in collectives: which instances ended in which of its time bins is recorded
// (mprof_time_bin.instances), and how long it waited in each instance is known.

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

// How often a step that the program repeats ended in each time bin of a rank. A collective of one
// place counts them: the one that takes most time, if it is made during much of the run. Journals
// have its calls one by one, with the bin in which each ended.

inline constexpr double fewest_counted_steps = 10;
inline constexpr double least_step_span = 1.0 / 3;  // of the run, from the first to the last one

struct StepCounts {
    std::vector<double> ends;  // by bin of the rank: steps that ended in it
    uint16_t function = 0;     // 1 + function id of the calls that are counted; 0 = no steps
    uint32_t callsite = 0;     // their slot
};

StepCounts steps_in_journals(const RankFile &file);

}  // namespace mprof
