// A regular file that is open for reading. Opened with O_NONBLOCK, so that a FIFO or a terminal
// that somebody put in its place cannot hang the report.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace mprof {

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

}  // namespace mprof
