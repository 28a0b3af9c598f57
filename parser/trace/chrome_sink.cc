// One event a line. Times are microseconds with three decimals. An arrow is two events: at the
// begin of the send and at the end of the receive.
#include "trace/trace_sink.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace mprof {
namespace {

constexpr size_t chrome_piece = 1U << 16;

std::string json_quoted(const std::string &text)
{
    using Json = nlohmann::json;
    return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

// Microseconds, without noise of binary arithmetic.
std::string us_of(double seconds)
{
    const int64_t ns = trace_ns(seconds);
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

class ChromeSink : public TraceSink {
public:
    explicit ChromeSink(WriteBytes write) : write_(std::move(write)) {}

    void begin(const Trace &trace) override;
    void add_phase(const PhaseRow &phase) override;
    void begin_counter(const CounterTrack &track) override;
    void add_value(double time_s, double value) override;
    void add_call(const DrawnCall &drawn) override;
    std::string end() override;

private:
    template <class... Values>
    void add(fmt::format_string<Values...> format, Values &&...values)
    {
        data_ += is_first_ ? "\n" : ",\n";
        is_first_ = false;
        fmt::format_to(std::back_inserter(data_), format, std::forward<Values>(values)...);
        if (data_.size() >= chrome_piece)
            flush();
    }
    void flush()
    {
        write_(data_);
        data_.clear();
    }
    void add_name(const char *what, size_t process, size_t thread, const std::string &name);
    void add_slice(const std::string &name, const char *category, size_t thread, double begin_s,
                   double end_s, const std::string &arguments);
    void add_arrows(const DrawnCall &drawn);
    std::string arguments_of(const DrawnCall &drawn) const;

    // Processes: the run, then nodes. Threads: the run's phases, then those of ranks.
    size_t process_of(size_t thread) const { return 2 + trace_->threads[thread].node; }

    WriteBytes write_;
    const Trace *trace_ = nullptr;
    std::string data_;
    bool is_first_ = true;
    CounterTrack counter_;
    std::vector<std::string> functions_, places_, communicators_;  // quoted
};

void ChromeSink::add_name(const char *what, size_t process, size_t thread, const std::string &name)
{
    add(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", what, process, thread,
        json_quoted(name));
}

void ChromeSink::begin(const Trace &trace)
{
    trace_ = &trace;
    data_ = R"({"displayTimeUnit":"ns","traceEvents":[)";
    add_name("process_name", 1, 1, trace.program);
    add_name("thread_name", 1, 1, "phases");
    for (size_t node = 0; node < trace.nodes.size(); node++)
        add_name("process_name", 2 + node, 1, "node " + trace.nodes[node]);
    for (size_t thread = 0; thread < trace.threads.size(); thread++)
        add_name("thread_name", process_of(thread), 2 + thread, trace.threads[thread].name());
    for (const TraceFunction &function : trace.functions)
        functions_.push_back(json_quoted(function.name));
    for (const std::string &place : trace.places)
        places_.push_back(json_quoted(place));
    for (const TraceCommunicator &communicator : trace.communicators)
        communicators_.push_back(json_quoted(communicator.name));
}

void ChromeSink::add_phase(const PhaseRow &phase)
{
    std::string arguments = fmt::format(
        R"("headline":{},"waiting_s":{:.9g},"MPI_percent":{:.6g},"function":{},"call site":{})",
        json_quoted(phase.headline), phase.wait_s, phase.mpi_percent, json_quoted(phase.function),
        json_quoted(phase.place));
    if (phase.slowest_rank)
        arguments += fmt::format(R"(,"slowest rank":{})", *phase.slowest_rank);
    add(R"({{"ph":"X","name":{},"cat":"phase","pid":1,"tid":1,"ts":{},"dur":{},"args":{{{}}}}})",
        json_quoted(phase.name), us_of(phase.from_s), us_of(phase.to_s - phase.from_s), arguments);
}

void ChromeSink::begin_counter(const CounterTrack &track)
{
    counter_ = track;
}

void ChromeSink::add_value(double time_s, double value)
{
    add(R"({{"ph":"C","name":{},"pid":{},"tid":1,"ts":{},"args":{{"{}":{:.9g}}}}})",
        json_quoted(counter_.name), counter_.thread ? process_of(*counter_.thread) : 1,
        us_of(time_s), counter_.unit, value);
}

std::string ChromeSink::arguments_of(const DrawnCall &drawn) const
{
    const TraceCall &call = drawn.call;
    std::string text;
    const auto put = [&](const char *name, const auto &value) {
        fmt::format_to(std::back_inserter(text), R"({}"{}":{})", text.empty() ? "" : ",", name,
                       value);
    };
    if (call.in_progress)
        put("in progress", "true");
    if (call.place != 0)
        put("call site", places_[call.place]);
    if (trace_->functions[call.function].polls)
        put("polls", call.bytes);
    else if (call.bytes != 0)
        put("bytes", call.bytes);
    if (const uint32_t peer = trace_->peer_of(call); peer != UINT32_MAX)
        put("peer", peer);
    if (call.communicator != 0)
        put("communicator", communicators_[call.communicator]);
    return text;
}

// The length is the difference of the rounded ends, so that calls do not overlap.
void ChromeSink::add_slice(const std::string &name, const char *category, size_t thread,
                           double begin_s, double end_s, const std::string &arguments)
{
    const auto begin = trace_ns(begin_s);
    const auto end = trace_ns(end_s);
    add(R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{}.{:03},"dur":{}.{:03},"args":{{{}}}}})",
        name, category, process_of(thread), 2 + thread, begin / 1000, begin % 1000,
        (end - begin) / 1000, (end - begin) % 1000, arguments);
}

void ChromeSink::add_arrows(const DrawnCall &drawn)
{
    for (const ReceivedMessage &message : drawn.received) {
        add(R"({{"ph":"s","name":"message","cat":"message","id":{},"pid":{},"tid":{},"ts":{}}})",
            message.flow, process_of(message.sender), 2 + message.sender, us_of(message.sent_s));
        add(R"({{"ph":"f","bp":"e","name":"message","cat":"message","id":{},"pid":{},"tid":{},"ts":{}}})",
            message.flow, process_of(drawn.thread), 2 + drawn.thread, us_of(drawn.end_s));
    }
}

void ChromeSink::add_call(const DrawnCall &drawn)
{
    const TraceFunction &function = trace_->functions[drawn.call.function];
    add_slice(functions_[drawn.call.function],
              function.polls   ? "MPI polls"
              : function.waits ? "MPI waiting"
                               : "MPI",
              drawn.thread, drawn.begin_s, drawn.end_s, arguments_of(drawn));
    if (drawn.waited_until_s)
        add_slice(R"("waiting")", "waiting", drawn.thread, drawn.begin_s, *drawn.waited_until_s,
                  fmt::format(R"("waited for":{})", drawn.waited_for));
    add_arrows(drawn);
}

std::string ChromeSink::end()
{
    data_ += "\n]}\n";
    flush();
    return "";
}

}  // namespace

std::unique_ptr<TraceSink> chrome_sink(WriteBytes write)
{
    return std::make_unique<ChromeSink>(std::move(write));
}

}  // namespace mprof
