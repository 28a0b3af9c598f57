#include "main/preload.h"

#include "read/printable_text.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

#ifndef MPROF_LIBDIR_FROM_BINDIR
#define MPROF_LIBDIR_FROM_BINDIR "../lib"
#endif

namespace mprof {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> library_candidates()
{
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error)
        return {};
    std::vector<fs::path> places;
    for (const char *folder :
         {MPROF_LIBDIR_FROM_BINDIR, "../lib", "../lib/mprof", "../lib64", "../lib64/mprof", "."})
        places.push_back((self.parent_path() / folder / "libmprof.so").lexically_normal());
    // Debian's multiarch folders, whatever this machine is called.
    const fs::path lib = (self.parent_path() / "../lib").lexically_normal();
    for (fs::directory_iterator it(lib, error), end; !error && it != end; it.increment(error))
        if (it->path().filename().native().find("-linux-gnu") != std::string::npos) {
            places.push_back(it->path() / "libmprof.so");
            places.push_back(it->path() / "mprof" / "libmprof.so");
        }
    return places;
}

bool is_readable(const fs::path &path)
{
    return access(path.c_str(), R_OK) == 0;
}

}  // namespace

std::string find_preload_library()
{
    if (const char *chosen = std::getenv("MPROF_LIBRARY"); chosen != nullptr && *chosen != '\0') {
        std::error_code error;
        const fs::path path = fs::absolute(chosen, error);
        if (!error && is_readable(path))
            return path.native();
        fmt::print(stderr, "mprof: MPROF_LIBRARY is {}, which cannot be read: {}\n",
                   printable_text(chosen), std::strerror(errno));
        return "";
    }
    const auto places = library_candidates();
    for (const fs::path &path : places)
        if (is_readable(path))
            return path.native();
    fmt::print(stderr, "mprof: libmprof.so not found; looked at\n");
    for (const fs::path &path : places)
        fmt::print(stderr, "  {}\n", printable_text(path.native()));
    fmt::print(stderr, "Set MPROF_LIBRARY to its path.\n");
    return "";
}

}  // namespace mprof
