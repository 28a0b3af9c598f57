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
    const uint64_t bytes = file.size();
    if (bytes < sizeof(mprof_file_header))
        return;
    std::memcpy(file.data() + offsetof(mprof_file_header, file_bytes), &bytes, sizeof bytes);
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
