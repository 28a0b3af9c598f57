// Calls begin and end in the order of time. A receive whose message was not sent yet when it ends
// waits a moment for it: clocks differ a little. Its end is moved then.
#include "trace/trace_sink.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <set>

namespace mprof {
namespace {

// A run of more ranks gets counters of their mean alone.
constexpr size_t most_ranks_with_counters = 64;

// What never happened gets no track, and a value that stays is written once.
template <class ValueOf>
void write_track(const CounterTrack &track, const TimeLine &time, TraceSink &sink,
                 const ValueOf &value_of)
{
    double last = 0;
    bool has_begun = false;
    for (size_t bin = 0; bin < time.bins.size(); bin++) {
        const double value = value_of(bin);
        if (value == last)
            continue;
        if (!has_begun)
            sink.begin_counter(track);
        if (!has_begun && bin > 0)
            sink.add_value(time.bins.front().begin_s, 0);
        has_begun = true;
        sink.add_value(time.bins[bin].begin_s, value);
        last = value;
    }
    if (has_begun)
        sink.add_value(time.bins.back().begin_s + time.bin_s, 0);
}

template <class SplitOf>
void write_states(const std::string &prefix, std::optional<size_t> thread, const TimeLine &time,
                  TraceSink &sink, const SplitOf &split_of)
{
    for (const TimeStateRow *row = time_states; row->seconds != nullptr; row++)
        write_track({prefix + row->track, "%", thread}, time, sink,
                    [&](size_t bin) { return 100 * split_of(bin).*row->seconds / time.bin_s; });
}

bool has_ranks(const TimeLine &time)
{
    return time.rows.size() <= most_ranks_with_counters &&
           std::all_of(time.rows.begin(), time.rows.end(), [&](const TimeRow &row) {
               return row.ranks == 1 && row.bins.size() == time.bins.size();
           });
}

std::optional<size_t> thread_of(const Trace &trace, uint32_t rank)
{
    const auto at = std::find_if(trace.threads.begin(), trace.threads.end(),
                                 [&](const TraceThread &thread) { return thread.rank == rank; });
    if (at == trace.threads.end())
        return std::nullopt;
    return static_cast<size_t>(at - trace.threads.begin());
}

void write_ranks(const Trace &trace, const TimeLine &time, TraceSink &sink)
{
    for (const TimeRow &row : time.rows)
        if (const auto thread = thread_of(trace, row.first_rank))
            write_states(trace.threads[*thread].name() + ": ", thread, time, sink,
                         [&](size_t bin) { return row.bins[bin]; });
}

// What the time bins give a trace: phases, and counters of what ranks do.
void write_time_tracks(const Trace &trace, const TimeLine &time, TraceSink &sink)
{
    for (const PhaseRow &phase : time.phases)
        sink.add_phase(phase);
    if (!time.known || time.bins.empty() || time.bin_s <= 0)
        return;
    write_states("mean of ranks: ", std::nullopt, time, sink,
                 [&](size_t bin) { return time.bins[bin].split; });
    write_track({"bytes by MPI calls", "B/s", std::nullopt}, time, sink,
                [&](size_t bin) { return time.bins[bin].bytes * trace.ranks / time.bin_s; });
    if (has_ranks(time))
        write_ranks(trace, time, sink);
}

constexpr size_t most_posted = 4096;  // receives that began and did not end, per thread

enum class Step { begin, end, give_up };

struct Event {
    double time_s = 0;
    size_t thread = 0;
    Step step = Step::begin;
    uint64_t call = 0;  // number of the thread's call
    bool operator>(const Event &other) const
    {
        return std::tie(time_s, step, thread) > std::tie(other.time_s, other.step, other.thread);
    }
};

struct ThreadState {
    DrawnCall drawn;
    double free_s = 0;  // when the call before ended
    uint64_t call = 0;
    bool waits = false;  // for the message of `ticket`
    ReceiveTicket ticket;
    std::deque<ReceiveTicket> posted;
    std::deque<ReceiveTicket> known;  // what the call itself says it received
};

class TraceMerge {
public:
    TraceMerge(Trace &trace, TraceSink &sink)
        : trace_(trace), sink_(sink), flows_(trace), states_(trace.threads.size())
    {
    }

    TraceCounts run();

private:
    const TraceFunction &function_of(const ThreadState &state) const
    {
        return trace_.functions[state.drawn.call.function];
    }
    void read_next(size_t thread);
    void begin(size_t thread);
    void end(size_t thread);
    void wake(const ThreadState &sender);
    void end_not_before(ThreadState &state, double sent_s);
    bool receive(ThreadState &state, double by_s);
    void complete(ThreadState &state);
    void begin_known(size_t thread);
    void end_known(size_t thread, double by_s);
    void finish(size_t thread);
    void forget_channels();

    Trace &trace_;
    TraceSink &sink_;
    MessageFlows flows_;
    std::vector<ThreadState> states_;
    std::map<const MessageChannel *, size_t> waiting_;  // thread, by what it waits for
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    TraceCounts counts_;
};

void TraceMerge::read_next(size_t thread)
{
    ThreadState &state = states_[thread];
    state.drawn = {};
    state.drawn.thread = thread;
    if (!trace_.threads[thread].calls->next(state.drawn.call))
        return;
    state.call++;
    state.drawn.begin_s = std::max(state.drawn.call.start_s, state.free_s);
    events_.push({state.drawn.begin_s, thread, Step::begin, state.call});
}

// A receive does not end before its message was sent, whatever the clocks say.
void TraceMerge::end_not_before(ThreadState &state, double sent_s)
{
    const double moved_s = sent_s - state.drawn.end_s;
    if (moved_s <= 0)
        return;
    counts_.moved++;
    counts_.most_moved_s = std::max(counts_.most_moved_s, moved_s);
    state.drawn.end_s = sent_s;
}

// Where the sender's clock is behind, the receive has ended already.
void TraceMerge::wake(const ThreadState &sender)
{
    for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
        ThreadState &state = states_[at->second];
        const double sent_s = sender.drawn.begin_s;
        if (trace_.threads[at->second].knows_messages) {
            const ReceiveTicket &ticket = state.known.front();
            if (flows_.can_come(ticket))
                continue;
            const size_t thread = at->second;
            waiting_.erase(at);
            end_known(thread, sent_s);
            return;
        }
        if (!receive(state, sent_s))
            continue;
        end_not_before(state, sent_s);
        const size_t thread = at->second;
        waiting_.erase(at);
        finish(thread);
        return;
    }
}

void TraceMerge::begin(size_t thread)
{
    ThreadState &state = states_[thread];
    const TraceCall &call = state.drawn.call;
    const TraceFunction &function = function_of(state);
    state.drawn.end_s = std::max(state.drawn.begin_s, call.start_s + call.duration_s);
    events_.push({state.drawn.end_s, thread, Step::end, state.call});
    if (trace_.threads[thread].knows_messages) {
        begin_known(thread);
        return;
    }
    if (function.sends)
        state.drawn.sent_flow = flows_.send(thread, call, state.drawn.begin_s);
    else if (function.receives && !call.in_progress)
        state.ticket = flows_.post(thread, call);
    else if (function.posts) {
        state.posted.push_back(flows_.post(thread, call));
        if (state.posted.size() > most_posted)
            state.posted.pop_front();
    }
    if (state.drawn.sent_flow != 0 && !waiting_.empty())
        wake(state);
}

// A call may start several messages; the arrow of each begins in it.
void TraceMerge::begin_known(size_t thread)
{
    ThreadState &state = states_[thread];
    for (const TraceMessage &message : state.drawn.call.messages) {
        if (!message.is_sent)
            continue;
        const uint64_t flow = flows_.send(thread, message, state.drawn.begin_s);
        if (state.drawn.sent_flow == 0)
            state.drawn.sent_flow = flow;
        else if (flow != 0)
            state.drawn.more_flows.push_back(flow);
        if (flow != 0 && !waiting_.empty())
            wake(state);
    }
}

// Takes the messages that the call says it received. Where the sender's clock is behind, the rest
// is sent later, and the call ends then.
void TraceMerge::end_known(size_t thread, double by_s)
{
    ThreadState &state = states_[thread];
    while (!state.known.empty()) {
        const ReceiveTicket ticket = state.known.front();
        const auto message = flows_.take(ticket, by_s);
        if (!message && flows_.can_come(ticket) &&
            waiting_.emplace(ticket.channel, thread).second) {
            state.waits = true;
            events_.push({std::max(by_s, state.drawn.end_s) + trace_.most_moved_s, thread,
                          Step::give_up, state.call});
            return;
        }
        state.known.pop_front();
        if (!message) {
            counts_.unmatched++;
            continue;
        }
        state.drawn.received.push_back(*message);
        end_not_before(state, message->sent_s);
    }
    finish(thread);
}

// False: its message was not sent by then.
bool TraceMerge::receive(ThreadState &state, double by_s)
{
    const TraceCall &call = state.drawn.call;
    const TraceFunction &function = function_of(state);
    const bool is_known_source = !function.sends && state.ticket.channel != nullptr;
    const auto message = is_known_source ? flows_.take(state.ticket, by_s)
                                         : flows_.take_any(state.drawn.thread, call, by_s);
    if (!message)
        return false;
    const bool sizes_differ = !function.sends && message->bytes != call.bytes;
    if (sizes_differ)
        counts_.unmatched++;
    else
        state.drawn.received.push_back(*message);
    return true;
}

// Which of the receives that began before a call ends is not recorded: those that it can end.
void TraceMerge::complete(ThreadState &state)
{
    std::erase_if(state.posted, [&](const ReceiveTicket &ticket) {
        const auto message = flows_.take(ticket, state.drawn.end_s);
        if (message)
            state.drawn.received.push_back(*message);
        return message.has_value();
    });
}

void TraceMerge::end(size_t thread)
{
    ThreadState &state = states_[thread];
    if (trace_.threads[thread].knows_messages) {
        std::vector<TraceMessage> &messages = state.drawn.call.messages;
        std::stable_sort(messages.begin(), messages.end(),
                         [](const TraceMessage &a, const TraceMessage &b) {
                             return a.posted_ticks < b.posted_ticks;
                         });
        for (const TraceMessage &message : messages)
            if (!message.is_sent)
                state.known.push_back(flows_.post(thread, message));
        end_known(thread, state.drawn.end_s);
        return;
    }
    const TraceFunction &function = function_of(state);
    if (function.completes && !state.drawn.call.in_progress)
        complete(state);
    if (function.receives && !state.drawn.call.in_progress && !receive(state, state.drawn.end_s)) {
        if (flows_.can_come(state.ticket) &&
            waiting_.emplace(state.ticket.channel, thread).second) {
            state.waits = true;
            events_.push(
                {state.drawn.end_s + trace_.most_moved_s, thread, Step::give_up, state.call});
            return;
        }
        counts_.unmatched++;
    }
    finish(thread);
}

void TraceMerge::forget_channels()
{
    std::set<const MessageChannel *> in_use;
    for (const ThreadState &state : states_) {
        in_use.insert(state.ticket.channel);
        for (const ReceiveTicket &ticket : state.posted)
            in_use.insert(ticket.channel);
        for (const ReceiveTicket &ticket : state.known)
            in_use.insert(ticket.channel);
    }
    flows_.forget(in_use);
}

void TraceMerge::finish(size_t thread)
{
    ThreadState &state = states_[thread];
    DrawnCall &drawn = state.drawn;
    for (const ReceivedMessage &message : drawn.received)
        if (message.sent_s > drawn.begin_s && message.sent_s > drawn.waited_until_s.value_or(0)) {
            drawn.waited_until_s = message.sent_s;
            drawn.waited_for = trace_.threads[message.sender].rank;
        }
    counts_.calls++;
    counts_.messages += drawn.received.size();
    sink_.add_call(drawn);
    state.free_s = drawn.end_s;
    state.waits = false;
    state.ticket = {};
    state.known.clear();
    if (flows_.are_many())
        forget_channels();
    read_next(thread);
}

TraceCounts TraceMerge::run()
{
    for (size_t thread = 0; thread < states_.size(); thread++)
        read_next(thread);
    while (!events_.empty()) {
        const Event event = events_.top();
        events_.pop();
        ThreadState &state = states_[event.thread];
        if (event.call != state.call)
            continue;  // of a call that was finished by its message
        if (event.step == Step::begin)
            begin(event.thread);
        else if (event.step == Step::end)
            end(event.thread);
        else if (state.waits && !state.known.empty()) {
            waiting_.erase(state.known.front().channel);
            state.known.pop_front();
            counts_.unmatched++;
            state.waits = false;
            end_known(event.thread, state.drawn.end_s);
        } else if (state.waits) {
            waiting_.erase(state.ticket.channel);
            counts_.unmatched++;
            finish(event.thread);
        }
    }
    return counts_;
}

}  // namespace

TraceCounts write_trace(Trace &trace, const TimeLine &time, TraceSink &sink)
{
    for (TraceThread &thread : trace.threads)
        thread.calls->rewind();  // another format may have been written
    sink.begin(trace);
    write_time_tracks(trace, time, sink);
    return trace.has_calls() ? TraceMerge(trace, sink).run() : TraceCounts();
}

}  // namespace mprof
