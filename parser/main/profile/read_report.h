// The report of a profile, for the commands that render it: with why its job ended, or whether it
// still runs, and with what is missing said on stderr.
#pragma once

#include "analyse/analyse_profile.h"
#include "merge/profile.h"
#include "report/report.h"
#include "report/states.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace mprof {

// Is the run that left this profile still there? For mprof hang, mprof top and mprof report.

// Looks for the ranks' processes. Only processes of this machine can be seen. A job on other nodes
// counts as running while none of its ranks has ended, and its times grow meanwhile.
Observation observe_run(const Profile &profile);

// The processes of its ranks that run on this machine, by rank.
std::map<uint32_t, int> processes_here(const Profile &profile);

// For mprof report, which is also used long after the job: nothing is known of a job of which no
// process is here.
Observation observe_run_here(const Profile &profile);

// Whether the process of a rank that did not finish is there; nothing if it ran on another machine.
std::optional<bool> is_running_here(const RankFile &file);

// What is missing in a profile, said on stderr: for commands whose answer is there all the same.
bool has_damaged_ranks(const Profile &profile);

// Names what is missing and tells whether something is. `damaged` as has_damaged_ranks() says.
bool say_incomplete(const Report &report, bool damaged, bool verbose);

// Why a job ended whose ranks did not finish, as its batch system tells it: for the commands that
// read a report. A signal ends a rank without a word in its profile, and libmprof catches none.

struct ReadReport {
    Report report;
    bool damaged = false;     // ranks' files are
    bool is_running = false;  // here, as far as can be seen
};

// Nothing, with a message on stderr, if the profile cannot be read.
std::optional<ReadReport> read_report(const std::string &path, std::optional<uint32_t> world,
                                      const SymbolOptions &symbols, bool verbose,
                                      Detail detail = Detail::of_the_run);

}  // namespace mprof
