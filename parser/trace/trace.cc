#include "trace/trace.h"

#include <fmt/format.h>

namespace mprof {

std::string thread_name(uint32_t rank, uint32_t number)
{
    return number == 0 ? fmt::format("rank {}", rank)
                       : fmt::format("rank {} thread {}", rank, number);
}

}  // namespace mprof
