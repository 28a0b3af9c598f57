// mprof run --sizes: one command with several numbers of ranks, each run in a process of its own,
// and then what mprof scale says of them.
#pragma once

#include "main/commands.h"

#include <string>
#include <vector>

namespace mprof {

// "1,2,4,8": numbers of at least 1, each once; empty if it is no such list.
std::vector<uint32_t> parse_sizes(const std::string &text);

// The exit status of the first run that fails, else that of mprof scale.
int run_sizes(const RunOptions &options);

}  // namespace mprof
