// Looking for the processes of a run (observe_run.h). A process id may belong to something else by
// now: what it runs has to be what the rank file says.
#include "main/observe_run.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace mprof {
namespace {

std::string own_host()
{
    char name[256] = "";
    return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// For a process of another user only its existence can be seen. A process that has ended but was
// not waited for runs no program any more.
bool runs_program(uint32_t process, const std::string &executable)
{
    if (process <= 1 || (kill(static_cast<pid_t>(process), 0) != 0 && errno != EPERM))
        return false;
    std::error_code error;
    const std::string link =
        std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), error).native();
    if (error)
        return error == std::errc::permission_denied;
    return executable.empty() || link == executable || link == executable + " (deleted)";
}

// The letter behind "State:" in /proc/PID/status: T = stopped by a signal, t = by a debugger,
// S = asleep. `folder`: that of a process, or of one of its threads.
char state_of_process(const std::string &folder)
{
    std::ifstream status(folder + "/status");
    for (std::string word; status >> word;)
        if (word == "State:" && status >> word)
            return word.front();
    return 0;
}

// None of its threads computes or waits for a disk.
bool is_asleep(const std::string &process)
{
    std::error_code error;
    for (const auto &thread : std::filesystem::directory_iterator(process + "/task", error))
        if (state_of_process(thread.path().native()) != 'S')
            return false;
    return !error;
}

void note_process(Observation &observation, const RankFile &file)
{
    const uint32_t rank = file.header().rank;
    if (!runs_program(file.run.process_id, file.text("executable"))) {
        observation.gone.insert(rank);
        return;
    }
    observation.running = true;
    const std::string process = fmt::format("/proc/{}", file.run.process_id);
    const char state = state_of_process(process);
    if (state == 'T')
        observation.stopped.insert(rank);
    else if (state == 't')
        observation.traced.insert(rank);
    else if (is_asleep(process))
        observation.asleep.insert(rank);
}

Observation look_for_processes(const Profile &profile)
{
    const std::string host = own_host();
    Observation observation;
    observation.looked = true;
    observation.realtime_ns =
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count());
    for (const RankFile &file : profile.ranks)
        if (!file.finished() && file.text("host") == host)
            note_process(observation, file);
    return observation;
}

}  // namespace

Observation observe_run_here(const Profile &profile)
{
    Observation observation = look_for_processes(profile);
    if (observation.running)
        return observation;
    Observation nothing;
    nothing.realtime_ns = observation.realtime_ns;
    return nothing;
}

Observation observe_run(const Profile &profile)
{
    Observation observation = look_for_processes(profile);
    const std::string host = own_host();
    const bool all_elsewhere =
        !profile.ranks.empty() &&
        std::all_of(profile.ranks.begin(), profile.ranks.end(), [&](const RankFile &file) {
            return !file.finished() && file.text("host") != host;
        });
    observation.running = observation.running || all_elsewhere;
    return observation;
}

}  // namespace mprof
