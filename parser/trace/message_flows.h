// Which receive got which message: by communicator, source, destination and, where it is known,
// tag, in order. Sends that wait for their receive are kept up to a limit; of older ones the
// receive gets none.
#pragma once

#include "trace/trace.h"
#include "trace/trace_sink.h"

#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace mprof {

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

}  // namespace mprof
