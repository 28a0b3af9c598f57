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
    if (!fs::is_directory(status))
        return std::vector{path};
    std::vector<std::string> files;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        const std::string &name = it->path().native();
        if (it->is_directory(ignored) || it->path().filename().native().starts_with('.') ||
            name.ends_with(".events"))
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

}  // namespace mprof
