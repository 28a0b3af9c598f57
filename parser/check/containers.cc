// Apptainer and Singularity pass the environment on and bind some folders of the host, so that a
// preloaded library is there or not. Podman and Docker pass on neither.
#include "check/containers.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

namespace mprof {
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
