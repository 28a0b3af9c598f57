// The report on one screen, for `mprof report --brief`: what bounds the run, why, what to do, where
// the time goes. At most 24 lines of 80 columns, whatever the profile. No state; any thread.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

std::string render_brief(const Report &report);

}  // namespace mprof
