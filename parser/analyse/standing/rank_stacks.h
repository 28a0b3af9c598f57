// The stacks of ranks that are not in MPI: which ranks to look at, and the source lines of what is
// found. For mprof hang alone, because it stops the ranks' threads for a moment.
#pragma once

#include "report/report.h"
#include "stacks/thread_stacks.h"
#include "symbols/module_symbols.h"

#include <map>
#include <optional>
#include <vector>

namespace mprof {

// At most four ranks that are outside MPI, those that others wait for first; or `wanted` alone.
std::vector<uint32_t> ranks_to_look_at(const Standing &standing, std::optional<uint32_t> wanted);

// `standing.stacks` and `stacks_remark`. Threads of libraries that only serve MPI or OpenMP are
// left out.
void add_stacks(const std::map<uint32_t, ProcessStacks> &by_rank, const SymbolOptions &options,
                Standing &standing);

}  // namespace mprof
