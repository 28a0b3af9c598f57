// What profile a command left, found out from the outside: by the names that were there before it
// and after it. And the words about it. For run_and_report.cc.
#pragma once

#include "main/commands.h"

#include <string>
#include <vector>

namespace mprof {

class ProfileWatch {
public:
    // Before the command is started. A page without --output names the profile folder, too.
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

}  // namespace mprof
