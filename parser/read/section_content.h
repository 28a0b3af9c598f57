// The content of one section: decompressed if it is compressed, cut into records.
//
// The layout has been checked (file_layout.h), so the stored bytes are inside the file and
// content_bytes is bounded before anything is allocated.
#pragma once

#include "read/file_layout.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace mprof {

// Where nothing is compressed, these are the file's bytes.
struct SectionContent {
    std::vector<std::byte> decompressed;
    std::span<const std::byte> bytes;
};
Result<SectionContent> read_section_content(std::span<const std::byte> bytes,
                                            const mprof_section &section, const std::string &file);

// How much of a record its first version had. What a file of that version lacks is 0.
template <class T>
inline constexpr size_t first_version_bytes = sizeof(T);
template <>
inline constexpr size_t first_version_bytes<mprof_run> = offsetof(mprof_run, lost_calls);
template <>
inline constexpr size_t first_version_bytes<mprof_thread> = offsetof(mprof_thread,
                                                                     segments_section);
template <>
inline constexpr size_t first_version_bytes<mprof_partner> = offsetof(mprof_partner, ticks);
template <>
inline constexpr size_t first_version_bytes<mprof_module> = offsetof(mprof_module, file_bytes);
template <>
inline constexpr size_t first_version_bytes<mprof_communicator> = offsetof(mprof_communicator,
                                                                           folded);
template <>
inline constexpr size_t first_version_bytes<mprof_region> = offsetof(mprof_region, folded);

// Records of type T. A newer minor version may have made them longer: what we do not know is left
// out.
template <class T>
Result<std::vector<T>> read_section_records(std::span<const std::byte> bytes,
                                            const mprof_section &section, const std::string &file)
{
    const auto name = section_type_name(section.type);
    if (section.record_bytes < first_version_bytes<T>)
        return FileError{
            file, section.offset,
            fmt::format("section {} in records of {} bytes", name, first_version_bytes<T>),
            fmt::format("records of {}", section.record_bytes)};
    if (section.content_bytes % section.record_bytes != 0)
        return FileError{
            file, section.offset,
            fmt::format("section {} in whole records of {} bytes", name, section.record_bytes),
            fmt::format("{} bytes", section.content_bytes)};
    const auto content = read_section_content(bytes, section, file);
    if (!content.ok())
        return content.error();
    const std::byte *from = content.value().bytes.data();
    std::vector<T> records(section.content_bytes / section.record_bytes);
    const size_t known_bytes = std::min<size_t>(section.record_bytes, sizeof(T));
    if (section.record_bytes == sizeof(T) && !records.empty())
        std::memcpy(records.data(), from, section.content_bytes);
    else
        for (T &record : records) {
            std::memcpy(&record, from, known_bytes);
            from += section.record_bytes;
        }
    return records;
}

}  // namespace mprof
