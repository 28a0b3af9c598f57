// Which instances a journal kept is worked out again from its thinning (read/kept_instances.h);
// each journal takes the front of the list. A journal is left out if its number of items is far
// from what its thinning leaves.
#include "waits/journal_lineup.h"

#include "read/kept_instances.h"

#include <algorithm>
#include <map>

namespace mprof {
namespace {

struct Candidate {
    LinedJournal journal;
    const JournalRecord *record = nullptr;
    uint32_t size = 0;
};

// By what is the same on all ranks and on no others: MPI_COMM_WORLD is known without an identity.
uint64_t identity_of(const CommunicatorSlot &slot)
{
    return slot.slot == MPROF_COMM_SLOT_WORLD ? 0 : slot.facts.identity;
}

using Candidates = std::map<uint64_t, std::vector<Candidate>>;  // by identity

Candidates find_candidates(const std::vector<RankMeasure> &ranks, KeptByThinning &kept,
                           Lineups &result)
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
            std::vector<Candidate> &of_communicator = candidates[identity_of(*slot)];
            if (of_communicator.empty() || of_communicator.back().journal.rank != r)
                of_communicator.push_back(std::move(candidate));  // else two were taken for one
        }
    return candidates;
}

// Only what `thinning` keeps.
void thin_items(Candidate &candidate, uint32_t thinning, KeptByThinning &kept)
{
    const std::vector<uint32_t> &items = candidate.record->items;
    LinedJournal &journal = candidate.journal;
    if (candidate.record->facts.thinning == thinning) {
        const size_t count = kept.of(thinning).count(journal.instances, items.size());
        journal.items = std::span(items).first(std::min(items.size(), count));
        return;
    }
    journal.thinned = thinned_items(*candidate.record, thinning, kept);
    journal.items = journal.thinned;
}

Lineup make_lineup(std::vector<Candidate> &candidates, const std::vector<RankMeasure> &ranks,
                   KeptByThinning &kept)
{
    Lineup lineup;
    uint32_t thinning = 0;
    for (const Candidate &candidate : candidates)
        thinning = std::max(thinning, candidate.record->facts.thinning);
    lineup.thinning = thinning;
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
    KeptByThinning kept;
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
