// Names of functions for a file that mprof merge or mprof scrub writes.
#pragma once

#include "analyse/analyse_profile.h"

#include <string>

namespace mprof {

// Empty if the profile cannot be read, or if nothing is found.
std::vector<std::byte> names_of_profile(const std::string &path, const SymbolOptions &symbols,
                                        LinesKept lines);

}  // namespace mprof
