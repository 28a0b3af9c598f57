// Reading, unpacking and keeping whole files (file_bytes.h). Anything but a regular file is
// refused.
#include "read/file_bytes.h"

#include "mprof/format/format.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

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
        found.found = fmt::format("a link to {}, which is not on this machine or was removed",
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

FileError text_error(const std::string &path, uint64_t offset, const std::string &expected,
                     const std::string &found)
{
    constexpr size_t longest = 60;
    FileError error;
    error.file = path;
    error.offset = offset;
    error.expected = expected;
    error.found = found.size() > longest ? found.substr(0, longest) + "..." : found;
    return error;
}

Result<std::string> read_text_file(const std::string &path)
{
    constexpr uint64_t most_bytes = 256U << 20U;
    std::ifstream file(path, std::ios::binary);
    std::string text;
    char block[1 << 16];
    while (file && text.size() <= most_bytes) {
        file.read(block, sizeof block);
        text.append(block, static_cast<size_t>(file.gcount()));
    }
    if (!file.eof()) {
        FileError error = text_error(path, text.size(), "a text of at most 256 MiB",
                                     text.empty() ? "nothing that can be read" : "more");
        error.trouble = FileTrouble::unreadable;
        return error;
    }
    return text;
}

// By zlib, which has the same polynomial as mprof_crc32; a unit test holds them equal. Making a
// context of zstd takes longer than a small section: each thread keeps one.

std::optional<std::string> decompress(std::span<const std::byte> stored,
                                      std::span<std::byte> content,
                                      std::span<const std::byte> dictionary)
{
    thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(
        ZSTD_createDCtx(), ZSTD_freeDCtx);
    const size_t got =
        ZSTD_decompress_usingDict(context.get(), content.data(), content.size(), stored.data(),
                                  stored.size(), dictionary.data(), dictionary.size());
    if (ZSTD_isError(got) != 0)
        return ZSTD_getErrorName(got);
    if (got != content.size())
        return fmt::format("{} bytes", got);
    return std::nullopt;
}

std::vector<std::byte> decompress_begin(std::span<const std::byte> stored, size_t most)
{
    const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                            ZSTD_freeDStream);
    std::vector<std::byte> content(most);
    ZSTD_inBuffer from = {stored.data(), stored.size(), 0};
    ZSTD_outBuffer to = {content.data(), content.size(), 0};
    for (size_t left = 1, before = SIZE_MAX; left != 0 && to.pos < to.size && to.pos != before;) {
        before = from.pos < from.size ? SIZE_MAX : to.pos;
        left = ZSTD_decompressStream(stream.get(), &to, &from);
        if (ZSTD_isError(left) != 0)
            break;
    }
    content.resize(to.pos);
    return content;
}

std::vector<std::byte> compress(std::span<const std::byte> content)
{
    constexpr int level = 6;  // beyond, blocks of rank files hardly become smaller
    thread_local const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(
        ZSTD_createCCtx(), ZSTD_freeCCtx);
    std::vector<std::byte> stored(ZSTD_compressBound(content.size()));
    const size_t bytes = ZSTD_compressCCtx(context.get(), stored.data(), stored.size(),
                                           content.data(), content.size(), level);
    if (ZSTD_isError(bytes) != 0)
        throw std::runtime_error(ZSTD_getErrorName(bytes));
    stored.resize(bytes);
    return stored;
}

uint32_t file_checksum(std::span<const std::byte> bytes)
{
    const auto *data = reinterpret_cast<const Bytef *>(bytes.data());
    return static_cast<uint32_t>(crc32_z(0, data, bytes.size()));
}

// The folder by the XDG Base Directory Specification, and a file in it that is replaced whole.

namespace fs = std::filesystem;

std::string cache_folder()
{
    const char *wanted = std::getenv("MPROF_CACHE");
    if (wanted != nullptr && (std::string_view(wanted) == "off" || std::string_view(wanted) == "0"))
        return "";
    // An empty or relative one does not count.
    const char *cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/')
        return std::string(cache) + "/mprof";
    // On nodes of some machines nobody has a home. It is not made.
    const char *home = std::getenv("HOME");
    std::error_code problem;
    return home != nullptr && *home == '/' && fs::is_directory(home, problem)
               ? std::string(home) + "/.cache/mprof"
               : "";
}

bool keep_file(const std::string &folder, const std::string &name,
               std::span<const std::byte> content)
{
    std::error_code problem;
    if (fs::create_directories(folder, problem))  // its names are the user's alone
        fs::permissions(folder, fs::perms::owner_all, problem);
    const std::string path = folder + "/" + name;
    const std::string beside = path + ".new." + std::to_string(getpid());
    std::ofstream file(beside, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char *>(content.data()),
               static_cast<std::streamsize>(content.size()));
    file.close();
    if (file.fail()) {
        fs::remove(beside, problem);
        return false;
    }
    fs::rename(beside, path, problem);
    return !problem;
}

}  // namespace mprof
