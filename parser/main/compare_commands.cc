// The commands that set runs beside each other, or one run beside a better order: mprof diff (with
// --results), mprof scale, mprof place. Their options are in arguments/report_arguments.cc.
#include "analyse/analyse_profile.h"
#include "diff/comparison.h"
#include "main/commands.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "merge/work_on_all.h"
#include "place/placing.h"
#include "place/read_order.h"
#include "read/printable_text.h"
#include "render/renderers.h"
#include "render/text/text_line.h"
#include "report/number_text.h"
#include "results/results_comparison.h"
#include "scale/scaling.h"

#include <fmt/format.h>
#include <unistd.h>

namespace mprof {

// mprof diff --results: reads two runs, compares what they carried through MPI, and tells the first
// difference. Exit status 0 the same, 3 different, 2 not comparable.
int diff_results_command(const DiffOptions &options)
{
    const auto a = read_profile(options.a, true, options.world);
    const auto b = read_profile(options.b, true, options.world);
    for (const auto *read : {&a, &b})
        if (!read->ok())
            say_error(read->error(), options.verbose);
    if (!a.ok() || !b.ok())
        return exit_unusable;
    ResultsComparison comparison = [&] {
        const ProgressLine line("comparing");
        return compare_results(a.value(), b.value(), options.symbols);
    }();
    comparison.a = options.a;
    comparison.b = options.b;
    Outputs outputs({options.a, options.b});
    if (options.json_file && !outputs.write(*options.json_file, render_results_json(comparison)))
        return exit_unusable;
    if (options.html_file && !outputs.write(*options.html_file, render_results_html(comparison)))
        return exit_unusable;
    if (!options.json_file && !options.html_file &&
        !write_stdout(
            render_results_text(comparison, options.width > 0 ? options.width : terminal_width())))
        return exit_unusable;
    if (!comparison.unusable.empty())
        return exit_unusable;
    return comparison.same ? exit_fine : exit_different;
}

// mprof diff: reads and analyses all runs of both sides, compares, writes. Problems go to stderr.

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
        const AsciiShown ascii;
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
            say(fmt::format("incomplete: {} ({}, {} of {} could be read)", printable_text(run.path),
                            text_of(run.end), run.ranks_read, plural(run.ranks, "rank")));
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
        say("slower than allowed: " + printable_text(comparison.headline));
        return exit_slower;
    }
    if (comparison.limit == LimitState::unknown) {
        say(printable_text(comparison.headline) + " Give more runs on each side to be surer.");
        return exit_cannot_tell;
    }
    return incomplete ? exit_incomplete : exit_fine;
}

// mprof scale: several runs of one program at several sizes. Reports are read one after the other.
int scale_command(const ScaleOptions &options)
{
    std::vector<SizeRun> runs;
    ExitStatus status = exit_fine;
    for (const std::string &path : options.paths) {
        const auto read = read_report(path, options.world, options.symbols, options.verbose);
        if (!read)
            return exit_unusable;
        if (say_incomplete(read->report, read->damaged, options.verbose))
            status = exit_incomplete;
        runs.push_back(size_run_of(read->report, path));
    }
    if (const std::string reason = why_not_scaled(runs); !reason.empty()) {
        say(reason);
        return exit_unusable;
    }
    const Scaling scaling = analyse_scaling(std::move(runs), options.kind);
    Outputs outputs(options.paths);
    if (options.json_file && !outputs.write(*options.json_file, render_scale_json(scaling)))
        return exit_unusable;
    if (options.html_file && !outputs.write(*options.html_file, render_scale_html(scaling)))
        return exit_unusable;
    if ((options.json_file || options.html_file) && !options.also_text)
        return status;
    const std::string text =
        render_scale_text(scaling, options.width > 0 ? options.width : terminal_width());
    const bool is_written =
        write_stdout(wants_colours(STDOUT_FILENO) ? with_colours(text, scaling.state) : text);
    return is_written ? status : exit_unusable;
}

// mprof place: the order of ranks that keeps those near that talk much.

namespace {

template <class T>
std::optional<T> value_or_message(std::variant<T, std::string> answer)
{
    if (const auto *reason = std::get_if<std::string>(&answer)) {
        say(*reason);
        return std::nullopt;
    }
    return std::move(std::get<T>(answer));
}

template <class T>
std::optional<T> value_or_message(Result<T> answer)
{
    if (answer.ok())
        return std::move(answer.value());
    say(describe(answer.error()));
    return std::nullopt;
}

// False, with a message, if what the user named cannot be used.
bool read_question(const PlaceOptions &options, const Report &report, PlacingQuestion &question)
{
    if (options.launcher) {
        question.launcher = launcher_of_word(*options.launcher, launcher_of(report));
        if (!question.launcher) {
            say(fmt::format("--for {}: expected {}", *options.launcher, launcher_words));
            return false;
        }
    }
    if (options.host_file || options.topology) {
        std::optional<std::vector<HostSlots>> hosts;
        std::optional<NodeTopology> topology;
        if (options.host_file && !(hosts = value_or_message(read_host_file(*options.host_file))))
            return false;
        if (options.topology && !(topology = value_or_message(read_topology(*options.topology))))
            return false;
        question.machine = value_or_message(
            other_machine(report, hosts ? &*hosts : nullptr, topology ? &*topology : nullptr));
        if (!question.machine)
            return false;
    }
    if (options.judged_file) {
        question.judge = value_or_message(read_order(*options.judged_file, report.run.ranks));
        if (!question.judge)
            return false;
        Order ignored;
        const Machine &machine =
            question.machine ? *question.machine : recorded_machine(report, ignored);
        if (const std::string reason = why_not_judged(machine, *question.judge); !reason.empty()) {
            say(reason);
            return false;
        }
    }
    return true;
}

}  // namespace

int place_command(const PlaceOptions &options)
{
    const auto read = read_report(options.path, options.world, options.symbols, options.verbose);
    if (!read)
        return exit_unusable;
    if (const std::string reason = why_not_placed(read->report); !reason.empty()) {
        say(reason);
        return exit_unusable;
    }
    const ExitStatus status =
        say_incomplete(read->report, read->damaged, options.verbose) ? exit_incomplete : exit_fine;
    PlacingQuestion question;
    if (!read_question(options, read->report, question))
        return exit_unusable;
    const Placing placing = analyse_placing(read->report, question);
    std::vector<std::string> inputs{options.path};
    for (const auto &input : {options.host_file, options.topology, options.judged_file})
        if (input)
            inputs.push_back(*input);
    Outputs outputs(inputs);
    if (options.order_file &&
        !outputs.write(*options.order_file, order_file_text(placing, placing.launcher)))
        return exit_unusable;
    if (options.json_file && !outputs.write(*options.json_file, render_place_json(placing)))
        return exit_unusable;
    const PlacingPaths paths{options.path, options.order_file.value_or("")};
    if (options.html_file && !outputs.write(*options.html_file, render_place_html(placing, paths)))
        return exit_unusable;
    if (options.json_file || options.html_file || options.order_file == "-")
        return status;
    const std::string text =
        render_place_text(placing, paths, options.width > 0 ? options.width : terminal_width());
    return write_stdout(text) ? status : exit_unusable;
}

}  // namespace mprof
