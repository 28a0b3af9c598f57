// Which compiler made a program, as the program's own file says (.comment). For the archive.
#pragma once

#include "symbols/module_symbols.h"

#include <string>

namespace mprof {

// "GCC: (Debian 12.2.0-14) 12.2.0"; "" if the file is not there, is not the one that ran, or does
// not say. Trusts nothing in it.
std::string compiler_name(const ModuleIdentity &module, const SymbolOptions &options);

}  // namespace mprof
