// Reads what a machine can do from the file that `mprof machine -o` wrote, or from a log of IMB or
// of the OSU benchmarks. Trusts nothing in it.
#pragma once

#include "machine/machine_figures.h"
#include "read/file_result.h"

#include <string>
#include <vector>

namespace mprof {

// Several logs are put together: of what two of them have, the later one counts. `ranks`: of
// collectives in logs that do not say; 0 = not known.
Result<MachineFigures> read_machine(const std::vector<std::string> &paths, uint32_t ranks);

// The text of a log, added to `figures`; false if it is none (read_machine.cc).
bool read_log(const std::string &text, uint32_t ranks, MachineFigures &figures);

}  // namespace mprof
