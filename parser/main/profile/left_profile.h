// Which profiles are in a folder, which of them a command left, and the end of a job that was
// killed, noted in what it left. Any thread.
#pragma once

#include "main/commands.h"
#include "main/run/death_watch.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// Which profiles are in a folder, and which of them is the newest: for commands that are given no
// folder, and for `mprof run`, which looks for what its command left.

// Profile folders and merged files in `folder`, the newest first. Names are below `folder`, and
// alone if that is ".".
std::vector<std::string> list_profiles(const std::string &folder);

// The path that a command was given, else the newest profile in the working folder (or the working
// folder, if it is one), and a line on standard error says which. None, with a message, if there is
// no profile.
std::optional<std::string> given_or_newest(const std::string &path, const std::string &command);

// What profile a command left, found out from the outside: by the names that were there before it
// and after it. And the words about it.
class ProfileWatch {
public:
    // Before the command is started. A page without --output also names the profile folder.
    explicit ProfileWatch(const RunOptions &options);

    // When it has ended: what it left, the newest first.
    std::vector<std::string> left() const;

    // False if a profile could not be written where it was to be. Then the library has said so.
    bool could_be_written() const;

private:
    std::vector<std::string> profiles_now() const;

    std::vector<std::string> command_;
    std::string named_;                // what --output or MPROF_OUTPUT names, "" = nothing
    std::vector<std::string> before_;  // profiles that were there
};

// One line: where the profile is, unless the summary on standard error said so, or nobody wants to
// hear it (--summary off).
void say_where(const std::vector<std::string> &profiles, bool wants_summary);

// One line: why the command, which ended with this wait status, left no profile.
void say_no_profile(const RunOptions &options, int status);

// The end of a job that was killed, noted in what it left: for run_and_report.cc. A rank that hung
// until then has written nothing for as long, so its record alone would end with the last call.

struct EndOfJob {
    uint64_t end_ns = 0;                 // by the time of day
    int status = 0;                      // wait status of the launcher
    const DeathWatch *deaths = nullptr;  // nullptr: the job was ended from outside
    uint64_t oom_kills = 0;              // meanwhile, in the control group of this process
};

// Writes the end into the live records in the profile (as mprof_run.stop_realtime_ns), if the ranks
// are known to have been there until then: all of them ran the command's own program on this
// machine. Else nothing is done. The rank that died first, by a signal of which the launcher's
// status tells, has the signal in its record (as end_code, with an unknown end). Nothing is
// printed.
void note_end_of_job(const std::string &profile, const std::vector<std::string> &command,
                     const EndOfJob &end);

}  // namespace mprof
