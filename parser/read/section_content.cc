// A section's bytes as records.
#include "read/section_content.h"

namespace mprof {
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
