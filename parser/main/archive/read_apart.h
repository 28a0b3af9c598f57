// Reads a profile of a user's spool folder in a process of its own. Profiles are input that users
// wrote: one that makes the reader crash, loop or eat memory costs that profile alone.
//
// What is read is a copy in a folder of this process. It has the regular files that lie in the
// profile folder, belong to the folder's owner and have one name, opened without following links.
// So nobody can have the ingest read what only the ingest may read, and nobody can change a file
// between the look at it and the reading.
#pragma once

#include "main/archive/archive_actions.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace mprof {

struct SpooledProfile {
    std::string path;   // below the spool folder
    std::string owner;  // name of the user
    uid_t user = 0;
};

// USER/*.mprof below the folder, of users who own their folder. `problem`: why it cannot be read.
std::vector<SpooledProfile> profiles_in_spool(const std::string &spool, std::string &problem);

// Nothing, with a message on stderr, if it cannot be read.
std::optional<ReadRun> read_apart(const SpooledProfile &profile, const ArchiveOptions &options);

}  // namespace mprof
