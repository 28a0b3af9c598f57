// The value of LD_PRELOAD with our library in it.
#pragma once

#include <string>
#include <string_view>

namespace mprof {

// `library` first, what was in `before` behind it; a libmprof.so that is there already is not there
// twice.
std::string preload_list(std::string_view library, std::string_view before);

}  // namespace mprof
