// mprof run --sizes: one command with several numbers of ranks, each run in a process of its own,
// and then what mprof scale says of them.
#pragma once

#include "main/commands.h"

namespace mprof {

// The exit status of the first run that fails, else that of mprof scale.
int run_sizes(const RunOptions &options);

}  // namespace mprof
