// Which libraries a program is started with: the dynamic linker itself is asked, because only it
// knows of RUNPATH, LD_LIBRARY_PATH, ld.so.cache and LD_PRELOAD together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mprof {

struct LoadedObjects {
    std::vector<std::string> paths;    // in the order of loading
    std::vector<std::string> missing;  // names that were not found
    bool asked = false;                // false: `failure` says why there is no answer
    std::string failure;
};

// Lines such as "\tlibmpi.so.40 => /usr/lib/libmpi.so.40 (0x00007f...)".
LoadedObjects parse_trace(std::string_view text);

// Starts the program's dynamic linker with LD_TRACE_LOADED_OBJECTS=1 (ld.so(8)), which lists and
// does not run the program. Only for an executable whose interpreter is glibc's: another one would
// run it.
LoadedObjects ask_dynamic_linker(const std::string &program);

// Is this glibc's dynamic linker, by its name?
bool is_glibc_linker(std::string_view interpreter);

}  // namespace mprof
