// Starts the measuring program (libmprof/machine/) behind the user's launcher, and reads what it
// says.
#pragma once

#include "machine/machine_figures.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct Measuring {
    std::vector<std::string> launcher;  // "mpirun", "-n", "4"
    std::string library;                // the MPI's, "" = that of the launcher
    uint32_t seconds = 60;              // no measurement begins later
    bool verbose = false;               // also what the launcher and the MPI print
};

// Nothing, after a message, if there is no answer.
std::optional<MachineFigures> measure_machine(const Measuring &measuring);

}  // namespace mprof
