// mprof diff: reads and analyses all runs of both sides, compares, writes. Problems go to stderr.
#include "analyse/analyse_profile.h"
#include "diff/compare_runs.h"
#include "main/commands.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "merge/work_on_all.h"
#include "read/printable_text.h"
#include "render/render_diff.h"
#include "render/text/colours.h"
#include "report/number_text.h"

#include <fmt/format.h>
#include <unistd.h>

namespace mprof {
namespace {

// One message for each path that cannot be read, not only for the first.
std::optional<std::vector<RunReport>> read_side(const std::string &paths,
                                                const DiffOptions &options)
{
    std::vector<RunReport> runs;
    bool readable = true;
    for (const std::string &path : split_runs(paths)) {
        auto profile = read_profile(path, true, options.world);
        if (!profile.ok()) {
            say_error(profile.error(), options.verbose);
            readable = false;
            continue;
        }
        const ProgressLine line("analysing");
        runs.push_back({path, analyse_profile(std::move(profile.value()), options.symbols)});
    }
    return readable ? std::optional(std::move(runs)) : std::nullopt;
}

bool write_comparison(const DiffOptions &options, const Comparison &comparison)
{
    std::vector<std::string> profiles = split_runs(options.a);
    for (std::string &path : split_runs(options.b))
        profiles.push_back(std::move(path));
    Outputs outputs(profiles);
    if (options.json_file && !outputs.write(*options.json_file, render_diff_json(comparison)))
        return false;
    if (options.html_file && !outputs.write(*options.html_file, render_diff_html(comparison)))
        return false;
    if (options.markdown_file &&
        !outputs.write(*options.markdown_file, render_diff_markdown(comparison)))
        return false;
    if (options.json_file || options.html_file || options.markdown_file)
        return true;
    const std::string text =
        render_diff_text(comparison, options.width > 0 ? options.width : terminal_width());
    return write_stdout(wants_colours(STDOUT_FILENO) ? with_colours(text, comparison.state) : text);
}

bool say_incomplete(const Side &side)
{
    bool incomplete = false;
    for (const RunInfo &run : side.runs) {
        if (!run.complete)
            say(fmt::format("incomplete: {} ({}, {} of {} could be read)",
                            printable_ascii(run.path), text_of(run.end), run.ranks_read,
                            plural(run.ranks, "rank")));
        incomplete = incomplete || !run.complete;
    }
    return incomplete;
}

}  // namespace

int diff_command(const DiffOptions &options)
{
    const auto a = read_side(options.a, options);
    const auto b = read_side(options.b, options);
    if (!a || !b)
        return exit_unusable;
    const Comparison comparison = compare_runs(*a, *b, options.limits);
    if (!write_comparison(options, comparison))
        return exit_unusable;
    const bool a_incomplete = say_incomplete(comparison.a);
    const bool incomplete = say_incomplete(comparison.b) || a_incomplete;
    if (comparison.limit == LimitState::exceeded) {
        say("slower than allowed: " + printable_ascii(comparison.headline));
        return exit_slower;
    }
    if (comparison.limit == LimitState::unknown) {
        say(printable_ascii(comparison.headline) + " More runs on each side tell more.");
        return exit_cannot_tell;
    }
    return incomplete ? exit_incomplete : exit_fine;
}

}  // namespace mprof
