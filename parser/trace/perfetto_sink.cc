// Packets of one sequence. Names are written once and referred to by number. A message's arrow
// begins at its send and ends at the end of its receive, which may begin before the send.
#include "trace/trace_sink.h"

#include <array>
#include <cmath>
#include <protozero/pbf_writer.hpp>

namespace mprof {
namespace {

using Message = protozero::pbf_writer;

// Numbers of fields in Perfetto's trace_packet.proto, track_descriptor.proto, track_event.proto,
// debug_annotation.proto and interned_data.proto.
namespace trace_field {
constexpr uint32_t packet = 1;
}
namespace packet_field {
constexpr uint32_t timestamp = 8, sequence = 10, event = 11, interned = 12, sequence_flags = 13,
                   track = 60, first_on_sequence = 87;
constexpr uint32_t flag_cleared = 1, flag_needs_state = 2;
}  // namespace packet_field
namespace track_field {
constexpr uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent = 5, counter = 8, rank = 12;
constexpr uint32_t process_pid = 1, process_name = 6, thread_pid = 1, thread_tid = 2,
                   thread_name = 5, counter_unit = 6;
}  // namespace track_field
namespace event_field {
constexpr uint32_t category = 3, annotation = 4, type = 9, name = 10, track = 11, own_name = 23,
                   value = 44, flow = 47, ending_flow = 48;
enum EventType { slice_begin = 1, slice_end = 2, counter = 4 };
}  // namespace event_field
namespace annotation_field {
constexpr uint32_t name = 1, integer = 4, number = 5, own_text = 6, text = 17;
}
namespace interned_field {
constexpr uint32_t categories = 1, events = 2, annotations = 3, texts = 29;
constexpr uint32_t number = 1, text = 2;
}  // namespace interned_field

constexpr uint32_t sequence = 1;
constexpr size_t perfetto_piece = 1U << 16;

uint64_t ns_of(double seconds)
{
    return static_cast<uint64_t>(trace_ns(seconds));
}

// Interned: the number of a text is its place here, from 1.
constexpr std::array<std::string_view, 5> categories = {"MPI", "MPI waiting", "waiting", "phase",
                                                        "MPI polls"};
enum Category : uint64_t { call_category = 1, can_wait, wait_category, phase_category, polls };
constexpr std::array<std::string_view, 14> annotations = {
    "call site",    "bytes",           "polls",     "peer",        "communicator",
    "from rank",    "waited for",      "waiting_s", "MPI_percent", "function",
    "slowest rank", "waiting_percent", "headline",  "in progress"};
enum Annotation : uint64_t {
    a_place = 1,
    a_bytes,
    a_polls,
    a_peer,
    a_communicator,
    a_from,
    a_waited_for,
    a_waiting_s,
    a_mpi_percent,
    a_function,
    a_slowest,
    a_waiting_percent,
    a_headline,
    a_in_progress
};

void annotate(Message &event, Annotation name, int64_t value)
{
    Message annotation(event, event_field::annotation);
    annotation.add_uint64(annotation_field::name, name);
    annotation.add_int64(annotation_field::integer, value);
}

void annotate(Message &event, Annotation name, double value)
{
    Message annotation(event, event_field::annotation);
    annotation.add_uint64(annotation_field::name, name);
    annotation.add_double(annotation_field::number, value);
}

void annotate(Message &event, Annotation name, const std::string &text)
{
    if (text.empty())
        return;
    Message annotation(event, event_field::annotation);
    annotation.add_uint64(annotation_field::name, name);
    annotation.add_string(annotation_field::own_text, text);
}

// `number` of an interned text.
void annotate_text(Message &event, Annotation name, uint64_t number)
{
    Message annotation(event, event_field::annotation);
    annotation.add_uint64(annotation_field::name, name);
    annotation.add_uint64(annotation_field::text, number);
}

void intern(Message &interned, uint32_t field, uint64_t number, std::string_view text)
{
    Message row(interned, field);
    row.add_uint64(interned_field::number, number);
    row.add_bytes(interned_field::text, text.data(), text.size());
}

template <class List>
void intern_all(Message &interned, uint32_t field, const List &texts)
{
    for (size_t i = 0; i < texts.size(); i++)
        intern(interned, field, i + 1, texts[i]);
}

class PerfettoSink : public TraceSink {
public:
    explicit PerfettoSink(WriteBytes write) : write_(std::move(write)) {}

    void begin(const Trace &trace) override;
    void add_phase(const PhaseRow &phase) override;
    void begin_counter(const CounterTrack &counter) override;
    void add_value(double time_s, double value) override;
    void add_call(const DrawnCall &drawn) override;
    std::string end() override;

private:
    template <class Fill>
    void add_packet(const Fill &fill);
    template <class Fill>
    void add_track(const Fill &fill);
    template <class Fill>
    void add_event(double time_s, uint64_t track, event_field::EventType type, const Fill &fill);

    void intern_texts();
    void add_node(size_t node);
    void add_thread(size_t thread);
    void annotate_call(Message &event, const DrawnCall &drawn) const;
    void add_wait(const DrawnCall &drawn, uint64_t track);

    // Tracks: nodes, threads, phases, counters.
    uint64_t thread_track(size_t thread) const { return 1 + trace_->nodes.size() + thread; }
    uint64_t phase_track() const { return thread_track(trace_->threads.size()); }
    // Interned texts: places, from number 1 on, then communicators.
    uint64_t communicator_text(uint32_t number) const { return trace_->places.size() + number; }
    uint64_t wait_name() const { return 1 + trace_->functions.size(); }

    WriteBytes write_;
    const Trace *trace_ = nullptr;
    std::string data_, packet_;
    uint64_t counters_ = 0;
    bool has_phases_ = false;
};

template <class Fill>
void PerfettoSink::add_packet(const Fill &fill)
{
    packet_.clear();
    {
        Message packet(packet_);
        fill(packet);
        packet.add_uint32(packet_field::sequence, sequence);
    }
    Message(data_).add_message(trace_field::packet, packet_);
    if (data_.size() >= perfetto_piece) {
        write_(data_);
        data_.clear();
    }
}

std::string PerfettoSink::end()
{
    write_(data_);
    data_.clear();
    return "";
}

template <class Fill>
void PerfettoSink::add_track(const Fill &fill)
{
    add_packet([&](Message &packet) {
        Message track(packet, packet_field::track);
        fill(track);
    });
}

template <class Fill>
void PerfettoSink::add_event(double time_s, uint64_t track, event_field::EventType type,
                             const Fill &fill)
{
    add_packet([&](Message &packet) {
        packet.add_uint64(packet_field::timestamp, ns_of(time_s));
        packet.add_uint32(packet_field::sequence_flags, packet_field::flag_needs_state);
        Message event(packet, packet_field::event);
        event.add_uint64(event_field::track, track);
        event.add_enum(event_field::type, type);
        fill(event);
    });
}

void PerfettoSink::intern_texts()
{
    add_packet([&](Message &packet) {
        packet.add_uint32(packet_field::sequence_flags,
                          packet_field::flag_cleared | packet_field::flag_needs_state);
        packet.add_bool(packet_field::first_on_sequence, true);
        Message interned(packet, packet_field::interned);
        intern_all(interned, interned_field::categories, categories);
        intern_all(interned, interned_field::annotations, annotations);
        for (size_t i = 0; i < trace_->functions.size(); i++)
            intern(interned, interned_field::events, 1 + i, trace_->functions[i].name);
        intern(interned, interned_field::events, wait_name(), "waiting");
        for (size_t i = 1; i < trace_->places.size(); i++)
            intern(interned, interned_field::texts, i, trace_->places[i]);
        for (uint32_t i = 1; i < trace_->communicators.size(); i++)
            intern(interned, interned_field::texts, communicator_text(i),
                   trace_->communicators[i].name);
    });
}

void PerfettoSink::add_node(size_t node)
{
    add_track([&](Message &track) {
        track.add_uint64(track_field::uuid, 1 + node);
        Message process(track, track_field::process);
        process.add_int32(track_field::process_pid, static_cast<int32_t>(1 + node));
        process.add_string(track_field::process_name, "node " + trace_->nodes[node]);
    });
}

void PerfettoSink::add_thread(size_t thread)
{
    const TraceThread &one = trace_->threads[thread];
    add_track([&](Message &track) {
        track.add_uint64(track_field::uuid, thread_track(thread));
        track.add_uint64(track_field::parent, 1 + one.node);
        track.add_int32(track_field::rank, static_cast<int32_t>(thread));
        Message inner(track, track_field::thread);
        inner.add_int32(track_field::thread_pid, static_cast<int32_t>(1 + one.node));
        inner.add_int64(track_field::thread_tid, static_cast<int64_t>(thread_track(thread)));
        inner.add_string(track_field::thread_name, one.name());
    });
}

void PerfettoSink::begin(const Trace &trace)
{
    trace_ = &trace;
    intern_texts();
    for (size_t node = 0; node < trace.nodes.size(); node++)
        add_node(node);
    for (size_t thread = 0; thread < trace.threads.size(); thread++)
        add_thread(thread);
}

void PerfettoSink::add_phase(const PhaseRow &phase)
{
    if (!has_phases_)
        add_track([&](Message &track) {
            track.add_uint64(track_field::uuid, phase_track());
            track.add_string(track_field::name, "phases");
        });
    has_phases_ = true;
    add_event(phase.from_s, phase_track(), event_field::slice_begin, [&](Message &event) {
        event.add_string(event_field::own_name, phase.name);
        event.add_uint64(event_field::category, phase_category);
        annotate(event, a_headline, phase.headline);
        annotate(event, a_waiting_s, phase.wait_s);
        if (phase.to_s > phase.from_s)
            annotate(event, a_waiting_percent, 100 * phase.wait_s / (phase.to_s - phase.from_s));
        annotate(event, a_mpi_percent, phase.mpi_percent);
        annotate(event, a_function, phase.function);
        annotate(event, a_place, phase.place);
        if (phase.slowest_rank)
            annotate(event, a_slowest, int64_t{*phase.slowest_rank});
    });
    add_event(phase.to_s, phase_track(), event_field::slice_end, [](Message &) {});
}

void PerfettoSink::begin_counter(const CounterTrack &counter)
{
    counters_++;
    add_track([&](Message &track) {
        track.add_uint64(track_field::uuid, phase_track() + counters_);
        if (counter.thread)
            track.add_uint64(track_field::parent, thread_track(*counter.thread));
        track.add_string(track_field::name, counter.name);
        Message inner(track, track_field::counter);
        inner.add_string(track_field::counter_unit, counter.unit);
    });
}

void PerfettoSink::add_value(double time_s, double value)
{
    add_event(time_s, phase_track() + counters_, event_field::counter,
              [&](Message &event) { event.add_double(event_field::value, value); });
}

void PerfettoSink::annotate_call(Message &event, const DrawnCall &drawn) const
{
    const TraceCall &call = drawn.call;
    if (call.in_progress)
        annotate(event, a_in_progress, std::string("it had not finished"));
    if (call.place != 0)
        annotate_text(event, a_place, call.place);
    if (trace_->functions[call.function].polls)
        annotate(event, a_polls, int64_t{call.bytes});
    else if (call.bytes != 0)
        annotate(event, a_bytes, int64_t{call.bytes});
    if (const uint32_t peer = trace_->peer_of(call); peer != UINT32_MAX)
        annotate(event, a_peer, int64_t{peer});
    if (call.communicator != 0)
        annotate_text(event, a_communicator, communicator_text(call.communicator));
    for (const ReceivedMessage &message : drawn.received)
        annotate(event, a_from, int64_t{trace_->threads[message.sender].rank});
}

// Inside of the call.
void PerfettoSink::add_wait(const DrawnCall &drawn, uint64_t track)
{
    add_event(drawn.begin_s, track, event_field::slice_begin, [&](Message &event) {
        event.add_uint64(event_field::name, wait_name());
        event.add_uint64(event_field::category, wait_category);
        annotate(event, a_waited_for, int64_t{drawn.waited_for});
    });
    add_event(*drawn.waited_until_s, track, event_field::slice_end, [](Message &) {});
}

void PerfettoSink::add_call(const DrawnCall &drawn)
{
    const TraceFunction &function = trace_->functions[drawn.call.function];
    const uint64_t track = thread_track(drawn.thread);
    add_event(drawn.begin_s, track, event_field::slice_begin, [&](Message &event) {
        event.add_uint64(event_field::name, 1 + drawn.call.function);
        event.add_uint64(event_field::category, function.polls   ? Category::polls
                                                : function.waits ? can_wait
                                                                 : call_category);
        if (drawn.sent_flow != 0)
            event.add_fixed64(event_field::flow, drawn.sent_flow);
        for (const uint64_t flow : drawn.more_flows)
            event.add_fixed64(event_field::flow, flow);
        annotate_call(event, drawn);
    });
    if (drawn.waited_until_s)
        add_wait(drawn, track);
    add_event(drawn.end_s, track, event_field::slice_end, [&](Message &event) {
        for (const ReceivedMessage &message : drawn.received)
            event.add_fixed64(event_field::ending_flow, message.flow);
    });
}

}  // namespace

std::string perfetto_problem()
{
    return "";
}

std::unique_ptr<TraceSink> perfetto_sink(WriteBytes write)
{
    return std::make_unique<PerfettoSink>(std::move(write));
}

}  // namespace mprof
