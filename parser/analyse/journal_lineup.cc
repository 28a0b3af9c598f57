// Which instances a journal kept is worked out again from its thinning: their numbers are the same
// for all journals of the same thinning, so they are listed once and each journal takes the front
// of the list.
//
// The cost is one hash per instance and thinning, 1 s for 10^9 collectives. A damaged file can
// claim anything, so a journal is left out whose number of items is far from what its thinning
// leaves.
#include "analyse/journal_lineup.h"

#include <algorithm>
#include <map>

namespace mprof {
namespace {

constexpr uint64_t most_instances = uint64_t{1} << 32;

struct Candidate {
    LinedJournal journal;
    const JournalRecord *record = nullptr;
    uint32_t size = 0;
};

// The numbers of the kept instances of one thinning, found as far as they are asked for.
class KeptNumbers {
public:
    explicit KeptNumbers(uint32_t thinning) : thinning_(thinning) {}

    // How many of the first `instances` are kept; more than `limit` is not told.
    size_t count(uint64_t instances, size_t limit)
    {
        while (next_ < instances && numbers_.size() <= limit) {
            if (mprof_journal_keeps(next_, thinning_) != 0)
                numbers_.push_back(next_);
            next_++;
        }
        return static_cast<size_t>(std::lower_bound(numbers_.begin(), numbers_.end(), instances) -
                                   numbers_.begin());
    }
    uint64_t operator[](size_t index) const { return numbers_[index]; }

private:
    uint32_t thinning_;
    uint64_t next_ = 0;
    std::vector<uint64_t> numbers_;
};

using Kept = std::map<uint32_t, KeptNumbers>;  // by thinning

KeptNumbers &kept_numbers(Kept &kept, uint32_t thinning)
{
    return kept.try_emplace(thinning, thinning).first->second;
}

// As many items as instances were kept; in a live file perhaps one more, whose instance was not
// counted yet. A file that was killed while it thinned has none.
bool is_usable(const JournalRecord &record, Kept &kept)
{
    constexpr uint64_t chance = 64;  // how many items more or less than the mean are possible
    const size_t items = record.items.size();
    const uint64_t mean = record.facts.instances >> record.facts.thinning;
    if (items == 0 || record.facts.instances > most_instances || mean > 2 * items + chance)
        return false;
    const size_t expected =
        kept_numbers(kept, record.facts.thinning).count(record.facts.instances, items);
    return items == expected || items == expected + 1;
}

// By what is the same on all ranks and on no others: MPI_COMM_WORLD is known without an identity.
uint64_t identity_of(const CommunicatorSlot &slot)
{
    return slot.slot == MPROF_COMM_SLOT_WORLD ? 0 : slot.facts.identity;
}

using Candidates = std::map<uint64_t, std::vector<Candidate>>;  // by identity

Candidates find_candidates(const std::vector<RankMeasure> &ranks, Kept &kept, Lineups &result)
{
    Candidates candidates;
    for (size_t r = 0; r < ranks.size(); r++)
        for (const JournalRecord &record : ranks[r].file->journals) {
            const auto *slot = find_slot(ranks[r].file->communicators, record.facts.communicator);
            result.instances += record.facts.instances;
            if (slot == nullptr || (slot->facts.flags & MPROF_COMM_INTER) != 0 ||
                (slot->facts.identity == 0 && slot->slot != MPROF_COMM_SLOT_WORLD))
                continue;
            if (!is_usable(record, kept)) {
                result.unusable++;
                continue;
            }
            Candidate candidate;
            candidate.journal.rank = r;
            candidate.journal.comm_rank = slot->facts.rank;
            candidate.journal.slot = slot->slot;
            candidate.journal.instances = record.facts.instances;
            candidate.record = &record;
            candidate.size = slot->facts.size;
            candidates[identity_of(*slot)].push_back(std::move(candidate));
        }
    return candidates;
}

// Only what `thinning` keeps.
void thin_items(Candidate &candidate, uint32_t thinning, Kept &kept)
{
    const std::vector<uint32_t> &items = candidate.record->items;
    KeptNumbers &numbers = kept_numbers(kept, candidate.record->facts.thinning);
    LinedJournal &journal = candidate.journal;
    const size_t count = std::min(items.size(), numbers.count(journal.instances, items.size()));
    if (candidate.record->facts.thinning == thinning) {
        journal.items = std::span(items).first(count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (mprof_journal_keeps(numbers[i], thinning) != 0)
            journal.thinned.push_back(items[i]);
    journal.items = journal.thinned;
}

Lineup make_lineup(std::vector<Candidate> &candidates, const std::vector<RankMeasure> &ranks,
                   Kept &kept)
{
    Lineup lineup;
    uint32_t thinning = 0;
    for (const Candidate &candidate : candidates)
        thinning = std::max(thinning, candidate.record->facts.thinning);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate &a, const Candidate &b) {
                         return a.journal.comm_rank < b.journal.comm_rank;
                     });
    const std::string host = ranks[candidates.front().journal.rank].file->text("host");
    for (Candidate &candidate : candidates) {
        if (!lineup.of.empty() && lineup.of.back().comm_rank == candidate.journal.comm_rank)
            continue;  // two communicators by mistake taken for one
        thin_items(candidate, thinning, kept);
        lineup.size = std::max(lineup.size, candidate.size);
        lineup.instances = std::max(lineup.instances, candidate.journal.instances);
        lineup.kept = std::max(lineup.kept, candidate.journal.items.size());
        lineup.one_node =
            lineup.one_node && ranks[candidate.journal.rank].file->text("host") == host;
        lineup.of.push_back(std::move(candidate.journal));
    }
    return lineup;
}

// Items that have the same instance of another rank beside them.
uint64_t count_lined(const Lineup &lineup)
{
    size_t longest = 0, second = 0;
    for (const LinedJournal &journal : lineup.of) {
        second = std::max(second, std::min(longest, journal.items.size()));
        longest = std::max(longest, journal.items.size());
    }
    uint64_t lined = 0;
    for (const LinedJournal &journal : lineup.of)
        lined += std::min(second, journal.items.size());
    return lined;
}

}  // namespace

Lineups line_up_journals(const std::vector<RankMeasure> &ranks)
{
    Lineups result;
    Kept kept;
    for (auto &[identity, candidates] : find_candidates(ranks, kept, result)) {
        if (candidates.size() < 2)
            continue;
        Lineup lineup = make_lineup(candidates, ranks, kept);
        result.instances_lined += count_lined(lineup);
        if (lineup.of.size() > 1)
            result.all.push_back(std::move(lineup));
    }
    return result;
}

}  // namespace mprof
