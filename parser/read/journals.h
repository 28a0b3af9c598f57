// Journals of collectives: which instances of a communicator's collectives they kept. Those are the
// numbers that pass mprof_journal_keeps(), the same for all journals of the same thinning. They are
// listed once, as far as needed, at one hash per instance.
#pragma once

#include "read/rank_file.h"

#include <cstdint>
#include <map>
#include <vector>

namespace mprof {

class KeptInstances {
public:
    explicit KeptInstances(uint32_t thinning) : thinning_(thinning) {}

    // How many of the first `instances` are kept, counted up to `limit`.
    size_t count(uint64_t instances, size_t limit);
    // As far as they are listed; several threads may ask.
    size_t listed_of(uint64_t instances) const;
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

// True if the journal has as many items as instances were kept. A live file may have one more,
// whose instance was not counted yet. A process that was killed while it thinned leaves none. A
// damaged file can claim any number, so a journal far from its expected length is not used.
bool is_usable(const JournalRecord &journal, KeptByThinning &kept);

// The items that remain with a higher thinning. The journal must be usable.
std::vector<uint32_t> thinned_items(const JournalRecord &journal, uint32_t thinning,
                                    KeptByThinning &kept);

// Thins the journals, the longest first, until they have at most so many items together. The same
// instances are left on all ranks with the same journals.
void thin_journals(RankFile &rank, size_t most_items, KeptByThinning &kept);

}  // namespace mprof
