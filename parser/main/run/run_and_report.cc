// A command as a child, and the report when it has ended.
#include "main/run/child_process.h"

#include "main/profile/left_profile.h"
#include "main/report_output.h"
#include "main/run/death_watch.h"
#include "read/file_bytes.h"
#include "read/printable_text.h"
#include "report/number_text.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace mprof {

// mprof stays until the command has ended, as `time` does. Signals from the terminal also reach the
// command, because it is in the same process group. What another process sends to mprof alone is
// passed on, and if mprof is killed, so is the command. What profile the command left is seen from
// the outside (left_profile.h).

namespace {

bool is_own_trouble(int status)
{
    return WIFEXITED(status) &&
           (WEXITSTATUS(status) == exit_not_found || WEXITSTATUS(status) == exit_not_executable);
}

int end_as(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    prctl(PR_SET_DUMPABLE, 0);  // the core is the command's
    std::signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return exit_unusable;
}

// The newest, if the command ran several programs. The page's line names the profile.
void report_on(const std::vector<std::string> &profiles, const RunOptions &options)
{
    ReportOptions report;
    report.path = profiles.front();
    report.html_file = options.html_file;
    if (options.html_file && report_command(report) != exit_unusable)
        say(fmt::format("{}: the page of {}", *options.html_file, report.path));
    report.html_file.reset();
    report.on_stderr = true;
    if (options.report)
        report_command(report);
}

// Above these numbers a step of Slurm is not a program's: the batch script's, a shell's.
bool is_step_of_programs(const char *step)
{
    constexpr unsigned long most = 0xfffffff0UL;
    return step != nullptr && *step != '\0' && std::strtoul(step, nullptr, 10) < most;
}

}  // namespace

bool is_launched()
{
    constexpr std::array<const char *, 6> variables = {
        "OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",
        "PALS_RANKID",          "ALPS_APP_PE", "FLUX_TASK_RANK"};
    return is_step_of_programs(std::getenv("SLURM_STEP_ID")) ||
           std::any_of(variables.begin(), variables.end(),
                       [](const char *name) { return std::getenv(name) != nullptr; });
}

namespace {

// It is, and this says so: standard output is the command's.
bool is_page_on_stdout(const RunOptions &options)
{
    if (options.html_file != "-")
        return false;
    say("the page needs a file, because standard output is the command's. Name one: --html FILE");
    return true;
}

}  // namespace

int run_and_report(const RunOptions &options, int (*start)(const std::vector<std::string> &),
                   bool profiled)
{
    if (is_page_on_stdout(options))
        return exit_unusable;
    const ProfileWatch watch(options);
    ChildRules rules;
    rules.passes_signals_on = true;
    DeathWatch deaths;
    rules.started = [&](pid_t launcher) { deaths.start(launcher); };
    const std::optional<uint64_t> kills_before = oom_kills_of_group();
    const ChildEnd end = run_child([&] { return start(options.command); }, rules);
    const int status = end.status;
    const uint64_t end_ns = realtime_ns();
    deaths.stop();
    const std::optional<uint64_t> kills_after = oom_kills_of_group();
    const bool has_kills = kills_before && kills_after && *kills_after > *kills_before;
    if (status == -1)
        return exit_unusable;
    if (is_own_trouble(status))
        return WEXITSTATUS(status);
    const std::vector<std::string> profiles = watch.left();
    if (status != 0)
        for (const std::string &profile : profiles)
            note_end_of_job(profile, options.command,
                            {end_ns, status, end.was_signalled ? nullptr : &deaths,
                             has_kills ? *kills_after - *kills_before : 0});
    if (!profiles.empty()) {
        report_on(profiles, options);
        if (!options.html_file)
            say_where(profiles, options.report);
    } else if (profiled && watch.could_be_written()) {
        say_no_profile(options, status);
    }
    return end_as(status);
}

// All sizes, then all of them again: so a machine that becomes slower meanwhile does not look like
// bad scaling. The first run that fails is the last, because a scaling of what failed tells
// nothing.

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
                "{}: {}{}", printable_text(profiles.front()), plural(ranks, "rank"),
                options.repeats > 1 ? fmt::format(", run {} of {}", turn, options.repeats) : ""));
            scale.paths.push_back(profiles.front());
        }
    std::signal(SIGINT, SIG_DFL);
    scale.html_file = options.html_file;
    scale.also_text = true;
    const int status = scale_command(scale);
    if (options.html_file && status != exit_unusable)
        say(fmt::format("{}: the page of {}", printable_text(*options.html_file),
                        plural(scale.paths.size(), "run")));
    return status;
}

}  // namespace mprof
