// First what is known of each two ranks is lined up, in two readings of all calls: the first finds
// where both sides begin, the second keeps what is around that. Sizes are compared, so that
// messages that overtook each other (by their tags) get no wrong arrow.
#include "trace/trace_sink.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace mprof {
namespace {

// The known calls of two ranks may begin at different times, because each rank keeps its last ones
// only. Which send of the one belongs to which receive of the other?
//
// The answer is in the numbers of all messages, which each rank knows. Where they are not known, or
// contradict the times, it is the latest send for which no message arrives before it was sent and
// all sizes agree. It looks at some messages where both begin.
struct LinedUp {
    uint32_t communicator = 0, source = 0, destination = 0;  // ranks of the world
    uint32_t tag = 0;                                        // 0 = not known
    uint64_t sends_before = 0;     // that many sends were received before the first known receive
    uint64_t receives_before = 0;  // that many receives are of messages before the first known send
};

constexpr size_t looked_at = 32;                    // messages before and after the start
constexpr size_t most_channels = size_t{1} << 14U;  // and for each thread some more
constexpr size_t most_of_thread = 64;
constexpr double never = std::numeric_limits<double>::infinity();

struct Seen {
    double time_s = 0;  // of a send its start, of a receive its end
    uint32_t bytes = 0;
    bool sized = false;  // `bytes` is the message's size
};

// Calls of one side around `pivot_s`, and the number of the first.
struct Window {
    uint64_t count = 0;
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
    uint64_t open = 0;            // receives that began and that nothing can have completed
    bool other_receives = false;  // to the destination, from any source
};

// By communicator, destination, source, tag.
using Channels = std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, Sides>;

class ChannelReader {
public:
    explicit ChannelReader(Trace &trace) : trace_(trace) {}
    Channels read();

private:
    Sides *sides_of(const Channels::key_type &key);
    template <class Add, class AddOther, class EndThread>
    void read_all(const Add &add, const AddOther &add_other, const EndThread &end_thread);
    template <class Add>
    void add_known(const TraceThread &thread, const TraceCall &call, const Add &add);
    void count();

    Trace &trace_;
    Channels channels_;
};

// nullptr: there are so many that this one is not looked at.
Sides *ChannelReader::sides_of(const Channels::key_type &key)
{
    const auto at = channels_.find(key);
    if (at != channels_.end())
        return &at->second;
    const bool is_full = channels_.size() >= most_channels + most_of_thread * trace_.threads.size();
    return is_full ? nullptr : &channels_[key];
}

// add(sides, window, what was seen, how); add_other(thread, call, function) for all others.
template <class Add, class AddOther, class EndThread>
void ChannelReader::read_all(const Add &add, const AddOther &add_other, const EndThread &end_thread)
{
    TraceCall call;
    for (TraceThread &thread : trace_.threads) {
        while (thread.calls->next(call)) {
            if (thread.knows_messages) {
                add_known(thread, call, add);
                continue;
            }
            const TraceFunction &function = trace_.functions[call.function];
            const uint32_t peer = call.communicator == 0 ? UINT32_MAX : trace_.peer_of(call);
            if (call.in_progress)
                continue;
            if (peer == UINT32_MAX || !(function.sends || function.receives || function.posts)) {
                add_other(thread, call, function);
                continue;
            }
            const uint32_t source = function.sends ? thread.rank : peer;
            const uint32_t destination = function.sends ? peer : thread.rank;
            const double end_s = call.start_s + call.duration_s;
            const bool sized = !function.posts && call.bytes != UINT32_MAX;
            if (Sides *sides = sides_of({call.communicator, destination, source, 0}))
                add(*sides, function.sends ? sides->sends : sides->receives,
                    Seen{function.sends ? call.start_s : end_s, call.bytes, sized}, function.posts);
            if (function.sends && function.receives)
                add_other(thread, call, function);
        }
        thread.calls->rewind();
        end_thread();
    }
}

// What the call itself says it sent and received.
template <class Add>
void ChannelReader::add_known(const TraceThread &thread, const TraceCall &call, const Add &add)
{
    for (const TraceMessage &message : call.messages) {
        if (message.communicator == 0)
            continue;
        const uint32_t source = message.is_sent ? thread.rank : message.rank;
        const uint32_t destination = message.is_sent ? message.rank : thread.rank;
        Sides *sides = sides_of({message.communicator, destination, source, message.tag});
        if (sides == nullptr)
            continue;
        const double time_s = message.is_sent ? call.start_s : call.start_s + call.duration_s;
        add(*sides, message.is_sent ? sides->sends : sides->receives,
            Seen{time_s, message.bytes, message.bytes != UINT32_MAX}, false);
    }
}

void ChannelReader::count()
{
    std::set<std::pair<uint32_t, uint32_t>> others;  // communicator, destination
    std::vector<Sides *> open;                       // of this thread
    read_all(
        [&](Sides &sides, Window &window, const Seen &call, bool posts) {
            window.count++;
            window.first_s = std::min(window.first_s, call.time_s);
            if (posts && sides.open++ == 0)
                open.push_back(&sides);
        },
        [&](const TraceThread &thread, const TraceCall &call, const TraceFunction &function) {
            if (function.receives || function.posts)
                others.insert({call.communicator, thread.rank});
            if (function.completes)
                for (Sides *sides : std::exchange(open, {}))
                    sides->open = 0;
        },
        [&] { open.clear(); });
    for (auto &[key, sides] : channels_)
        sides.other_receives = others.count({std::get<0>(key), std::get<1>(key)}) != 0;
}

Channels ChannelReader::read()
{
    count();
    for (auto &[key, sides] : channels_)
        sides.sends.pivot_s = sides.receives.pivot_s =
            std::max(sides.sends.first_s, sides.receives.first_s);
    read_all(
        [](Sides & /*sides*/, Window &window, const Seen &call, bool /*posts*/) {
            if (window.pivot_s < never)
                window.add(call);
        },
        [](const TraceThread &, const TraceCall &, const TraceFunction &) {}, [] {});
    return std::move(channels_);
}

// `number` of the first receive's send, counted from the first of `sends`; negative: the first
// send belongs to the receive -number.
enum class Fit { none, contradicts, fits };  // none: they have no message in common

Fit fit_of(const Window &sends, const Window &receives, int64_t number, double tolerance_s)
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
            return Fit::contradicts;
    }
    return begin < end ? Fit::fits : Fit::none;
}

// From the numbers of all messages, if they are of this channel alone.
std::optional<int64_t> counted_number(const Sides &sides, const MessageCount &all)
{
    const uint64_t received = all.received + sides.open;
    if (sides.other_receives || all.sent < sides.sends.count || received < sides.receives.count)
        return std::nullopt;
    return static_cast<int64_t>(received - sides.receives.count) -
           static_cast<int64_t>(all.sent - sides.sends.count);
}

// Where all messages that were sent were also received, both sides of a channel end with the same
// message. `unclear` channels are those of messages whose tag is not known.
std::optional<int64_t> number_from_end(const Sides &sides, const MessageCount &all, bool unclear)
{
    if (unclear || all.sent != all.received || sides.sends.count == 0 || sides.receives.count == 0)
        return std::nullopt;
    return static_cast<int64_t>(sides.sends.count) - static_cast<int64_t>(sides.receives.count);
}

std::optional<int64_t> first_send(const Sides &sides, std::optional<int64_t> counted,
                                  double tolerance_s)
{
    const auto before = static_cast<int64_t>(sides.sends.first) -
                        static_cast<int64_t>(sides.receives.first);  // of both windows
    const auto fit = [&](int64_t number) {
        return fit_of(sides.sends, sides.receives, number, tolerance_s);
    };
    if (counted && fit(*counted - before) != Fit::contradicts)
        return counted;
    const auto many_sends = static_cast<int64_t>(sides.sends.seen.size());
    const auto many_receives = static_cast<int64_t>(sides.receives.seen.size());
    for (int64_t number = many_sends - 1; number > -many_receives; number--)
        if (fit(number) == Fit::fits)
            return number + before;
    return std::nullopt;
}

// Only channels with sends and receives, where at least one number is not 0.
std::vector<LinedUp> line_up_channels(Trace &trace)
{
    const Channels channels = ChannelReader(trace).read();
    std::map<std::pair<uint32_t, uint32_t>, int> of_pair;  // channels between two ranks
    std::set<std::pair<uint32_t, uint32_t>> any_tag;       // of them some take any tag
    for (const auto &[key, sides] : channels) {
        of_pair[{std::get<2>(key), std::get<1>(key)}]++;
        if (std::get<3>(key) == MPROF_TAG_ANY)
            any_tag.insert({std::get<2>(key), std::get<1>(key)});
    }
    const bool all_known =
        std::all_of(trace.threads.begin(), trace.threads.end(),
                    [](const TraceThread &thread) { return thread.knows_messages; });
    std::vector<LinedUp> lined_up;
    for (const auto &[key, sides] : channels) {
        const auto &[communicator, destination, source, tag] = key;
        std::optional<int64_t> counted;
        const auto all = trace.messages.find({source, destination});
        if (all != trace.messages.end() && all_known)
            counted =
                number_from_end(sides, all->second, any_tag.count({source, destination}) != 0);
        else if (all != trace.messages.end() && of_pair[{source, destination}] == 1)
            counted = counted_number(sides, all->second);
        const auto number = first_send(sides, counted, trace.most_moved_s);
        if (number.value_or(0) != 0)
            lined_up.push_back({communicator, source, destination, tag,
                                static_cast<uint64_t>(std::max<int64_t>(0, *number)),
                                static_cast<uint64_t>(std::max<int64_t>(0, -*number))});
    }
    return lined_up;
}

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
