// mprof archive: runs of many users and years, and what became slower. Each action is a function;
// those that tell something read the archive and hand it to a renderer.
#include "archive/archive.h"
#include "archive/archived_run.h"
#include "archive/fleet.h"
#include "main/archive/archive_actions.h"
#include "main/report_output.h"
#include "read/printable_text.h"
#include "render/render_archive.h"
#include "render/text/colours.h"
#include "report/number_text.h"

#include <array>
#include <chrono>
#include <fmt/format.h>

namespace mprof {
namespace {

struct ArchiveAction {
    const char *name;
    int (*act)(const ArchiveOptions &options);
};
constexpr std::array actions = {
    ArchiveAction{"add", add_to_archive},           ArchiveAction{"list", list_archive},
    ArchiveAction{"history", tell_history},         ArchiveAction{"compare", compare_archived},
    ArchiveAction{"regressions", tell_regressions}, ArchiveAction{"thin", thin_archive},
};

RunFilter filter_of(const ArchiveOptions &options, const std::string &program)
{
    RunFilter filter;
    filter.program = program;
    filter.input = options.input.value_or("");
    filter.since = options.since.value_or("");
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
    const std::string words = printable_ascii(problem);
    say(words.starts_with(printable_ascii(name)) || is_database_url(archive)
            ? words
            : fmt::format("{}: {}", printable_ascii(name), words));
    return exit_unusable;
}

int tell_regressions(const ArchiveOptions &options)
{
    std::unique_ptr<Archive> archive;
    const auto fleet = read_fleet(options, "", archive);
    return fleet ? write_fleet(options, *fleet, render_archive_json, render_archive_text)
                 : exit_unusable;
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
        say(fmt::format("{} has no run of {} that ended{}", printable_ascii(options.archive),
                        printable_ascii(options.words.front()),
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
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const double before =
        static_cast<double>(std::chrono::duration_cast<std::chrono::seconds>(now).count() -
                            static_cast<int64_t>(options.older_than_days.value_or(0)) * 86'400);
    size_t gone = 0;
    if (!archive->thin(iso_of_seconds(before), options.kept_a_week, gone))
        return say_archive_problem(options.archive, archive->problem());
    say(fmt::format("{}: {} from before {} taken out; those that stay stand for them",
                    printable_ascii(shown_name(options.archive)), plural(gone, "run"),
                    day_text(before)));
    return exit_fine;
}

}  // namespace mprof
