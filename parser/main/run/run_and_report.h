// mprof run before a launcher, once or with several numbers of ranks.
#pragma once

#include "main/commands.h"

namespace mprof {

// mprof run before a launcher: the command runs as a child, and when it has ended a line says where
// its profile is, or why there is none. With --report and --html the report follows.

// In one of the processes that a launcher started: there `mprof run` becomes the command, so that
// the launcher sees the process that it started.
bool is_launched();

// `start` becomes the command, or returns the exit status if it cannot. Returns the command's exit
// status; ends by the signal that ended the command. `profiled` is false if it was said already
// that the command is not profiled.
int run_and_report(const RunOptions &options, int (*start)(const std::vector<std::string> &),
                   bool profiled);

// mprof run --sizes: one command with several numbers of ranks, each run in a process of its own,
// and then what mprof scale says of them.

// The exit status of the first run that fails, else that of mprof scale.
int run_sizes(const RunOptions &options);

}  // namespace mprof
