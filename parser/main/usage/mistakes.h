// What the command says to a wrong command line: what is wrong, what was probably meant, and what
// to do next. One line each. Any thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mprof {

// The line for the error that CLI11 found, without "mprof: " before it.
std::string describe_mistake(const CLI::App &app, const CLI::Error &problem);

}  // namespace mprof
