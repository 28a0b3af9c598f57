// A section's bytes as they are, or decompressed.
#include "read/section_content.h"

#include "read/zstd_content.h"

namespace mprof {
namespace {

// Back from columns to records (MPROF_COMPRESSION_COLUMNS).
std::vector<std::byte> to_records(const std::vector<std::byte> &columns, size_t record_bytes)
{
    const size_t count = columns.size() / record_bytes;
    std::vector<std::byte> records(columns.size());
    for (size_t column = 0; column < record_bytes; column++)
        for (size_t record = 0; record < count; record++)
            records[record * record_bytes + column] = columns[column * count + record];
    return records;
}

}  // namespace

Result<SectionContent> read_section_content(std::span<const std::byte> bytes,
                                            const mprof_section &section, const std::string &file)
{
    const auto stored = bytes.subspan(section.offset, section.stored_bytes);
    if (section.compression == MPROF_COMPRESSION_NONE)
        return SectionContent{{}, stored};
    const auto name = section_type_name(section.type);
    const bool by_columns = section.compression == MPROF_COMPRESSION_COLUMNS;
    if (section.compression != MPROF_COMPRESSION_ZSTD && !by_columns)
        return FileError{
            file, section.offset,
            fmt::format("section {} with compression 0 (none), 1 (zstd) or 2 (columns)", name),
            fmt::format("compression {}", section.compression)};
    if (by_columns &&
        (section.record_bytes == 0 || section.content_bytes % section.record_bytes != 0))
        return FileError{
            file, section.offset, fmt::format("section {} of whole records, by columns", name),
            fmt::format("{} bytes in records of {}", section.content_bytes, section.record_bytes)};
    SectionContent content;
    content.decompressed.resize(section.content_bytes);
    if (const auto problem = decompress(stored, content.decompressed))
        return FileError{
            file, section.offset,
            fmt::format("section {} to decompress to {} bytes", name, section.content_bytes),
            *problem};
    if (by_columns)
        content.decompressed = to_records(content.decompressed, section.record_bytes);
    content.bytes = content.decompressed;
    return content;
}

}  // namespace mprof
