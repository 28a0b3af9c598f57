// What the arguments of mprof are. What options are called and what is said about them is in
// main/commands/*.md, of which describe.py makes the rows below, the man pages and the completions.
// A function for each command says where an option's value goes: it adds the described options to
// CLI11's App, which reads them, and line.action then does what they say. Called by main.cc alone.
#pragma once

#include "main/commands.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mprof {

struct CommandText {
    std::string_view name, usage, help;  // name "": mprof itself
};
struct OptionText {
    std::string_view command, names, value, variable;  // "-o,--output", "FILE", "MPROF_OUTPUT"
};
struct ShellText {
    std::string_view shell, script;
};

const CommandText &described_command(std::string_view name);
std::vector<OptionText> described_options(std::string_view command);
std::optional<OptionText> described_option(const CLI::App &command, std::string_view name);
// Throws std::logic_error where the description lacks it.
OptionText option_text(const CLI::App &command, std::string_view name);
// Throws std::logic_error where a described option has not been added.
void expect_all_described(const CLI::App &command);

// An option that takes a value, or a word on its own, as it is described.
template <typename... Target>
CLI::Option *add_value(CLI::App &command, std::string_view name, Target &...target)
{
    const OptionText text = option_text(command, name);
    return command.add_option(std::string(text.names), target...)
        ->type_name(std::string(text.value));
}

template <typename... Target>
CLI::Option *add_flag(CLI::App &command, std::string_view name, Target &...target)
{
    return command.add_flag(std::string(option_text(command, name).names), target...);
}

struct CommandLine {
    std::vector<std::string> command;  // that mprof run, tune and machine start
    std::function<int()> action;       // the exit status; set when the arguments are read
};

// Takes the command that is to be started, and the -- before it, off the words. It is not left to
// CLI11: what follows -- in a subcommand it hands to the main command.
std::vector<std::string> take_command(std::vector<std::string> &words);

void add_run(CLI::App *run, CommandLine &line);
void add_report(CLI::App *report, CommandLine &line);
void add_diff(CLI::App *diff, CommandLine &line);
void add_hang(CLI::App *hang, CommandLine &line);
void add_top(CLI::App *top, CommandLine &line);
void add_scrub(CLI::App *scrub, CommandLine &line);
void add_merge(CLI::App *merge, CommandLine &line);
void add_trace(CLI::App *trace, CommandLine &line);
void add_export(CLI::App *command, CommandLine &line);
void add_scale(CLI::App *command, CommandLine &line);
void add_place(CLI::App *command, CommandLine &line);
void add_tune(CLI::App *tune, CommandLine &line);
void add_machine(CLI::App *machine, CommandLine &line);
void add_lint(CLI::App *lint, CommandLine &line);
void add_list(CLI::App *list, CommandLine &line);
void add_archive(CLI::App *command, CommandLine &line);
void add_mcp(CLI::App *command, CommandLine &line);

// A number. CLI11's own words for this have six digits behind the point.
CLI::Validator from_to(double least, double most);

// A date (report/number_text.h): another word is an error that names all forms.
CLI::Validator as_date();

// --html, --json and the options that a description takes from shared.md: those that it has.
void add_common_options(CLI::App &command, const std::shared_ptr<CommonOptions> &options);

void add_no_names_flag(CLI::App &command, bool &names);

// What the command says to a wrong command line: what is wrong, what was probably meant, and what
// to do next. One line, for the error that CLI11 found, without "mprof: " before it.
std::string describe_mistake(const CLI::App &app, const CLI::Error &problem);

// The completion for "bash", "zsh" or "fish"; nothing for another name.
std::optional<std::string_view> completion_script(std::string_view shell);

}  // namespace mprof
