// What `mprof run --sizes` is given. For main.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mprof {

// "1,2,4,8": numbers of at least 1, each once; empty if it is no such list.
std::vector<uint32_t> parse_sizes(const std::string &text);

}  // namespace mprof
