// What ranks did last that have not ended normally, call by call.
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace mprof {

// At most `most` lines without line ends, the newest last.
std::vector<std::string> last_call_lines(const std::vector<LastCallRow> &calls, uint32_t rank,
                                         size_t width, size_t most);

// The last 8 calls of a rank; "" if none are known.
std::string last_calls_of(const Report &report, uint32_t rank, size_t width);

// Those of the first rank to look at; "" if there are none.
std::string last_calls_section(const Report &report, size_t width);

}  // namespace mprof
