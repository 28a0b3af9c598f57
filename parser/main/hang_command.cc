// mprof hang: where the ranks of a running job stand, or stood when it was killed.
#include "analyse/analyse_profile.h"
#include "main/commands.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "render/render_standing.h"

#include <chrono>
#include <csignal>
#include <unistd.h>

namespace mprof {
namespace {

std::string own_host()
{
    char name[256] = "";
    return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

bool is_alive(const RankFile &file, const std::string &host)
{
    return !file.finished() && file.run.process_id > 1 && file.text("host") == host &&
           kill(static_cast<pid_t>(file.run.process_id), 0) == 0;
}

}  // namespace

// Processes can be seen on this machine alone: a job on other nodes is taken to be running while
// none of its ranks has ended, and the times of one that was killed grow then.
Observation observe(const Profile &profile)
{
    const std::string host = own_host();
    Observation observation;
    observation.realtime_ns =
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count());
    bool elsewhere = true;
    for (const RankFile &file : profile.ranks) {
        observation.running = observation.running || is_alive(file, host);
        elsewhere = elsewhere && !file.finished() && file.text("host") != host;
    }
    observation.running = observation.running || elsewhere;
    return observation;
}

int hang_command(const HangOptions &options)
{
    const auto profile = read_profile(options.path, true, options.world);
    if (!profile.ok()) {
        say(describe(profile.error()));
        return exit_unusable;
    }
    const Report report =
        analyse_profile(profile.value(), options.symbols, observe(profile.value()));
    return write_stdout(render_standing(report, terminal_width())) ? exit_fine : exit_unusable;
}

}  // namespace mprof
