#include "trace/trace.h"

#include <fmt/format.h>

namespace mprof {

std::string TraceThread::name() const
{
    return number == 0 ? fmt::format("rank {}", rank)
                       : fmt::format("rank {} thread {}", rank, number);
}

}  // namespace mprof
