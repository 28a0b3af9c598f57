// Without OTF2.
#include "trace/trace_sink.h"

#include "mprof/format/library_names.h"

namespace mprof {

std::string otf2_problem()
{
    return "this mprof was built without " MPROF_LIBRARY_OTF2 "; -o FILE.pftrace works";
}

std::unique_ptr<TraceSink> otf2_sink(const std::string & /*folder*/)
{
    return nullptr;
}

}  // namespace mprof
