// What is inside one rank file, or in a block of a merged or node file, as it is: for people who
// debug libmprof or the format.
#pragma once

#include "merge/merged_file.h"
#include "read/rank_file.h"

#include <string>

namespace mprof {

std::string render_show(const RankFile &rank);
std::string render_show(const MergedFile &merged, size_t number,
                        const std::vector<MergedMember> &members);

}  // namespace mprof
