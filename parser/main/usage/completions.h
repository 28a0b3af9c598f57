// Completion of the command line in bash, zsh and fish, made from the options that main.cc
// declares: `mprof --completions SHELL` prints it, and the build installs it.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mprof {

// The script for "bash", "zsh" or "fish"; nothing for another name.
std::optional<std::string> completion_script(const CLI::App &app, std::string_view shell);

}  // namespace mprof
