// Opens with O_NONBLOCK so that a FIFO in the folder cannot hang the report; anything but a regular
// file is refused.
#include "read/file_bytes.h"

#include "mprof/format.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mprof {
namespace {

class OpenFile {
public:
    explicit OpenFile(const std::string &path)
        : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    {
    }
    ~OpenFile()
    {
        if (fd_ >= 0)
            close(fd_);
    }
    OpenFile(const OpenFile &) = delete;
    OpenFile &operator=(const OpenFile &) = delete;
    int fd() const { return fd_; }

private:
    int fd_;
};

// Reads up to `wanted` bytes from `offset` on; fewer at the end of the file, -1 on an error.
ssize_t read_fully(int fd, std::byte *to, size_t wanted, size_t offset)
{
    size_t done = 0;
    while (done < wanted) {
        const ssize_t got = pread(fd, to + done, wanted - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += static_cast<size_t>(got);
    }
    return static_cast<ssize_t>(done);
}

}  // namespace

Result<std::vector<std::byte>> read_file_bytes(const std::string &path)
{
    const OpenFile file(path);
    struct stat facts = {};
    if (file.fd() < 0 || fstat(file.fd(), &facts) != 0)
        return FileError{path, 0, "a readable file", std::strerror(errno), false};
    if (!S_ISREG(facts.st_mode))
        return FileError{path, 0, "a regular file", "another kind of file", false};
    const auto size = static_cast<uint64_t>(facts.st_size);

    std::vector<std::byte> bytes(std::min<uint64_t>(size, sizeof(mprof_file_header)));
    ssize_t got = read_fully(file.fd(), bytes.data(), bytes.size(), 0);
    const bool begins_right =
        got >= MPROF_MAGIC_BYTES && std::memcmp(bytes.data(), MPROF_MAGIC, MPROF_MAGIC_BYTES) == 0;
    if (got >= 0 && begins_right) {
        if (size > max_file_bytes)
            return FileError{path, 0, fmt::format("at most {} bytes", max_file_bytes),
                             fmt::format("{} bytes", size)};
        const auto first = static_cast<size_t>(got);
        bytes.resize(size);
        got = read_fully(file.fd(), bytes.data() + first, bytes.size() - first, first);
        if (got >= 0)
            got += static_cast<ssize_t>(first);
    }
    if (got < 0)
        return FileError{path, 0, "a readable file", std::strerror(errno), false};
    bytes.resize(static_cast<size_t>(got));
    return bytes;
}

}  // namespace mprof
