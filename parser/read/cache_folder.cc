// The folder by the XDG Base Directory Specification, and a file in it that is replaced whole.
#include "read/cache_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace mprof {

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
