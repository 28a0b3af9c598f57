// A thread's record names its tables by their place in the directory. Each table belongs to exactly
// one thread: one that two threads share would be counted twice.
#include "read/file_layout.h"
#include "read/record_checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <type_traits>

namespace mprof {
namespace {

using Bytes = std::span<const std::byte>;
using Problem = std::optional<FileError>;

// Tables that totals are made of. An impossible record in them is an error, also in a live file.
// Impossible records of other tables are left out of a live file.
template <class T>
constexpr bool makes_totals = std::is_same_v<T, mprof_entry> || std::is_same_v<T, mprof_partner>;

template <class Record>
bool is_used(const Record &record)
{
    if constexpr (requires { record.in_use; })
        return record.in_use != 0;
    else if constexpr (requires { record.sample; })
        return record.sample.in_use != 0;
    else
        return record.start_ticks != 0;
}

struct Reader {
    Bytes bytes;
    const RankFile &rank;
    KeyLists &lists;
    std::vector<bool> owned;  // by directory entry: which tables have an owner

    // The table of the type that the directory entry `index` has to be; only the slots in use.
    template <class T>
    Problem read_table(uint32_t index, uint32_t type, std::vector<T> &table);
    template <class T>
    Problem read_table(uint32_t index, uint32_t type, PackedTable<T> &table);
    template <class T>
    Problem keep_records(std::vector<T> &records, const mprof_section &section) const;
    Problem check_owner(uint32_t index, uint32_t type);
};

Problem Reader::check_owner(uint32_t index, uint32_t type)
{
    const auto &sections = rank.layout.sections;
    const auto name = section_type_name(type);
    if (index >= sections.size() || sections[index].type != type)
        return FileError{
            rank.file, rank.header().directory_offset,
            fmt::format("a thread whose directory entry {} is a section {}", index, name),
            index < sections.size() ? section_type_name(sections[index].type) : "no such entry"};
    if (owned[index])
        return FileError{rank.file, sections[index].offset,
                         fmt::format("section {} of one thread", name),
                         "two threads that refer to it"};
    owned[index] = true;
    return {};
}

// Leaves those in `records` that are sound and in use.
template <class T>
Problem Reader::keep_records(std::vector<T> &records, const mprof_section &section) const
{
    size_t kept = 0;
    for (size_t i = 0; i < records.size(); i++) {
        T &record = records[i];
        const RecordPlace place{rank, section, i};
        auto bad = check_record(record, place);
        if (!bad && is_used(record))
            bad = settle_callsites(record, place);
        if (bad && (rank.finished() || makes_totals<T>))
            return bad;
        if (!bad && is_used(record))
            records[kept++] = record;
    }
    if (kept < records.size()) {
        records.resize(kept);
        records.shrink_to_fit();
    }
    return {};
}

template <class T>
Problem Reader::read_table(uint32_t index, uint32_t type, std::vector<T> &table)
{
    const auto &sections = rank.layout.sections;
    // A live file may be seen while a thread is being set up: it has no table yet, and nothing in
    // it. Tables that no total is made of need not be there at all.
    const bool may_be_missing = !rank.finished() || !makes_totals<T>;
    if (index == 0 && may_be_missing && (sections.empty() || sections[0].type != type))
        return {};
    auto bad = check_owner(index, type);
    if (!bad) {
        auto records = read_section_records<T>(bytes, sections[index], rank.file);
        if (!records.ok())
            bad = records.error();
        else if (!(bad = keep_records(records.value(), sections[index])))
            table = std::move(records.value());
    }
    return rank.finished() || makes_totals<T> ? bad : Problem();
}

template <class T>
Problem Reader::read_table(uint32_t index, uint32_t type, PackedTable<T> &table)
{
    std::vector<T> records;
    auto bad = read_table(index, type, records);
    table = records;
    return bad;
}

Problem read_entries(Reader &reader, ThreadRecord &thread)
{
    std::vector<mprof_entry> entries;
    auto bad = reader.read_table(thread.facts.entries_section, MPROF_SECTION_ENTRIES, entries);
    const auto adds_nothing = [](const mprof_entry &entry) {
        return entry.calls == 0 && entry.bytes == 0 && entry.ticks == 0;
    };
    entries.erase(std::remove_if(entries.begin(), entries.end(), adds_nothing), entries.end());
    sort_entries(entries);
    thread.entries = EntryList(entries, reader.lists);
    return bad;
}

// The ring may begin anywhere.
Problem read_last_calls(Reader &reader, ThreadRecord &thread)
{
    auto bad = reader.read_table(thread.facts.last_calls_section, MPROF_SECTION_LAST_CALLS,
                                 thread.last_calls);
    std::stable_sort(thread.last_calls.begin(), thread.last_calls.end(),
                     [](const mprof_last_call &a, const mprof_last_call &b) {
                         return a.start_ticks < b.start_ticks;
                     });
    return bad;
}

// Those that have the thread's number, of which its record says nothing.
Problem read_numbered_paths(Reader &reader, ThreadRecord &thread)
{
    const auto &sections = reader.rank.layout.sections;
    for (uint32_t i = 0; i < sections.size(); i++) {
        const uint32_t type = sections[i].type;
        const bool is_early = type == MPROF_SECTION_EARLY_PATHS;
        if ((!is_early && type != MPROF_SECTION_FAULT_PATHS) || sections[i].number != thread.number)
            continue;
        if (auto bad =
                reader.read_table(i, type, is_early ? thread.early_paths : thread.fault_paths))
            return bad;
    }
    return {};
}

Problem read_thread(Reader &reader, const mprof_section &section, ThreadRecord &thread)
{
    auto records = read_section_records<mprof_thread>(reader.bytes, section, reader.rank.file);
    if (!records.ok())
        return records.error();
    if (records.value().size() != 1)
        return FileError{reader.rank.file, section.offset, "one record in section THREAD",
                         fmt::format("{}", records.value().size())};
    const RecordPlace place{reader.rank, section, 0};
    thread.number = section.number;
    thread.facts = records.value().front();
    if (auto bad = check_record(thread.facts, place))
        return bad;
    if (auto bad = settle_callsites(thread.facts, place))
        return bad;
    const mprof_thread &facts = thread.facts;
    if (auto bad = read_entries(reader, thread))
        return bad;
    if (auto bad =
            reader.read_table(facts.partners_section, MPROF_SECTION_PARTNERS, thread.partners))
        return bad;
    if (auto bad =
            reader.read_table(facts.segments_section, MPROF_SECTION_SEGMENTS, thread.segments))
        return bad;
    if (auto bad = reader.read_table(facts.counter_values_section, MPROF_SECTION_COUNTER_VALUES,
                                     thread.counter_values))
        return bad;
    if (facts.off_cpu_section != 0)
        if (auto bad =
                reader.read_table(facts.off_cpu_section, MPROF_SECTION_OFF_CPU, thread.off_cpu))
            return bad;
    if (facts.cpu_samples_section != 0)
        if (auto bad = reader.read_table(facts.cpu_samples_section, MPROF_SECTION_CPU_SAMPLES,
                                         thread.cpu_samples))
            return bad;
    if (auto bad = read_numbered_paths(reader, thread))
        return bad;
    if (facts.sample_paths_section != 0)
        if (auto bad = reader.read_table(facts.sample_paths_section, MPROF_SECTION_SAMPLE_PATHS,
                                         thread.sample_paths))
            return bad;
    if (facts.last_calls_section == 0)
        return {};
    return read_last_calls(reader, thread);
}

}  // namespace

Problem read_threads(Bytes bytes, RankFile &rank, KeyLists &lists)
{
    Reader reader{bytes, rank, lists, std::vector<bool>(rank.layout.sections.size())};
    for (const mprof_section &section : rank.layout.sections) {
        if (section.type != MPROF_SECTION_THREAD)
            continue;
        ThreadRecord thread;
        if (auto bad = read_thread(reader, section, thread))
            return bad;
        rank.threads.push_back(std::move(thread));
    }
    return {};
}

}  // namespace mprof
