// A run beside what its machine can do: fills Report.machine, machine_times, eager_limits and
// touch_rules.
#pragma once

#include "machine/machine_figures.h"
#include "report/report.h"

namespace mprof {

void compare_with_machine(const MachineFigures &figures, const std::string &file, Report &report);

// Parts of it: when data should be touched (compare_with_machine.cc), and the eager limit in the
// sizes of the run's messages (compare_with_machine.cc).
std::vector<TouchRow> find_touch_rules(const MachineFigures &figures, const Report &report);
std::vector<EagerLimitRow> find_eager_limits(const MachineFigures &figures, const Report &report);

// The curve for messages inside nodes, the farthest one there is, or for those between nodes. A log
// tells no distance: then its only curve serves for both.
const MachineCurve *curve_for(const MachineFigures &figures, Locality locality);

}  // namespace mprof
