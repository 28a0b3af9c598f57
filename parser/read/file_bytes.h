// Whole files: the bytes of one, read as text too, how its sections are packed, and what a command
// keeps for the next one. Any thread.
//
// A file is read, not mapped: a running rank may replace its file meanwhile, and a file that
// shrinks under a mapping would end the parser with SIGBUS.
#pragma once

#include "read/file_result.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <optional>
#include <span>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace mprof {

// The time of day.
uint64_t realtime_ns();

// A regular file that is open for reading. Opened with O_NONBLOCK, so that a FIFO or a terminal
// that somebody put in its place cannot hang the report.
class OpenFile {
public:
    explicit OpenFile(const std::string &path)
        : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))
    {
        if (fd_ < 0 || fstat(fd_, &facts_) != 0)
            error_ = errno;
    }
    ~OpenFile()
    {
        if (fd_ >= 0)
            close(fd_);
    }
    OpenFile(const OpenFile &) = delete;
    OpenFile &operator=(const OpenFile &) = delete;

    int fd() const { return fd_; }
    int error() const { return error_; }  // errno, 0 = it is open
    bool is_regular() const { return error_ == 0 && S_ISREG(facts_.st_mode); }
    uint64_t size() const { return static_cast<uint64_t>(facts_.st_size); }
    int64_t modified_ns() const
    {
        return int64_t{facts_.st_mtim.tv_sec} * 1'000'000'000 + facts_.st_mtim.tv_nsec;
    }

private:
    int fd_ = -1;
    int error_ = 0;
    struct stat facts_ {};
};

// A longer file is refused; the largest real one is a live record with a very generous
// MPROF_MEMORY.
inline constexpr uint64_t max_file_bytes = uint64_t{2} << 30U;

// How much is read of a file that does not begin with the magic of a rank file: it may be anything.
enum class OtherFiles { begin_only /* 64 bytes */, whole };

// Reads a regular file.
Result<std::vector<std::byte>> read_file_bytes(const std::string &path,
                                               OtherFiles others = OtherFiles::begin_only);

// Reads `bytes` bytes from `offset` on; an error if the file is shorter.
Result<std::vector<std::byte>> read_file_part(const OpenFile &file, const std::string &path,
                                              uint64_t offset, uint64_t bytes);

// Files that are text and no profile: rank files, logs, what another command of mprof wrote.

// All of a file of at most 256 MiB.
Result<std::string> read_text_file(const std::string &path);

// What is wrong at `offset`; what was found is shortened.
FileError text_error(const std::string &path, uint64_t offset, const std::string &expected,
                     const std::string &found);

// What sections of files are compressed and checked with: zstd in one shot, each way, and CRC-32.
// Any thread.

// Fills `content`, which has the promised length. More or less data is a problem, which is returned
// in words. With a dictionary if it was compressed with one.
std::optional<std::string> decompress(std::span<const std::byte> stored,
                                      std::span<std::byte> content,
                                      std::span<const std::byte> dictionary = {});

// The first bytes of what is compressed, at most `most` of them; the rest is not decompressed.
// Fewer if it is shorter, or damaged.
std::vector<std::byte> decompress_begin(std::span<const std::byte> stored, size_t most);

std::vector<std::byte> compress(std::span<const std::byte> content);

// CRC-32 as mprof_crc32 of format.h defines it, and many times as fast: a large run has gigabytes.
uint32_t file_checksum(std::span<const std::byte> bytes);

// What a command keeps for the next one, in the user's cache folder: $XDG_CACHE_HOME/mprof or
// ~/.cache/mprof. For the names of places (symbols/symbol_lookup.h) and the verdicts of reports
// (list/profile_list.h). Whatever fails is as if nothing had been kept, and nothing is said.

// Where the environment says that caches go; "" = nowhere: with MPROF_CACHE=off, or without a home.
std::string cache_folder();

// Writes a file beside its place and renames it, so that two commands at once leave one of both.
// The folder is made if it is not there, and is the user's alone then. False: nothing was changed.
bool keep_file(const std::string &folder, const std::string &name,
               std::span<const std::byte> content);

}  // namespace mprof
