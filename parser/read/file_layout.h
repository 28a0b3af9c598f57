// The outer shape of a rank file: header and directory, checked before anybody looks into a
// section.
//
// What holds for a FileLayout: every section lies inside the file. In a finished file header and
// body have the right checksum, so no flipped byte goes unseen, and the sections and the directory
// follow each other. In a live file the checksums and file_bytes are 0 and all sections are
// records.
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
Result<OpenedRankFile> open_rank_file(std::span<const std::byte> file_bytes,
                                      const std::string &file);

const char *section_type_name(uint32_t type);

}  // namespace mprof
