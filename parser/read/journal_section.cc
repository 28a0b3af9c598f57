// A JOURNALS section is a journal's record, room for its items, the next journal's record and so
// on. A live file has several such sections, each with room for one or more; behind the last
// journal in use there may be zeros.
#include "read/record_checks.h"
#include "read/section_content.h"
#include "read/section_readers.h"

#include <cstring>

namespace mprof {
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
