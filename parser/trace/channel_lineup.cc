// Two readings: the first finds where both sides begin, the second keeps what is around that.
#include "trace/channel_lineup.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace mprof {
namespace {

constexpr size_t looked_at = 32;  // messages before and after the begin
constexpr double never = std::numeric_limits<double>::infinity();

struct Seen {
    double time_s = 0;  // of a send its begin, of a receive its end
    uint32_t bytes = 0;
    bool sized = false;  // `bytes` is the message's size
};

// Calls of one side around `pivot_s`, and the number of the first.
struct Window {
    double first_s = never;
    double pivot_s = never;
    std::deque<Seen> seen;
    uint64_t first = 0;
    size_t after = 0;

    void add(const Seen &call)
    {
        if (after == looked_at)
            return;
        if (call.time_s > pivot_s)
            after++;
        seen.push_back(call);
        if (seen.size() - after > looked_at) {
            seen.pop_front();
            first++;
        }
    }
};

struct Sides {
    Window sends, receives;
};

using Sink = std::function<void(Window &, const Seen &)>;
using Channels = std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Sides>;

void read_all(Trace &trace, Channels &channels, const Sink &sink)
{
    TraceCall call;
    for (TraceThread &thread : trace.threads) {
        while (thread.calls->next(call)) {
            const TraceFunction &function = trace.functions[call.function];
            const uint32_t peer = trace.peer_of(call);
            if (peer == UINT32_MAX || call.communicator == 0)
                continue;
            if (function.sends)
                sink(channels[{call.communicator, thread.rank, peer}].sends,
                     {call.start_s, call.bytes, call.bytes != UINT32_MAX});
            else if (function.receives || function.posts)
                sink(channels[{call.communicator, peer, thread.rank}].receives,
                     {call.start_s + call.duration_s, call.bytes,
                      function.receives && call.bytes != UINT32_MAX});
        }
        thread.calls->rewind();
    }
}

// `number` of the first receive's send, counted from the first of `sends`; negative: the first
// send belongs to the receive -number.
bool fits(const Window &sends, const Window &receives, int64_t number, double tolerance_s)
{
    const auto many_sends = static_cast<int64_t>(sends.seen.size());
    const auto many_receives = static_cast<int64_t>(receives.seen.size());
    const int64_t begin = std::max<int64_t>(0, -number);
    const int64_t end = std::min(many_receives, many_sends - number);
    for (int64_t r = begin; r < end; r++) {
        const Seen &send = sends.seen[static_cast<size_t>(r + number)];
        const Seen &receive = receives.seen[static_cast<size_t>(r)];
        // What was only begun to receive ends later.
        const bool early = receive.sized && receive.time_s + tolerance_s < send.time_s;
        if (early || (receive.sized && send.sized && receive.bytes != send.bytes))
            return false;
    }
    return begin < end;
}

std::optional<int64_t> first_send(const Sides &sides, double tolerance_s)
{
    const auto many_sends = static_cast<int64_t>(sides.sends.seen.size());
    const auto many_receives = static_cast<int64_t>(sides.receives.seen.size());
    for (int64_t number = many_sends - 1; number > -many_receives; number--)
        if (fits(sides.sends, sides.receives, number, tolerance_s))
            return number + static_cast<int64_t>(sides.sends.first) -
                   static_cast<int64_t>(sides.receives.first);
    return std::nullopt;
}

}  // namespace

std::vector<LinedUp> line_up_channels(Trace &trace)
{
    Channels channels;
    read_all(trace, channels, [](Window &window, const Seen &call) {
        window.first_s = std::min(window.first_s, call.time_s);
    });
    for (auto &[key, sides] : channels)
        sides.sends.pivot_s = sides.receives.pivot_s =
            std::max(sides.sends.first_s, sides.receives.first_s);
    read_all(trace, channels, [](Window &window, const Seen &call) {
        if (window.pivot_s < never)
            window.add(call);
    });
    std::vector<LinedUp> lined_up;
    for (const auto &[key, sides] : channels) {
        const auto number = first_send(sides, trace.most_moved_s);
        const auto &[communicator, source, destination] = key;
        if (number.value_or(0) != 0)
            lined_up.push_back({communicator, source, destination,
                                static_cast<uint64_t>(std::max<int64_t>(0, *number)),
                                static_cast<uint64_t>(std::max<int64_t>(0, -*number))});
    }
    return lined_up;
}

}  // namespace mprof
