// zstd in one shot into a buffer of the promised length; anything that gives less or more is an
// error.
#include "read/section_content.h"

#include <zstd.h>

namespace mprof {

Result<std::vector<std::byte>> read_section_content(std::span<const std::byte> bytes,
                                                    const mprof_section &section,
                                                    const std::string &file)
{
    const auto stored = bytes.subspan(section.offset, section.stored_bytes);
    if (section.compression == MPROF_COMPRESSION_NONE)
        return std::vector<std::byte>(stored.begin(), stored.end());
    const auto name = section_type_name(section.type);
    if (section.compression != MPROF_COMPRESSION_ZSTD)
        return FileError{file, section.offset,
                         fmt::format("section {} with compression 0 (none) or 1 (zstd)", name),
                         fmt::format("compression {}", section.compression)};
    std::vector<std::byte> content(section.content_bytes);
    const size_t got =
        ZSTD_decompress(content.data(), content.size(), stored.data(), stored.size());
    const auto expected =
        fmt::format("section {} to decompress to {} bytes", name, section.content_bytes);
    if (ZSTD_isError(got) != 0)
        return FileError{file, section.offset, expected, ZSTD_getErrorName(got)};
    if (got != content.size())
        return FileError{file, section.offset, expected, fmt::format("{} bytes", got)};
    return content;
}

}  // namespace mprof
