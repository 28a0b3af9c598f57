// All sizes, then all of them again: so a machine that becomes slower meanwhile does not look like
// bad scaling. The first run that fails is the last, because a scaling of what failed tells
// nothing.
#include "main/run/run_sizes.h"

#include "main/profile/left_profile.h"
#include "main/report_output.h"
#include "main/run/child_process.h"
#include "main/run/named_run.h"
#include "main/run/run_and_report.h"
#include "read/printable_text.h"
#include "report/number_text.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace mprof {
namespace {

constexpr std::string_view place_of_ranks = "{}";

std::vector<std::string> command_for(const std::vector<std::string> &command, uint32_t ranks)
{
    std::vector<std::string> words;
    for (std::string word : command) {
        for (size_t at = word.find(place_of_ranks); at != std::string::npos;
             at = word.find(place_of_ranks, at))
            word.replace(at, place_of_ranks.size(), std::to_string(ranks));
        words.push_back(std::move(word));
    }
    return words;
}

RunOptions options_for(const RunOptions &options, uint32_t ranks)
{
    RunOptions one = options;
    one.sizes.clear();
    one.command = command_for(options.command, ranks);
    one.html_file.reset();
    one.report = false;
    set_output(one,
               free_profile_name(fmt::format("{}.p{}", profile_stem(options, "scale"), ranks)));
    return one;
}

// The wait status, or -1. Ctrl-C ends the run that is on, and then this.
int run_one(const RunOptions &options)
{
    ChildRules rules;
    rules.death_signal = SIGTERM;
    return run_child(
               [&] {
                   std::signal(SIGINT, SIG_DFL);
                   return run_command(options);
               },
               rules)
        .status;
}

bool names_ranks(const std::vector<std::string> &command)
{
    return std::any_of(command.begin(), command.end(), [](const std::string &word) {
        return word.find(place_of_ranks) != std::string::npos;
    });
}

}  // namespace

int run_sizes(const RunOptions &options)
{
    if (is_launched()) {
        say("--sizes belongs before the launcher: mprof run --sizes 1,2,4 -- mpirun -n {} ./app");
        return exit_unusable;
    }
    if (!names_ranks(options.command)) {
        say("--sizes needs {} in the command, where the number of ranks belongs: mprof run "
            "--sizes 1,2,4 -- mpirun -n {} ./app");
        return exit_unusable;
    }
    if (is_page_on_stdout(options))
        return exit_unusable;
    // Each run prints no summary of its own.
    if (setenv("MPROF_SUMMARY", "off", 0) != 0)
        return exit_unusable;
    ScaleOptions scale;
    std::signal(SIGINT, SIG_IGN);
    for (uint32_t turn = 1; turn <= options.repeats; turn++)
        for (const uint32_t ranks : options.sizes) {
            const RunOptions one = options_for(options, ranks);
            const ProfileWatch watch(one);
            const int status = run_one(one);
            if (status == -1)
                return exit_unusable;
            if (status != 0) {
                say(fmt::format("the command {} with {}: no more runs, and no answer",
                                ending_words(status), plural(ranks, "rank")));
                return exit_status_of(status);
            }
            const std::vector<std::string> profiles = watch.left();
            if (profiles.empty()) {
                say(fmt::format("the run with {} left no profile: no more runs",
                                plural(ranks, "rank")));
                return exit_unusable;
            }
            say(fmt::format(
                "{}: {}{}", printable_ascii(profiles.front()), plural(ranks, "rank"),
                options.repeats > 1 ? fmt::format(", run {} of {}", turn, options.repeats) : ""));
            scale.paths.push_back(profiles.front());
        }
    std::signal(SIGINT, SIG_DFL);
    scale.html_file = options.html_file;
    scale.also_text = true;
    const int status = scale_command(scale);
    if (options.html_file && status != exit_unusable)
        say(fmt::format("{}: the page of {}", printable_ascii(*options.html_file),
                        plural(scale.paths.size(), "run")));
    return status;
}

}  // namespace mprof
