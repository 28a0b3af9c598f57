// Without protozero.
#include "trace/trace_sink.h"

namespace mprof {

std::string perfetto_problem()
{
    return "this mprof was built without protozero (Debian: libprotozero-dev), so it writes no "
           ".pftrace";
}

std::unique_ptr<TraceSink> perfetto_sink(WriteBytes /*write*/)
{
    return nullptr;
}

}  // namespace mprof
