#include "fuzz_input.h"

#include "mprof/format/format.h"
#include "rank_file_writer.h"

#include <cstddef>
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
    constexpr uint32_t zstd_magic = 0xfd2fb528;
    mprof_file_header header;
    uint32_t begin = zstd_magic;
    if (file.size() < sizeof header + sizeof begin)
        return;
    std::memcpy(&header, file.data(), sizeof header);
    std::memcpy(&begin, file.data() + sizeof header, sizeof begin);
    if (header.state == MPROF_FILE_FINISHED && begin != zstd_magic)
        header.content_bytes = static_cast<uint32_t>(file.size() - sizeof header);
    std::memcpy(file.data(), &header, sizeof header);
    mprof_test::seal(file);
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
