// mprof place: the order of ranks that keeps those near that talk much.
#include "main/commands.h"
#include "main/profile/incomplete_run.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "place/analyse_placing.h"
#include "place/launch_files.h"
#include "place/placing_words.h"
#include "place/read_order.h"
#include "render/render_place.h"

#include <fmt/format.h>

namespace mprof {
namespace {

template <class T>
std::optional<T> told(std::variant<T, std::string> answer)
{
    if (const auto *reason = std::get_if<std::string>(&answer)) {
        say(*reason);
        return std::nullopt;
    }
    return std::move(std::get<T>(answer));
}

template <class T>
std::optional<T> told(Result<T> answer)
{
    if (answer.ok())
        return std::move(answer.value());
    say(describe(answer.error()));
    return std::nullopt;
}

// False, with a message, if what the user named cannot be used.
bool ask(const PlaceOptions &options, const Report &report, PlacingQuestion &question)
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
        if (options.host_file && !(hosts = told(read_host_file(*options.host_file))))
            return false;
        if (options.topology && !(topology = told(read_topology(*options.topology))))
            return false;
        question.machine =
            told(other_machine(report, hosts ? &*hosts : nullptr, topology ? &*topology : nullptr));
        if (!question.machine)
            return false;
    }
    if (options.judged_file) {
        question.judge = told(read_order(*options.judged_file, report.run.ranks));
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
    if (!ask(options, read->report, question))
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
