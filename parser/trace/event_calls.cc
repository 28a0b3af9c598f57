// Messages stand before their call, so they are gathered until it comes.
#include "trace/event_calls.h"

#include <cstring>

namespace mprof {
namespace {

constexpr size_t piece_items = 2048;

uint32_t number_in(const std::unordered_map<uint32_t, uint32_t> &numbers, uint32_t key)
{
    const auto at = numbers.find(key);
    return at == numbers.end() ? 0 : at->second;
}

}  // namespace

EventCalls::EventCalls(EventsFile file, EventRing ring, EventNumbers numbers,
                       std::vector<TraceCall> later)
    : file_(std::move(file)), ring_(ring), numbers_(std::move(numbers)), later_(std::move(later))
{
}

void EventCalls::rewind()
{
    items_.clear();
    at_ = later_at_ = 0;
    read_ = 0;
}

bool EventCalls::read_item(mprof_last_call &item)
{
    if (at_ == items_.size()) {
        items_ = read_events(file_, ring_, read_, piece_items);
        read_ += items_.size();
        at_ = 0;
    }
    if (items_.empty())
        return false;
    item = items_[at_++];
    return true;
}

uint32_t EventCalls::communicator_at(uint32_t slot) const
{
    return slot < numbers_.communicators.size() ? numbers_.communicators[slot] : 0;
}

TraceCall EventCalls::call_of(const mprof_last_call &item) const
{
    TraceCall call;
    call.start_s = numbers_.clocks->seconds_at(numbers_.rank, item.start_ticks);
    call.duration_s = numbers_.clocks->seconds_of(numbers_.rank, item.ticks);
    call.function = number_in(numbers_.functions, item.function);
    call.place = number_in(numbers_.places, item.callsite);
    call.communicator = communicator_at(item.communicator);
    call.peer = item.peer;
    call.bytes = item.bytes;
    return call;
}

TraceMessage EventCalls::message_of(const mprof_last_call &item) const
{
    mprof_message record;
    static_assert(sizeof record == sizeof item);
    std::memcpy(&record, &item, sizeof record);
    TraceMessage message;
    message.is_sent = record.kind == MPROF_MESSAGE_SENT;
    message.rank = record.rank;
    message.communicator = communicator_at(record.communicator);
    message.tag = record.tag;
    message.bytes = record.bytes;
    message.posted_ticks = record.posted_ticks;
    return message;
}

bool EventCalls::next(TraceCall &call)
{
    std::vector<TraceMessage> messages;
    for (mprof_last_call item; read_item(item);) {
        if (item.start_ticks == 0 || item.function == 0)
            continue;
        if (is_message(item)) {
            messages.push_back(message_of(item));
            continue;
        }
        if (numbers_.functions.count(item.function) == 0)
            continue;
        call = call_of(item);
        call.messages = std::move(messages);
        return true;
    }
    if (later_at_ == later_.size())
        return false;
    call = later_[later_at_++];
    return true;
}

}  // namespace mprof
