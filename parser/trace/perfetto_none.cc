// Without protozero.
#include "trace/trace_sink.h"

#include "mprof/format/library_names.h"

namespace mprof {

std::string perfetto_problem()
{
    return "this mprof was built without " MPROF_LIBRARY_PROTOZERO ", so it writes no .pftrace";
}

std::unique_ptr<TraceSink> perfetto_sink(WriteBytes /*write*/)
{
    return nullptr;
}

}  // namespace mprof
