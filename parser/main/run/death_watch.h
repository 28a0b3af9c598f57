// Which process of a job dies first: for mprof run, which stands before the launcher. The first one
// ended the job, and the launcher ended the others.
//
// A thread watches all processes below the launcher on this machine, by pidfd: no process is
// stopped, traced or signalled. Where the kernel has no pidfd (before Linux 5.3), or there are more
// processes than a laptop or a node has ranks, nothing is known and nothing is said.
#pragma once

#include <optional>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace mprof {

class DeathWatch {
public:
    DeathWatch() = default;
    DeathWatch(const DeathWatch &) = delete;
    DeathWatch &operator=(const DeathWatch &) = delete;
    ~DeathWatch() { stop(); }

    void start(pid_t launcher);
    void stop();  // waits until the launcher has ended

    // Which of these processes died before all others of them. None: it is not known of each of
    // them when it died, or two of them died at once. After stop().
    std::optional<pid_t> first_of(const std::vector<pid_t> &processes) const;

private:
    struct Watched {
        pid_t process = 0;
        int file = -1;      // its pidfd, -1 = it died
        size_t moment = 0;  // of those at which the watch saw some die, from 1 on
    };

    void watch(pid_t launcher);
    void look_for_more(pid_t parent);
    void note_deaths();

    std::thread thread_;
    std::vector<Watched> watched_;  // of the thread, until stop()
    size_t moments_ = 0;
};

}  // namespace mprof
