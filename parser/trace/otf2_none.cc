// Without OTF2.
#include "trace/trace_sink.h"

namespace mprof {

std::string otf2_problem()
{
    return "this mprof was built without OTF2 (Debian: libopen-trace-format2-dev); "
           "-o FILE.pftrace works";
}

std::unique_ptr<TraceSink> otf2_sink(const std::string & /*folder*/)
{
    return nullptr;
}

}  // namespace mprof
