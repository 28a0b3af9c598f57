// mprof run: preloads libmprof.so into a command and becomes that command.
//
// exec, not fork: exit status, signals, terminal and process group are the program's own, and a
// launcher sees the process that it started. Only with --html it waits (run_and_report.cc).
#include "main/commands.h"
#include "main/preload_library.h"
#include "main/preload_list.h"
#include "main/run_and_report.h"
#include "read/printable_text.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace mprof {
namespace {

std::string environment(const char *name)
{
    const char *value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool preload(const std::string &library)
{
    const auto variables =
        preload_variables(library, environment("LD_PRELOAD"), environment("LD_LIBRARY_PATH"));
    if (!variables) {
        fmt::print(stderr,
                   "mprof: {} cannot be preloaded: the dynamic linker takes the colon in the path "
                   "(or a semicolon beside a space) for a separator. Move or link it elsewhere and "
                   "set MPROF_LIBRARY to that path.\n",
                   printable_ascii(library));
        return false;
    }
    if (variables->library_path &&
        setenv("LD_LIBRARY_PATH", variables->library_path->c_str(), 1) != 0)
        return false;
    return setenv("LD_PRELOAD", variables->preload.c_str(), 1) == 0;
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
    const std::string library = find_preload_library();
    if (library.empty())
        return exit_unusable;
    if (!preload(library))
        return exit_unusable;
    for (const auto &[name, value] : options.variables)
        if (setenv(name.c_str(), value.c_str(), 1) != 0)
            return exit_unusable;
    if (options.html_file)
        return run_and_report(options, start);
    return start(options.command);
}

}  // namespace mprof
