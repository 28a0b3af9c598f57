// Processes of a command, and their names.
#include "main/run/child_process.h"

#include "main/commands.h"
#include "main/report_output.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mprof {

// A group is ended politely first, because a launcher ends its ranks, on other nodes too, only if
// it is asked. The child is waited for last: until then no other process can get its number, nor a
// group that of its group.

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<int, 9> passed_on = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP, SIGUSR1,
                                          SIGUSR2, SIGALRM, SIGCONT, SIGXCPU};
constexpr double grace_s = 10;             // between asking a group to end and ending it
constexpr long look_every_ns = 5'000'000;  // how long ago it ended tells nobody

volatile sig_atomic_t child = 0;
volatile sig_atomic_t signalled = 0;

// The terminal and the kernel tell the command themselves.
void pass_on(int signal, siginfo_t *facts, void * /*context*/)
{
    signalled = 1;
    if (child > 0 && facts->si_code <= 0)
        kill(static_cast<pid_t>(child), signal);
}

void pass_signals_on()
{
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (const int signal : passed_on) {
        struct sigaction before {};
        if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signal, &action, nullptr);
    }
}

double seconds_since(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool has_ended(pid_t process)
{
    siginfo_t facts{};
    return waitid(P_PID, static_cast<id_t>(process), &facts, WEXITED | WNOWAIT | WNOHANG) != 0 ||
           facts.si_pid == process;
}

void wait_a_little()
{
    const timespec pause{0, look_every_ns};
    nanosleep(&pause, nullptr);
}

void end_group(pid_t leader)
{
    kill(-leader, SIGTERM);
    kill(-leader, SIGCONT);
    const Clock::time_point asked = Clock::now();
    while (!has_ended(leader) && seconds_since(asked) < grace_s)
        wait_a_little();
    kill(-leader, SIGKILL);
}

// Until it has ended, or is ended.
void watch(pid_t process, const ChildRules &rules, ChildEnd &end)
{
    const Clock::time_point begin = Clock::now();
    while (!has_ended(process)) {
        end.too_long = rules.limit_s && seconds_since(begin) > *rules.limit_s;
        end.is_stopped = rules.stop != nullptr && *rules.stop != 0;
        if (end.too_long || end.is_stopped)
            return end_group(process);
        wait_a_little();
    }
    if (rules.has_own_group)
        kill(-process, SIGKILL);  // what it left running
}

[[noreturn]] void be_child(const std::function<int()> &start, const ChildRules &rules, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, rules.death_signal);
    if (rules.has_own_group)
        setpgid(0, 0);
    if (getppid() != parent)
        _exit(exit_not_executable);
    _exit(start());
}

}  // namespace

ChildEnd run_child(const std::function<int()> &start, const ChildRules &rules)
{
    const Clock::time_point begin = Clock::now();
    ChildEnd end;
    const pid_t parent = getpid();
    const pid_t process = fork();
    if (process < 0) {
        say(fmt::format("cannot start another process: {}", std::strerror(errno)));
        return end;
    }
    if (process == 0)
        be_child(start, rules, parent);
    if (rules.has_own_group)
        setpgid(process, process);  // both do it, because either may come first
    child = process;
    if (rules.passes_signals_on)
        pass_signals_on();
    if (rules.started)
        rules.started(process);
    if (rules.limit_s || rules.stop != nullptr || rules.has_own_group)
        watch(process, rules, end);
    while (waitpid(process, &end.status, 0) < 0)
        if (errno != EINTR) {
            end.status = -1;
            break;
        }
    child = 0;
    end.was_signalled = signalled != 0;
    end.took_s = seconds_since(begin);
    return end;
}

std::string profile_stem(const RunOptions &options, const std::string &usual)
{
    std::string stem;
    if (const char *value = std::getenv("MPROF_OUTPUT"))
        stem = value;
    for (const auto &[name, value] : options.variables)
        if (name == "MPROF_OUTPUT")
            stem = value;
    constexpr std::string_view ending = ".mprof";
    if (stem.ends_with(ending))
        stem.resize(stem.size() - ending.size());
    return stem.empty() ? usual : stem;
}

std::string free_profile_name(const std::string &stem)
{
    std::string name = stem + ".mprof";
    for (int number = 2; std::filesystem::exists(name); number++)
        name = fmt::format("{}-{}.mprof", stem, number);
    return name;
}

void set_output(RunOptions &options, const std::string &profile)
{
    std::erase_if(options.variables,
                  [](const auto &variable) { return variable.first == "MPROF_OUTPUT"; });
    options.variables.emplace_back("MPROF_OUTPUT", profile);
}

std::string ending_words(int status)
{
    return WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                               : fmt::format("ended with exit status {}", WEXITSTATUS(status));
}

int exit_status_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace mprof
