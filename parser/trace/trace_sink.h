// A trace format. What is written is given to it piece by piece: first who is there, then phases
// and counters, then calls. The calls of a thread come in order; those of different threads nearly.
#pragma once

#include "report/time_rows.h"
#include "trace/trace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mprof {

struct ReceivedMessage {
    uint64_t flow = 0;   // as DrawnCall.sent_flow
    size_t sender = 0;   // thread
    double sent_s = 0;   // when its call began
    uint32_t bytes = 0;  // that were sent
    uint32_t communicator = 0;
};

// A call as it is drawn: no message arrives before it was sent, calls of a thread do not overlap.
struct DrawnCall {
    size_t thread = 0;
    TraceCall call;
    double begin_s = 0, end_s = 0;
    uint64_t sent_flow = 0;                 // number of the message that it sends; 0 = none
    std::vector<uint64_t> more_flows;       // of further messages that it sends
    std::vector<ReceivedMessage> received;  // messages that arrived in it
    // Until then it waited for a message that was not yet sent.
    std::optional<double> waited_until_s;
    uint32_t waited_for = 0;  // rank
};

struct CounterTrack {
    std::string name, unit;
    std::optional<size_t> thread;  // none: of the whole run
};

class TraceSink {
public:
    TraceSink() = default;
    virtual ~TraceSink() = default;
    TraceSink(const TraceSink &) = delete;
    TraceSink &operator=(const TraceSink &) = delete;

    // `trace` stays there until end().
    virtual void begin(const Trace &trace) = 0;
    virtual void add_phase(const PhaseRow &phase) = 0;
    // add_value() is about the last one, with rising times.
    virtual void begin_counter(const CounterTrack &track) = 0;
    virtual void add_value(double time_s, double value) = 0;
    virtual void add_call(const DrawnCall &drawn) = 0;
    // "" or what went wrong.
    virtual std::string end() = 0;
};

// What formats have for times: from 0 to a hundred years, whatever a file says.
inline int64_t trace_ns(double seconds)
{
    constexpr double most_s = 100.0 * 365 * 86400;
    return seconds > 0 ? std::llround(std::min(seconds, most_s) * 1e9) : 0;  // NaN is 0
}

using WriteBytes = std::function<void(std::string_view)>;

// Perfetto's protobuf. perfetto_problem(): "", or why this mprof cannot write it.
std::string perfetto_problem();
std::unique_ptr<TraceSink> perfetto_sink(WriteBytes write);

// OTF2, for Vampir and Scalasca: an archive "traces.otf2" in a folder that OTF2 makes. It has
// single calls, but neither phases nor counters.
std::string otf2_problem();
std::unique_ptr<TraceSink> otf2_sink(const std::string &folder);

}  // namespace mprof
