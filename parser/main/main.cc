// mprof: the command line. Reads the arguments and calls a command; see main/commands.h for what
// they do, main/arguments/ for their options, and main/commands/ for what is said about both.
#include "main/arguments/command_line.h"
#include "main/commands.h"
#include "main/report_output.h"
#include "read/printable_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#ifndef MPROF_VERSION
#define MPROF_VERSION "unknown"
#endif

namespace {

// For somebody who types `mprof` and nothing else.
constexpr const char *first_minute =
    R"(mprof tells what an MPI program spends its time on. To begin with, five commands
are enough:

  mprof run -- mpirun -n 4 ./app args    run a program under the profiler
  mprof report --html page.html          a page of the newest profile here
  mprof diff OLD.mprof NEW.mprof         what is slower or faster than before
  mprof hang FOLDER                      where the ranks of a hanging job stand
  mprof top FOLDER                       watch a running job

All commands: mprof --help. The options of one: mprof report --help.
)";

struct Command {
    const char *name;
    void (*add_arguments)(CLI::App *command, mprof::CommandLine &line);
};

constexpr Command commands[] = {
    {"run", mprof::add_run},         {"report", mprof::add_report},   {"list", mprof::add_list},
    {"diff", mprof::add_diff},       {"hang", mprof::add_hang},       {"top", mprof::add_top},
    {"scrub", mprof::add_scrub},     {"merge", mprof::add_merge},     {"trace", mprof::add_trace},
    {"export", mprof::add_export},   {"scale", mprof::add_scale},     {"place", mprof::add_place},
    {"tune", mprof::add_tune},       {"machine", mprof::add_machine}, {"lint", mprof::add_lint},
    {"archive", mprof::add_archive}, {"mcp", mprof::add_mcp},
};

void set_help(CLI::App &app, std::string_view name)
{
    app.formatter_fn([name](const CLI::App * /*app*/, const std::string & /*name*/,
                            CLI::AppFormatMode /*mode*/) {
        return std::string(mprof::described_command(name).help);
    });
}

void print_completion(const std::string &shell)
{
    const std::string script(mprof::completion_script(shell).value_or(""));
    std::fputs(script.c_str(), stdout);
    throw CLI::Success();
}

int run_main(int argc, char **argv)
{
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    mprof::CommandLine line;
    line.command = mprof::take_command(words);
    if (words.empty()) {
        std::fputs(first_minute, stderr);
        return mprof::exit_unusable;
    }
    CLI::App app("", "mprof");
    set_help(app, "");
    app.set_version_flag("--version", "mprof " MPROF_VERSION);
    app.add_option_function<std::string>("--completions", print_completion)
        ->type_name(std::string(mprof::option_text(app, "--completions").value))
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    mprof::expect_all_described(app);
    app.require_subcommand(1);
    for (const Command &command : commands) {
        CLI::App *parser = app.add_subcommand(command.name);
        set_help(*parser, command.name);
        command.add_arguments(parser, line);
        mprof::expect_all_described(*parser);
    }
    try {
        std::reverse(words.begin(), words.end());  // CLI11 takes them off the end
        app.parse(words);
    } catch (const CLI::ParseError &problem) {
        // Help and version are "errors" of status 0.
        if (problem.get_exit_code() != 0) {
            std::fprintf(stderr, "mprof: %s\n", mprof::describe_mistake(app, problem).c_str());
            return mprof::exit_unusable;
        }
        app.exit(problem);
        return mprof::exit_fine;
    }
    return line.action();
}

}  // namespace

int main(int argc, char **argv)
{
    try {
        mprof::set_utf8_shown(mprof::speaks_utf8());
        return run_main(argc, argv);
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "mprof: %s\n", problem.what());
        return mprof::exit_unusable;
    }
}
