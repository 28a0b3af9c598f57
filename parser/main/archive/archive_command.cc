// mprof archive: runs of many users and years, and what became slower. Each action is a function;
// those that tell something read the archive and hand it to a renderer. Adding runs is in
// add_runs.cc.
#include "archive/archive.h"
#include "archive/archived_run.h"
#include "archive/fleet.h"
#include "diff/comparison.h"
#include "main/archive/archive_actions.h"
#include "main/report_output.h"
#include "read/printable_text.h"
#include "render/renderers.h"
#include "render/text/text_line.h"
#include "report/number_text.h"

#include <array>
#include <cctype>
#include <fmt/format.h>
#include <set>

namespace mprof {

// mprof archive compare: two runs of an archive, or two sets of them with commas between.

namespace {

// A run may be given by its folder, its whole path or the end of it, and by the first digits of its
// number.
bool is_called(const ArchivedRun &run, std::string name)
{
    while (name.size() > 1 && name.ends_with('/'))
        name.pop_back();
    return run.run.starts_with(name) || run.folder == name || run.folder.ends_with("/" + name);
}

bool find_runs(Archive &archive, const std::vector<std::string> &wanted,
               std::vector<ArchivedRun> &found, std::string &missing)
{
    std::vector<std::vector<ArchivedRun>> matches(wanted.size());
    if (!archive.read_runs({}, [&](ArchivedRun &&run) {
            for (size_t i = 0; i < wanted.size(); i++)
                if (is_called(run, wanted[i]))
                    matches[i].push_back(run);
        }))
        return false;
    for (size_t i = 0; i < wanted.size(); i++) {
        if (matches[i].size() != 1)
            missing = fmt::format("{} {} run{} {}; mprof archive list names them",
                                  matches[i].empty() ? "no" : std::to_string(matches[i].size()),
                                  matches[i].empty() ? "such" : "of the",
                                  matches[i].size() > 1 ? "s are called" : ":", wanted[i]);
        else
            found.push_back(std::move(matches[i].front()));
    }
    return true;
}

bool read_lines_of(Archive &archive, const std::vector<ArchivedRun> &runs,
                   std::vector<LinesOfRun> &all)
{
    for (const ArchivedRun &run : runs) {
        const auto ranks = static_cast<double>(std::max<int64_t>(run.ranks, 1));
        LinesOfRun one = {run.wallclock_s, run.compute_s / ranks, run.ranks, {}};
        if (!archive.read_lines(run.run, one.lines))
            return false;
        all.push_back(std::move(one));
    }
    return true;
}

// "MPI: Open MPI 4.1.6 / Open MPI 5.0.5" for what is not the same on both sides.
std::vector<std::string> environment_of(const ArchivedPair &pair)
{
    using Member = std::string ArchivedRun::*;
    const std::array<std::pair<std::string, Member>, 6> rows = {{
        {"input", &ArchivedRun::input},
        {text_of(Lane::mpi), &ArchivedRun::mpi_library},
        {text_of(Lane::compiler), &ArchivedRun::compiler},
        {text_of(Lane::kernel), &ArchivedRun::kernel},
        {text_of(Lane::program), &ArchivedRun::build_id},
        {text_of(Lane::node), &ArchivedRun::host},
    }};
    const auto values = [](const std::vector<ArchivedRun> &runs, Member member) {
        std::set<std::string> all;
        for (const ArchivedRun &run : runs)
            all.insert((run.*member).empty() ? "not known" : run.*member);
        std::string words;
        for (const std::string &value : all)
            words += (words.empty() ? "" : ", ") + value;
        return words;
    };
    std::vector<std::string> differences;
    for (const auto &[name, member] : rows) {
        const std::string a = values(pair.a, member), b = values(pair.b, member);
        if (a != b)
            differences.push_back(fmt::format("{}: {} in A, {} in B", name, a, b));
    }
    return differences;
}

int compare_archived(const ArchiveOptions &options)
{
    std::string problem, missing;
    const auto archive = Archive::open_to_read(options.archive, problem);
    if (!archive)
        return say_archive_problem(options.archive, problem);
    ArchivedPair pair;
    pair.version = MPROF_VERSION;
    std::vector<LinesOfRun> before, after;
    if (!find_runs(*archive, split_runs(options.words[0]), pair.a, missing) ||
        !find_runs(*archive, split_runs(options.words[1]), pair.b, missing) ||
        !read_lines_of(*archive, pair.a, before) || !read_lines_of(*archive, pair.b, after))
        return say_archive_problem(options.archive, archive->problem());
    if (!missing.empty()) {
        say(printable_text(missing));
        return exit_unusable;
    }
    pair.lines = compare_lines(before, after);
    pair.environment = environment_of(pair);
    Outputs outputs({});
    if (options.json_file)
        return outputs.write(*options.json_file, render_archived_pair_json(pair)) ? exit_fine
                                                                                  : exit_unusable;
    const size_t width = options.width > 0 ? options.width : terminal_width();
    return write_stdout(render_archived_pair_text(pair, width)) ? exit_fine : exit_unusable;
}

struct ArchiveAction {
    const char *name;
    int (*act)(const ArchiveOptions &options);
};
constexpr std::array actions = {
    ArchiveAction{"add", add_to_archive},
    ArchiveAction{"list", list_archive},
    ArchiveAction{"history", tell_history},
    ArchiveAction{"compare", compare_archived},
    ArchiveAction{"regressions", tell_regressions},
    ArchiveAction{"publish", publish_archive},
    ArchiveAction{"thin", thin_archive},
};

// The words of the options were checked with them. Times of the archive are text, with fractions of
// a second before the "Z": the date is compared without one.
RunFilter filter_of(const ArchiveOptions &options, const std::string &program)
{
    RunFilter filter;
    filter.program = program;
    filter.input = options.input.value_or("");
    if (options.since)
        if (const auto date = parse_date(*options.since, seconds_now())) {
            filter.since = iso_of_seconds(static_cast<double>(date->begin_s));
            filter.since.pop_back();
        }
    if (options.ranks)
        filter.ranks = *options.ranks;
    return filter;
}

size_t width_of(const ArchiveOptions &options)
{
    return options.width > 0 ? options.width : terminal_width();
}

// Of a URL the database alone: there may be a password before it, and behind it.
std::string shown_name(const std::string &archive)
{
    const std::string path =
        is_database_url(archive) ? archive.substr(0, archive.find('?')) : archive;
    return path.substr(path.rfind('/') + 1);
}

// Nothing, with a message on stderr, if the archive cannot be read.
std::optional<Fleet> read_fleet(const ArchiveOptions &options, const std::string &program,
                                std::unique_ptr<Archive> &archive)
{
    std::string problem;
    archive = Archive::open_to_read(options.archive, problem);
    SeriesMaker maker;
    int64_t incomplete = 0;
    const auto take = [&](ArchivedRun &&run) {
        incomplete += run.complete == 0 ? 1 : 0;
        maker.add(run);
    };
    if (!archive || !archive->read_runs(filter_of(options, program), take)) {
        say_archive_problem(options.archive, archive ? archive->problem() : problem);
        return std::nullopt;
    }
    std::vector<RunSeries> series = maker.made();
    Fleet fleet = look_at_fleet(std::move(series), maker.texts());
    fleet.name = shown_name(options.archive);
    fleet.privacy = text_of(archive->privacy());
    fleet.incomplete_runs = incomplete;
    if (!add_line_changes(*archive, fleet)) {
        say_archive_problem(options.archive, archive->problem());
        return std::nullopt;
    }
    return fleet;
}

int write_text(const std::string &text, Judgement state)
{
    const bool is_written =
        write_stdout(wants_colours(STDOUT_FILENO) ? with_colours(text, state) : text);
    return is_written ? exit_fine : exit_unusable;
}

int write_fleet(const ArchiveOptions &options, const Fleet &fleet,
                std::string (*as_json)(const Fleet &),
                std::string (*as_text)(const Fleet &, size_t width))
{
    Outputs outputs({});
    if (options.json_file && !outputs.write(*options.json_file, as_json(fleet)))
        return exit_unusable;
    if (options.html_file && !outputs.write(*options.html_file, render_archive_html(fleet)))
        return exit_unusable;
    if (options.json_file || options.html_file)
        return exit_fine;
    return write_text(as_text(fleet, width_of(options)), fleet.state);
}

}  // namespace

int archive_command(const ArchiveOptions &options)
{
    for (const ArchiveAction &action : actions)
        if (options.action == action.name)
            return action.act(options);
    return exit_unusable;
}

int say_archive_problem(const std::string &archive, const std::string &problem)
{
    // A URL may have a password in it.
    const std::string name = is_database_url(archive) ? shown_name(archive) : archive;
    const std::string words = printable_text(problem);
    say(words.starts_with(printable_text(name)) || is_database_url(archive)
            ? words
            : fmt::format("{}: {}", printable_text(name), words));
    return exit_unusable;
}

int tell_regressions(const ArchiveOptions &options)
{
    std::unique_ptr<Archive> archive;
    const auto fleet = read_fleet(options, "", archive);
    return fleet ? write_fleet(options, *fleet, render_archive_json, render_archive_text)
                 : exit_unusable;
}

namespace {

// What a program's files are called: names of programs come out of profiles.
std::string file_name_of(const std::string &program, std::set<std::string> &taken)
{
    constexpr size_t longest = 64;
    std::string name = program.substr(0, longest);
    for (char &c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.')
            c = '_';
    if (name.front() == '.' || name.front() == '-')
        name.front() = '_';
    std::string free_name = name;
    for (size_t number = 2; !taken.insert(free_name).second; number++)
        free_name = fmt::format("{}-{}", name, number);
    return free_name;
}

}  // namespace

// A page and a badge for each program, and index.html of all of them.
int publish_archive(const ArchiveOptions &options)
{
    std::unique_ptr<Archive> archive;
    const auto all = read_fleet(options, "", archive);
    if (!all)
        return exit_unusable;
    std::set<std::string> programs, taken = {"index"};
    for (const RunSeries &series : all->series)
        programs.insert(series.program);
    std::vector<std::pair<std::string, std::string>> files = {
        {"index.html", render_archive_html(*all)}};
    for (const std::string &program : programs) {
        if (program.empty())
            continue;
        const auto fleet = read_fleet(options, program, archive);
        if (!fleet)
            return exit_unusable;
        const std::string name = file_name_of(program, taken);
        files.emplace_back(name + ".html", render_archive_html(*fleet));
        files.emplace_back(name + ".svg", render_archive_badge(*fleet, program));
    }
    return Outputs({}).write_files(options.words.front(), files) ? exit_fine : exit_unusable;
}

int list_archive(const ArchiveOptions &options)
{
    std::string problem;
    const auto archive = Archive::open_to_read(options.archive, problem);
    std::vector<ArchivedRun> runs;
    const std::string program = options.words.empty() ? "" : options.words.front();
    if (!archive || !archive->read_runs(filter_of(options, program),
                                        [&](ArchivedRun &&run) { runs.push_back(std::move(run)); }))
        return say_archive_problem(options.archive, archive ? archive->problem() : problem);
    if (!options.json_file)
        return write_text(render_archived_runs_text(runs, width_of(options)), Judgement::good);
    Outputs outputs({});
    return outputs.write(*options.json_file, render_archived_runs_json(runs)) ? exit_fine
                                                                              : exit_unusable;
}

int tell_history(const ArchiveOptions &options)
{
    std::unique_ptr<Archive> archive;
    const auto fleet = read_fleet(options, options.words.front(), archive);
    if (!fleet)
        return exit_unusable;
    if (fleet->series.empty()) {
        say(fmt::format("{} has no run of {} that ended{}", printable_text(options.archive),
                        printable_text(options.words.front()),
                        options.input || options.ranks ? " with that input and size" : ""));
        return exit_unusable;
    }
    return write_fleet(options, *fleet, render_history_json, render_history_text);
}

int thin_archive(const ArchiveOptions &options)
{
    std::string problem;
    const auto archive = Archive::open_to_add(options.archive, std::nullopt, problem);
    if (!archive)
        return say_archive_problem(options.archive, problem);
    const double before = static_cast<double>(
        seconds_now() - static_cast<int64_t>(options.older_than_days.value_or(0)) * 86'400);
    size_t gone = 0;
    if (!archive->thin(iso_of_seconds(before), options.kept_a_week, gone))
        return say_archive_problem(options.archive, archive->problem());
    say(fmt::format("{}: {} from before {} taken out; the remaining ones represent them",
                    printable_text(shown_name(options.archive)), plural(gone, "run"),
                    day_text(before)));
    return exit_fine;
}

}  // namespace mprof
