// The few facts of a rank that a list of runs needs (rank_file.h). A live file is as large as the
// memory of its record: what is wanted of it is put into a small live file, which is then checked
// and read as any other. So a length or an offset of the file is trusted nowhere here.
#include "read/file_bytes.h"
#include "read/rank_file.h"
#include "read/section_content.h"
#include "read/section_readers.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <thread>

namespace mprof {
namespace {

using HeadBytes = std::vector<std::byte>;

// Those of libmprof have some kilobytes.
constexpr uint64_t most_directory_bytes = uint64_t{16} << 20U;
constexpr uint64_t most_section_bytes = uint64_t{1} << 20U;

bool is_wanted(const mprof_section &section)
{
    return section.type == MPROF_SECTION_RUN || section.type == MPROF_SECTION_CLOCK ||
           section.type == MPROF_SECTION_TEXT || section.type == MPROF_SECTION_THREAD;
}

Result<HeadBytes> read_part(const OpenFile &file, const PlaceOfRank &place, uint64_t offset,
                            uint64_t bytes, uint64_t most)
{
    if (bytes > most || offset > place.bytes || bytes > place.bytes - offset)
        return FileError{
            place.name, offset,
            fmt::format("at most {} bytes inside the {} of the file", most, place.bytes),
            fmt::format("{} bytes", bytes)};
    return read_file_part(file, place.name, place.offset + offset, bytes);
}

template <class T>
void append_record(HeadBytes &to, const T &record)
{
    const auto bytes = std::as_bytes(std::span(&record, 1));
    to.insert(to.end(), bytes.begin(), bytes.end());
}

// Header, directory and sections of the wanted types.
Result<HeadBytes> small_live_file(const OpenFile &file, const PlaceOfRank &place,
                                  mprof_file_header header)
{
    const auto directory =
        read_part(file, place, header.directory_offset,
                  uint64_t{header.section_count} * sizeof(mprof_section), most_directory_bytes);
    if (!directory.ok())
        return directory.error();
    std::vector<mprof_section> sections(header.section_count);
    if (!sections.empty())
        std::memcpy(sections.data(), directory.value().data(), directory.value().size());
    std::erase_if(sections, [](const mprof_section &section) { return !is_wanted(section); });
    header.directory_offset = sizeof header;
    header.section_count = static_cast<uint32_t>(sections.size());
    HeadBytes contents;
    const uint64_t first = sizeof header + sections.size() * sizeof(mprof_section);
    for (mprof_section &section : sections) {
        const auto content =
            read_part(file, place, section.offset, section.stored_bytes, most_section_bytes);
        if (!content.ok())
            return content.error();
        section.offset = first + contents.size();
        contents.insert(contents.end(), content.value().begin(), content.value().end());
        contents.resize((contents.size() + 7) / 8 * 8);
    }
    HeadBytes small;
    append_record(small, header);
    for (const mprof_section &section : sections)
        append_record(small, section);
    small.insert(small.end(), contents.begin(), contents.end());
    return small;
}

// Of the time that a rank lived, the last that it wrote.
std::optional<FileError> read_thread_facts(std::span<const std::byte> bytes, RankFile &rank)
{
    for (const mprof_section &section : rank.layout.sections) {
        if (section.type != MPROF_SECTION_THREAD)
            continue;
        const auto records = read_section_records<mprof_thread>(bytes, section, rank.file);
        if (!records.ok())
            return records.error();
        for (const mprof_thread &facts : records.value()) {
            rank.threads.emplace_back();
            rank.threads.back().number = section.number;
            rank.threads.back().facts = facts;
        }
    }
    return {};
}

Result<RankFile> read_once(const OpenFile &file, const PlaceOfRank &place, bool &is_live)
{
    mprof_file_header header = {};
    const uint64_t begin_bytes = std::min<uint64_t>(place.bytes, sizeof header);
    const auto begin = read_file_part(file, place.name, place.offset, begin_bytes);
    if (!begin.ok())
        return begin.error();
    std::copy(begin.value().begin(), begin.value().end(),
              std::as_writable_bytes(std::span(&header, 1)).begin());
    const bool is_known = begin_bytes == sizeof header &&
                          std::memcmp(header.magic, MPROF_MAGIC, MPROF_MAGIC_BYTES) == 0 &&
                          header.major == MPROF_FORMAT_MAJOR;
    if (!is_known)
        return parse_rank_head(begin.value(), place.name);  // which says what is wrong
    is_live = header.state == MPROF_FILE_LIVE;
    if (!is_live && place.bytes > max_file_bytes)
        return FileError{place.name,
                         0,
                         fmt::format("at most {} bytes", max_file_bytes),
                         fmt::format("{} bytes", place.bytes),
                         true,
                         FileTrouble::too_large};
    const auto bytes = is_live ? small_live_file(file, place, header)
                               : read_file_part(file, place.name, place.offset, place.bytes);
    if (!bytes.ok())
        return bytes.error();
    return parse_rank_head(bytes.value(), place.name);
}

}  // namespace

Result<RankFile> parse_rank_head(std::span<const std::byte> bytes, const std::string &name)
{
    auto opened = open_rank_file(bytes, name);
    if (!opened.ok())
        return opened.error();
    RankFile rank;
    rank.file = name;
    rank.layout = std::move(opened.value().layout);
    if (auto bad = read_facts(opened.value().bytes, rank, nullptr))
        return *bad;
    if (!rank.finished())
        if (auto bad = read_thread_facts(opened.value().bytes, rank))
            return *bad;
    return rank;
}

Result<RankFile> read_rank_head(const OpenFile &file, const PlaceOfRank &place)
{
    for (int attempt = 1;; attempt++) {
        const uint64_t now_ns = realtime_ns();
        bool is_live = false;
        auto rank = read_once(file, place, is_live);
        if (rank.ok())
            rank.value().read_realtime_ns = now_ns;
        // A running program may have moved a table, or finished its file, while we read.
        if (rank.ok() || !is_live || attempt == attempts_at_live_file)
            return rank;
        std::this_thread::sleep_for(pause_for_live_file);
    }
}

}  // namespace mprof
