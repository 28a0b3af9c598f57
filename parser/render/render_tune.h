// Lays a Tuning out: as text of at most `width` columns (at least 80), or as JSON. For
// tune_command.cc.
#pragma once

#include "tune/tuning.h"

#include <string>

namespace mprof {

std::string render_tune_text(const Tuning &tuning, size_t width);
std::string render_tune_json(const Tuning &tuning);

}  // namespace mprof
