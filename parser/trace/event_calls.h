// The calls of a thread out of a file of events, with their messages, piece by piece.
#pragma once

#include "measure/node_clocks.h"
#include "merge/profile_events.h"
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

class EventCalls : public CallReader {
public:
    // `later` follows: the call in progress.
    EventCalls(EventsFile file, EventRing ring, EventNumbers numbers, std::vector<TraceCall> later);
    bool next(TraceCall &call) override;
    void rewind() override;

private:
    bool read_item(mprof_last_call &item);
    TraceCall call_of(const mprof_last_call &item) const;
    TraceMessage message_of(const mprof_last_call &item) const;
    uint32_t communicator_at(uint32_t slot) const;

    const EventsFile file_;
    const EventRing ring_;
    const EventNumbers numbers_;
    const std::vector<TraceCall> later_;
    std::vector<mprof_last_call> items_;
    size_t at_ = 0;      // in `items_`
    uint64_t read_ = 0;  // of the ring
    size_t later_at_ = 0;
};

// Calls seen(item) for each call, in order.
template <class Seen>
void visit_event_calls(const EventsFile &file, const EventRing &ring, const Seen &seen)
{
    constexpr size_t piece = 4096;
    for (uint64_t at = 0; at < ring.items;) {
        const auto items = read_events(file, ring, at, piece);
        if (items.empty())
            return;
        at += items.size();
        for (const mprof_last_call &item : items)
            if (item.start_ticks != 0 && item.function != 0 && !is_message(item))
                seen(item);
    }
}

}  // namespace mprof
