// Options that several commands have (command_line.h).
#include "main/arguments/command_line.h"
#include "report/number_text.h"
#include "symbols/symbol_lookup.h"

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

CLI::Validator as_date()
{
    return {[](const std::string &text) {
                return parse_date(text, seconds_now())
                           ? std::string()
                           : fmt::format("{} is no date: {}", text, date_forms);
            },
            ""};
}

namespace {

// Where debug data of the program may be, beside where it was built.
void add_symbol_folders(CLI::App &command, SymbolOptions &options)
{
    options.cache_folder = line_cache_folder();
    command
        .add_option_function<std::string>(
            "--sysroot",
            [&options](std::string folder) {
                while (folder.ends_with('/'))
                    folder.pop_back();
                options.sysroot = folder;
            },
            "where the file system of the machine that ran the program is, for source lines")
        ->type_name("FOLDER");
    command
        .add_option("--debug-dir", options.debug_folders,
                    "folder with debug data, as /usr/lib/debug is one; may be repeated")
        ->type_name("FOLDER")
        ->expected(1)
        ->take_all();
}

}  // namespace

void add_common_options(CLI::App &command, const std::shared_ptr<CommonOptions> &options,
                        unsigned wanted)
{
    if ((wanted & of_files) != 0)
        command.add_flag(
            "--verbose", options->verbose,
            "where a file cannot be read: the offset in it, what was expected and found");
    if ((wanted & of_text) != 0)
        command
            .add_option("--width", options->width,
                        "columns of the text [the terminal's, at least 80]")
            ->type_name("N")
            ->check(from_to(80, 500));
    if ((wanted & of_worlds) != 0)
        command
            .add_option("--world", options->world,
                        "which MPI_COMM_WORLD of a run that spawned others [0, the first one]")
            ->type_name("N");
    if ((wanted & of_folders) != 0)
        add_symbol_folders(command, options->symbols);
    if ((wanted & of_places) != 0)
        command.add_flag_callback(
            "--no-symbols", [options] { options->symbols.enabled = false; },
            "do not look up source lines: places are module+offset");
}

void add_time_options(CLI::App &command, ReportOptions &options)
{
    command
        .add_option("--phase", options.phase,
                    "print the figures of one phase of the run, by its name or number, instead")
        ->type_name("NAME");
    command
        .add_option("--from", options.from_s,
                    "print the figures from this time of the run on, instead")
        ->type_name("SECONDS")
        ->check(CLI::NonNegativeNumber);
    command.add_option("--to", options.to_s, "... and up to this one")
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
