// Workers take the next file off a shared counter; each writes to its own place in the list of
// outcomes, so the result does not depend on who was faster. Exceptions (out of memory) must not
// leave a worker: they become an error of the file.
#include "merge/folder_reader.h"

#include "merge/merge_ranks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace mprof {
namespace {

namespace fs = std::filesystem;
using Outcomes = std::vector<std::optional<Result<RankFile>>>;

// Regular files and whatever pretends to be one; folders and names that begin with a dot are left
// alone.
Result<std::vector<std::string>> list_files(const std::string &folder)
{
    std::vector<std::string> files;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        if (it->is_directory(ignored) || it->path().filename().native().starts_with('.'))
            continue;
        files.push_back(it->path().native());
    }
    if (error)
        return FileError{folder, 0, "a readable folder", error.message(), false};
    std::sort(files.begin(), files.end());
    return files;
}

Result<RankFile> read_guarded(const std::string &path)
{
    try {
        return read_rank_file(path);
    } catch (const std::exception &problem) {
        return FileError{path, 0, "a file that can be read into memory", problem.what()};
    }
}

void work(const std::vector<std::string> &files, Outcomes &outcomes, std::atomic<size_t> &next)
{
    for (size_t i = next++; i < files.size(); i = next++)
        outcomes[i].emplace(read_guarded(files[i]));
}

class Progress {
public:
    Progress(size_t total, const std::atomic<size_t> &next) : total_(total), next_(next) {}
    // Returns when all files have been taken or `stop` is requested.
    void operator()(const std::stop_token &stop) const
    {
        using namespace std::chrono_literals;
        const auto begin = std::chrono::steady_clock::now();
        bool shown = false;
        while (!stop.stop_requested() && next_ < total_) {
            std::this_thread::sleep_for(20ms);
            if (std::chrono::steady_clock::now() - begin < 1s)
                continue;
            shown = true;
            fmt::print(stderr, "\rmprof: reading {} of {} files", std::min(next_.load(), total_),
                       total_);
            std::fflush(stderr);
        }
        if (shown)
            fmt::print(stderr, "\r\033[K");
    }

private:
    size_t total_;
    const std::atomic<size_t> &next_;
};

std::vector<Result<RankFile>> read_files(const std::vector<std::string> &files, bool show_progress)
{
    constexpr size_t files_per_thread = 16;  // below that a thread costs more than it brings
    Outcomes outcomes(files.size());
    std::atomic<size_t> next{0};
    {
        const size_t cores = std::max(1U, std::thread::hardware_concurrency());
        const size_t workers = std::min(cores, files.size() / files_per_thread + 1);
        std::vector<std::jthread> threads;
        if (show_progress && isatty(STDERR_FILENO) == 1)
            threads.emplace_back(Progress(files.size(), next));
        for (size_t i = 1; i < workers; i++)
            threads.emplace_back([&] { work(files, outcomes, next); });
        work(files, outcomes, next);
    }
    std::vector<Result<RankFile>> results;
    results.reserve(files.size());
    for (auto &outcome : outcomes)
        results.push_back(std::move(*outcome));
    return results;
}

}  // namespace

Result<Profile> read_profile(const std::string &path, bool show_progress,
                             std::optional<uint32_t> world)
{
    std::error_code error;
    const auto status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
        return FileError{path, 0, "a profile folder or a rank file", "no such file or folder",
                         false};
    if (error)
        return FileError{path, 0, "a profile folder or a rank file", error.message(), false};
    std::vector<std::string> files = {path};
    if (fs::is_directory(status)) {
        auto listed = list_files(path);
        if (!listed.ok())
            return listed.error();
        files = std::move(listed.value());
    }
    return merge_ranks(read_files(files, show_progress), path, world);
}

}  // namespace mprof
