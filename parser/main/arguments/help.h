// What the command line says of itself, made from the options that main.cc declares: --help, the
// word about a mistake, and completion in shells. Any thread.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mprof {

// How --help looks: at most 80 columns, the descriptions below each other.
class HelpFormatter : public CLI::Formatter {
public:
    explicit HelpFormatter(std::string usage);  // without "Usage: "

    std::string make_usage(const CLI::App *app, std::string name) const override;
    std::string make_description(const CLI::App *app) const override;
    std::string make_subcommand(const CLI::App *command) const override;
    std::string make_option(const CLI::Option *option, bool is_positional) const override;

private:
    std::string usage_;
};

// What the command says to a wrong command line: what is wrong, what was probably meant, and what
// to do next. One line each.

// The line for the error that CLI11 found, without "mprof: " before it.
std::string describe_mistake(const CLI::App &app, const CLI::Error &problem);

// Completion of the command line in bash, zsh and fish, made from the options that main.cc
// declares: `mprof --completions SHELL` prints it, and the build installs it.

// The script for "bash", "zsh" or "fish"; nothing for another name.
std::optional<std::string> completion_script(const CLI::App &app, std::string_view shell);

}  // namespace mprof
