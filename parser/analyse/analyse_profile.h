// The whole analysis: from the rank files of one run to the Report.
#pragma once

#include "analyse/report.h"
#include "merge/profile.h"

namespace mprof {

Report analyse_profile(const Profile &profile);

}  // namespace mprof
