// The sections of the text report about groups of ranks; "" when they would tell nothing that other
// tables do not. For render_text.cc.
#pragma once

#include "report/report.h"

#include <cstddef>
#include <string>

namespace mprof {

std::string communicators_section(const Report &report, size_t width);
// <compute>, <mpi> and <wait> are means of the node's ranks, in seconds.
std::string nodes_section(const Report &report, size_t width);

}  // namespace mprof
