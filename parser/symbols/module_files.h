// Finds the file of a module and the file with its debug data, and proves that they are the ones
// that ran: by build id, or of files without one, by the checksum of .gnu_debuglink; a module
// without one by its length and age, if they were recorded. What is not proved is not used.
//
// Looked at are, with DIR each of the debug folders and then /usr/lib/debug, all below the sysroot
// where there is one:
//   the module's own path;
//   DIR/.build-id/ab/cdef.debug for build id abcdef (where the module itself need not be there);
//   what .gnu_debuglink names: beside the module, in .debug/ there, in DIR + the module's folder,
//   in DIR.
#pragma once

#include "symbols/elf_file.h"
#include "symbols/module_symbols.h"

namespace mprof {

struct ModuleFiles {
    std::unique_ptr<ElfFile> module;  // null if only the debug file is there
    std::unique_ptr<ElfFile> debug;   // null if the debug data is in the module, or nowhere
    std::string problem;              // as ModuleSymbols::problem()
    bool unproved = false;            // neither has a build id, and no length and age were recorded
};

ModuleFiles find_module_files(const ModuleIdentity &module, const SymbolOptions &options);

// The file of that build id in a debug folder, or null.
std::unique_ptr<ElfFile> find_by_build_id(const std::string &build_id,
                                          const SymbolOptions &options);

}  // namespace mprof
