// The sections of a packed rank file (mprof/format/packing.h), unpacked.
#pragma once

#include "read/file_layout.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace mprof {

struct UnpackedSections {
    std::vector<std::byte> content;
    std::vector<mprof_section> sections;  // offsets are those in `content`; nothing is compressed
};

// What is behind the header, decompressed: the columns.
Result<std::vector<std::byte>> packed_content(const mprof_file_header &header,
                                              std::span<const std::byte> body,
                                              const std::string &file);

// `body` is what is behind the header, whose checksums are right. No length in it is believed:
// memory is taken only for what the bytes can give, and for at most max_content_bytes.
Result<UnpackedSections> unpack_sections(const mprof_file_header &header,
                                         std::span<const std::byte> body, const std::string &file);

}  // namespace mprof
