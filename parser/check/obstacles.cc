#include "check/obstacles.h"

#include "check/loaded_objects.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace mprof {
namespace {

// For its owner nothing changes, and the linker preloads as always.
bool changes_user(const std::string &path)
{
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0)
        return false;
    return ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) ||
           ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid());
}

bool needs_sanitizer(const ElfObject &executable)
{
    return std::any_of(executable.needed.begin(), executable.needed.end(), [](const auto &name) {
        return name.starts_with("libasan.so") || name.starts_with("libclang_rt.asan");
    });
}

// GCC's up to version 8 have libasan.so.5 and below and know no such option; 9 has libasan.so.5,
// too.
bool needs_old_sanitizer(const ElfObject &executable)
{
    constexpr std::string_view prefix = "libasan.so.";
    constexpr int newest_old = 5;
    return std::any_of(executable.needed.begin(), executable.needed.end(), [&](const auto &name) {
        return name.starts_with(prefix) && std::atoi(name.c_str() + prefix.size()) <= newest_old;
    });
}

}  // namespace

std::optional<Obstacle> find_obstacle(const ElfObject &executable, const ElfObject &library)
{
    if (executable.machine != library.machine || executable.is_64_bit != library.is_64_bit)
        return Obstacle{fmt::format("the program is for {}, libmprof.so for {}",
                                    machine_name(executable.machine),
                                    machine_name(library.machine)),
                        !executable.interpreter.empty()};
    if (!executable.interpreter.empty() && !is_glibc_linker(executable.interpreter))
        return Obstacle{fmt::format("the program's dynamic linker is {}, not that of glibc",
                                    executable.interpreter),
                        true};
    if (needs_old_sanitizer(executable))
        return Obstacle{"the program's AddressSanitizer must be the first library, and that of GCC "
                        "before version 10 may not let itself be told otherwise",
                        true};
    if (changes_user(executable.path))
        return Obstacle{"the program has the set-user-ID or set-group-ID bit of somebody else, for "
                        "which the dynamic linker does not preload anything from this path",
                        false};
    return std::nullopt;
}

bool contains_bare_mpi(const ElfObject &executable)
{
    return executable.has_mark("PMPI_Init") && !executable.has_mark("mpi_slots");
}

std::string sanitizer_options(const ElfObject &executable, const std::string &options_before)
{
    constexpr std::string_view option = "verify_asan_link_order";
    if (!needs_sanitizer(executable) || !executable.exports_name("__asan_default_options") ||
        options_before.find(option) != std::string::npos)
        return "";
    return fmt::format("{}{}=0", options_before.empty() ? "" : ":", option);
}

}  // namespace mprof
