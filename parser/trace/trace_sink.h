// A trace format, and what comes before it: which receive got which message. What is written is
// given to the format piece by piece: first who is there, then phases and counters, then calls.
// The calls of a thread come in order; those of different threads nearly.
#pragma once

#include "report/time_rows.h"
#include "trace/trace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
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

// Which receive got which message: by communicator, source, destination and, where it is known,
// tag, in order. Sends that wait for their receive are kept up to a limit; of older ones the
// receive gets none.

// The messages from one rank to another in one communicator.
struct MessageChannel {
    struct Sent {
        ReceivedMessage message;
        bool taken = false;
    };
    uint32_t communicator = 0, source = 0, destination = 0;  // ranks of the world
    uint32_t tag = 0;                                        // 0 = not known
    std::deque<Sent> sent;                                   // not received
    uint64_t first = 0;                                      // number of the first of `sent`
    uint64_t posted = 0;                                     // number of the next receive
    uint64_t sends_before = 0;     // so many first sends were received before what is known begins
    uint64_t receives_before = 0;  // so many first receives were sent before that
    uint64_t end() const { return first + sent.size(); }
};

// The place of a receive in its channel.
struct ReceiveTicket {
    MessageChannel *channel = nullptr;  // nullptr: the source is not known
    uint64_t number = 0;
    bool is_known = true;  // false: it was sent before what is known of the sender begins
};

class MessageFlows {
public:
    // Lines up what is known of each two ranks where it begins at different times. Reads all calls
    // twice then.
    explicit MessageFlows(Trace &trace);

    // Of a call that sends and has begun. Returns the message's number, 0 = none.
    uint64_t send(size_t thread, const TraceCall &call, double begin_s);
    // Of a call that receives, or begins to.
    ReceiveTicket post(size_t thread, const TraceCall &call);
    // The same of a message that the calls themselves tell.
    uint64_t send(size_t thread, const TraceMessage &message, double begin_s);
    ReceiveTicket post(size_t thread, const TraceMessage &message);
    // The message that the receive gets, if it was sent by then.
    std::optional<ReceivedMessage> take(const ReceiveTicket &ticket, double by_s);
    // Of a receive from whoever sends: the oldest message to this rank.
    std::optional<ReceivedMessage> take_any(size_t thread, const TraceCall &call, double by_s);
    // Whether the message of this receive can still be sent.
    bool can_come(const ReceiveTicket &ticket) const
    {
        return ticket.channel != nullptr && ticket.is_known &&
               ticket.number >= ticket.channel->end();
    }
    size_t channels() const { return channels_.size(); }
    // A damaged file may name any number of channels, and a program may take a new tag for each
    // message. True: there are so many that forget() is due.
    bool are_many() const { return channels_.size() >= most_channels_; }
    // All channels that wait for nothing, but for those in use; if that does not help, those whose
    // messages are the oldest.
    void forget(const std::set<const MessageChannel *> &in_use);

private:
    // communicator, destination, source, tag
    using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

    MessageChannel &channel(uint32_t communicator, uint32_t source, uint32_t destination,
                            uint32_t tag = 0);
    uint64_t send_in(MessageChannel &at, const ReceivedMessage &message);
    ReceiveTicket post_in(MessageChannel &at);
    MessageChannel *other_tag(const MessageChannel &channel);

    Trace &trace_;
    std::map<Key, MessageChannel> channels_;
    uint64_t next_flow_ = 1;
    size_t kept_ = 0;
    size_t most_channels_ = size_t{1} << 16U;
};

// Puts a trace into a format: counters, phases, and the calls of all threads by time. Memory does
// not grow with the number of calls.

struct TraceCounts {
    uint64_t calls = 0;
    uint64_t messages = 0;   // that were sent and received in calls that are known
    uint64_t unmatched = 0;  // receives in known calls whose message is not known
    uint64_t moved = 0;      // receives that seemed to end before the message was sent
    double most_moved_s = 0;
};

TraceCounts write_trace(Trace &trace, const TimeLine &time, TraceSink &sink);

}  // namespace mprof
