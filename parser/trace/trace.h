// A run as a trace: who made which call when. What mprof trace writes, in whatever format.
//
// Times are seconds from the beginning of the first rank's MPI_Init, the same on all ranks. The
// calls of a thread are in order. They may be more than memory holds, so they are read one by one.
#pragma once

#include "measure/clocks.h"
#include "merge/profile.h"
#include "mprof/format/format.h"
#include "symbols/symbol_lookup.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mprof {

// A message that a call sent, or that had arrived when it ended; `rank` is the other side in the
// world.
struct TraceMessage {
    bool is_sent = false;
    uint32_t rank = 0, communicator = 0;
    uint32_t tag = 0;  // as mprof_thread.call_tag
    uint32_t bytes = 0;
    uint64_t posted_ticks = 0;
};

// Numbers are indices into the lists of the Trace.
struct TraceCall {
    double start_s = 0, duration_s = 0;
    bool in_progress = false;  // it did not end; the duration is until the last sign of life
    uint32_t function = 0;
    uint32_t place = 0;            // 0 = not known
    uint32_t communicator = 0;     // 0 = none, or not known
    int32_t peer = MPROF_NO_PEER;  // rank in the communicator, MPROF_ANY_PEER or MPROF_NO_PEER
    uint32_t bytes = 0;            // UINT32_MAX = that or more; of polls: their number
    std::vector<TraceMessage> messages;  // if the thread knows them
};

class CallReader {
public:
    CallReader() = default;
    virtual ~CallReader() = default;
    CallReader(const CallReader &) = delete;
    CallReader &operator=(const CallReader &) = delete;

    // False: there are no more.
    virtual bool next(TraceCall &call) = 0;
    virtual void rewind() = 0;
};

// Of calls that are in memory.
class CallsInMemory : public CallReader {
public:
    explicit CallsInMemory(std::vector<TraceCall> calls) : calls_(std::move(calls)) {}
    bool next(TraceCall &call) override
    {
        if (at_ == calls_.size())
            return false;
        call = calls_[at_++];
        return true;
    }
    void rewind() override { at_ = 0; }

private:
    std::vector<TraceCall> calls_;
    size_t at_ = 0;
};

std::string thread_name(uint32_t rank, uint32_t number);  // "rank 3", "rank 3 thread 1"

struct TraceThread {
    uint32_t rank = 0, number = 0;
    size_t node = 0;
    bool from_begin = false;  // its first call is the first one that it made
    std::unique_ptr<CallReader> calls;
    bool knows_messages = false;  // its calls say what they sent and received

    std::string name() const { return thread_name(rank, number); }
};

// What the function does with messages, and what its `bytes` are.
struct TraceFunction {
    std::string name;
    bool sends = false;
    bool receives = false;   // has received when it returns
    bool posts = false;      // has begun to receive when it returns
    bool completes = false;  // ends what was begun before
    bool polls = false;
    bool waits = false;  // it can wait for others
    bool collective = false;
};

struct TraceCommunicator {
    std::string name;
    std::vector<uint32_t> members;  // ranks of the world, by rank in it; UINT32_MAX = not known
    // An intercommunicator: its members are those of both groups, in the order of the world. The
    // messages alone tell whom a call is with.
    bool is_inter = false;
};

// Of a whole run, from one rank to another.
struct MessageCount {
    uint64_t sent = 0, received = 0;
};

// What single calls lack, where a profile has some.
struct TraceGaps {
    std::vector<std::string> ranks, threads;  // that have no ring, and made calls
    std::vector<std::string> cut;  // threads whose ring was full: the last calls are there
    uint64_t wild_items = 0;       // whose time or function cannot be
    uint64_t lone_messages = 0;    // that belong to no call
};

struct Trace {
    std::string program;
    uint32_t ranks = 0;
    std::vector<std::string> nodes;
    std::vector<TraceThread> threads;  // by rank
    std::vector<TraceFunction> functions;
    std::vector<std::string> places{""};
    std::vector<TraceCommunicator> communicators{{}};
    std::map<std::pair<uint32_t, uint32_t>, MessageCount> messages;  // by source and destination
    TraceGaps gaps;
    double most_moved_s = 20e-6;  // by how much clocks of ranks may differ

    bool has_calls() const { return !functions.empty(); }
    // The rank of the world, or UINT32_MAX if it is not known.
    uint32_t peer_of(const TraceCall &call) const
    {
        const auto &members = communicators[call.communicator].members;
        return !communicators[call.communicator].is_inter && call.peer >= 0 &&
                       static_cast<size_t>(call.peer) < members.size()
                   ? members[static_cast<size_t>(call.peer)]
                   : UINT32_MAX;
    }
};

// The trace of a profile: its single calls, or else the last calls of ranks that did not end.

// What the numbers of a rank file are in the trace.
struct EventNumbers {
    std::shared_ptr<const NodeClocks> clocks;
    size_t rank = 0;                                   // index into the profile's ranks
    std::vector<uint32_t> communicators;               // by slot
    std::unordered_map<uint32_t, uint32_t> functions;  // by 1 + id
    std::unordered_map<uint32_t, uint32_t> places;     // by slot of the callsite
};

// The messages of the call that comes next. A call has at most `most` of them.
class MessagesOfCall {
public:
    static constexpr size_t most = size_t{1} << 17U;
    void add(const mprof_last_call &item);
    // Those of this call; what else was there is lost, and counted.
    std::vector<mprof_message> take(uint64_t start_ticks);
    uint64_t lost() const { return lost_; }

private:
    void lose();

    std::vector<mprof_message> messages_;
    uint64_t lost_ = 0;
};

// The calls of a thread out of a file of events, with their messages, piece by piece. Messages are
// of the call that follows them if both tell the same begin; others have none.
class EventCalls : public CallReader {
public:
    // `later` follows: the call in progress.
    EventCalls(EventItems items, EventNumbers numbers, std::vector<TraceCall> later);
    bool next(TraceCall &call) override;
    void rewind() override;

private:
    TraceCall call_of(const mprof_last_call &item) const;
    TraceMessage message_of(const mprof_message &record) const;
    uint32_t communicator_at(uint32_t slot) const;

    EventItems items_;
    const EventNumbers numbers_;
    const std::vector<TraceCall> later_;
    size_t later_at_ = 0;
};

// The trace does not refer to the profile.
Trace trace_of_profile(const Profile &profile, const ProfileEvents &events, SymbolLookup &symbols);

}  // namespace mprof
