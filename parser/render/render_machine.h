// Lays out what a machine can do: as text of at most `width` columns (at least 80), or as JSON,
// which `mprof report --machine` reads. For machine_command.cc.
#pragma once

#include "machine/machine_figures.h"

#include <string>

namespace mprof {

std::string render_machine_text(const MachineFigures &figures, size_t width);
std::string render_machine_json(const MachineFigures &figures);

}  // namespace mprof
