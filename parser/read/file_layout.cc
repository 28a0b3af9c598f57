// Checks in the order in which they make sense: what it is, which version, which state, then
// checksums, then lengths. The version comes before the checksum because a newer major version may
// lay out the rest differently.
#include "read/file_layout.h"

#include "mprof/format/dictionary.h"
#include "read/file_bytes.h"

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
    if (auto bad = must_be_zero(header.body_checksum, offsetof(mprof_file_header, body_checksum),
                                "body_checksum"))
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

Problem check_body(const mprof_file_header &header, Bytes body, const std::string &file,
                   bool is_checked)
{
    const uint32_t checksum = is_checked ? header.body_checksum : file_checksum(body);
    if (checksum != header.body_checksum)
        return FileError{file, sizeof header,
                         fmt::format("sections with checksum {:08x}", header.body_checksum),
                         fmt::format("{:08x}", checksum)};
    const uint64_t stored = body.size(), content = header.content_bytes;
    if (content <= max_content_bytes && content / max_zstd_ratio <= stored && content >= stored)
        return {};
    return FileError{file, offsetof(mprof_file_header, content_bytes),
                     fmt::format("content of at most {} bytes and of {} to {} times that",
                                 max_content_bytes, stored, max_zstd_ratio),
                     fmt::format("{}", content)};
}

Problem check_header(const mprof_file_header &header, Bytes bytes, const std::string &file,
                     bool is_checked)
{
    if (auto bad = check_version(header, file))
        return bad;
    if (header.state < MPROF_FILE_LIVE || header.state > MPROF_FILE_FINISHED)
        return FileError{file, offsetof(mprof_file_header, state), "state 1 (live) or 2 (finished)",
                         fmt::format("{}", header.state)};
    auto bad = header.state == MPROF_FILE_LIVE ? check_live_header(header, file)
                                               : check_finished_header(header, bytes, file);
    if (bad)
        return bad;
    if (header.ranks == 0 || header.rank >= header.ranks)
        return FileError{file, offsetof(mprof_file_header, rank),
                         "a rank below the number of ranks",
                         fmt::format("rank {} of {}", header.rank, header.ranks)};
    return header.state == MPROF_FILE_LIVE
               ? Problem()
               : check_body(header, bytes.subspan(sizeof header), file, is_checked);
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
        if (!layout.finished() && section.form != MPROF_FORM_RECORDS)
            return FileError{file, at + offsetof(mprof_section, form),
                             fmt::format("section {} as records in a live file",
                                         section_type_name(section.type)),
                             fmt::format("form {}", section.form)};
        content += section.stored_bytes;  // cannot overflow: each is inside the file
        if (content > max_content_bytes)
            return FileError{file, at,
                             fmt::format("at most {} bytes in all sections", max_content_bytes),
                             fmt::format("{}", content)};
    }
    return {};
}

uint64_t rounded(uint64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

// Finished files: the sections follow each other, and the directory is behind them.
Problem check_order(const FileLayout &layout, Bytes bytes, const std::string &file)
{
    uint64_t end = sizeof(mprof_file_header);
    for (const mprof_section &section : layout.sections) {
        if (section.type == MPROF_SECTION_FREE)
            continue;
        if (section.offset != rounded(end))
            return FileError{file, section.offset,
                             fmt::format("section {} at {}, behind the one before it",
                                         section_type_name(section.type), rounded(end)),
                             fmt::format("{}", section.offset)};
        end = section.offset + section.stored_bytes;
    }
    const uint64_t directory = layout.header.directory_offset;
    const uint64_t directory_end = directory + layout.sections.size() * sizeof(mprof_section);
    if (directory == rounded(end) && directory_end == bytes.size())
        return {};
    return FileError{file, directory,
                     fmt::format("the directory from {} to {}", rounded(end), bytes.size()),
                     fmt::format("{} to {}", directory, directory_end)};
}

// The file as if it were not compressed. No length in it is believed: memory is taken for at most
// max_content_bytes (check_body).
Problem decompress_file(const mprof_file_header &header, Bytes file_bytes, OpenedRankFile &opened,
                        const std::string &file)
{
    const Bytes body = file_bytes.subspan(sizeof header);
    opened.unpacked.resize(sizeof header + header.content_bytes);
    std::memcpy(opened.unpacked.data(), &header, sizeof header);
    const auto content = std::span(opened.unpacked).subspan(sizeof header);
    const auto problem = decompress(body, content, std::as_bytes(std::span(mprof_dictionary)));
    if (problem)
        return FileError{file, sizeof header,
                         fmt::format("sections that decompress to {} bytes", content.size()),
                         *problem};
    opened.bytes = opened.unpacked;
    return {};
}

Problem read_directory(OpenedRankFile &opened, const std::string &file)
{
    FileLayout &layout = opened.layout;
    if (auto bad = check_directory(layout.header, opened.bytes, file))
        return bad;
    layout.sections.resize(layout.header.section_count);
    if (!layout.sections.empty())
        std::memcpy(layout.sections.data(), opened.bytes.data() + layout.header.directory_offset,
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
    if (auto bad = check_sections(layout, opened.bytes, file))
        return bad;
    return layout.finished() ? check_order(layout, opened.bytes, file) : Problem();
}

}  // namespace

Result<OpenedRankFile> open_rank_file(Bytes file_bytes, const std::string &file, bool is_checked)
{
    if (auto bad = check_begin(file_bytes, file))
        return *bad;
    OpenedRankFile opened;
    opened.bytes = file_bytes;
    mprof_file_header &header = opened.layout.header;
    std::memcpy(&header, file_bytes.data(), sizeof header);
    if (auto bad = check_header(header, file_bytes, file, is_checked))
        return *bad;
    if (opened.layout.finished() && file_bytes.size() != sizeof header + header.content_bytes)
        if (auto bad = decompress_file(header, file_bytes, opened, file))
            return *bad;
    if (auto bad = read_directory(opened, file))
        return *bad;
    return opened;
}

const char *section_type_name(uint32_t type)
{
    static constexpr std::array<const char *, 50> names = {"FREE",
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
                                                           "LINT_FINDS",
                                                           "GPU",
                                                           "GPU_SITES",
                                                           "GPU_KERNELS",
                                                           "GPU_BUFFERS",
                                                           "UNKNOWN",
                                                           "PLAIN_FILES",
                                                           "GPU_ACTIVITY",
                                                           "GPU_WORK",
                                                           "GPU_BUSY",
                                                           "NCCL_COMMS",
                                                           "NCCL_CALLS",
                                                           "NCCL_TIMES",
                                                           "FAULT_PATHS",
                                                           "EARLY_PATHS"};
    return type < names.size() ? names[type] : "UNKNOWN";
}

// A section's bytes as records.

namespace {

std::vector<std::byte> to_records(std::span<const std::byte> columns, size_t stride)
{
    const size_t count = columns.size() / stride;
    std::vector<std::byte> records(columns.size());
    for (size_t column = 0; column < stride; column++)
        for (size_t record = 0; record < count; record++)
            records[record * stride + column] = columns[column * count + record];
    return records;
}

}  // namespace

Result<SectionContent> read_section_content(std::span<const std::byte> bytes,
                                            const mprof_section &section, const std::string &file)
{
    const auto stored = bytes.subspan(section.offset, section.stored_bytes);
    const auto name = section_type_name(section.type);
    const size_t stride = mprof_column_stride(section.type, section.record_bytes);
    if (section.form == MPROF_FORM_RECORDS)
        return SectionContent{{}, stored};
    if (section.form != MPROF_FORM_COLUMNS)
        return FileError{file, section.offset,
                         fmt::format("section {} in form 0 (records) or 1 (columns)", name),
                         fmt::format("form {}", section.form)};
    if (stride == 0 || stored.size() % stride != 0)
        return FileError{file, section.offset,
                         fmt::format("section {} of whole records, by columns", name),
                         fmt::format("{} bytes in records of {}", stored.size(), stride)};
    SectionContent content;
    content.records = to_records(stored, stride);
    content.bytes = content.records;
    return content;
}

}  // namespace mprof
