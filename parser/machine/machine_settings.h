// Which of an MPI's variables matter for what was measured: eager limits, algorithms, transports,
// and only those of the device and the transport that are in use.
#pragma once

#include "machine/machine_figures.h"

namespace mprof {

// Removes the others from figures.settings, and gives the kept ones their kind.
void choose_settings(MachineFigures &figures);

}  // namespace mprof
