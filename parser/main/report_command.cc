// mprof report: read, analyse, write; problems go to stderr, each on a line of its own.
#include "machine/compare_with_machine.h"
#include "machine/read_machine.h"
#include "main/commands.h"
#include "main/open_page.h"
#include "main/profile/incomplete_run.h"
#include "main/profile/newest_profile.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "read/printable_text.h"
#include "render/csv/render_csv.h"
#include "render/html/data/render_html.h"
#include "render/json/render_json.h"
#include "render/text/colours.h"
#include "render/text/render_brief.h"
#include "render/text/render_explain.h"
#include "render/text/render_text.h"
#include "render/text/sections/text_time.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace mprof {
namespace {

bool write_csv(Outputs &outputs, const std::string &folder, const Report &report)
{
    std::vector<std::pair<std::string, std::string>> tables;
    for (CsvTable &table : render_csv(report))
        tables.emplace_back(table.file_name, std::move(table.text));
    return outputs.write_files(folder, tables);
}

bool write_text(const std::string &text, const Report &report, int stream)
{
    const std::string &shown =
        wants_colours(stream) ? with_colours(text, report.verdict.state) : text;
    return stream == STDERR_FILENO ? write_stderr(shown) : write_stdout(shown);
}

std::string phase_names(const Report &report)
{
    std::string names;
    for (const PhaseRow &phase : report.time.phases)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", phase.name);
    return names;
}

// False, with a message, if the run has no such part.
bool write_window(const ReportOptions &options, const Report &report, int stream, size_t width)
{
    const TimeLine &time = report.time;
    if (!time.known || time.phases.empty()) {
        say("this profile has no time bins: it holds no MPI call");
        return false;
    }
    double from_s = options.from_s.value_or(0);
    double to_s = options.to_s.value_or(time.phases.back().to_s);
    if (options.phase) {
        const PhaseRow *phase = find_phase(report, *options.phase);
        if (phase == nullptr) {
            say(printable_ascii(fmt::format("there is no phase '{}'; there are: {}", *options.phase,
                                            phase_names(report))));
            return false;
        }
        from_s = std::max(from_s, phase->from_s);
        to_s = std::min(to_s, phase->to_s);
    }
    to_s = std::min(to_s, time.phases.back().to_s);
    if (from_s >= to_s) {
        say(fmt::format("nothing between {:.3f} and {:.3f} s: the run took {:.3f} s", from_s, to_s,
                        time.phases.back().to_s));
        return false;
    }
    return write_text(window_section(report, window_of(report, from_s, to_s), width), report,
                      stream);
}

bool write_report(const ReportOptions &options, const Report &report)
{
    Outputs outputs({options.path, options.machine_file.value_or(options.path)});
    const auto json = [&](const TextSink &sink) { write_json(report, sink); };
    if (options.json_file && !outputs.write_pieces(*options.json_file, json))
        return false;
    if (options.html_file && !outputs.write(*options.html_file, render_html(report)))
        return false;
    if (options.csv_folder && !write_csv(outputs, *options.csv_folder, report))
        return false;
    const int stream = options.on_stderr ? STDERR_FILENO : STDOUT_FILENO;
    const size_t width = options.width > 0 ? options.width : terminal_width(stream);
    if (options.phase || options.from_s || options.to_s)
        return write_window(options, report, stream, width);
    if (options.explain)
        return write_stdout(render_explain(report, width));
    if (options.brief)
        return write_text(render_brief(report), report, stream);
    if (options.json_file || options.html_file || options.csv_folder)
        return true;
    return write_text(render_text(report, width), report, stream);
}

// "app.17.html" of "runs/app.17.mprof": here, because the profile may be another user's.
std::string page_name(const std::string &profile)
{
    std::error_code error;
    std::filesystem::path path = std::filesystem::absolute(profile, error).lexically_normal();
    if (!path.has_filename())
        path = path.parent_path();
    if (path.extension() == ".mprof")
        path.replace_extension();
    return path.filename().native() + ".html";
}

// The options with what the user left out.
std::optional<ReportOptions> complete_options(ReportOptions options)
{
    const auto path = given_or_newest(options.path, "report");
    if (!path)
        return std::nullopt;
    options.path = *path;
    if (options.open && !options.html_file)
        options.html_file = page_name(options.path);
    if (!options.open || *options.html_file != "-")
        return options;
    say("--open needs a page in a file: name one with --html FILE, or leave --html out");
    return std::nullopt;
}

// False, with a message, if the file cannot be used.
bool compare_machine(const ReportOptions &options, Report &report)
{
    if (!options.machine_file)
        return true;
    const auto machine = read_machine({*options.machine_file}, 0);
    if (!machine.ok()) {
        say_error(machine.error(), options.verbose);
        return false;
    }
    compare_with_machine(machine.value(), *options.machine_file, report);
    return true;
}

// The text report lists them. With other outputs they are printed here.
void say_other_worlds(const ReportOptions &options, const Report &report)
{
    constexpr size_t listed = 8;
    if (report.worlds.empty() || (!options.json_file && !options.csv_folder && !options.html_file))
        return;
    std::string numbers;
    for (size_t i = 0; i < std::min(listed, report.worlds.size()); i++)
        numbers += fmt::format("{}{}", i == 0 ? "" : ", ", report.worlds[i].world);
    say(fmt::format("this is world {}; --world reports world{} {}{}", report.run.world,
                    report.worlds.size() == 1 ? "" : "s", numbers,
                    report.worlds.size() > listed ? ", ..." : ""));
}

}  // namespace

int report_command(const ReportOptions &given)
{
    const auto completed = complete_options(given);
    if (!completed)
        return exit_unusable;
    const ReportOptions &options = *completed;
    auto read = read_report(options.path, options.world, options.symbols, options.verbose,
                            options.by_rank ? Detail::by_rank : Detail::of_the_run);
    if (!read)
        return exit_unusable;
    Report &report = read->report;
    if (!compare_machine(options, report))
        return exit_unusable;
    if (!write_report(options, report))
        return exit_unusable;
    say_other_worlds(options, report);
    if (options.open)
        open_page(*options.html_file);
    return say_incomplete(report, read->damaged, options.verbose) ? exit_incomplete : exit_fine;
}

}  // namespace mprof
