#include "fuzz_input.h"

#include "mprof/format.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace mprof_fuzz {

InputFile::InputFile(std::span<const std::byte> bytes)
    : file_(memfd_create("input", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(file_))
{
    if (file_ < 0 || write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
        std::abort();
}

InputFile::~InputFile()
{
    close(file_);
}

void seal_rank_file(std::vector<std::byte> &file)
{
    mprof_file_header header;
    if (file.size() < sizeof header)
        return;
    std::memcpy(&header, file.data(), sizeof header);
    if (header.state == MPROF_FILE_PACKED) {
        header.file_bytes = file.size();
        header.directory_checksum =
            mprof_crc32(file.data() + sizeof header, file.size() - sizeof header);
        header.header_checksum = 0;
        header.header_checksum = mprof_crc32(&header, sizeof header);
        std::memcpy(file.data(), &header, sizeof header);
        return;
    }
    if (header.state != MPROF_FILE_FINISHED || header.directory_offset > file.size())
        return;
    std::byte *directory = file.data() + header.directory_offset;
    const size_t room = (file.size() - header.directory_offset) / sizeof(mprof_section);
    const size_t count = std::min<size_t>(header.section_count, room);
    for (size_t i = 0; i < count; i++) {
        mprof_section section;
        std::memcpy(&section, directory + i * sizeof section, sizeof section);
        if (section.offset > file.size() || section.stored_bytes > file.size() - section.offset)
            continue;
        section.checksum = mprof_crc32(file.data() + section.offset, section.stored_bytes);
        std::memcpy(directory + i * sizeof section, &section, sizeof section);
    }
    header.file_bytes = file.size();
    header.directory_checksum = mprof_crc32(directory, count * sizeof(mprof_section));
    header.header_checksum = 0;
    header.header_checksum = mprof_crc32(&header, sizeof header);
    std::memcpy(file.data(), &header, sizeof header);
}

void expect_printable(std::string_view output)
{
    for (const char c : output)
        if (c != '\n' && (c < ' ' || c > '~')) {
            std::fprintf(stderr, "not printable: byte %d in the output\n",
                         static_cast<unsigned char>(c));
            std::abort();
        }
}

}  // namespace mprof_fuzz
