#include "main/run/named_run.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/wait.h>

namespace mprof {

std::string profile_stem(const RunOptions &options, const std::string &usual)
{
    std::string stem;
    if (const char *value = std::getenv("MPROF_OUTPUT"))
        stem = value;
    for (const auto &[name, value] : options.variables)
        if (name == "MPROF_OUTPUT")
            stem = value;
    constexpr std::string_view ending = ".mprof";
    if (stem.ends_with(ending))
        stem.resize(stem.size() - ending.size());
    return stem.empty() ? usual : stem;
}

std::string free_profile_name(const std::string &stem)
{
    std::string name = stem + ".mprof";
    for (int number = 2; std::filesystem::exists(name); number++)
        name = fmt::format("{}-{}.mprof", stem, number);
    return name;
}

void set_output(RunOptions &options, const std::string &profile)
{
    std::erase_if(options.variables,
                  [](const auto &variable) { return variable.first == "MPROF_OUTPUT"; });
    options.variables.emplace_back("MPROF_OUTPUT", profile);
}

std::string ending_words(int status)
{
    return WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                               : fmt::format("ended with exit status {}", WEXITSTATUS(status));
}

int exit_status_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace mprof
