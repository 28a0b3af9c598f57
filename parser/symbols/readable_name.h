// Names of functions as their author would write them.
#pragma once

#include <string>
#include <string_view>

namespace mprof {

// C++ names are demangled, those of Fortran modules become module::procedure, and what compilers
// append to a copy of a function (.isra.0, .cold ...) goes; "solve [OpenMP]" is the body of a
// parallel region of solve.
std::string readable_name(std::string_view linker_name);

}  // namespace mprof
