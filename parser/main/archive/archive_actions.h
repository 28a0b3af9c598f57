// What mprof archive does, an action each. archive_command.cc calls them; each gives the exit
// status of the process.
#pragma once

#include "archive/archived_run.h"
#include "main/commands.h"
#include "merge/profile.h"

#include <optional>
#include <string>

namespace mprof {

int add_to_archive(const ArchiveOptions &options);
int list_archive(const ArchiveOptions &options);
int tell_regressions(const ArchiveOptions &options);
int tell_history(const ArchiveOptions &options);
int publish_archive(const ArchiveOptions &options);
int thin_archive(const ArchiveOptions &options);

// Nothing, with a message on stderr, if the profile cannot be read.
struct ReadRun {
    ArchivedRun run;
    std::vector<ArchivedLine> lines;
};
std::optional<ReadRun> read_run(const std::string &path, const ArchiveOptions &options,
                                const std::string &owner);

// The line on stderr when an archive cannot be opened, read or written.
int say_archive_problem(const std::string &archive, const std::string &problem);

}  // namespace mprof
