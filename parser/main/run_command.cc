// mprof run: preloads libmprof.so into a command and becomes that command.
//
// exec, not fork: exit status, signals, terminal and process group are the program's own, and a
// launcher sees the process that it started. Only with --html it waits (run_and_report.cc).
#include "check/find_program.h"
#include "check/obstacles.h"
#include "main/commands.h"
#include "main/preload_library.h"
#include "main/preload_list.h"
#include "main/run_and_report.h"
#include "read/printable_text.h"

#include <algorithm>
#include <array>
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

// One of the ranks is enough.
bool is_first_rank()
{
    constexpr std::array<const char *, 4> variables = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                                       "PMI_RANK", "SLURM_PROCID"};
    return std::none_of(variables.begin(), variables.end(), [](const char *name) {
        const std::string rank = environment(name);
        return !rank.empty() && rank != "0";
    });
}

void say_unprofiled(const std::string &program, const std::string &reason)
{
    if (is_first_rank())
        fmt::print(stderr, "mprof: {} runs without being profiled: {}.\n", printable_ascii(program),
                   printable_ascii(reason));
}

// The program's symbols tell more if it is not linked with an MPI library.
bool is_linked_with_mpi(const ElfObject &executable)
{
    return std::any_of(executable.needed.begin(), executable.needed.end(),
                       [](const auto &name) { return name.find("mpi") != std::string::npos; });
}

bool is_for_sanitizer(const ElfObject &executable)
{
    return std::any_of(executable.needed.begin(), executable.needed.end(),
                       [](const auto &name) { return name.find("asan") != std::string::npos; });
}

// Says what keeps the program from being profiled. False if the program would not start or would
// change. Then nothing is preloaded. Programs that it starts may still be profiled.
bool can_preload(const std::vector<std::string> &command, const std::string &library)
{
    const std::string path = find_behind_launchers(command).path;
    auto executable = read_elf_head(path);
    const auto preloaded = read_elf_head(library);
    if (!executable.ok() || !preloaded.ok())
        return true;  // whoever starts it will say why not
    if (const auto obstacle = find_obstacle(executable.value(), preloaded.value())) {
        say_unprofiled(path, obstacle->reason);
        return !obstacle->does_harm;
    }
    if (!is_linked_with_mpi(executable.value()) || is_for_sanitizer(executable.value()))
        executable = read_elf_object(path);
    if (!executable.ok())
        return true;
    if (contains_bare_mpi(executable.value()))
        say_unprofiled(path, "its MPI functions are in the program itself (mprof run --check "
                             "tells what can be done)");
    const std::string before = environment("ASAN_OPTIONS");
    const std::string options = sanitizer_options(executable.value(), before);
    return options.empty() || setenv("ASAN_OPTIONS", (before + options).c_str(), 1) == 0;
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
    if (can_preload(options.command, library) && !preload(library))
        return exit_unusable;
    for (const auto &[name, value] : options.variables)
        if (setenv(name.c_str(), value.c_str(), 1) != 0)
            return exit_unusable;
    if (options.html_file)
        return run_and_report(options, start);
    return start(options.command);
}

}  // namespace mprof
