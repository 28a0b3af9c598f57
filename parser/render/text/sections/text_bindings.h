// Where ranks sit in their nodes, drawn: a line per cache, a field per core.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

// Nothing if no rank is bound to less than its node.
std::string bindings_section(const Report &report, size_t width);

}  // namespace mprof
