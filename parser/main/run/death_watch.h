// Which process of a job dies first: for mprof run, which comes before the launcher. The first one
// ended the job, and the launcher ended the others.
//
// A thread watches all processes below the launcher on this machine, by pidfd: no process is
// stopped, traced or signalled. The kernel keeps the order in which they died, so it does not
// matter when the thread gets a CPU. Only the parent is told what a process died of; the thread
// reads it in /proc, if it comes before the parent. Where the kernel has no pidfd (before
// Linux 5.3), or there are more processes than a laptop or a node has ranks, nothing is known and
// nothing is said.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace mprof {

// By what a program does itself: an address that is none, abort(), a division by 0. No launcher
// ends ranks with these.
bool is_fault_signal(int signal);

class DeathWatch {
public:
    DeathWatch() = default;
    DeathWatch(const DeathWatch &) = delete;
    DeathWatch &operator=(const DeathWatch &) = delete;
    ~DeathWatch() { stop(); }

    void start(pid_t launcher);
    void stop();  // waits until the launcher has ended

    static constexpr int unknown_signal = -1;
    struct Death {
        pid_t process = 0;
        int signal = unknown_signal;
    };

    // Which of these processes died first of a signal that a program gets by what it does, or of
    // `signal`, of which the launcher's status tells (0 = of none). Where the kernel did not tell
    // of which signal it died, the order decides. A launcher that learns of a death before the
    // kernel reports it (`is_in_order` = false) may end others meanwhile. Then the first one is
    // named only if it is also `likely` by other evidence (0 = there is none). The launcher may end
    // before the last of them does. None: one of them was not seen alive, or nobody can tell. After
    // stop().
    std::optional<Death> first_of(const std::vector<pid_t> &processes, int signal, bool is_in_order,
                                  pid_t likely) const;

private:
    void watch(pid_t launcher);
    bool add(pid_t process);
    bool has_died(pid_t process) const;
    std::vector<Death> deaths_among(const std::vector<pid_t> &processes) const;
    void look_for_more(pid_t parent);
    bool note_deaths(int patience_ms, pid_t launcher);

    std::thread thread_;
    // Of the thread, until stop().
    int deaths_ = -1;                 // epoll's descriptor
    std::map<pid_t, int> alive_;      // when the launcher ended; and their pidfd
    std::vector<Death> died_;         // in this order
    std::set<pid_t> dead_when_seen_;  // it is not known when they died
};

// ---- memory that ran out ------------------------------------------------------------------------

// How many processes the kernel has killed so far because a control group had no memory left: for
// mprof run, which comes before the launcher and sees what ranks that are killed cannot record.

// Of this process's own group and those around it, the largest number: version 2 counts what is
// below a group, version 1 a group alone. None: the system does not tell. The folders are those of
// the system; tests have stand-ins.
std::optional<uint64_t> oom_kills_of_group(const std::string &groups_file = "/proc/self/cgroup",
                                           const std::string &root = "/sys/fs/cgroup");

}  // namespace mprof
