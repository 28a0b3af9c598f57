// Checks in the order in which they make sense: what it is, which version, which state, then
// checksums, then lengths. The version comes before the checksum because a newer major version may
// lay out the rest differently.
#include "read/file_layout.h"

#include "read/file_checksum.h"
#include "read/packed_sections.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace mprof {
namespace {

static_assert(std::endian::native == std::endian::little,
              "rank files are little-endian and read without swapping");

using Bytes = std::span<const std::byte>;
using Problem = std::optional<FileError>;

struct Extent {
    uint64_t begin;
    uint64_t end;
    std::string what;
};

std::string hex(Bytes bytes)
{
    std::string out;
    for (const std::byte b : bytes)
        out += fmt::format("{:02x} ", static_cast<unsigned>(b));
    if (!out.empty())
        out.pop_back();
    return out.empty() ? "nothing" : out;
}

Problem check_begin(Bytes bytes, const std::string &file)
{
    const Bytes magic = bytes.first(std::min<size_t>(bytes.size(), MPROF_MAGIC_BYTES));
    if (bytes.empty())
        return FileError{file, 0, "a rank file", "an empty file", false, FileTrouble::empty_file};
    if (magic.size() < MPROF_MAGIC_BYTES ||
        std::memcmp(magic.data(), MPROF_MAGIC, MPROF_MAGIC_BYTES) != 0)
        return FileError{file,       0,     "a rank file (8f 4d 50 52 4f 46 0d 0a)",
                         hex(magic), false, FileTrouble::other_kind};
    if (bytes.size() < sizeof(mprof_file_header))
        return FileError{file,
                         bytes.size(),
                         fmt::format("a header of {} bytes", sizeof(mprof_file_header)),
                         fmt::format("the end of the file after {}", bytes.size()),
                         true,
                         FileTrouble::cut_off};
    return {};
}

Problem check_version(const mprof_file_header &header, const std::string &file)
{
    if (header.major == MPROF_FORMAT_MAJOR)
        return {};
    return FileError{
        file,
        offsetof(mprof_file_header, major),
        fmt::format("format version {}.x (this mprof reads {}.{})", +MPROF_FORMAT_MAJOR,
                    +MPROF_FORMAT_MAJOR, +MPROF_FORMAT_MINOR),
        fmt::format("version {}.{}{}", header.major, header.minor,
                    header.major > MPROF_FORMAT_MAJOR ? " (a newer mprof can read it)" : ""),
        true,
        FileTrouble::newer};
}

Problem check_live_header(const mprof_file_header &header, const std::string &file)
{
    const auto must_be_zero = [&](uint64_t value, size_t offset, const char *what) -> Problem {
        if (value == 0)
            return {};
        return FileError{file, offset, fmt::format("{} 0 in a live file", what),
                         fmt::format("{}", value)};
    };
    if (auto bad =
            must_be_zero(header.file_bytes, offsetof(mprof_file_header, file_bytes), "file_bytes"))
        return bad;
    if (auto bad =
            must_be_zero(header.directory_checksum, offsetof(mprof_file_header, directory_checksum),
                         "directory_checksum"))
        return bad;
    return must_be_zero(header.header_checksum, offsetof(mprof_file_header, header_checksum),
                        "header_checksum");
}

Problem check_finished_header(const mprof_file_header &header, Bytes bytes, const std::string &file)
{
    mprof_file_header copy = header;
    copy.header_checksum = 0;
    const uint32_t checksum = file_checksum(std::as_bytes(std::span(&copy, 1)));
    if (checksum != header.header_checksum)
        return FileError{file, offsetof(mprof_file_header, header_checksum),
                         fmt::format("header checksum {:08x}", header.header_checksum),
                         fmt::format("{:08x}", checksum)};
    if (header.file_bytes != bytes.size())
        return FileError{file,
                         std::min<uint64_t>(header.file_bytes, bytes.size()),
                         fmt::format("a file of {} bytes", header.file_bytes),
                         fmt::format("{} bytes", bytes.size()),
                         true,
                         header.file_bytes > bytes.size() ? FileTrouble::cut_off
                                                          : FileTrouble::damaged};
    return {};
}

Problem check_header(const mprof_file_header &header, Bytes bytes, const std::string &file)
{
    if (auto bad = check_version(header, file))
        return bad;
    if (header.state < MPROF_FILE_LIVE || header.state > MPROF_FILE_PACKED)
        return FileError{file, offsetof(mprof_file_header, state),
                         "state 1 (live), 2 (finished) or 3 (packed)",
                         fmt::format("{}", header.state)};
    auto bad = header.state == MPROF_FILE_LIVE ? check_live_header(header, file)
                                               : check_finished_header(header, bytes, file);
    if (bad)
        return bad;
    if (header.ranks == 0 || header.rank >= header.ranks)
        return FileError{file, offsetof(mprof_file_header, rank),
                         "a rank below the number of ranks",
                         fmt::format("rank {} of {}", header.rank, header.ranks)};
    return {};
}

Problem check_directory(const mprof_file_header &header, Bytes bytes, const std::string &file)
{
    const uint64_t offset = header.directory_offset;
    const uint64_t length = uint64_t{header.section_count} * sizeof(mprof_section);
    if (offset % 8 != 0 || offset < sizeof(mprof_file_header))
        return FileError{file, offsetof(mprof_file_header, directory_offset),
                         "a multiple of 8, from 64 on", fmt::format("{}", offset)};
    if (offset > bytes.size() || length > bytes.size() - offset)
        return FileError{file, bytes.size(),
                         fmt::format("a directory of {} bytes at {}", length, offset),
                         fmt::format("the end of the file at {}", bytes.size())};
    if (header.state == MPROF_FILE_LIVE)
        return {};
    const uint32_t checksum = file_checksum(bytes.subspan(offset, length));
    if (checksum != header.directory_checksum)
        return FileError{file, offset,
                         fmt::format("directory checksum {:08x}", header.directory_checksum),
                         fmt::format("{:08x}", checksum)};
    return {};
}

Problem check_section_place(const mprof_section &section, Bytes bytes, uint64_t at,
                            const std::string &file)
{
    const auto name = section_type_name(section.type);
    if (section.offset % 8 != 0)
        return FileError{file, at + offsetof(mprof_section, offset),
                         fmt::format("section {} at a multiple of 8", name),
                         fmt::format("{}", section.offset)};
    if (section.offset > bytes.size() || section.stored_bytes > bytes.size() - section.offset)
        return FileError{file, at + offsetof(mprof_section, stored_bytes),
                         fmt::format("section {} inside the file of {} bytes", name, bytes.size()),
                         fmt::format("{} bytes at {}", section.stored_bytes, section.offset)};
    return {};
}

Problem check_section_length(const mprof_section &section, bool finished, uint64_t at,
                             const std::string &file)
{
    const auto name = section_type_name(section.type);
    if (section.compression == MPROF_COMPRESSION_NONE &&
        section.content_bytes != section.stored_bytes)
        return FileError{
            file, at + offsetof(mprof_section, content_bytes),
            fmt::format("section {} of {} bytes, not compressed", name, section.stored_bytes),
            fmt::format("{} bytes of content", section.content_bytes)};
    if (!finished && (section.compression != MPROF_COMPRESSION_NONE || section.checksum != 0))
        return FileError{
            file, at + offsetof(mprof_section, compression),
            fmt::format("section {} neither compressed nor checksummed in a live file", name),
            fmt::format("compression {}, checksum {:08x}", section.compression, section.checksum)};
    if (section.content_bytes > max_content_bytes)
        return FileError{file, at + offsetof(mprof_section, content_bytes),
                         fmt::format("section {} of at most {} bytes", name, max_content_bytes),
                         fmt::format("{}", section.content_bytes)};
    if (section.compression != MPROF_COMPRESSION_NONE &&
        section.content_bytes / max_zstd_ratio > section.stored_bytes)
        return FileError{file, at + offsetof(mprof_section, content_bytes),
                         fmt::format("section {} of at most {} times {} bytes", name,
                                     max_zstd_ratio, section.stored_bytes),
                         fmt::format("{}", section.content_bytes)};
    return {};
}

Problem check_sections(const FileLayout &layout, Bytes bytes, const std::string &file)
{
    uint64_t content = 0;
    for (size_t i = 0; i < layout.sections.size(); i++) {
        const mprof_section &section = layout.sections[i];
        const uint64_t at = layout.header.directory_offset + i * sizeof(mprof_section);
        if (section.type == MPROF_SECTION_FREE)
            continue;
        if (auto bad = check_section_place(section, bytes, at, file))
            return bad;
        if (auto bad = check_section_length(section, layout.finished(), at, file))
            return bad;
        content += section.content_bytes;  // cannot overflow: at most 2^26 sections of at most 2^30
                                           // bytes
        if (content > max_content_bytes)
            return FileError{file, at,
                             fmt::format("at most {} bytes in all sections", max_content_bytes),
                             fmt::format("{}", content)};
        if (!layout.finished())
            continue;
        const uint32_t checksum =
            file_checksum(bytes.subspan(section.offset, section.stored_bytes));
        if (checksum != section.checksum)
            return FileError{file, section.offset,
                             fmt::format("section {} with checksum {:08x}",
                                         section_type_name(section.type), section.checksum),
                             fmt::format("{:08x}", checksum)};
    }
    return {};
}

// Finished files: the parts follow each other, and what lies between them is 0.
Problem check_gaps(const FileLayout &layout, Bytes bytes, const std::string &file)
{
    const uint64_t directory = layout.header.directory_offset;
    std::vector<Extent> parts = {
        {0, sizeof(mprof_file_header), "the header"},
        {directory, directory + layout.sections.size() * sizeof(mprof_section), "the directory"},
        {bytes.size(), bytes.size(), "the end"}};
    for (const mprof_section &section : layout.sections)
        if (section.type != MPROF_SECTION_FREE && section.stored_bytes > 0)
            parts.push_back({section.offset, section.offset + section.stored_bytes,
                             section_type_name(section.type)});
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Extent &a, const Extent &b) { return a.begin < b.begin; });
    uint64_t end = 0;
    for (const Extent &part : parts) {
        if (part.begin < end)
            return FileError{
                file, part.begin,
                fmt::format("{} after the end of the part before it at {}", part.what, end),
                fmt::format("{} at {}", part.what, part.begin)};
        for (; end < part.begin; end++)
            if (bytes[end] != std::byte{0})
                return FileError{file, end, "0 between two sections", hex(bytes.subspan(end, 1))};
        end = part.end;
    }
    return {};
}

Problem check_body(const mprof_file_header &header, Bytes body, const std::string &file)
{
    const uint32_t checksum = file_checksum(body);
    if (checksum == header.directory_checksum)
        return {};
    return FileError{file, sizeof header,
                     fmt::format("packed sections with checksum {:08x}", header.directory_checksum),
                     fmt::format("{:08x}", checksum)};
}

Result<OpenedRankFile> open_packed(const mprof_file_header &header, Bytes bytes,
                                   const std::string &file)
{
    const Bytes body = bytes.subspan(sizeof header);
    if (auto bad = check_header(header, bytes, file))
        return *bad;
    if (auto bad = check_body(header, body, file))
        return *bad;
    auto unpacked = unpack_sections(header, body, file);
    if (!unpacked.ok())
        return unpacked.error();
    OpenedRankFile opened;
    opened.layout = {header, std::move(unpacked.value().sections)};
    opened.unpacked = std::move(unpacked.value().content);
    opened.bytes = opened.unpacked;
    return opened;
}

}  // namespace

Result<OpenedRankFile> open_rank_file(Bytes file_bytes, const std::string &file)
{
    if (auto bad = check_begin(file_bytes, file))
        return *bad;
    mprof_file_header header;
    std::memcpy(&header, file_bytes.data(), sizeof header);
    if (header.state == MPROF_FILE_PACKED)
        return open_packed(header, file_bytes, file);
    auto layout = read_file_layout(file_bytes, file);
    if (!layout.ok())
        return layout.error();
    return OpenedRankFile{std::move(layout.value()), {}, file_bytes};
}

const char *section_type_name(uint32_t type)
{
    static constexpr std::array<const char *, 36> names = {"FREE",
                                                           "RUN",
                                                           "CLOCK",
                                                           "TEXT",
                                                           "FUNCTIONS",
                                                           "THREAD",
                                                           "ENTRIES",
                                                           "PARTNERS",
                                                           "COMMUNICATORS",
                                                           "REGIONS",
                                                           "CALLSITES",
                                                           "MODULES",
                                                           "SEGMENTS",
                                                           "JOURNALS",
                                                           "OPERATIONS",
                                                           "COUNTERS",
                                                           "COUNTER_VALUES",
                                                           "SAMPLES",
                                                           "BASELINE",
                                                           "OFF_CPU",
                                                           "FILES",
                                                           "SCRIPTS",
                                                           "CPU_SAMPLES",
                                                           "PARALLEL",
                                                           "CONDITIONS",
                                                           "TIME",
                                                           "TIME_BINS",
                                                           "LAST_CALLS",
                                                           "SAMPLE_PATHS",
                                                           "EVENTS",
                                                           "COLLECTIVE_TIMES",
                                                           "RESULTS",
                                                           "RESULT_HASHES",
                                                           "LINT",
                                                           "LINT_STEPS",
                                                           "LINT_FINDS"};
    return type < names.size() ? names[type] : "UNKNOWN";
}

Result<FileLayout> read_file_layout(Bytes bytes, const std::string &file)
{
    if (auto bad = check_begin(bytes, file))
        return *bad;
    FileLayout layout;
    std::memcpy(&layout.header, bytes.data(), sizeof layout.header);
    if (auto bad = check_header(layout.header, bytes, file))
        return *bad;
    if (auto bad = check_directory(layout.header, bytes, file))
        return *bad;
    layout.sections.resize(layout.header.section_count);
    if (!layout.sections.empty())
        std::memcpy(layout.sections.data(), bytes.data() + layout.header.directory_offset,
                    layout.sections.size() * sizeof(mprof_section));
    if (std::any_of(
            layout.sections.begin(), layout.sections.end(),
            [](const mprof_section &section) { return section.type == MPROF_SECTION_EVENTS; }))
        return FileError{file,
                         layout.header.directory_offset,
                         "sections of a rank file",
                         "section EVENTS",
                         false,
                         FileTrouble::events};
    if (auto bad = check_sections(layout, bytes, file))
        return *bad;
    if (layout.finished())
        if (auto bad = check_gaps(layout, bytes, file))
            return *bad;
    return layout;
}

}  // namespace mprof
