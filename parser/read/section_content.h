// The content of one section, cut into records. The layout has been checked (file_layout.h), so the
// bytes are inside the file.
#pragma once

#include "read/file_layout.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace mprof {

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
