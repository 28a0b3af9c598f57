// What is inside one rank file, as it is: for people who debug libmprof or the format.
#pragma once

#include "read/rank_file.h"

#include <string>

namespace mprof {

std::string render_show(const RankFile &rank);

}  // namespace mprof
