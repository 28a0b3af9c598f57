// What the arguments of mprof are: a function for each command adds the command's options to
// CLI11's App, some of them from those that several commands have. CLI11 reads them, and
// line.action then does what they say. Called by main.cc alone, which has the table of commands.
// Then what the command line says of itself: --help, the word about a mistake, and completion in
// shells.
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

// Which of the options that most commands have: --verbose, --width, --world, --sysroot and
// --debug-dir, --no-symbols.
enum Common : unsigned { of_files = 1, of_text = 2, of_worlds = 4, of_folders = 8, of_places = 16 };
inline constexpr unsigned of_runs = of_files | of_worlds | of_folders | of_places;

void add_common_options(CLI::App &command, const std::shared_ptr<CommonOptions> &options,
                        unsigned wanted);

void add_no_names_flag(CLI::App &command, bool &names);

// A part of the run instead of all of it.
void add_time_options(CLI::App &command, ReportOptions &options);

// What the command line says of itself, made from the options that main.cc declares: --help, the
// word about a mistake, and completion in shells. Any thread.

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
