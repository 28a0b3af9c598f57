// Apptainer and Singularity pass the environment on and bind some folders of the host, so that a
// preloaded library is there or not. Podman and Docker pass on neither.
#include "check/obstacles.h"

#include "check/loaded_objects.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
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

namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;
using Variable = std::function<std::string(const char *)>;

struct Engine {
    std::string_view name;
    bool passes_environment;
};
constexpr std::array<Engine, 4> engines = {
    {{"apptainer", true}, {"singularity", true}, {"podman", false}, {"docker", false}}};

const Engine *engine_of(const std::string &word)
{
    const std::string name = fs::path(word).filename().native();
    const auto *found = std::find_if(engines.begin(), engines.end(),
                                     [&](const Engine &engine) { return engine.name == name; });
    return found == engines.end() ? nullptr : found;
}

bool is_below(const std::string &path, const std::string &folder)
{
    return !folder.empty() &&
           (path == folder || path.starts_with(folder.back() == '/' ? folder : folder + "/"));
}

// Of "SOURCE[:DESTINATION[:OPTIONS]],...": is one of them the folder, at its own place?
bool is_bound_by(const std::string &text, const std::string &folder)
{
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        const std::string bind = text.substr(begin, end - begin);
        const size_t colon = bind.find(':');
        const std::string source = bind.substr(0, colon);
        const std::string destination =
            colon == std::string::npos
                ? source
                : bind.substr(colon + 1, bind.find(':', colon + 1) - colon - 1);
        if (is_below(folder, source) && destination == source)
            return true;
        begin = end + 1;
    }
    return false;
}

bool is_bound_by_variables(const std::string &folder, const Variable &variable)
{
    constexpr std::array names = {"APPTAINER_BIND", "APPTAINER_BINDPATH", "SINGULARITY_BIND",
                                  "SINGULARITY_BINDPATH"};
    return std::any_of(names.begin(), names.end(),
                       [&](const char *name) { return is_bound_by(variable(name), folder); });
}

// Without these options, home, working folder and /tmp are bound.
bool is_bound_by_default(const Words &words, const std::string &folder, const Variable &variable)
{
    // Not "-c", which is more often an option of the shell in the container.
    constexpr std::array<std::string_view, 4> against = {"--contain", "--containall", "-C",
                                                         "--no-mount"};
    const bool is_contained = std::any_of(words.begin(), words.end(), [&](const auto &word) {
        return std::find(against.begin(), against.end(), word) != against.end();
    });
    return !is_contained && (is_below(folder, variable("HOME")) ||
                             is_below(folder, variable("PWD")) || is_below(folder, "/tmp"));
}

bool is_bound_by_options(const Words &words, const std::string &folder)
{
    for (size_t i = 0; i < words.size(); i++) {
        constexpr std::array<std::string_view, 4> options = {"--bind", "-B", "--volume", "-v"};
        for (const std::string_view option : options) {
            if (words[i] == option && i + 1 < words.size() && is_bound_by(words[i + 1], folder))
                return true;
            const std::string start = std::string(option) + "=";
            if (words[i].starts_with(start) && is_bound_by(words[i].substr(start.size()), folder))
                return true;
        }
    }
    return false;
}

// "DIR/bin/mprof run" is among the words; a folder may be called mprof, too.
bool runs_mprof(const Words &words)
{
    return std::adjacent_find(words.begin(), words.end(), [](const auto &word, const auto &next) {
               const std::string name = fs::path(word).filename().native();
               return next == "run" && (name == "mprof" || name == "mprof-mpi");
           }) != words.end();
}

}  // namespace

std::optional<std::string> container_advice(const Words &command, const std::string &folder,
                                            const Variable &variable)
{
    const auto start = std::find_if(command.begin(), command.end(),
                                    [](const auto &word) { return engine_of(word) != nullptr; });
    if (start == command.end())
        return std::nullopt;
    const Engine &engine = *engine_of(*start);
    const Words words(start + 1, command.end());
    if (runs_mprof(words))
        return std::nullopt;
    if (!engine.passes_environment)
        return fmt::format(
            "{0} passes no variables into its container, so what runs there is not profiled. Let "
            "mprof run inside: {0} run -v {1}:{1} IMAGE {1}/bin/mprof run ./app",
            engine.name, folder);
    if (is_bound_by_options(words, folder) || is_bound_by_variables(folder, variable) ||
        is_bound_by_default(words, folder, variable))
        return std::nullopt;
    return fmt::format("the container of {0} does not see {1}, so what runs there is not "
                       "profiled. Bind it: {0} exec --bind {1} IMAGE ./app",
                       engine.name, folder);
}

}  // namespace mprof
