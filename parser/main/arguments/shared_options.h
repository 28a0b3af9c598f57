// Options that several commands have.
#pragma once

#include "main/commands.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace mprof {

// A number. CLI11's own words for this have six digits behind the point.
CLI::Validator from_to(double least, double most);

// Where debug data of the program may be, beside where it was built.
void add_symbol_folders(CLI::App &command, const std::shared_ptr<SymbolOptions> &options);
void add_symbol_options(CLI::App &report, const std::shared_ptr<SymbolOptions> &options);

void add_width_option(CLI::App &command, size_t &width);
void add_world_option(CLI::App &command, uint32_t &world);
void add_verbose_option(CLI::App &command, bool &verbose);
void add_no_names_flag(CLI::App &command, bool &names);

// A part of the run instead of all of it.
void add_time_options(CLI::App &command, std::string &phase, double &from_s, double &to_s);

}  // namespace mprof
