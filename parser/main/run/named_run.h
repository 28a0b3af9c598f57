// Several runs of one command, for mprof run --sizes and mprof tune: how their profiles are called,
// and how they ended.
#pragma once

#include "main/commands.h"

#include <string>

namespace mprof {

// What --output or MPROF_OUTPUT names, without its ending, else `usual`.
std::string profile_stem(const RunOptions &options, const std::string &usual);

// "STEM.mprof", or with -2, -3 ... what is not there yet.
std::string free_profile_name(const std::string &stem);

void set_output(RunOptions &options, const std::string &profile);

// Of a wait status: "ended with exit status 3", and what mprof ends with itself.
std::string ending_words(int status);
int exit_status_of(int status);

}  // namespace mprof
