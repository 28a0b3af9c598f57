// Files and folders that appear at their place when they are complete, or not at all.
#include "merge/output_file.h"

#include "merge/profile.h"
#include "read/events_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace mprof {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as the kernel has it
constexpr size_t most_name_bytes = 200;

// The descriptor that a name such as /dev/fd/3 means. Opening the file by its name would
// overwrite it from its beginning, although a shell's >> wants to keep its content.
std::optional<int> named_descriptor(const fs::path &path)
{
    const std::string folder = path.parent_path().native();
    const std::string name = path.filename().native();
    const bool is_listed = folder == "/dev/fd" || folder == "/proc/self/fd" ||
                           folder == fmt::format("/proc/{}/fd", getpid());
    if (!is_listed || name.empty() || name.size() > 6 ||
        name.find_first_not_of("0123456789") != std::string::npos)
        return std::nullopt;
    return std::stoi(name);
}

// A name next to it that readers of a folder do not see and nobody can guess.
std::string name_beside(const std::string &place)
{
    const fs::path path(place);
    std::random_device random;
    return (path.parent_path() / fmt::format(".{}.{:08x}{:08x}",
                                             path.filename().native().substr(0, most_name_bytes),
                                             random(), random()))
        .native();
}

// Of any profile: nothing can be made of what a command writes in its place.
bool is_events_file(const std::string &path)
{
    return is_events_name(path) && open_events_file(path).ok();
}

}  // namespace

void TakenFiles::add(const std::string &path)
{
    struct stat facts {};
    if (stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode))
        files_.emplace(facts.st_dev, facts.st_ino);
}

void TakenFiles::add_profile(const std::string &path)
{
    const auto files = profile_files(path);
    if (!files.ok())
        return;
    for (const std::string &file : files.value())
        add(file);
    for (const std::string &file : events_files(path))
        add(file);
}

bool TakenFiles::has(uint64_t device, uint64_t inode) const
{
    return files_.count({device, inode}) != 0;
}

OutputFile::OutputFile(const std::string &path, const TakenFiles &taken)
{
    open(path, taken);
}

OutputFile::~OutputFile()
{
    if (stream_ != nullptr)
        std::fclose(stream_);
    if (!beside_.empty())
        unlink(beside_.c_str());
}

// Follows links, each of which is looked at.
void OutputFile::open(const std::string &path, const TakenFiles &taken)
{
    std::string at = path;
    for (int links = 0; links < most_links; links++) {
        if (const auto descriptor = named_descriptor(at))
            return open_as_it_is(fcntl(*descriptor, F_DUPFD_CLOEXEC, 3));
        struct stat facts {};
        if (lstat(at.c_str(), &facts) != 0 || !S_ISLNK(facts.st_mode))
            return look_at(at, taken);
        if (facts.st_uid != geteuid() && facts.st_uid != 0) {
            problem_ = "there is a symbolic link of another user";
            return;
        }
        std::error_code error;
        const fs::path target = fs::read_symlink(at, error);
        if (error) {
            problem_ = error.message();
            return;
        }
        at = (fs::path(at).parent_path() / target).native();
    }
    problem_ = std::strerror(ELOOP);
}

void OutputFile::look_at(const std::string &path, const TakenFiles &taken)
{
    struct stat facts {};
    if (lstat(path.c_str(), &facts) == 0) {
        if (S_ISDIR(facts.st_mode)) {
            problem_ = std::strerror(EISDIR);
            return;
        }
        if (!S_ISREG(facts.st_mode))
            return open_as_it_is(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
        if (taken.has(facts.st_dev, facts.st_ino)) {
            problem_ = "a file that this command reads, or has written";
            return;
        }
        if (is_events_file(path)) {
            problem_ = "the single calls of a rank are there";
            return;
        }
        if (access(path.c_str(), W_OK) != 0) {  // a file that is write-protected is to stay
            problem_ = std::strerror(errno);
            return;
        }
        has_replaced_ = facts.st_size > 0;
    }
    place_ = path;
    make_beside();
}

void OutputFile::open_as_it_is(int descriptor)
{
    if (descriptor >= 0)
        stream_ = fdopen(descriptor, "wb");
    if (stream_ == nullptr)
        problem_ = std::strerror(errno);
}

void OutputFile::make_beside()
{
    const std::string beside = name_beside(place_);
    const int descriptor =
        ::open(beside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        problem_ = std::strerror(errno);
        return;
    }
    beside_ = beside;
    keep_mode_and_owner(descriptor);
    open_as_it_is(descriptor);
}

void OutputFile::keep_mode_and_owner(int descriptor)
{
    struct stat facts {};
    if (lstat(place_.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode))
        return;
    // Where that is not allowed, the new file is this user's.
    (void)!fchown(descriptor, facts.st_uid, facts.st_gid);
    (void)!fchmod(descriptor, facts.st_mode & 0777U);
}

void OutputFile::write(const void *data, size_t bytes)
{
    if (problem_.empty() && bytes > 0 && std::fwrite(data, 1, bytes, stream_) != bytes)
        problem_ = std::strerror(errno);
}

void OutputFile::rewind()
{
    if (problem_.empty() && std::fseek(stream_, 0, SEEK_SET) != 0)
        problem_ = std::strerror(errno);
}

std::string OutputFile::finish()
{
    if (stream_ != nullptr && std::fclose(std::exchange(stream_, nullptr)) != 0 && problem_.empty())
        problem_ = std::strerror(errno);
    if (!problem_.empty() || beside_.empty())
        return problem_;
    if (std::rename(beside_.c_str(), place_.c_str()) == 0)
        beside_.clear();
    else
        problem_ = std::strerror(errno);
    return problem_;
}

namespace fs = std::filesystem;

OutputFolder::OutputFolder(const std::string &path) : place_(path)
{
    while (place_.size() > 1 && place_.ends_with('/'))
        place_.pop_back();
    std::error_code error;
    const auto kind = fs::symlink_status(place_, error).type();
    if (kind != fs::file_type::not_found &&
        (kind != fs::file_type::directory || !fs::is_empty(place_, error))) {
        problem_ = "it already exists; remove it, or name another folder";
        return;
    }
    std::random_device random;
    const fs::path at(place_);
    beside_ = (at.parent_path() /
               fmt::format(".{}.{:08x}{:08x}", at.filename().native(), random(), random()))
                  .native();
}

OutputFolder::~OutputFolder()
{
    std::error_code error;
    if (!beside_.empty())
        fs::remove_all(beside_, error);
}

// An empty folder in its place goes away by that.
std::string OutputFolder::finish()
{
    if (!problem_.empty())
        return problem_;
    std::error_code error;
    fs::rename(beside_, place_, error);
    if (error)
        problem_ = error.message();
    else
        beside_.clear();
    return problem_;
}

}  // namespace mprof
