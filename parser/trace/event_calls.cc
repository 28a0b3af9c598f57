// Messages stand before their call, so they are gathered until it comes.
#include "trace/event_calls.h"

#include <cstring>
#include <utility>

namespace mprof {
namespace {

uint32_t number_in(const std::unordered_map<uint32_t, uint32_t> &numbers, uint32_t key)
{
    const auto at = numbers.find(key);
    return at == numbers.end() ? 0 : at->second;
}

}  // namespace

void MessagesOfCall::lose()
{
    lost_ += messages_.size();
    messages_.clear();
}

void MessagesOfCall::add(const mprof_last_call &item)
{
    if (!messages_.empty() && messages_.front().start_ticks != item.start_ticks)
        lose();
    if (messages_.size() == most) {
        lost_++;
        return;
    }
    mprof_message record;
    static_assert(sizeof record == sizeof item);
    std::memcpy(&record, &item, sizeof record);
    messages_.push_back(record);
}

std::vector<mprof_message> MessagesOfCall::take(uint64_t start_ticks)
{
    if (!messages_.empty() && messages_.front().start_ticks != start_ticks)
        lose();
    return std::exchange(messages_, {});
}

EventCalls::EventCalls(EventItems items, EventNumbers numbers, std::vector<TraceCall> later)
    : items_(std::move(items)), numbers_(std::move(numbers)), later_(std::move(later))
{
}

void EventCalls::rewind()
{
    items_.rewind();
    later_at_ = 0;
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

TraceMessage EventCalls::message_of(const mprof_message &record) const
{
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
    MessagesOfCall messages;
    for (mprof_last_call item; items_.next(item);) {
        if (is_message(item)) {
            messages.add(item);
            continue;
        }
        const auto own = messages.take(item.start_ticks);
        if (numbers_.functions.count(item.function) == 0)
            continue;
        call = call_of(item);
        for (const mprof_message &message : own)
            call.messages.push_back(message_of(message));
        return true;
    }
    if (later_at_ == later_.size())
        return false;
    call = later_[later_at_++];
    return true;
}

}  // namespace mprof
