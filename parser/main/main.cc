// mprof: the command line. Reads the arguments and calls a command; see main/commands.h for what
// they do, and main/arguments/ for their options.
#include "main/arguments/command_line.h"
#include "main/arguments/help_texts.h"
#include "main/commands.h"
#include "main/report_output.h"
#include "read/printable_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#ifndef MPROF_VERSION
#define MPROF_VERSION "unknown"
#endif

namespace {

struct Command {
    const char *name, *about, *usage;
    void (*add_arguments)(CLI::App *command, mprof::CommandLine &line);
};

// In the order of mprof --help.
constexpr Command commands[] = {
    {"run", "Run a program under the profiler", "mprof run [OPTIONS] [--] COMMAND [ARGUMENTS...]",
     mprof::add_run},
    {"report", "Tell what a profile says: text, a page, JSON or CSV",
     "mprof report [FOLDER] [--all|--brief] [--html FILE] [--json FILE]", mprof::add_report},
    {"list", "List the profiles below a folder, the newest first",
     "mprof list [FOLDER] [--since DATE] [--program NAME] [--json FILE]", mprof::add_list},
    {"diff", "Tell what is slower or faster than before",
     "mprof diff A[,A2...] B[,B2...] [--fail-if-slower 5%] [--json FILE]", mprof::add_diff},
    {"hang", "Tell where the ranks of a running or killed job stand, and who waits for whom",
     "mprof hang [FOLDER] [--rank N] [--json FILE] [--world N]", mprof::add_hang},
    {"top", "Watch a running job", "mprof top [FOLDER] [--interval SECONDS] [--once]",
     mprof::add_top},
    {"scrub", "Make a file of a profile without host names, paths and arguments, to share",
     "mprof scrub FOLDER -o FILE [--no-names]", mprof::add_scrub},
    {"merge", "Put the files of a profile folder into one",
     "mprof merge FOLDER -o FILE [--lines | --no-names]", mprof::add_merge},
    {"trace", "Write a timeline for Perfetto or Vampir",
     "mprof trace FOLDER [-o FILE.pftrace] [--otf2 FOLDER]", mprof::add_trace},
    {"export", "Write runs for databases, flame graphs or monitoring",
     "mprof export FOLDER... --folded FILE (or another option)", mprof::add_export},
    {"scale", "Tell how a program scales, and what stops it", "mprof scale [OPTIONS] RUN RUN...",
     mprof::add_scale},
    {"place", "Find an order of the ranks that keeps partners near", "mprof place [OPTIONS] FOLDER",
     mprof::add_place},
    {"tune", "Try the settings of the MPI that the profile speaks for, and tell which help",
     "mprof tune [OPTIONS] [--] COMMAND [ARGUMENTS...]", mprof::add_tune},
    {"machine", "Measure what the machine and its MPI can do",
     "mprof machine [OPTIONS] -- mpirun -n N, or mprof machine FILE...", mprof::add_machine},
    {"lint", "Tell what the program does wrong with MPI, by line",
     "mprof lint FOLDER [--fail-on SEVERITY] [--json FILE] [--sarif FILE]", mprof::add_lint},
    {"archive", "Keep runs for years, and tell which became slower",
     "mprof archive ACTION ARCHIVE [WORD...]", mprof::add_archive},
    {"mcp", "Answer an assistant about the profiles below a folder", "mprof mcp [FOLDER] [--lines]",
     mprof::add_mcp},
};

void set_usage(CLI::App &app, const char *usage)
{
    app.formatter(std::make_shared<mprof::HelpFormatter>(usage));
}

int run_main(int argc, char **argv)
{
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    mprof::CommandLine line;
    line.command = mprof::take_command(words);
    if (words.empty()) {
        std::fputs(mprof::first_minute, stderr);
        return mprof::exit_unusable;
    }
    CLI::App app(mprof::about, "mprof");
    set_usage(app, "mprof COMMAND [OPTIONS]");
    app.set_version_flag("--version", "mprof " MPROF_VERSION);
    app.add_option_function<std::string>(
           "--completions",
           [&app](const std::string &shell) {
               std::fputs(mprof::completion_script(app, shell).value_or("").c_str(), stdout);
               throw CLI::Success();
           },
           "print the completion for that shell, and do nothing else")
        ->type_name("bash|zsh|fish")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    app.require_subcommand(1);
    app.footer(mprof::examples);
    for (const Command &command : commands) {
        CLI::App *parser = app.add_subcommand(command.name, command.about);
        set_usage(*parser, command.usage);
        command.add_arguments(parser, line);
    }
    for (const mprof::HelpText &text : mprof::help_texts)
        app.get_subcommand(text.command)->footer(text.footer);
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
