// Lists of CPUs as the kernel writes them: "0-3,8".
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace mprof {

using CpuSet = std::set<uint32_t>;

CpuSet parse_cpus(const std::string &list);  // what is no number counts as 0

// True if all CPUs of `part`, which is not empty, are in `whole`.
bool is_inside(const CpuSet &part, const CpuSet &whole);

}  // namespace mprof
