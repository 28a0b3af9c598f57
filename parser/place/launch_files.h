// What launchers take to put each rank where an order says. For compare_commands.cc and the
// renderers.
#pragma once

#include "place/placing.h"

#include <optional>
#include <string>

namespace mprof {

// "openmpi" is the version of the run, `run_launcher`, or 5.
std::optional<Launcher> launcher_of_word(const std::string &word, Launcher run_launcher);
inline constexpr const char *launcher_words =
    "openmpi, openmpi4, openmpi5, mpich, intel, slurm, cray or program";

std::string launcher_name(Launcher launcher);  // "Open MPI 5"

// The name of the file that holds the order, if the user gives none. Cray MPICH knows one name
// only.
std::string default_order_file(const Placing &placing, Launcher launcher);

// The file's text, of the order that is proposed, or of the present one if that is good.
std::string order_file_text(const Placing &placing, Launcher launcher);

// The command line that starts the program with it; "" of `program`, which is a piece of C.
std::string launch_line(const Placing &placing, Launcher launcher, const std::string &file);

// What the user must see to, in a sentence; "" = nothing.
std::string launch_note(const Placing &placing, Launcher launcher);

}  // namespace mprof
