// mprof stays until the command has ended, as `time` does. Signals from the terminal reach the
// command, too, because it is in the same process group. What another process sends to mprof alone
// is passed on, and if mprof is killed, so is the command. What profile the command left is seen
// from the outside (left_profile.h).
#include "main/run/run_and_report.h"

#include "main/profile/left_profile.h"
#include "main/profile/noted_end.h"
#include "main/report_output.h"
#include "main/run/child_process.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace mprof {
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

uint64_t now_ns()
{
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count());
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

bool is_page_on_stdout(const RunOptions &options)
{
    if (options.html_file != "-")
        return false;
    say("the page goes to a file: standard output is the command's. Name one: --html FILE");
    return true;
}

int run_and_report(const RunOptions &options, int (*start)(const std::vector<std::string> &),
                   bool profiled)
{
    if (is_page_on_stdout(options))
        return exit_unusable;
    const ProfileWatch watch(options);
    ChildRules rules;
    rules.passes_signals_on = true;
    const int status = run_child([&] { return start(options.command); }, rules).status;
    const uint64_t end_ns = now_ns();
    if (status == -1)
        return exit_unusable;
    if (is_own_trouble(status))
        return WEXITSTATUS(status);
    const std::vector<std::string> profiles = watch.left();
    if (status != 0)
        for (const std::string &profile : profiles)
            note_end_of_job(profile, options.command, end_ns);
    if (!profiles.empty()) {
        report_on(profiles, options);
        if (!options.html_file)
            say_where(profiles, options.report);
    } else if (profiled && watch.could_be_written()) {
        say_no_profile(options, status);
    }
    return end_as(status);
}

}  // namespace mprof
