// Anything but a regular file is refused.
#include "read/file_bytes.h"

#include "mprof/format/format.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace mprof {
namespace {

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

// With MPROF_LIVE a rank file is a link to the record on the rank's node until the rank ends well.
FileError cannot_open(const std::string &path, int problem)
{
    std::error_code error;
    const auto target = std::filesystem::read_symlink(path, error);
    FileError found = {path,
                       0,
                       "a readable file",
                       std::strerror(problem),
                       false,
                       problem == ENOENT ? FileTrouble::absent : FileTrouble::unreadable};
    if (!error) {
        found.found = fmt::format("a link to {}, which is not on this machine, or was removed",
                                  target.native());
        found.trouble = problem == ENOENT ? FileTrouble::elsewhere : FileTrouble::unreadable;
    }
    return found;
}

}  // namespace

uint64_t realtime_ns()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

Result<std::vector<std::byte>> read_file_bytes(const std::string &path, OtherFiles others)
{
    const OpenFile file(path);
    if (file.error() != 0)
        return cannot_open(path, file.error());
    if (!file.is_regular())
        return FileError{
            path, 0, "a regular file", "another kind of file", false, FileTrouble::other_kind};
    const uint64_t size = file.size();

    std::vector<std::byte> bytes(std::min<uint64_t>(size, sizeof(mprof_file_header)));
    ssize_t got = read_fully(file.fd(), bytes.data(), bytes.size(), 0);
    const bool begins_right =
        got >= MPROF_MAGIC_BYTES && std::memcmp(bytes.data(), MPROF_MAGIC, MPROF_MAGIC_BYTES) == 0;
    if (got >= 0 && (begins_right || others == OtherFiles::whole)) {
        if (size > max_file_bytes)
            return FileError{path,
                             0,
                             fmt::format("at most {} bytes", max_file_bytes),
                             fmt::format("{} bytes", size),
                             true,
                             FileTrouble::too_large};
        const auto first = static_cast<size_t>(got);
        bytes.resize(size);
        got = read_fully(file.fd(), bytes.data() + first, bytes.size() - first, first);
        if (got >= 0)
            got += static_cast<ssize_t>(first);
    }
    if (got < 0)
        return FileError{
            path, 0, "a readable file", std::strerror(errno), false, FileTrouble::unreadable};
    bytes.resize(static_cast<size_t>(got));
    return bytes;
}

Result<std::vector<std::byte>> read_file_part(const OpenFile &file, const std::string &path,
                                              uint64_t offset, uint64_t bytes)
{
    std::vector<std::byte> content(bytes);
    const ssize_t got = read_fully(file.fd(), content.data(), bytes, offset);
    if (got < 0)
        return FileError{
            path, offset, "a readable file", std::strerror(errno), true, FileTrouble::unreadable};
    if (static_cast<uint64_t>(got) < bytes)
        return FileError{path,
                         offset,
                         fmt::format("{} bytes", bytes),
                         fmt::format("{}", got),
                         true,
                         FileTrouble::cut_off};
    return content;
}

}  // namespace mprof
