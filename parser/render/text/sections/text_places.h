// The sections of the text report about places in the program; "" when nothing was recorded. For
// render_text.cc.
#pragma once

#include "report/report.h"

#include <cstddef>
#include <string>

namespace mprof {

// At most `width` characters of a place, from its end: the file's name and the line tell most.
std::string place_text(const std::string &place, size_t width);

std::string callsites_section(const Report &report, size_t width);
// Of nonblocking operations; [time] is that of the calls that completed them.
std::string overlap_section(const Report &report, size_t width);
// Between which two MPI calls the computing happens, and whose is the longest.
std::string segments_section(const Report &report, size_t width);

}  // namespace mprof
