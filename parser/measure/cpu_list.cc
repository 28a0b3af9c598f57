#include "measure/cpu_list.h"

#include <algorithm>
#include <cstdlib>

namespace mprof {

CpuSet parse_cpus(const std::string &list)
{
    constexpr uint32_t most_cpus = 8192;
    CpuSet cpus;
    for (size_t begin = 0, comma = 0; begin < list.size(); begin = comma + 1) {
        comma = std::min(list.size(), list.find(',', begin));
        char *end = nullptr;
        const unsigned long first = std::strtoul(list.c_str() + begin, &end, 10);
        const unsigned long last = *end == '-' ? std::strtoul(end + 1, nullptr, 10) : first;
        for (unsigned long cpu = first; cpu <= last && cpu < most_cpus; cpu++)
            cpus.insert(static_cast<uint32_t>(cpu));
    }
    return cpus;
}

bool is_inside(const CpuSet &part, const CpuSet &whole)
{
    return !part.empty() && std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

}  // namespace mprof
