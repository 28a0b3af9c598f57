// The bytes of a file. It is read, not mapped: a running rank may replace its file meanwhile, and a
// file that shrinks under a mapping would end the parser with SIGBUS.
#pragma once

#include "read/file_result.h"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
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

}  // namespace mprof
