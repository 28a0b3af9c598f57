// Where libmprof.so is, and what ld.so preloads it with (preload.h).
//
// ld.so separates LD_PRELOAD by colons and by spaces, LD_LIBRARY_PATH by colons and by semicolons.
// Another libmprof.so (an older one of an outer `mprof run`) goes out, because two of them in one
// process would count every call twice.
#include "main/preload.h"

#include "read/printable_text.h"

#include <algorithm>
#include <array>
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

std::string preload_list(std::string_view library, std::string_view before)
{
    std::string list(library);
    while (!before.empty()) {
        const size_t end = std::min(before.find_first_of(": "), before.size());
        const std::string_view item = before.substr(0, end);
        before.remove_prefix(end == before.size() ? end : end + 1);
        const std::string_view name = item.substr(item.find_last_of('/') + 1);  // npos + 1 = 0
        if (item.empty() || name == "libmprof.so")
            continue;
        list += ':';
        list += item;
    }
    return list;
}

bool is_expanded_by_linker(std::string_view path)
{
    constexpr std::array<std::string_view, 3> names = {"ORIGIN", "LIB", "PLATFORM"};
    for (size_t at = path.find('$'); at != std::string_view::npos; at = path.find('$', at + 1)) {
        std::string_view name = path.substr(at + 1);
        if (name.starts_with('{'))
            name.remove_prefix(1);
        if (std::any_of(names.begin(), names.end(),
                        [&](std::string_view known) { return name.starts_with(known); }))
            return true;
    }
    return false;
}

std::optional<PreloadVariables> preload_variables(std::string_view library,
                                                  std::string_view preload_before,
                                                  std::string_view library_path_before)
{
    const size_t name_at = library.find_last_of('/') + 1;  // npos + 1 = 0
    const std::string_view name = library.substr(name_at);
    if (library.find(':') != std::string_view::npos || is_expanded_by_linker(library))
        return std::nullopt;
    if (library.find(' ') == std::string_view::npos)
        return PreloadVariables{preload_list(library, preload_before), std::nullopt};
    if (library.find(';') != std::string_view::npos || name.find(' ') != std::string_view::npos ||
        name_at == 0)
        return std::nullopt;
    // An empty part of LD_LIBRARY_PATH would be the working directory.
    std::string path(library.substr(0, name_at - 1));
    if (!library_path_before.empty() && library_path_before != path &&
        !library_path_before.starts_with(path + ':'))
        path.append(":").append(library_path_before);
    else if (!library_path_before.empty())
        path = library_path_before;
    return PreloadVariables{preload_list(name, preload_before), path};
}

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
