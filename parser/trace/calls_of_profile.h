// The trace of a profile: its single calls, or else the last calls of ranks that did not end.
#pragma once

#include "measure/clocks.h"
#include "merge/profile.h"
#include "symbols/symbol_lookup.h"
#include "trace/trace.h"

#include <memory>
#include <unordered_map>

namespace mprof {

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
