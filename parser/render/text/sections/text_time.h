// The section of the text report about the run over time: text_time.cc.
#pragma once

#include "report/time_window.h"

#include <string>
#include <vector>

namespace mprof {

// False for short runs, and for those of one phase in which nothing stands out.
bool is_time_told(const Report &report);

// "" if it is not told.
std::string when_section(const Report &report, size_t width);

// The figures of a window, for mprof report --phase and --from, --to.
std::string window_section(const Report &report, const TimeWindow &window, size_t width);

// Strips of `cells` characters over the run; "" if there is nothing to see.
std::string phase_strip(const Report &report, size_t cells);
std::string waiting_strip(const Report &report, size_t cells);
// The axis above them: numbers of seconds.
std::string axis_strip(const Report &report, size_t cells);

}  // namespace mprof
