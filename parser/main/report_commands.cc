// The commands that tell about runs without comparing them: mprof report, mprof hang, mprof lint
// and mprof list. Read, analyse, write; problems go to stderr, each on a line of its own. Their
// options are in arguments/report_arguments.cc.
#include "analyse/analyse_profile.h"
#include "analyse/standing/stands.h"
#include "list/profile_list.h"
#include "machine/machine_figures.h"
#include "main/commands.h"
#include "main/profile/left_profile.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "merge/work_on_all.h"
#include "read/file_bytes.h"
#include "read/printable_text.h"
#include "render/render_report.h"
#include "render/renderers.h"
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/number_text.h"
#include "stacks/thread_stacks.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace mprof {
namespace {

// Shows a page in the user's browser.
// $BROWSER is a list of commands with colons between; %s in one means the page (as in
// Python's webbrowser and in man). One of them may be for terminals, so each is waited for.
// xdg-open returns at once or stays as long as the browser is open: it is given a moment to fail.

using Words = std::vector<std::string>;

std::string value_of(const char *name)
{
    const char *value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// The browser must not write into the report.
void detach()
{
    setsid();
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (nowhere >= 0)
            dup2(nowhere, stream);
}

pid_t start_browser(Words words, bool on_display)
{
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t process = fork();
    if (process != 0)
        return process;
    if (on_display)
        detach();
    execvp(arguments.front(), arguments.data());
    _exit(127);
}

bool ended_well(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool run_to_end(const Words &words)
{
    int status = 0;
    const pid_t process = start_browser(words, false);
    while (process > 0 && waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return process > 0 && ended_well(status);
}

bool run_for_a_moment(const Words &words)
{
    constexpr int tries = 60;
    constexpr auto pause = std::chrono::milliseconds(50);
    const pid_t process = start_browser(words, true);
    for (int i = 0; process > 0 && i < tries; i++) {
        int status = 0;
        if (waitpid(process, &status, WNOHANG) == process)
            return ended_well(status);
        std::this_thread::sleep_for(pause);
    }
    return process > 0;
}

Words browser_words(const std::string &command, const std::string &path)
{
    Words words;
    bool has_place = false;
    std::istringstream stream(command);
    for (std::string word; stream >> word;) {
        if (const size_t place = word.find("%s"); place != std::string::npos) {
            word.replace(place, 2, path);
            has_place = true;
        }
        words.push_back(word);
    }
    if (!has_place && !words.empty())
        words.push_back(path);
    return words;
}

bool try_browsers(const std::string &path)
{
    std::istringstream commands(value_of("BROWSER"));
    for (std::string command; std::getline(commands, command, ':');)
        if (const Words words = browser_words(command, path); !words.empty() && run_to_end(words))
            return true;
    const bool has_display = !value_of("DISPLAY").empty() || !value_of("WAYLAND_DISPLAY").empty();
    return has_display && run_for_a_moment({"xdg-open", path});
}

// Opens the file in $BROWSER, or by xdg-open where there is a display. Else, or if that fails, a
// line on standard error says where the page is.
void open_page(const std::string &path)
{
    std::error_code error;
    const std::string whole = std::filesystem::absolute(path, error).lexically_normal().native();
    if (try_browsers(error ? path : whole))
        return;
    say(fmt::format("no browser could be opened here. The page is {}: copy it to a machine with a "
                    "browser, or set BROWSER",
                    printable_text(error ? path : whole)));
}

// mprof report.

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
        say("this profile has no time bins: it has no MPI call");
        return false;
    }
    double from_s = options.from_s.value_or(0);
    double to_s = options.to_s.value_or(time.phases.back().to_s);
    if (options.phase) {
        const PhaseRow *phase = find_phase(report, *options.phase);
        if (phase == nullptr) {
            say(printable_text(fmt::format("there is no phase '{}'; there are: {}", *options.phase,
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
    if (options.digest)  // for a chat: never with colours
        return options.on_stderr ? write_stderr(render_digest(report))
                                 : write_stdout(render_digest(report));
    if (options.brief)
        return write_text(render_brief(report), report, stream);
    if (options.json_file || options.html_file || options.csv_folder)
        return true;
    return write_text(
        render_text(report, width, options.all ? TextDetail::all : TextDetail::that_matters),
        report, stream);
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

// The page also says it at each place. That the system's libraries have no sources here is usual.
void say_sources_left_out(const Report &report)
{
    constexpr size_t listed = 4;
    size_t left_out = 0, shown = 0;
    for (const SourceRow &row : *report.sources) {
        shown += row.problem.empty() ? 1U : 0U;
        if (row.problem.empty() || row.is_of_system)
            continue;
        if (left_out++ < listed)
            say(fmt::format("no lines of {}: it {}", printable_text(row.file),
                            printable_text(row.problem)));
    }
    if (left_out > listed)
        say(fmt::format("no lines of {} more", plural(left_out - listed, "file")));
    if (shown + left_out == 0)
        say("no source line of this profile is known, so the page shows none");
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
    if (options.sources) {
        add_source_rows(options.symbols, report);
        say_sources_left_out(report);
    }
    if (!write_report(options, report))
        return exit_unusable;
    say_other_worlds(options, report);
    if (options.verbose && !report.run.energy_j)
        say("the energy that the nodes used is not known: the system does not let users read it, "
            "or "
            "not on all nodes (/sys/class/powercap, /sys/class/hwmon)");
    if (options.open)
        open_page(*options.html_file);
    return say_incomplete(report, read->damaged, options.verbose) ? exit_incomplete : exit_fine;
}

// mprof hang: where the ranks of a running job are, or were when it was killed.
int hang_command(const HangOptions &options)
{
    const auto path = given_or_newest(options.path, "hang");
    if (!path)
        return exit_unusable;
    auto profile = read_profile(*path, true, options.world);
    if (!profile.ok()) {
        say_error(profile.error(), options.verbose);
        return exit_unusable;
    }
    const Observation observation = observe_run(profile.value());
    const std::map<uint32_t, int> processes = processes_here(profile.value());
    const Report report = [&] {
        const ProgressLine line("analysing");
        const AsciiShown ascii;
        Report made = analyse_profile(std::move(profile.value()), options.symbols, observation);
        if (options.no_stacks)
            return made;
        std::map<uint32_t, ProcessStacks> stacks;
        for (const uint32_t rank : ranks_to_look_at(made.standing, options.rank))
            if (const auto process = processes.find(rank); process != processes.end())
                stacks.emplace(rank, stacks_of_process(process->second));
        add_stacks(stacks, options.symbols, made.standing);
        return made;
    }();
    const bool written =
        options.json_file
            ? Outputs({*path}).write(*options.json_file, render_standing_json(report, options.rank))
            : write_stdout(render_standing(
                  report, options.width > 0 ? options.width : terminal_width(), options.rank));
    return written ? exit_fine : exit_unusable;
}

// mprof lint: what is wrong in a run. Exit status 1 if there is something of the severity that the
// user asks for.
int lint_command(const LintOptions &options)
{
    const auto read = read_report(options.path, options.world, options.symbols, options.verbose);
    if (!read)
        return exit_unusable;
    const Report &report = read->report;
    say_incomplete(report, read->damaged, options.verbose);
    Outputs outputs({options.path});
    std::error_code none;
    const std::string folder = std::filesystem::current_path(none).string();
    if (options.json_file && !outputs.write(*options.json_file, render_lints_json(report)))
        return exit_unusable;
    if (options.sarif_file && !outputs.write(*options.sarif_file, render_sarif(report, folder)))
        return exit_unusable;
    if (!options.json_file && !options.sarif_file &&
        !write_stdout(render_lints(report, options.width > 0 ? options.width : terminal_width())))
        return exit_unusable;
    const bool fails =
        std::any_of(report.lints.begin(), report.lints.end(),
                    [&](const LintRow &row) { return row.severity >= options.fail_on; });
    return fails ? exit_findings : exit_fine;
}

// mprof list: the profiles below a folder, the newest first. What a row says comes from list/;
// here are the user's dates, the processes of this machine and the cache folder.

namespace {

// The words were checked with the other arguments.
ListWish wish_of(const ListOptions &options, int64_t now_s)
{
    ListWish wish;
    if (options.since)
        if (const auto date = parse_date(*options.since, now_s))
            wish.since_s = date->begin_s;
    if (options.until)
        if (const auto date = parse_date(*options.until, now_s))
            wish.until_s = date->end_s;
    wish.program = options.program;
    wish.limit = options.limit;
    return wish;
}

}  // namespace

int list_command(const ListOptions &options)
{
    const int64_t now_s = seconds_now();
    const auto list = [&] {
        const ProgressLine line("searching");
        return list_runs(options.path, wish_of(options, now_s),
                         {now_s, KeptVerdicts(cache_folder()), is_running_here});
    }();
    if (!list.ok()) {
        say_error(list.error(), options.verbose);
        return exit_unusable;
    }
    if (options.json_file)
        return Outputs({}).write(*options.json_file, render_list_json(list.value()))
                   ? exit_fine
                   : exit_unusable;
    const size_t width = options.width > 0 ? options.width : terminal_width();
    return write_stdout(render_list_text(list.value(), width)) ? exit_fine : exit_unusable;
}

}  // namespace mprof
