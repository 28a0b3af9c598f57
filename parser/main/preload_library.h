// Where libmprof.so is.
#pragma once

#include <string>

namespace mprof {

// The path to preload: MPROF_LIBRARY, else beside this executable, so that a moved installation
// works; "" after a message.
std::string find_preload_library();

}  // namespace mprof
