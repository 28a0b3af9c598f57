// Puts the sections of a rank file together. Each read_* function reads one kind of section into
// the RankFile and returns what is wrong with it, or nothing.
#include "read/rank_file.h"

#include "read/file_bytes.h"
#include "read/record_checks.h"
#include "read/section_content.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <thread>

namespace mprof {
namespace {

using Bytes = std::span<const std::byte>;
using Problem = std::optional<FileError>;

const mprof_section *find_section(const FileLayout &layout, uint32_t type)
{
    const auto found =
        std::find_if(layout.sections.begin(), layout.sections.end(),
                     [&](const mprof_section &section) { return section.type == type; });
    return found == layout.sections.end() ? nullptr : &*found;
}

// Exactly one record in the only section of that type.
template <class T>
Problem read_single(Bytes bytes, const RankFile &rank, uint32_t type, T &into)
{
    const mprof_section *section = find_section(rank.layout, type);
    const auto name = section_type_name(type);
    if (section == nullptr)
        return FileError{rank.file, rank.header().directory_offset,
                         fmt::format("a section {}", name), "none"};
    auto records = read_section_records<T>(bytes, *section, rank.file);
    if (!records.ok())
        return records.error();
    if (records.value().empty())
        return FileError{rank.file, section->offset, fmt::format("one record in section {}", name),
                         "none"};
    into = records.value().front();
    return {};
}

// Strings that each end with a NUL.
Result<std::vector<std::string>> read_strings(Bytes bytes, const RankFile &rank,
                                              const mprof_section &section)
{
    const auto content = read_section_content(bytes, section, rank.file);
    if (!content.ok())
        return content.error();
    std::vector<std::string> strings(1);
    for (const std::byte b : content.value()) {
        if (b == std::byte{0})
            strings.emplace_back();
        else
            strings.back() += static_cast<char>(b);
    }
    if (!strings.back().empty())
        return FileError{
            rank.file, section.offset + section.stored_bytes,
            fmt::format("a NUL at the end of section {}", section_type_name(section.type)), "none"};
    strings.pop_back();
    return strings;
}

Problem read_texts(Bytes bytes, RankFile &rank)
{
    const mprof_section *section = find_section(rank.layout, MPROF_SECTION_TEXT);
    if (section == nullptr)
        return {};
    auto strings = read_strings(bytes, rank, *section);
    if (!strings.ok())
        return strings.error();
    const auto &all = strings.value();
    for (size_t i = 0; i < all.size() && !all[i].empty(); i += 2) {
        if (i + 1 == all.size())
            return FileError{rank.file, section->offset,
                             fmt::format("a value for the text '{}'", all[i]), "none"};
        rank.texts.emplace_back(all[i], all[i + 1]);
    }
    return {};
}

Problem read_functions(Bytes bytes, RankFile &rank)
{
    const mprof_section *section = find_section(rank.layout, MPROF_SECTION_FUNCTIONS);
    if (section == nullptr)
        return FileError{rank.file, rank.header().directory_offset, "a section FUNCTIONS", "none"};
    auto strings = read_strings(bytes, rank, *section);
    if (!strings.ok())
        return strings.error();
    rank.functions = std::move(strings.value());
    return {};
}

// A table in pieces of equal length, numbered by instance: slot = piece * records per piece + place
// in it. `Slot` has the record as `facts` and its name.
template <typename Slot, typename Record>
Problem read_slots(Bytes bytes, const RankFile &rank, uint32_t type, uint32_t in_use,
                   std::vector<Slot> &slots)
{
    for (const mprof_section &section : rank.layout.sections) {
        if (section.type != type)
            continue;
        auto records = read_section_records<Record>(bytes, section, rank.file);
        if (!records.ok())
            return records.error();
        const size_t first = section.instance * records.value().size();
        for (size_t i = 0; i < records.value().size(); i++) {
            Slot slot{static_cast<uint32_t>(first + i), records.value()[i], ""};
            if ((slot.facts.flags & in_use) == 0)
                continue;
            const std::string_view name(std::begin(slot.facts.name), sizeof slot.facts.name);
            slot.name = name.substr(0, name.find('\0'));
            slots.push_back(std::move(slot));
        }
    }
    std::sort(slots.begin(), slots.end(),
              [](const Slot &a, const Slot &b) { return a.slot < b.slot; });
    return {};
}

// The table that a thread refers to by its place in the directory; only the slots in use. `owned`
// remembers which tables have an owner, because one that two threads share would be counted twice.
template <class T>
Result<std::vector<T>> read_table(Bytes bytes, const RankFile &rank, uint32_t index, uint32_t type,
                                  std::vector<bool> &owned)
{
    const auto &sections = rank.layout.sections;
    const auto name = section_type_name(type);
    // A live file may be seen while a thread is being set up: it has no table yet, and nothing in
    // it.
    if (!rank.finished() && index == 0) {
        if (sections.empty() || sections[0].type != type)
            return std::vector<T>();
    }
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
    auto records = read_section_records<T>(bytes, sections[index], rank.file);
    if (!records.ok())
        return records;
    for (size_t i = 0; i < records.value().size(); i++)
        if (auto bad = check_record(records.value()[i], i, rank, sections[index]))
            return *bad;
    std::erase_if(records.value(), [](const T &record) { return record.in_use == 0; });
    return records;
}

Problem read_thread(Bytes bytes, RankFile &rank, const mprof_section &section,
                    std::vector<bool> &owned)
{
    auto records = read_section_records<mprof_thread>(bytes, section, rank.file);
    if (!records.ok())
        return records.error();
    if (records.value().size() != 1)
        return FileError{rank.file, section.offset, "one record in section THREAD",
                         fmt::format("{}", records.value().size())};
    ThreadRecord thread{section.instance, records.value().front(), {}, {}};
    if (auto bad = check_thread(thread.facts, rank, section))
        return bad;
    auto entries = read_table<mprof_entry>(bytes, rank, thread.facts.entries_section,
                                           MPROF_SECTION_ENTRIES, owned);
    if (!entries.ok())
        return entries.error();
    auto partners = read_table<mprof_partner>(bytes, rank, thread.facts.partners_section,
                                              MPROF_SECTION_PARTNERS, owned);
    if (!partners.ok())
        return partners.error();
    thread.entries = std::move(entries.value());
    thread.partners = std::move(partners.value());
    rank.threads.push_back(std::move(thread));
    return {};
}

Problem read_threads(Bytes bytes, RankFile &rank)
{
    std::vector<bool> owned(rank.layout.sections.size());
    for (const mprof_section &section : rank.layout.sections) {
        if (section.type != MPROF_SECTION_THREAD)
            continue;
        if (auto bad = read_thread(bytes, rank, section, owned))
            return bad;
    }
    return {};
}

bool claims_to_be_live(Bytes bytes)
{
    mprof_file_header header;
    if (bytes.size() < sizeof header)
        return false;
    std::memcpy(&header, bytes.data(), sizeof header);
    return header.state == MPROF_FILE_LIVE;
}

}  // namespace

std::string RankFile::text(std::string_view key) const
{
    for (const auto &[name, value] : texts)
        if (name == key)
            return value;
    return "";
}

std::string RankFile::function_name(uint32_t id) const
{
    if (id < functions.size() && !functions[id].empty())
        return functions[id];
    return fmt::format("function {}", id);
}

Result<RankFile> parse_rank_file(Bytes bytes, const std::string &file)
{
    auto layout = read_file_layout(bytes, file);
    if (!layout.ok())
        return layout.error();
    RankFile rank;
    rank.file = file;
    rank.layout = std::move(layout.value());
    if (auto bad = read_single(bytes, rank, MPROF_SECTION_RUN, rank.run))
        return *bad;
    if (auto bad = read_single(bytes, rank, MPROF_SECTION_CLOCK, rank.clock))
        return *bad;
    if (auto bad = check_clock(rank.clock, rank, *find_section(rank.layout, MPROF_SECTION_CLOCK)))
        return *bad;
    if (auto bad = read_texts(bytes, rank))
        return *bad;
    if (auto bad = read_functions(bytes, rank))
        return *bad;
    if (auto bad = read_slots<CommunicatorSlot, mprof_communicator>(
            bytes, rank, MPROF_SECTION_COMMUNICATORS, MPROF_COMM_IN_USE, rank.communicators))
        return *bad;
    if (auto bad = read_slots<RegionSlot, mprof_region>(bytes, rank, MPROF_SECTION_REGIONS,
                                                        MPROF_REGION_IN_USE, rank.regions))
        return *bad;
    if (auto bad = read_threads(bytes, rank))
        return *bad;
    return rank;
}

Result<RankFile> read_rank_file(const std::string &path)
{
    constexpr int attempts = 3;
    constexpr std::chrono::milliseconds pause(10);
    for (int attempt = 1;; attempt++) {
        const auto bytes = read_file_bytes(path);
        if (!bytes.ok())
            return bytes.error();
        auto rank = parse_rank_file(bytes.value(), path);
        // A running program may have moved a table, or finished its file, while we read: look
        // again.
        if (rank.ok() || attempt == attempts || !claims_to_be_live(bytes.value()))
            return rank;
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace mprof
