// Calls out of files of events, and out of the rank files. Messages come before their call, so
// they are gathered until it comes.
#include "trace/trace.h"

#include "measure/call_paths.h"
#include "measure/clocks.h"
#include "measure/function_facts.h"
#include "report/derived_figures.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <utility>

namespace mprof {
namespace {

uint32_t number_in(const std::unordered_map<uint32_t, uint32_t> &numbers, uint32_t key)
{
    const auto at = numbers.find(key);
    return at == numbers.end() ? 0 : at->second;
}

}  // namespace

std::string thread_name(uint32_t rank, uint32_t number)
{
    return number == 0 ? fmt::format("rank {}", rank)
                       : fmt::format("rank {} thread {}", rank, number);
}

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

namespace {

// Clocks of nodes differ by that much where they are kept by NTP, and nothing tells more.
constexpr double most_between_nodes_s = 1e-3;

std::vector<const RankFile *> files_of(const Profile &profile)
{
    std::vector<const RankFile *> files;
    for (const RankFile &file : profile.ranks)
        files.push_back(&file);
    return files;
}

// A persistent request is only made in it; it begins to receive or send in another call.
bool is_persistent(std::string_view function)
{
    return function.ends_with("_init") || function.ends_with("_init_c");
}

TraceFunction trace_function(const std::string &name)
{
    const FunctionFacts facts = facts_of(name);
    TraceFunction function;
    function.name = name;
    const bool moves_message =
        facts.kind == FunctionKind::point_to_point && !facts.probes && !is_persistent(name);
    function.sends = moves_message && facts.sends;
    const bool receives = moves_message && facts.receives;
    function.receives = receives && facts.is_blocking_message();
    function.posts = receives && !function.receives;
    function.polls = facts.poll;
    function.waits = facts.call != WaitRule::never;
    function.completes = facts.call == WaitRule::completion ||
                         (facts.poll && facts.kind == FunctionKind::point_to_point && !receives);
    function.collective = is_collective(facts.call);
    return function;
}

class TraceMaker {
public:
    TraceMaker(const Profile &profile, const ProfileEvents &events, SymbolLookup &symbols)
        : profile_(profile),
          events_(events),
          measures_(profile.ranks.size()),
          shared_clocks_(std::make_shared<const NodeClocks>(files_of(profile))),
          clocks_(*shared_clocks_),
          symbols_(symbols)
    {
        for (size_t r = 0; r < measures_.size(); r++)
            measures_[r].file = &profile.ranks[r];
    }
    Trace make();

private:
    void add_rank(size_t rank, CallPaths &paths);
    const EventRing *ring_of(size_t rank, const ThreadRecord &thread) const;
    void add_events(size_t rank, const EventRing &ring, EventNumbers numbers,
                    std::vector<TraceCall> later, CallPaths &paths);
    void note_gaps(const RankFile &file);
    TraceCall call_in_progress(size_t rank, const ThreadRecord &thread,
                               const std::vector<uint32_t> &communicators, CallPaths &paths);
    double last_sign_of_life() const;
    void count_messages(uint32_t rank, const ThreadRecord &thread);
    std::vector<uint32_t> number_communicators(size_t rank);
    uint32_t number_communicator(const RankFile &file, const CommunicatorSlot &slot);
    uint32_t number_function(const RankFile &file, uint32_t id);
    uint32_t number_place(uint32_t node, CallPaths &paths);

    const Profile &profile_;
    const ProfileEvents &events_;
    std::vector<RankMeasure> measures_;  // the files alone
    std::shared_ptr<const NodeClocks> shared_clocks_;
    const NodeClocks &clocks_;
    SymbolLookup &symbols_;
    double end_s_ = 0;
    Trace trace_;
    std::map<std::string, uint32_t> functions_;
    std::map<std::string, uint32_t> places_;
    std::map<uint32_t, uint32_t> nodes_;  // of call paths: their places
    std::map<std::string, uint32_t> communicators_;
};

uint32_t TraceMaker::number_function(const RankFile &file, uint32_t id)
{
    const std::string name = file.function_name(id);
    const auto [at, is_new] =
        functions_.try_emplace(name, static_cast<uint32_t>(trace_.functions.size()));
    if (is_new)
        trace_.functions.push_back(trace_function(name));
    return at->second;
}

uint32_t TraceMaker::number_place(uint32_t node, CallPaths &paths)
{
    if (node == 0)
        return 0;
    const auto [at, is_new] = nodes_.try_emplace(node, 0U);
    if (!is_new)
        return at->second;
    const std::string text = paths.site_of(node).place();
    const auto place = places_.try_emplace(text, static_cast<uint32_t>(trace_.places.size()));
    if (place.second)
        trace_.places.push_back(text);
    return at->second = place.first->second;
}

// 0: it is not known which communicator of other ranks is the same.
uint32_t TraceMaker::number_communicator(const RankFile &file, const CommunicatorSlot &slot)
{
    const bool is_world = slot.slot == MPROF_COMM_SLOT_WORLD;
    const bool is_inter = slot.facts.remote_size > 0;
    if (!is_world && slot.facts.identity == 0)
        return 0;
    const std::string key = is_world ? "" : fmt::format("{:x}", slot.facts.identity);
    const auto [at, is_new] =
        communicators_.try_emplace(key, static_cast<uint32_t>(trace_.communicators.size()));
    if (is_new) {
        const std::string name = is_world ? "MPI_COMM_WORLD" : "communicator " + key;
        trace_.communicators.push_back({slot.name.empty() ? name : slot.name, {}});
    }
    std::vector<uint32_t> &members = trace_.communicators[at->second].members;
    if (is_world && members.empty()) {
        members.resize(profile_.ranks_expected);
        std::iota(members.begin(), members.end(), 0U);
    }
    trace_.communicators[at->second].is_inter = is_inter;
    if (is_inter && (members.empty() || members.back() != file.header().rank))
        members.push_back(file.header().rank);
    if (!is_world && !is_inter && slot.facts.rank < slot.facts.size &&
        slot.facts.size <= profile_.ranks_expected) {
        members.resize(std::max<size_t>(members.size(), slot.facts.size), UINT32_MAX);
        members[slot.facts.rank] = file.header().rank;
    }
    return at->second;
}

// By slot.
std::vector<uint32_t> TraceMaker::number_communicators(size_t rank)
{
    std::vector<uint32_t> numbers;
    const RankFile &file = profile_.ranks[rank];
    for (const CommunicatorSlot &slot : file.communicators) {
        if (slot.slot >= numbers.size())
            numbers.resize(size_t{slot.slot} + 1);
        numbers[slot.slot] = number_communicator(file, slot);
    }
    return numbers;
}

void TraceMaker::count_messages(uint32_t rank, const ThreadRecord &thread)
{
    for (const mprof_partner &partner : thread.partners)
        if (partner.kind == MPROF_PARTNER_SENT)
            trace_.messages[{rank, partner.rank}].sent += partner.messages;
        else if (partner.kind == MPROF_PARTNER_RECEIVED)
            trace_.messages[{partner.rank, rank}].received += partner.messages;
}

// Where a job hangs, it is the call that tells most.
TraceCall TraceMaker::call_in_progress(size_t rank, const ThreadRecord &thread,
                                       const std::vector<uint32_t> &communicators, CallPaths &paths)
{
    const mprof_thread &facts = thread.facts;
    TraceCall call;
    call.start_s = clocks_.seconds_at(rank, facts.ticks);
    call.duration_s = std::max(0.0, end_s_ - call.start_s);
    call.in_progress = true;
    call.function = number_function(profile_.ranks[rank], facts.in_call - 1);
    call.place = number_place(paths.node_of(rank, facts.call_callsite), paths);
    if (facts.call_communicator < communicators.size())
        call.communicator = communicators[facts.call_communicator];
    call.peer = facts.call_peer;
    return call;
}

// The last that is known of any rank.
double TraceMaker::last_sign_of_life() const
{
    double end_s = 0;
    for (size_t r = 0; r < profile_.ranks.size(); r++)
        for (const ThreadRecord &thread : profile_.ranks[r].threads)
            end_s =
                std::max({end_s, clocks_.seconds_at(r, thread.facts.ticks), clocks_.latest_s(r)});
    return end_s;
}

const EventRing *TraceMaker::ring_of(size_t rank, const ThreadRecord &thread) const
{
    const auto file = events_.files.find(profile_.ranks[rank].header().rank);
    if (file == events_.files.end())
        return nullptr;
    for (const EventRing &ring : file->second.rings)
        if (ring.thread == thread.number && ring.items > 0)
            return &ring;
    return nullptr;
}

// Formats need to know all functions and places before the first call.
void TraceMaker::add_events(size_t rank, const EventRing &ring, EventNumbers numbers,
                            std::vector<TraceCall> later, CallPaths &paths)
{
    const RankFile &file = profile_.ranks[rank];
    const EventsFile &events = events_.files.at(file.header().rank);
    EventItems items(events, ring, event_limits(file));
    MessagesOfCall messages;
    bool from_begin = false;
    for (mprof_last_call item; items.next(item);) {
        if (is_message(item)) {
            messages.add(item);
            continue;
        }
        messages.take(item.start_ticks);
        if (numbers.functions.count(item.function) == 0) {
            const uint32_t number = number_function(file, item.function - 1U);
            from_begin = from_begin || facts_of(trace_.functions[number].name).begins_mpi;
            numbers.functions[item.function] = number;
        }
        if (item.callsite != 0 && numbers.places.count(item.callsite) == 0)
            numbers.places[item.callsite] =
                find_slot(file.callsites, item.callsite) == nullptr
                    ? 0
                    : number_place(paths.node_of(rank, item.callsite), paths);
    }
    messages.take(0);
    trace_.gaps.wild_items += items.dropped();
    trace_.gaps.lone_messages += messages.lost();
    items.rewind();
    trace_.threads.push_back(
        {file.header().rank, ring.thread, clocks_.node_of(rank), from_begin,
         std::make_unique<EventCalls>(std::move(items), std::move(numbers), std::move(later)),
         true});
    if (ring.is_cut)
        trace_.gaps.cut.push_back(trace_.threads.back().name());
}

// Where others have events, and this rank or this thread of it has none.
void TraceMaker::note_gaps(const RankFile &file)
{
    if (events_.files.empty())
        return;
    const uint32_t rank = file.header().rank;
    const auto events = events_.files.find(rank);
    if (events == events_.files.end()) {
        trace_.gaps.ranks.push_back(fmt::format("{}", rank));
        return;
    }
    const auto &rings = events->second.rings;
    for (const ThreadRecord &thread : file.threads)
        if (!thread.entries.empty() &&
            std::none_of(rings.begin(), rings.end(),
                         [&](const EventRing &ring) { return ring.thread == thread.number; }))
            trace_.gaps.threads.push_back(thread_name(rank, thread.number));
}

void TraceMaker::add_rank(size_t rank, CallPaths &paths)
{
    const RankFile &file = profile_.ranks[rank];
    note_gaps(file);
    const std::vector<uint32_t> communicators = number_communicators(rank);
    for (const ThreadRecord &thread : file.threads) {
        const EventRing *ring = ring_of(rank, thread);
        if (thread.last_calls.empty() && ring == nullptr && thread.number > 0)
            continue;
        count_messages(file.header().rank, thread);
        std::vector<TraceCall> calls;
        if (ring != nullptr) {
            if (thread.facts.in_call != 0 && !file.finished())
                calls.push_back(call_in_progress(rank, thread, communicators, paths));
            add_events(rank, *ring, {shared_clocks_, rank, communicators, {}, {}}, std::move(calls),
                       paths);
            continue;
        }
        for (const mprof_last_call &last : thread.last_calls) {
            if (last.function == 0)
                continue;
            TraceCall call;
            call.start_s = clocks_.seconds_at(rank, last.start_ticks);
            call.duration_s = clocks_.seconds_of(rank, last.ticks);
            call.function = number_function(file, last.function - 1U);
            call.place = number_place(paths.node_of(rank, last.callsite), paths);
            if (last.communicator < communicators.size())
                call.communicator = communicators[last.communicator];
            call.peer = last.peer;
            call.bytes = last.bytes;
            calls.push_back(call);
        }
        if (thread.facts.in_call != 0)
            calls.push_back(call_in_progress(rank, thread, communicators, paths));
        const bool from_begin =
            !calls.empty() && facts_of(trace_.functions[calls[0].function].name).begins_mpi;
        trace_.threads.push_back({file.header().rank, thread.number, clocks_.node_of(rank),
                                  from_begin, std::make_unique<CallsInMemory>(std::move(calls))});
    }
}

Trace TraceMaker::make()
{
    const std::string &command = profile_.ranks.front().text("command");
    trace_.program = command.empty() ? "program" : program_name(command);
    trace_.ranks = profile_.ranks_expected;
    trace_.nodes = clocks_.nodes();
    if (trace_.nodes.size() > 1)
        trace_.most_moved_s = clocks_.residual_s().value_or(most_between_nodes_s);
    CallPaths paths(measures_, symbols_);
    end_s_ = last_sign_of_life();
    for (size_t r = 0; r < profile_.ranks.size(); r++)
        add_rank(r, paths);
    return std::move(trace_);
}

}  // namespace

Trace trace_of_profile(const Profile &profile, const ProfileEvents &events, SymbolLookup &symbols)
{
    return TraceMaker(profile, events, symbols).make();
}

}  // namespace mprof
