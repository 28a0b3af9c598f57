// Sizes are compared, so that messages that overtook each other (by their tags) get no wrong arrow.
#include "trace/message_flows.h"

#include "trace/channel_lineup.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace mprof {
namespace {

constexpr size_t most_kept_of_channel = 4096;
constexpr size_t most_kept = size_t{1} << 18;

bool has_peer(const TraceCall &call)
{
    return call.communicator != 0 && call.peer >= 0;
}

}  // namespace

MessageFlows::MessageFlows(Trace &trace) : trace_(trace)
{
    if (std::all_of(trace.threads.begin(), trace.threads.end(),
                    [](const TraceThread &thread) { return thread.from_begin; }))
        return;
    for (const LinedUp &row : line_up_channels(trace)) {
        MessageChannel &at = channel(row.communicator, row.source, row.destination, row.tag);
        at.sends_before = row.sends_before;
        at.receives_before = row.receives_before;
    }
}

MessageChannel &MessageFlows::channel(uint32_t communicator, uint32_t source, uint32_t destination,
                                      uint32_t tag)
{
    MessageChannel &at = channels_[{communicator, destination, source, tag}];
    at.tag = tag;
    at.communicator = communicator;
    at.source = source;
    at.destination = destination;
    return at;
}

uint64_t MessageFlows::send(size_t thread, const TraceCall &call, double begin_s)
{
    const uint32_t peer = trace_.peer_of(call);
    if (!has_peer(call) || peer == UINT32_MAX)
        return 0;
    return send_in(channel(call.communicator, trace_.threads[thread].rank, peer),
                   {0, thread, begin_s, call.bytes, call.communicator});
}

uint64_t MessageFlows::send(size_t thread, const TraceMessage &message, double begin_s)
{
    if (message.communicator == 0)
        return 0;
    return send_in(
        channel(message.communicator, trace_.threads[thread].rank, message.rank, message.tag),
        {0, thread, begin_s, message.bytes, message.communicator});
}

uint64_t MessageFlows::send_in(MessageChannel &at, const ReceivedMessage &message)
{
    if (at.sends_before > 0) {
        at.sends_before--;
        return 0;
    }
    if (!at.sent.empty() && (at.sent.size() >= most_kept_of_channel || kept_ >= most_kept)) {
        at.sent.pop_front();
        at.first++;
        kept_--;
    }
    at.sent.push_back({message, false});
    at.sent.back().message.flow = next_flow_;
    kept_++;
    return next_flow_++;
}

void MessageFlows::forget(const std::set<const MessageChannel *> &in_use)
{
    const auto is_idle = [](const MessageChannel &at) {
        return at.sent.empty() && at.sends_before == 0 && at.receives_before == 0;
    };
    std::vector<double> times;  // of the last messages of the other ones
    for (auto at = channels_.begin(); at != channels_.end();) {
        const bool is_free = in_use.count(&at->second) == 0;
        if (is_free && !at->second.sent.empty())
            times.push_back(at->second.sent.back().message.sent_s);
        at = is_free && is_idle(at->second) ? channels_.erase(at) : std::next(at);
    }
    if (times.size() > most_kept) {
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), middle, times.end());
        const double oldest_s = *middle;
        std::erase_if(channels_, [&](const auto &entry) {
            const MessageChannel &at = entry.second;
            if (in_use.count(&at) != 0 || at.sent.empty() ||
                at.sent.back().message.sent_s > oldest_s)
                return false;
            kept_ -= at.sent.size();
            return true;
        });
    }
    most_channels_ = std::max(most_channels_, 2 * channels_.size());
}

ReceiveTicket MessageFlows::post(size_t thread, const TraceCall &call)
{
    const uint32_t peer = trace_.peer_of(call);
    if (!has_peer(call) || peer == UINT32_MAX)
        return {};
    return post_in(channel(call.communicator, peer, trace_.threads[thread].rank));
}

// A message of another channel between the two, where a call does not know its tag.
MessageChannel *MessageFlows::other_tag(const MessageChannel &channel)
{
    const bool takes_any = channel.tag == 0 || channel.tag == MPROF_TAG_ANY;
    MessageChannel *oldest = nullptr;
    for (auto at =
             channels_.lower_bound({channel.communicator, channel.destination, channel.source, 0});
         at != channels_.end() && at->second.communicator == channel.communicator &&
         at->second.destination == channel.destination && at->second.source == channel.source;
         ++at) {
        MessageChannel &one = at->second;
        if (one.posted < one.first || one.posted >= one.end() || (!takes_any && one.tag != 0))
            continue;
        if (oldest == nullptr || one.sent[one.posted - one.first].message.sent_s <
                                     oldest->sent[oldest->posted - oldest->first].message.sent_s)
            oldest = &one;
    }
    return oldest;
}

ReceiveTicket MessageFlows::post(size_t thread, const TraceMessage &message)
{
    if (message.communicator == 0)
        return {};
    MessageChannel &at =
        channel(message.communicator, message.rank, trace_.threads[thread].rank, message.tag);
    if (at.receives_before == 0 && (at.posted < at.first || at.posted >= at.end()))
        if (MessageChannel *other = other_tag(at))
            return post_in(*other);
    return post_in(at);
}

ReceiveTicket MessageFlows::post_in(MessageChannel &at)
{
    if (at.receives_before > 0) {
        at.receives_before--;
        return {&at, 0, false};
    }
    return {&at, at.posted++, true};
}

std::optional<ReceivedMessage> MessageFlows::take(const ReceiveTicket &ticket, double by_s)
{
    if (ticket.channel == nullptr || !ticket.is_known)
        return std::nullopt;
    MessageChannel &at = *ticket.channel;
    if (ticket.number < at.first || ticket.number >= at.end())
        return std::nullopt;
    MessageChannel::Sent &sent = at.sent[ticket.number - at.first];
    if (sent.taken || sent.message.sent_s > by_s)
        return std::nullopt;
    sent.taken = true;
    const ReceivedMessage message = sent.message;
    while (!at.sent.empty() && at.sent.front().taken) {
        at.sent.pop_front();
        at.first++;
        kept_--;
    }
    return message;
}

std::optional<ReceivedMessage> MessageFlows::take_any(size_t thread, const TraceCall &call,
                                                      double by_s)
{
    const uint32_t rank = trace_.threads[thread].rank;
    MessageChannel *oldest = nullptr;
    for (auto at = channels_.lower_bound({call.communicator, rank, 0, 0});
         at != channels_.end() && at->second.communicator == call.communicator &&
         at->second.destination == rank;
         ++at) {
        MessageChannel &one = at->second;
        const uint64_t next = one.posted;
        if (next < one.first || next >= one.end() || one.sent[next - one.first].taken)
            continue;
        if (oldest == nullptr || one.sent[next - one.first].message.sent_s <
                                     oldest->sent[oldest->posted - oldest->first].message.sent_s)
            oldest = &one;
    }
    if (oldest == nullptr)
        return std::nullopt;
    const ReceiveTicket ticket{oldest, oldest->posted, true};
    const auto message = take(ticket, by_s);
    if (message)
        oldest->posted++;
    return message;
}

}  // namespace mprof
