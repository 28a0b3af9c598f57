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

void add_common_options(CLI::App &command, const std::shared_ptr<CommonOptions> &options)
{
    const auto is_there = [&](const char *name) {
        return described_option(command, name).has_value();
    };
    if (is_there("--html"))
        add_value(command, "--html", options->html_file);
    if (is_there("--json"))
        add_value(command, "--json", options->json_file);
    if (is_there("--verbose"))
        add_flag(command, "--verbose", options->verbose);
    if (is_there("--width"))
        add_value(command, "--width", options->width)->check(from_to(80, 500));
    if (is_there("--world"))
        add_value(command, "--world", options->world);
    if (is_there("--sysroot")) {
        options->symbols.cache_folder = line_cache_folder();
        add_value(command, "--sysroot", options->symbols.sysroot)
            ->transform([](std::string folder) {
                while (folder.ends_with('/'))
                    folder.pop_back();
                return folder;
            });
        add_value(command, "--debug-dir", options->symbols.debug_folders)->expected(1)->take_all();
    }
    if (is_there("--no-symbols"))
        command.add_flag_callback("--no-symbols", [options] { options->symbols.enabled = false; });
}

void add_no_names_flag(CLI::App &command, bool &names)
{
    command.add_flag_callback(std::string(option_text(command, "--no-names").names),
                              [&names] { names = false; });
}

}  // namespace mprof
