// mprof run --html: the command runs as a child, and when it has ended its page is written.
#pragma once

#include "main/commands.h"

namespace mprof {

// `start` becomes the command, or returns the exit status if it cannot. Returns the command's exit
// status; ends by the signal that ended the command.
int run_and_report(const RunOptions &options, int (*start)(const std::vector<std::string> &));

}  // namespace mprof
