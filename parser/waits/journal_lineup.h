// Lays the journals of a communicator's ranks side by side (format.h: mprof_journal).
//
// All ranks of a communicator call its collectives in the same order, so the n-th instance is the
// same operation on all of them. Journals that became long keep only some instances, the same ones
// on all ranks that thinned equally often; here all are brought down to the thinnest. A rank
// without a usable journal is left out; one that ended early takes part as far as it got.
#pragma once

#include "measure/rank_measure.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mprof {

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
    uint64_t instances_lined = 0;  // of these, items that stand beside another rank's
};

// They refer to the files of `ranks`.
Lineups line_up_journals(const std::vector<RankMeasure> &ranks);

}  // namespace mprof
