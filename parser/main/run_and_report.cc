// The profile folder has to be known before the run: the one that --output or MPROF_OUTPUT names,
// else one beside the page. Signals from the terminal reach the command, too, because it is in the
// same process group. Other signals are passed on. mprof itself stays until the page is written.
#include "main/run_and_report.h"

#include "main/report_output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mprof {
namespace {

constexpr std::array<int, 2> of_terminal = {SIGINT, SIGQUIT};
constexpr std::array<int, 4> passed_on = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

volatile sig_atomic_t child = 0;

void pass_on(int signal)
{
    if (child > 0)
        kill(static_cast<pid_t>(child), signal);
}

// True in one of the processes that a launcher started. Each of them would write the page.
bool is_launched()
{
    constexpr std::array<const char *, 3> variables = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                                       "PMI_RANK"};
    for (const char *name : variables)
        if (std::getenv(name) != nullptr)
            return true;
    return false;
}

std::string folder_beside(const std::string &page)
{
    constexpr std::string_view ending = ".html";
    const bool ends_so = page.ends_with(ending) && page.size() > ending.size();
    return (ends_so ? page.substr(0, page.size() - ending.size()) : page) + ".mprof";
}

// True if the path has files of a profile, or if it is not a folder of this user.
bool is_taken(const std::filesystem::path &folder)
{
    std::error_code error;
    struct stat facts {};
    if (stat(folder.c_str(), &facts) == 0 && facts.st_uid != geteuid())
        return true;
    const auto status = std::filesystem::status(folder, error);
    if (status.type() == std::filesystem::file_type::not_found)
        return false;
    std::filesystem::directory_iterator files(folder, error);
    return error || std::any_of(begin(files), end(files), [](const auto &file) {
               std::error_code ignored;
               return file.path().native().ends_with(".mprof") &&
                      file.symlink_status(ignored).type() != std::filesystem::file_type::directory;
           });
}

// The library takes the next free name for a run, too (profile_folder.c).
std::string first_free(std::string folder)
{
    constexpr std::string_view ending = ".mprof";
    constexpr int most_names = 1000;
    while (folder.size() > 1 && folder.ends_with('/'))
        folder.pop_back();
    const bool ends_so = folder.ends_with(ending) && folder.size() > ending.size();
    const std::string stem = folder.substr(0, folder.size() - (ends_so ? ending.size() : 0));
    for (int number = 2; is_taken(folder) && number < most_names; number++)
        folder = fmt::format("{}-{}{}", stem, number, ends_so ? ending : "");
    return folder;
}

// The folder that the library will write to.
std::string choose_folder(const std::string &page)
{
    const char *named = std::getenv("MPROF_OUTPUT");
    if (named != nullptr && *named != '\0')
        return first_free(named);
    const std::string folder = folder_beside(page);
    setenv("MPROF_OUTPUT", folder.c_str(), 1);
    return first_free(folder);
}

// Its wait status, or -1.
int run_child(const std::vector<std::string> &command,
              int (*start)(const std::vector<std::string> &))
{
    const pid_t pid = fork();
    if (pid < 0) {
        say(fmt::format("cannot start another process: {}", std::strerror(errno)));
        return -1;
    }
    if (pid == 0)
        _exit(start(command));
    child = pid;
    for (const int signal : of_terminal)
        std::signal(signal, SIG_IGN);
    for (const int signal : passed_on)
        std::signal(signal, pass_on);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    child = 0;
    return status;
}

}  // namespace

int run_and_report(const RunOptions &options, int (*start)(const std::vector<std::string> &))
{
    if (*options.html_file == "-") {
        say("the page goes to a file: standard output is the command's");
        return exit_unusable;
    }
    if (is_launched()) {
        say("--html belongs before the launcher: mprof run --html FILE -- mpirun ...");
        return exit_unusable;
    }
    ReportOptions report;
    report.path = choose_folder(*options.html_file);
    report.html_file = options.html_file;
    const int status = run_child(options.command, start);
    if (status == -1)
        return exit_unusable;
    if (WIFEXITED(status) &&
        (WEXITSTATUS(status) == exit_not_found || WEXITSTATUS(status) == exit_not_executable))
        return WEXITSTATUS(status);
    if (report_command(report) != exit_unusable)
        say(fmt::format("{}: the page of {}", *options.html_file, report.path));
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    std::signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return exit_unusable;
}

}  // namespace mprof
