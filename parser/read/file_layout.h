// The outer shape of a rank file: header and directory, checked before anybody looks into a
// section.
//
// What holds for a FileLayout: every section lies inside the file; in a finished file header,
// directory and all sections (unknown ones, too) have the right checksum, do not overlap, and every
// byte that belongs to none of them is 0 - so no flipped byte goes unseen. In a live file the
// checksums and file_bytes are 0 and nothing is compressed.
#pragma once

#include "mprof/format/format.h"
#include "read/file_result.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace mprof {

// All decompressed sections of one file together: no larger record can come from libmprof.
inline constexpr uint64_t max_content_bytes = uint64_t{1} << 30U;
// A zstd block of 4 bytes can stand for 128 KiB; nothing that zstd writes decompresses to more than
// that.
inline constexpr uint64_t max_zstd_ratio = 32768;

// In which `offset` of a section counts: a LIVE or FINISHED file; what is in a PACKED one.
struct FileLayout {
    mprof_file_header header{};
    std::vector<mprof_section> sections;  // the whole directory: other sections refer to it by
                                          // index

    bool finished() const { return header.state != MPROF_FILE_LIVE; }
};

// Of a LIVE or FINISHED file.
Result<FileLayout> read_file_layout(std::span<const std::byte> bytes, const std::string &file);

// Any rank file. The sections are in `bytes`: in the file itself, or in `unpacked`.
struct OpenedRankFile {
    FileLayout layout;
    std::vector<std::byte> unpacked;
    std::span<const std::byte> bytes;
};
Result<OpenedRankFile> open_rank_file(std::span<const std::byte> file_bytes,
                                      const std::string &file);

const char *section_type_name(uint32_t type);

}  // namespace mprof
