// mprof run: preloads libmprof.so into a command and becomes that command.
//
// exec, not fork: exit status, signals, terminal and process group are the program's own, and a
// launcher sees the process that it started. libmprof.so is looked for beside this executable, so
// that a moved installation works.
#include "main/commands.h"
#include "main/preload_list.h"
#include "read/printable_text.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

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

// The path to preload, or "" after a message.
std::string find_library()
{
    if (const char *chosen = std::getenv("MPROF_LIBRARY"); chosen != nullptr && *chosen != '\0') {
        std::error_code error;
        const fs::path path = fs::absolute(chosen, error);
        if (!error && is_readable(path))
            return path.native();
        fmt::print(stderr, "mprof: MPROF_LIBRARY is {}, which cannot be read: {}\n",
                   printable_ascii(chosen), std::strerror(errno));
        return "";
    }
    const auto places = library_candidates();
    for (const fs::path &path : places)
        if (is_readable(path))
            return path.native();
    fmt::print(stderr, "mprof: libmprof.so not found; looked at\n");
    for (const fs::path &path : places)
        fmt::print(stderr, "  {}\n", printable_ascii(path.native()));
    fmt::print(stderr, "Set MPROF_LIBRARY to its path.\n");
    return "";
}

int start(const std::vector<std::string> &command)
{
    std::vector<std::string> words = command;  // exec wants them writable
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    const int reason = errno;
    fmt::print(stderr, "mprof: cannot start {}: {}\n", printable_ascii(words.front()),
               std::strerror(reason));
    return reason == ENOENT || reason == ENOTDIR ? exit_not_found : exit_not_executable;
}

}  // namespace

int run_command(const RunOptions &options)
{
    const std::string library = find_library();
    if (library.empty())
        return exit_unusable;
    if (library.find_first_of(": \t\n") != std::string::npos) {
        fmt::print(stderr, "mprof: {} cannot be preloaded: no colon or space may be in its path\n",
                   printable_ascii(library));
        return exit_unusable;
    }
    const char *before = std::getenv("LD_PRELOAD");
    const std::string list = preload_list(library, before == nullptr ? "" : before);
    if (setenv("LD_PRELOAD", list.c_str(), 1) != 0)
        return exit_unusable;
    for (const auto &[name, value] : options.variables)
        if (setenv(name.c_str(), value.c_str(), 1) != 0)
            return exit_unusable;
    return start(options.command);
}

}  // namespace mprof
