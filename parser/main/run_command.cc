// mprof run: preloads libmprof.so into a command and starts it.
//
// Behind a launcher it becomes the command by exec: exit status, signals, terminal and process
// group are the program's own, and the launcher sees the process that it started. Else it waits
// for the command, to say where the profile is (run_and_report.cc).
#include "check/loaded_objects.h"
#include "check/program_check.h"
#include "main/commands.h"
#include "main/preload.h"
#include "main/run/child_process.h"
#include "read/printable_text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
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
        fmt::print(
            stderr,
            "mprof: {} cannot be preloaded: the dynamic linker {}. Move or link it elsewhere "
            "and set MPROF_LIBRARY to that path.\n",
            printable_text(library),
            is_expanded_by_linker(library)
                ? "replaces $LIB, $ORIGIN or $PLATFORM in the path"
                : "treats the colon in the path (or a semicolon next to a space) as a separator");
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
        fmt::print(stderr, "mprof: {} runs without being profiled: {}.\n", printable_text(program),
                   printable_text(reason));
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

// Harmful: the program would not start, or would change. Then nothing is preloaded. Useless: it is
// not profiled, but programs that it starts may be. Of both a line says why.
enum class Preload { useful, useless, harmful };

Preload can_preload(const std::vector<std::string> &command, const std::string &library)
{
    const std::string path = find_behind_launchers(command).path;
    auto executable = read_elf_head(path);
    const auto preloaded = read_elf_head(library);
    if (!executable.ok() || !preloaded.ok())
        return Preload::useful;  // whoever starts it will say why not
    Preload kind = Preload::useful;
    if (const auto obstacle = find_obstacle(executable.value(), preloaded.value())) {
        say_unprofiled(path, obstacle->reason);
        return obstacle->does_harm ? Preload::harmful : Preload::useless;
    }
    if (!is_linked_with_mpi(executable.value()) || is_for_sanitizer(executable.value()))
        executable = read_elf_object(path);
    if (!executable.ok())
        return kind;
    if (contains_bare_mpi(executable.value())) {
        kind = Preload::useless;
        say_unprofiled(path, "its MPI functions are in the program itself (mprof run --check says "
                             "what can be done)");
    }
    const std::string before = environment("ASAN_OPTIONS");
    const std::string options = sanitizer_options(executable.value(), before);
    if (!options.empty() && setenv("ASAN_OPTIONS", (before + options).c_str(), 1) != 0)
        return Preload::harmful;
    return kind;
}

// DIR of DIR/lib/libmprof.so is what a container must see.
void say_container_advice(const std::vector<std::string> &command, const std::string &library)
{
    const auto folder = std::filesystem::path(library).parent_path().parent_path();
    const auto advice = container_advice(command, folder.native(), environment);
    if (advice && is_first_rank())
        fmt::print(stderr, "mprof: {}.\n", printable_text(*advice));
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
    const bool is_missing = reason == ENOENT || reason == ENOTDIR;
    fmt::print(stderr, "mprof: cannot start {}: {}. {}\n", printable_text(words.front()),
               std::strerror(reason),
               is_missing ? "Check its name, or name it with its folder"
                          : "If it is the right file, chmod +x makes it executable");
    return is_missing ? exit_not_found : exit_not_executable;
}

// Sets what the command inherits. Nothing, with a message on stderr, if that cannot be.
std::optional<Preload> prepare(const RunOptions &options)
{
    const std::string library = find_preload_library();
    if (library.empty())
        return std::nullopt;
    say_container_advice(options.command, library);
    const Preload kind = can_preload(options.command, library);
    if (kind != Preload::harmful && !preload(library))
        return std::nullopt;
    // Where the profile is wanted, also if a script changes the folder before the program starts.
    std::error_code none;
    const std::string folder = std::filesystem::current_path(none).native();
    if (!none && setenv("MPROF_START_FOLDER", folder.c_str(), 1) != 0)
        return std::nullopt;
    // The report at the end has the summary's figures.
    if (options.report && setenv("MPROF_SUMMARY", "off", 0) != 0)
        return std::nullopt;
    for (const auto &[name, value] : options.variables)
        if (setenv(name.c_str(), value.c_str(), 1) != 0)
            return std::nullopt;
    // NCCL and RCCL find their profiler by this name; nobody's own is replaced.
    if (kind != Preload::harmful && environment("MPROF_GPU") == "kernels" &&
        setenv("NCCL_PROFILER_PLUGIN", library.c_str(), 0) != 0)
        return std::nullopt;
    return kind;
}

}  // namespace

int run_command(const RunOptions &options)
{
    const bool reports = options.html_file || options.report;
    if (reports && is_launched()) {
        const char *option = options.html_file ? "--html FILE" : "--report";
        fmt::print(stderr,
                   "mprof: {0} belongs before the launcher: mprof run {0} -- mpirun -n 4 ./app\n",
                   option);
        return exit_unusable;
    }
    const auto kind = prepare(options);
    if (!kind)
        return exit_unusable;
    return is_launched() ? start(options.command)
                         : run_and_report(options, start, *kind == Preload::useful);
}

int become_command(const RunOptions &options)
{
    return prepare(options) ? start(options.command) : exit_unusable;
}

// mprof run --check: prints what check/ found out.
int check_run_command(const std::vector<std::string> &command)
{
    const std::string library = find_preload_library();
    if (library.empty())
        return exit_unusable;
    const ProgramCheck check = check_command(command, library);
    for (const auto &[name, value] : check.facts)
        fmt::print("{:10}: {}\n", name, printable_text(value));
    for (const std::string &sentence : check.conclusions)
        fmt::print("{}\n", printable_text(sentence));
    return static_cast<int>(check.outcome);
}

}  // namespace mprof
