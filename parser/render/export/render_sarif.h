// The findings of mprof lint as SARIF 2.1.0, which code hosts show beside the lines of a change.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

// Names of source files below `folder` (absolute) are relative to it, with %SRCROOT% before them.
std::string render_sarif(const Report &report, const std::string &folder);

}  // namespace mprof
