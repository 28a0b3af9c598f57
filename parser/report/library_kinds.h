// What a library does, by its file name: so that a sample in libcuda.so says that the CPU waits for
// the GPU. The names are those that vendors and distributions ship.
#pragma once

#include "report/states.h"

#include <string_view>

namespace mprof {

LibraryKind library_kind(std::string_view file_name);

}  // namespace mprof
