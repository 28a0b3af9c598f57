// Options that several commands have (command_line.h).
#include "main/arguments/command_line.h"
#include "symbols/kept_names.h"

#include <cstdlib>
#include <fmt/format.h>
#include <string>

namespace mprof {

CLI::Validator from_to(double least, double most)
{
    return {[least, most](const std::string &text) {
                char *end = nullptr;
                const double value = std::strtod(text.c_str(), &end);
                const bool is_number = !text.empty() && *end == '\0';
                return is_number && value >= least && value <= most
                           ? std::string()
                           : fmt::format("{} is not a number from {} to {}", text, least, most);
            },
            ""};
}

void add_symbol_folders(CLI::App &command, const std::shared_ptr<SymbolOptions> &options)
{
    options->cache_folder = line_cache_folder();
    command
        .add_option_function<std::string>(
            "--sysroot",
            [options](std::string folder) {
                while (folder.ends_with('/'))
                    folder.pop_back();
                options->sysroot = folder;
            },
            "where the file system of the machine that ran the program is, for source lines")
        ->type_name("FOLDER");
    command
        .add_option("--debug-dir", options->debug_folders,
                    "folder with debug data, as /usr/lib/debug is one; may be repeated")
        ->type_name("FOLDER")
        ->expected(1)
        ->take_all();
}

void add_symbol_options(CLI::App &report, const std::shared_ptr<SymbolOptions> &options)
{
    add_symbol_folders(report, options);
    report.add_flag_callback(
        "--no-symbols", [options] { options->enabled = false; },
        "do not look up source lines: places are module+offset");
}

void add_width_option(CLI::App &command, size_t &width)
{
    command.add_option("--width", width, "columns of the text [the terminal's, at least 80]")
        ->type_name("N")
        ->check(from_to(80, 500));
}

void add_world_option(CLI::App &command, uint32_t &world)
{
    command
        .add_option("--world", world,
                    "which MPI_COMM_WORLD of a run that spawned others [0, the first one]")
        ->type_name("N");
}

void add_verbose_option(CLI::App &command, bool &verbose)
{
    command.add_flag("--verbose", verbose,
                     "where a file cannot be read: the offset in it, what was expected and found");
}

void add_time_options(CLI::App &command, std::string &phase, double &from_s, double &to_s)
{
    command
        .add_option("--phase", phase,
                    "print the figures of one phase of the run, by its name or number, instead")
        ->type_name("NAME");
    command.add_option("--from", from_s, "print the figures from this time of the run on, instead")
        ->type_name("SECONDS")
        ->check(CLI::NonNegativeNumber);
    command.add_option("--to", to_s, "... and up to this one")
        ->type_name("SECONDS")
        ->check(CLI::NonNegativeNumber);
}

void add_no_names_flag(CLI::App &command, bool &names)
{
    command.add_flag_callback(
        "--no-names", [&names] { names = false; },
        "do not keep names of functions, which are looked up for the new file");
}

}  // namespace mprof
