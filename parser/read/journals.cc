// Reading journals (section_readers.h), and the instances that they kept. The cost of these is one
// hash per instance and thinning, 1 s for 10^9 collectives.
#include "read/journals.h"

#include "read/record_checks.h"
#include "read/section_content.h"
#include "read/section_readers.h"

#include <algorithm>
#include <cstring>

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

// A JOURNALS section is a journal's record, room for its items, the next journal's record and so
// on. A live file has several such sections, each with room for one or more; behind the last
// journal in use there may be zeros.
namespace {

using Bytes = std::span<const std::byte>;
using Problem = std::optional<FileError>;

// Reads one journal off the front of `rest`. In a live file it may be incomplete: then `rest` ends.
Problem read_journal(Bytes &rest, RankFile &rank, const RecordPlace &place)
{
    JournalRecord journal;
    // Another minor version may have a longer record, or a shorter one.
    const size_t record_bytes =
        std::max<size_t>(place.section.record_bytes, offsetof(mprof_journal, instances));
    Problem bad;
    if (rest.size() < record_bytes) {
        bad = place.error(fmt::format("{} bytes", record_bytes), fmt::format("{}", rest.size()));
    } else {
        std::memcpy(&journal.facts, rest.data(), std::min(record_bytes, sizeof journal.facts));
        rest = rest.subspan(record_bytes);
        bad = check_record(journal.facts, place);
    }
    const uint64_t room = uint64_t{journal.facts.capacity} * sizeof(uint32_t);
    if (!bad && room > rest.size())
        bad = place.error(fmt::format("room for {} items", journal.facts.capacity),
                          fmt::format("{} bytes", rest.size()));
    if (bad) {
        rest = {};
        return rank.finished() ? bad : Problem();
    }
    journal.items.resize(journal.facts.items);
    if (!journal.items.empty())
        std::memcpy(journal.items.data(), rest.data(), journal.items.size() * sizeof(uint32_t));
    rest = rest.subspan(room);
    if (journal.facts.communicator != MPROF_COMM_SLOT_NONE)
        rank.journals.push_back(std::move(journal));
    return {};
}

// A live file may hold two journals of a communicator while one is being moved. The one with more
// instances is used.
Problem keep_one_per_communicator(RankFile &rank)
{
    auto &journals = rank.journals;
    std::stable_sort(journals.begin(), journals.end(),
                     [](const JournalRecord &a, const JournalRecord &b) {
                         return std::pair(a.facts.communicator, b.facts.instances) <
                                std::pair(b.facts.communicator, a.facts.instances);
                     });
    const auto twice = std::unique(journals.begin(), journals.end(),
                                   [](const JournalRecord &a, const JournalRecord &b) {
                                       return a.facts.communicator == b.facts.communicator;
                                   });
    if (twice != journals.end() && rank.finished())
        return FileError{rank.file, rank.header().directory_offset, "one journal per communicator",
                         "two"};
    journals.erase(twice, journals.end());
    return {};
}

}  // namespace

Problem read_journals(Bytes bytes, RankFile &rank)
{
    for (const mprof_section &section : rank.layout.sections) {
        if (section.type != MPROF_SECTION_JOURNALS)
            continue;
        const auto content = read_section_content(bytes, section, rank.file);
        if (!content.ok())
            return content.error();
        Bytes rest = content.value().bytes;
        for (size_t number = 0; !rest.empty(); number++)
            if (auto bad = read_journal(rest, rank, RecordPlace{rank, section, number}))
                return bad;
    }
    return keep_one_per_communicator(rank);
}

}  // namespace mprof
