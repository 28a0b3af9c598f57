// Source lines at call sites and at lines that the CPU was in, for mprof report --sources.
#pragma once

#include "report/report.h"
#include "symbols/module_symbols.h"

namespace mprof {

// Reads source files of this machine, or below the sysroot. A file that has changed since the
// program was built gives no line, and says so.
void add_source_rows(const SymbolOptions &options, Report &report);

}  // namespace mprof
