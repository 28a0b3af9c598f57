#include "tune/tuned_command.h"

#include "read/text/command_words.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

namespace mprof {

std::optional<size_t> launcher_word(const std::vector<std::string> &command)
{
    constexpr std::string_view launchers[] = {"mpirun", "mpiexec", "orterun", "prterun"};
    for (size_t i = 0; i < command.size(); i++) {
        const std::string name = std::filesystem::path(command[i]).filename().native();
        if (std::any_of(std::begin(launchers), std::end(launchers), [&](std::string_view launcher) {
                return name == launcher || name.starts_with(std::string(launcher) + ".");
            }))
            return i;
    }
    return std::nullopt;
}

std::vector<std::string> tuned_command(const std::vector<std::string> &command,
                                       const Experiment &experiment)
{
    std::vector<std::string> words = command;
    if (const auto launcher = launcher_word(command))
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(*launcher) + 1,
                     experiment.launcher_options.begin(), experiment.launcher_options.end());
    return words;
}

std::string tuned_line(const std::vector<std::string> &command, const Experiment &experiment)
{
    std::vector<std::string> words;
    for (const Setting &setting : experiment.settings)
        words.push_back(setting.variable + "=" + quoted_word(setting.value));
    for (const std::string &word : tuned_command(command, experiment))
        words.push_back(quoted_word(word));
    return fmt::format("{}", fmt::join(words, " "));
}

std::string tuned_script(const Tuning &tuning)
{
    std::string text = fmt::format("# By mprof tune: {}\n", tuning.headline);
    if (!tuning.best)
        return text;
    const Experiment &experiment = tuning.trials[*tuning.best].experiment;
    for (const Setting &setting : experiment.settings)
        text += fmt::format("export {}={}\n", setting.variable, quoted_word(setting.value));
    if (!experiment.launcher_options.empty())
        text += fmt::format("# and options of the launcher: {}\n",
                            fmt::join(experiment.launcher_options, " "));
    return text;
}

}  // namespace mprof
