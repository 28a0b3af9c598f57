// Names what is slow: nodes, and links between nodes. What is read from a log has neither.
#pragma once

#include "machine/machine_figures.h"

namespace mprof {

// Fills `slow` and `sentence` of nodes, `slow` of links, findings and headline.
void judge_machine(MachineFigures &figures);

}  // namespace mprof
