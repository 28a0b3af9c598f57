// A section's bytes as they are, or decompressed.
#include "read/section_content.h"

#include "read/zstd_content.h"

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
    if (const auto problem = decompress(stored, content))
        return FileError{
            file, section.offset,
            fmt::format("section {} to decompress to {} bytes", name, section.content_bytes),
            *problem};
    return content;
}

}  // namespace mprof
