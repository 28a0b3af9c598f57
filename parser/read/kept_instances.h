// Which instances of a communicator's collectives a journal kept: the numbers that pass
// mprof_journal_keeps(), the same for all journals of the same thinning. Listed once and as far as
// they are asked for, at one hash per instance.
#pragma once

#include "read/rank_file.h"

#include <cstdint>
#include <map>
#include <vector>

namespace mprof {

class KeptInstances {
public:
    explicit KeptInstances(uint32_t thinning) : thinning_(thinning) {}

    // How many of the first `instances` are kept; more than `limit` is not told.
    size_t count(uint64_t instances, size_t limit);
    uint64_t operator[](size_t index) const { return numbers_[index]; }

private:
    uint32_t thinning_;
    uint64_t next_ = 0;
    std::vector<uint64_t> numbers_;
};

// By thinning; what was listed once is not listed again.
class KeptByThinning {
public:
    KeptInstances &of(uint32_t thinning)
    {
        return kept_.try_emplace(thinning, thinning).first->second;
    }

private:
    std::map<uint32_t, KeptInstances> kept_;
};

// As many items as instances were kept; in a live file perhaps one more, whose instance was not
// counted yet. A file that was killed while it thinned has none, and a damaged one can claim
// anything: far from what its thinning leaves, it is not looked into.
bool is_usable(const JournalRecord &journal, KeptByThinning &kept);

// What is left of the journal's items with a higher thinning. It has to be usable.
std::vector<uint32_t> thinned_items(const JournalRecord &journal, uint32_t thinning,
                                    KeptByThinning &kept);

// Thins the journals, the longest first, until they have at most so many items together. The same
// instances are left on all ranks with the same journals.
void thin_journals(RankFile &rank, size_t most_items, KeptByThinning &kept);

}  // namespace mprof
