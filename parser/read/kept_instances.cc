// The cost is one hash per instance and thinning, 1 s for 10^9 collectives.
#include "read/kept_instances.h"

#include <algorithm>

namespace mprof {
namespace {

constexpr uint64_t most_instances = uint64_t{1} << 32;
constexpr uint32_t most_thinning = 62;

size_t items_of(const RankFile &rank)
{
    size_t items = 0;
    for (const JournalRecord &journal : rank.journals)
        items += journal.items.size();
    return items;
}

}  // namespace

size_t KeptInstances::count(uint64_t instances, size_t limit)
{
    while (next_ < instances && numbers_.size() <= limit) {
        if (mprof_journal_keeps(next_, thinning_) != 0)
            numbers_.push_back(next_);
        next_++;
    }
    return listed_of(instances);
}

size_t KeptInstances::listed_of(uint64_t instances) const
{
    return static_cast<size_t>(std::lower_bound(numbers_.begin(), numbers_.end(), instances) -
                               numbers_.begin());
}

bool is_usable(const JournalRecord &journal, KeptByThinning &kept)
{
    constexpr uint64_t chance = 64;  // how many items more or less than the mean are possible
    const size_t items = journal.items.size();
    const uint64_t mean = journal.facts.instances >> journal.facts.thinning;
    if (items == 0 || journal.facts.instances > most_instances || mean > 2 * items + chance)
        return false;
    const size_t expected = kept.of(journal.facts.thinning).count(journal.facts.instances, items);
    return items == expected || items == expected + 1;
}

std::vector<uint32_t> thinned_items(const JournalRecord &journal, uint32_t thinning,
                                    KeptByThinning &kept)
{
    const std::vector<uint32_t> &items = journal.items;
    KeptInstances &numbers = kept.of(journal.facts.thinning);
    const size_t count =
        std::min(items.size(), numbers.count(journal.facts.instances, items.size()));
    std::vector<uint32_t> left;
    for (size_t i = 0; i < count; i++)
        if (mprof_journal_keeps(numbers[i], thinning) != 0)
            left.push_back(items[i]);
    return left;
}

void thin_journals(RankFile &rank, size_t most_items, KeptByThinning &kept)
{
    while (items_of(rank) > most_items) {
        const auto longest = std::max_element(
            rank.journals.begin(), rank.journals.end(),
            [](const auto &a, const auto &b) { return a.items.size() < b.items.size(); });
        const uint32_t thinning = longest->facts.thinning + 1;
        if (thinning > most_thinning || !is_usable(*longest, kept)) {
            std::vector<uint32_t>().swap(longest->items);  // nobody can line it up
            continue;
        }
        longest->items = thinned_items(*longest, thinning, kept);
        longest->items.shrink_to_fit();
        longest->facts.thinning = thinning;
        longest->facts.items = static_cast<uint32_t>(longest->items.size());
    }
}

}  // namespace mprof
