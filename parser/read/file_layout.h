// The outer shape of a rank file: header and directory, checked before anybody looks into a
// section; then a section's records.
//
// What holds for a FileLayout: every section is inside the file. In a finished file header and
// body have the right checksum, so no flipped byte goes unseen, and the sections and the directory
// follow each other. In a live file the checksums and file_bytes are 0 and all sections are
// records.
#pragma once

#include "mprof/format/format.h"
#include "read/file_result.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

namespace mprof {

// All decompressed sections of one file together: no larger record can come from libmprof.
inline constexpr uint64_t max_content_bytes = uint64_t{1} << 30U;
// A zstd block of 4 bytes can expand to 128 KiB; nothing that zstd writes decompresses to more than
// that.
inline constexpr uint64_t max_zstd_ratio = 32768;

struct FileLayout {
    mprof_file_header header{};
    std::vector<mprof_section> sections;  // the whole directory: other sections refer to it by
                                          // index

    bool finished() const { return header.state != MPROF_FILE_LIVE; }
};

// A rank file, in which `offset` of a section counts: `bytes` are those of the file itself, or
// `unpacked`.
struct OpenedRankFile {
    FileLayout layout;
    std::vector<std::byte> unpacked;
    std::span<const std::byte> bytes;
};
// `is_checked`: the bytes are part of something whose checksum was right, so that of the file's
// sections need not be made.
Result<OpenedRankFile> open_rank_file(std::span<const std::byte> file_bytes,
                                      const std::string &file, bool is_checked = false);

const char *section_type_name(uint32_t type);

// The content of one section, cut into records. The layout has been checked, so
// the bytes are inside the file.

// Of a section that is stored as records these are the file's bytes.
struct SectionContent {
    std::vector<std::byte> records;
    std::span<const std::byte> bytes;
};
Result<SectionContent> read_section_content(std::span<const std::byte> bytes,
                                            const mprof_section &section, const std::string &file);

// Records of type T. In another minor version they may be longer or shorter: what is not known here
// is left out, and what is lacking is 0.
template <class T>
Result<std::vector<T>> read_section_records(std::span<const std::byte> bytes,
                                            const mprof_section &section, const std::string &file)
{
    const auto name = section_type_name(section.type);
    if (section.record_bytes == 0 || section.stored_bytes % section.record_bytes != 0)
        return FileError{
            file, section.offset,
            fmt::format("section {} in whole records of {} bytes", name, section.record_bytes),
            fmt::format("{} bytes", section.stored_bytes)};
    const size_t count = section.stored_bytes / section.record_bytes;
    if (count > max_content_bytes / sizeof(T))
        return FileError{
            file, section.offset,
            fmt::format("section {} of at most {} records", name, max_content_bytes / sizeof(T)),
            fmt::format("{}", count)};
    const auto content = read_section_content(bytes, section, file);
    if (!content.ok())
        return content.error();
    const std::byte *from = content.value().bytes.data();
    std::vector<T> records(count);
    const size_t known_bytes = std::min<size_t>(section.record_bytes, sizeof(T));
    if (section.record_bytes == sizeof(T) && !records.empty())
        std::memcpy(records.data(), from, section.stored_bytes);
    else
        for (T &record : records) {
            std::memcpy(&record, from, known_bytes);
            from += section.record_bytes;
        }
    return records;
}

}  // namespace mprof
