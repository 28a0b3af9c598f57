// Journals of the ranks side by side, and beside their time bins.
#include "waits/journal_lineup.h"

#include "read/journals.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mprof {

// Which instances a journal kept is worked out again from its thinning (read/journals.h);
// each journal takes the front of the list. A journal is left out if its number of items is far
// from what its thinning leaves.

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

// Of a thinned journal the steps that were not kept are like those that were.

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
