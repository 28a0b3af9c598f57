// The list of processes is read again and again, ever more seldom, because reading it costs the
// node's CPUs: ranks begin early. Each process shows its death by itself, and so does the launcher,
// whose end is that of the watch.
#include "main/run/death_watch.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

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

}  // namespace

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
    if (thread_.joinable())
        thread_.join();
    note_deaths();
    for (Watched &each : watched_)
        if (each.file >= 0)
            close(std::exchange(each.file, -1));
}

void DeathWatch::look_for_more(pid_t parent)
{
    for (const pid_t child : children_of(parent)) {
        const bool is_known =
            std::any_of(watched_.begin(), watched_.end(),
                        [child](const Watched &each) { return each.process == child; });
        if (!is_known && watched_.size() < most_processes)
            if (const int file = open_process(child); file >= 0)
                watched_.push_back({child, file, 0});
        look_for_more(child);
    }
}

// Those that died since the last time died at one moment.
void DeathWatch::note_deaths()
{
    bool is_new = false;
    for (Watched &each : watched_) {
        pollfd poll_one = {each.file, POLLIN, 0};
        if (each.file < 0 || poll(&poll_one, 1, 0) <= 0)
            continue;
        if (!std::exchange(is_new, true))
            moments_++;
        each.moment = moments_;
        close(std::exchange(each.file, -1));
    }
}

void DeathWatch::watch(pid_t launcher)
{
    const int launcher_file = open_process(launcher);
    int pause_ms = first_pause_ms;
    bool ends = launcher_file < 0;  // the kernel has no pidfd
    while (!ends) {
        look_for_more(launcher);
        std::vector<pollfd> files = {{launcher_file, POLLIN, 0}};
        for (const Watched &each : watched_)
            if (each.file >= 0)
                files.push_back({each.file, POLLIN, 0});
        poll(files.data(), files.size(), pause_ms);
        ends = files.front().revents != 0;
        note_deaths();
        pause_ms = std::min(longest_pause_ms, pause_ms * 2);
    }
    if (launcher_file >= 0)
        close(launcher_file);
}

std::optional<pid_t> DeathWatch::first_of(const std::vector<pid_t> &processes) const
{
    size_t first = 0, at_once = 0;
    pid_t found = 0;
    for (const pid_t process : processes) {
        const auto at =
            std::find_if(watched_.begin(), watched_.end(),
                         [process](const Watched &each) { return each.process == process; });
        if (at == watched_.end() || at->moment == 0)
            return std::nullopt;
        if (first != 0 && at->moment > first)
            continue;
        at_once = at->moment == first ? at_once + 1 : 1;
        first = at->moment;
        found = process;
    }
    return at_once == 1 ? std::optional(found) : std::nullopt;
}

}  // namespace mprof
