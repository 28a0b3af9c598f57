// The list of processes is read again and again, ever more seldom, because reading it costs the
// node's CPUs: a rank is seen unless it lives for less than a quarter of the time until its end.
// Each process shows its death by itself, and so does the launcher, whose end is that of the watch.
#include "main/run/death_watch.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <span>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace mprof {
namespace {

constexpr size_t most_processes = 1024;
constexpr int first_pause_ms = 5, longest_pause_ms = 30'000;

int open_process([[maybe_unused]] pid_t process)
{
#ifdef SYS_pidfd_open
    return static_cast<int>(syscall(SYS_pidfd_open, process, 0));
#else
    return -1;
#endif
}

bool is_dead(int process_file)
{
    pollfd poll_one = {process_file, POLLIN, 0};
    return poll(&poll_one, 1, 0) > 0;
}

// Of all its threads; empty where the kernel does not tell.
std::vector<pid_t> children_of(pid_t process)
{
    std::vector<pid_t> children;
    std::error_code error;
    const std::string tasks = fmt::format("/proc/{}/task", process);
    for (std::filesystem::directory_iterator it(tasks, error), end; !error && it != end;
         it.increment(error)) {
        std::ifstream file(it->path() / "children");
        for (pid_t child = 0; file >> child;)
            children.push_back(child);
    }
    return children;
}

// Of a process that has ended and that its parent has not asked for yet: 0 = it ended by itself.
// The last number of its line, which is 0 for other users' processes, is its status.
std::optional<int> signal_of(pid_t process)
{
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string line;
    if (!std::getline(file, line))
        return std::nullopt;
    const size_t name_ends = line.rfind(')'), last = line.rfind(' ');
    if (name_ends == std::string::npos || line.compare(name_ends, 4, ") Z ") != 0)
        return std::nullopt;
    return std::atoi(line.c_str() + last) & 0x7f;
}

// A quarter of the time that has passed: some forty looks in two minutes, then two in each.
int pause_after(std::chrono::steady_clock::time_point begin)
{
    const auto passed = std::chrono::steady_clock::now() - begin;
    const auto quarter = std::chrono::duration_cast<std::chrono::milliseconds>(passed).count() / 4;
    return static_cast<int>(std::clamp<int64_t>(quarter, first_pause_ms, longest_pause_ms));
}

}  // namespace

bool is_fault_signal(int signal)
{
    static constexpr std::array<int, 7> faults = {SIGILL, SIGTRAP, SIGABRT, SIGBUS,
                                                  SIGFPE, SIGSEGV, SIGSYS};
    return std::find(faults.begin(), faults.end(), signal) != faults.end();
}

void DeathWatch::start(pid_t launcher)
{
    // Signals are for the thread that waits for the launcher.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this, launcher] { watch(launcher); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void DeathWatch::stop()
{
    if (!thread_.joinable())
        return;
    thread_.join();
    for (auto &[process, file] : alive_)
        close(std::exchange(file, -1));
}

bool DeathWatch::add(pid_t process)
{
    if (alive_.size() + died_.size() >= most_processes)
        return false;
    const int file = open_process(process);
    if (file < 0)
        return false;
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.fd = process;
    if (is_dead(file) || epoll_ctl(deaths_, EPOLL_CTL_ADD, file, &event) != 0) {
        dead_when_seen_.insert(process);
        close(file);
        return false;
    }
    alive_[process] = file;
    return true;
}

void DeathWatch::look_for_more(pid_t parent)
{
    for (const pid_t child : children_of(parent)) {
        if (alive_.count(child) == 0 && dead_when_seen_.count(child) == 0 && !has_died(child))
            add(child);
        look_for_more(child);
    }
}

// epoll tells of them in the order in which they became ready. Returns whether the launcher ended.
bool DeathWatch::note_deaths(int patience_ms, pid_t launcher)
{
    std::array<epoll_event, 64> events;
    bool ends = false;
    for (;;) {
        const int count =
            epoll_wait(deaths_, events.data(), static_cast<int>(events.size()), patience_ms);
        if (count <= 0)
            return ends;
        for (const epoll_event &event : std::span(events).first(static_cast<size_t>(count))) {
            const pid_t process = event.data.fd;
            ends |= process == launcher;
            died_.push_back({process, signal_of(process).value_or(unknown_signal)});
            close(alive_[process]);
            alive_.erase(process);
        }
        patience_ms = 0;
    }
}

void DeathWatch::watch(pid_t launcher)
{
    const auto begin = std::chrono::steady_clock::now();
    deaths_ = epoll_create1(EPOLL_CLOEXEC);
    bool ends = deaths_ < 0 || !add(launcher);  // the kernel has no pidfd
    while (!ends) {
        look_for_more(launcher);
        ends = note_deaths(pause_after(begin), launcher);
    }
    if (deaths_ >= 0)
        close(deaths_);
}

bool DeathWatch::has_died(pid_t process) const
{
    return std::any_of(died_.begin(), died_.end(),
                       [process](const Death &death) { return death.process == process; });
}

std::vector<DeathWatch::Death> DeathWatch::deaths_among(const std::vector<pid_t> &processes) const
{
    std::vector<Death> found;
    std::copy_if(died_.begin(), died_.end(), std::back_inserter(found), [&](const Death &death) {
        return std::find(processes.begin(), processes.end(), death.process) != processes.end();
    });
    return found;
}

// Those that are known to have died of another signal were ended by the launcher.
std::optional<DeathWatch::Death> DeathWatch::first_of(const std::vector<pid_t> &processes,
                                                      int signal, bool is_in_order,
                                                      pid_t likely) const
{
    if (!std::all_of(processes.begin(), processes.end(),
                     [&](pid_t each) { return alive_.count(each) != 0 || has_died(each); }))
        return std::nullopt;
    std::vector<Death> possible, sure;
    for (const Death &death : deaths_among(processes)) {
        const bool is_sure =
            is_fault_signal(death.signal) || (signal != 0 && death.signal == signal);
        if (is_sure)
            sure.push_back(death);
        if (is_sure || (signal != 0 && death.signal == unknown_signal))
            possible.push_back(death);
    }
    if (possible.empty())
        return std::nullopt;
    const bool is_first_told =
        is_in_order || possible.size() == 1 || possible.front().process == likely;
    if (!is_first_told && sure.empty())
        return std::nullopt;
    return is_first_told ? possible.front() : sure.front();
}

// ---- memory that ran out ------------------------------------------------------------------------

// Reads memory.events (version 2) and memory.oom_control (version 1).

namespace {

// "oom_kill 3" among other lines.
std::optional<uint64_t> kills_in(const std::string &path)
{
    std::ifstream file(path);
    std::string key;
    uint64_t number = 0;
    while (file >> key >> number)
        if (key == "oom_kill")
            return number;
    return std::nullopt;
}

// "4:memory:/job" of version 1, "0::/job" of version 2: where the group of memory is.
std::vector<std::string> memory_groups(const std::string &groups_file, const std::string &root)
{
    std::ifstream file(groups_file);
    std::string line;
    std::vector<std::string> folders;
    while (std::getline(file, line)) {
        const size_t names = line.find(':');
        const size_t path = names == std::string::npos ? names : line.find(':', names + 1);
        if (path == std::string::npos)
            continue;
        const std::string controllers = line.substr(names + 1, path - names - 1);
        if (controllers.empty())
            folders.push_back(root + line.substr(path + 1));
        if ((',' + controllers + ',').find(",memory,") != std::string::npos)
            folders.push_back(root + "/memory" + line.substr(path + 1));
    }
    return folders;
}

}  // namespace

std::optional<uint64_t> oom_kills_of_group(const std::string &groups_file, const std::string &root)
{
    std::optional<uint64_t> most;
    for (std::string folder : memory_groups(groups_file, root))
        while (folder.size() >= root.size()) {
            for (const char *name : {"/memory.events", "/memory.oom_control"})
                if (const auto kills = kills_in(folder + name))
                    most = std::max(most.value_or(0), *kills);
            const size_t slash = folder.rfind('/');
            folder.resize(slash == std::string::npos ? 0 : slash);
        }
    return most;
}

}  // namespace mprof
