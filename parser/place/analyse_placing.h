// Makes a Placing of a report. For main/compare_commands.cc.
#pragma once

#include "place/placing.h"
#include "place/read_order.h"
#include "report/report.h"

#include <optional>
#include <string>

namespace mprof {

// Why the report tells nothing to place by, in words; "" = it does.
std::string why_not_placed(const Report &report);

struct PlacingQuestion {
    std::optional<Machine> machine;  // to place on; none: that of the run
    std::optional<Launcher> launcher;
    std::optional<WrittenOrder> judge;
};

Placing analyse_placing(const Report &report, const PlacingQuestion &question);

// Fits `judge` to the machine: why it does not, or "".
std::string why_not_judged(const Machine &machine, const WrittenOrder &judge);

}  // namespace mprof
