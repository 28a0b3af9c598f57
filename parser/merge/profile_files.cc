#include "merge/profile_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace mprof {

namespace fs = std::filesystem;

Result<std::vector<std::string>> profile_files(const std::string &path)
{
    std::error_code error;
    const auto status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
        return FileError{path,
                         0,
                         "a profile folder or a rank file",
                         "no such file or folder",
                         false,
                         FileTrouble::absent};
    if (error)
        return FileError{path,
                         0,
                         "a profile folder or a rank file",
                         error.message(),
                         false,
                         FileTrouble::unreadable};
    if (!fs::is_directory(status) && is_events_name(path))
        return FileError{path,
                         0,
                         "a profile folder or a rank file",
                         "single calls of a rank",
                         false,
                         FileTrouble::events};
    if (!fs::is_directory(status))
        return std::vector{path};
    std::vector<std::string> files;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        const std::string &name = it->path().native();
        if (it->is_directory(ignored) || it->path().filename().native().starts_with('.') ||
            is_events_name(name))
            continue;
        files.push_back(it->path().native());
    }
    if (error)
        return FileError{
            path, 0, "a readable folder", error.message(), false, FileTrouble::unreadable};
    std::sort(files.begin(), files.end(), [](const std::string &a, const std::string &b) {
        return std::pair(a.size(), std::string_view(a)) < std::pair(b.size(), std::string_view(b));
    });
    return files;
}

std::vector<std::string> events_files(const std::string &path)
{
    std::error_code error;
    const fs::path folder = fs::is_directory(path, error)      ? fs::path(path)
                            : fs::path(path).has_parent_path() ? fs::path(path).parent_path()
                                                               : fs::path(".");
    std::vector<std::string> files;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (is_events_name(it->path().native()) && !it->path().filename().native().starts_with('.'))
            files.push_back(it->path().native());
    std::sort(files.begin(), files.end());
    return files;
}

bool is_events_name(std::string_view path)
{
    return path.ends_with(".events");
}

bool is_rank_file_name(std::string_view name)
{
    return name.starts_with("rank-") || name.starts_with("node-") || name.starts_with("world-") ||
           name == "job.mprof";
}

}  // namespace mprof
