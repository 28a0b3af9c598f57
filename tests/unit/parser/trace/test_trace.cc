// Planted calls of two ranks: what becomes slices, whose messages are whose, and that times fit.
#include "trace/trace_sink.h"

#include <cmath>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using testing::DoubleNear;
using testing::IsEmpty;
using testing::SizeIs;

enum PlantedCall : uint32_t { send, recv, irecv, wait, reduce, sendrecv };
constexpr double microsecond = 1e-6;

TraceCall call_of(uint32_t function, double start_s, double end_s, int32_t peer = MPROF_NO_PEER,
                  uint32_t bytes = 8)
{
    TraceCall call;
    call.start_s = start_s;
    call.duration_s = end_s - start_s;
    call.function = function;
    call.communicator = 1;
    call.peer = peer;
    call.bytes = bytes;
    return call;
}

// Two ranks of MPI_COMM_WORLD, with nothing before these calls.
Trace trace_of(std::vector<TraceCall> calls_0, std::vector<TraceCall> calls_1,
               bool from_begin = true)
{
    Trace trace;
    trace.program = "planted";
    trace.ranks = 2;
    trace.nodes = {"here"};
    trace.functions.resize(6);
    const char *const names[] = {"MPI_Send", "MPI_Recv",      "MPI_Irecv",
                                 "MPI_Wait", "MPI_Allreduce", "MPI_Sendrecv"};
    for (size_t i = 0; i < 6; i++)
        trace.functions[i].name = names[i];
    trace.functions[send].sends = trace.functions[sendrecv].sends = true;
    trace.functions[recv].receives = trace.functions[sendrecv].receives = true;
    trace.functions[irecv].posts = true;
    trace.functions[wait].completes = true;
    trace.communicators.push_back({"MPI_COMM_WORLD", {0, 1}});
    trace.threads.push_back(
        {0, 0, 0, from_begin, std::make_unique<CallsInMemory>(std::move(calls_0))});
    trace.threads.push_back(
        {1, 0, 0, from_begin, std::make_unique<CallsInMemory>(std::move(calls_1))});
    return trace;
}

class Recorded : public TraceSink {
public:
    void begin(const Trace & /*trace*/) override {}
    void add_phase(const PhaseRow &phase) override { phases.push_back(phase.name); }
    void begin_counter(const CounterTrack &track) override
    {
        counters.push_back(track);
        values.emplace_back();
    }
    void add_value(double time_s, double value) override
    {
        values.back().emplace_back(time_s, value);
    }
    void add_call(const DrawnCall &drawn) override { calls[drawn.thread].push_back(drawn); }
    std::string end() override { return ""; }

    std::vector<DrawnCall> calls[2];
    std::vector<std::string> phases;
    std::vector<CounterTrack> counters;
    std::vector<std::vector<std::pair<double, double>>> values;
};

TEST(Trace, MessagesOfTwoRanksAreMatchedInOrder)
{
    Trace trace = trace_of({call_of(send, 0, 1 * microsecond, 1, 8),
                            call_of(send, 2 * microsecond, 3 * microsecond, 1, 16)},
                           {call_of(recv, 0, 1 * microsecond, 0, 8),
                            call_of(recv, 2 * microsecond, 3 * microsecond, 0, 16)});
    Recorded recorded;
    const TraceCounts counts = write_trace(trace, {}, recorded);
    EXPECT_EQ(counts.calls, 4U);
    EXPECT_EQ(counts.messages, 2U);
    EXPECT_EQ(counts.unmatched, 0U);
    EXPECT_EQ(counts.moved, 0U);
    for (size_t i = 0; i < 2; i++) {
        ASSERT_THAT(recorded.calls[1][i].received, SizeIs(1));
        EXPECT_EQ(recorded.calls[1][i].received[0].flow, recorded.calls[0][i].sent_flow);
        EXPECT_EQ(recorded.calls[1][i].received[0].bytes, 8U * (i + 1));
    }
}

TEST(Trace, AReceiveEndsWhenItsMessageIsSentAndNothingOverlaps)
{
    Trace trace = trace_of({call_of(send, 15 * microsecond, 20 * microsecond, 1)},
                           {call_of(recv, 5 * microsecond, 10 * microsecond, 0),
                            call_of(reduce, 11 * microsecond, 20 * microsecond)});
    Recorded recorded;
    const TraceCounts counts = write_trace(trace, {}, recorded);
    EXPECT_EQ(counts.messages, 1U);
    EXPECT_EQ(counts.moved, 1U);
    EXPECT_THAT(counts.most_moved_s, DoubleNear(5 * microsecond, 1e-9));
    EXPECT_THAT(recorded.calls[1][0].end_s, DoubleNear(15 * microsecond, 1e-9));
    EXPECT_GE(recorded.calls[1][1].begin_s, recorded.calls[1][0].end_s);
    EXPECT_THAT(recorded.calls[1][1].end_s, DoubleNear(20 * microsecond, 1e-9));
}

TEST(Trace, AMessageThatIsSentMuchLaterIsAnotherOne)
{
    Trace trace = trace_of({call_of(send, 5000 * microsecond, 5001 * microsecond, 1)},
                           {call_of(recv, 0, 10 * microsecond, 0)});
    Recorded recorded;
    const TraceCounts counts = write_trace(trace, {}, recorded);
    EXPECT_EQ(counts.messages, 0U);
    EXPECT_EQ(counts.unmatched, 1U);
    EXPECT_THAT(recorded.calls[1][0].end_s, DoubleNear(10 * microsecond, 1e-9));
}

TEST(Trace, AReceiveWaitsUntilTheLateSendBegins)
{
    Trace trace = trace_of({call_of(send, 30 * microsecond, 35 * microsecond, 1)},
                           {call_of(recv, 0, 40 * microsecond, 0)});
    Recorded recorded;
    write_trace(trace, {}, recorded);
    ASSERT_TRUE(recorded.calls[1][0].waited_until_s);
    EXPECT_THAT(*recorded.calls[1][0].waited_until_s, DoubleNear(30 * microsecond, 1e-9));
    EXPECT_EQ(recorded.calls[1][0].waited_for, 0U);
}

TEST(Trace, ANonblockingReceiveGetsItsMessageInTheCallThatCompletesIt)
{
    Trace trace = trace_of({call_of(send, 20 * microsecond, 21 * microsecond, 1)},
                           {call_of(irecv, 0, 1 * microsecond, 0),
                            call_of(wait, 2 * microsecond, 5 * microsecond),
                            call_of(wait, 6 * microsecond, 30 * microsecond)});
    Recorded recorded;
    const TraceCounts counts = write_trace(trace, {}, recorded);
    EXPECT_EQ(counts.messages, 1U);
    EXPECT_THAT(recorded.calls[1][0].received, IsEmpty());
    EXPECT_THAT(recorded.calls[1][1].received, IsEmpty());
    EXPECT_THAT(recorded.calls[1][2].received, SizeIs(1));
}

TEST(Trace, RanksThatExchangeGetEachOthersMessage)
{
    Trace trace = trace_of({call_of(sendrecv, 0, 9 * microsecond, 1)},
                           {call_of(sendrecv, 2 * microsecond, 9 * microsecond, 0)});
    Recorded recorded;
    EXPECT_EQ(write_trace(trace, {}, recorded).messages, 2U);
    EXPECT_EQ(recorded.calls[0][0].received[0].flow, recorded.calls[1][0].sent_flow);
    EXPECT_EQ(recorded.calls[1][0].received[0].flow, recorded.calls[0][0].sent_flow);
}

TEST(Trace, SizesThatDifferAreNoMessage)
{
    Trace trace = trace_of({call_of(send, 0, 1 * microsecond, 1, 8)},
                           {call_of(recv, 0, 2 * microsecond, 0, 9)});
    Recorded recorded;
    const TraceCounts counts = write_trace(trace, {}, recorded);
    EXPECT_EQ(counts.messages, 0U);
    EXPECT_EQ(counts.unmatched, 1U);
}

std::vector<TraceCall> regular(uint32_t function, int32_t peer, int from, int to)
{
    std::vector<TraceCall> calls;
    for (int i = from; i < to; i++)
        calls.push_back(
            call_of(function, i * 100 * microsecond, (i * 100 + 10) * microsecond, peer));
    return calls;
}

TEST(Trace, RecordsThatBeginAtDifferentTimesAreLinedUp)
{
    for (const auto &[sends_from, receives_from] : {std::pair(10, 50), std::pair(50, 10)}) {
        Trace trace = trace_of(regular(send, 1, sends_from, 200),
                               regular(recv, 0, receives_from, 200), false);
        Recorded recorded;
        const TraceCounts counts = write_trace(trace, {}, recorded);
        EXPECT_EQ(counts.messages, 150U);
        for (const DrawnCall &drawn : recorded.calls[1])
            for (const ReceivedMessage &message : drawn.received)
                EXPECT_THAT(message.sent_s, DoubleNear(drawn.begin_s, 1e-9));
    }
}

// The sender is ahead by several messages, which times alone cannot tell.
TEST(Trace, RecordsAreLinedUpByTheNumbersOfAllMessages)
{
    constexpr double behind_s = 350 * microsecond;
    std::vector<TraceCall> receives;
    for (int i = 50; i < 200; i++) {
        const double begin_s = i * 100 * microsecond + behind_s;
        receives.push_back(call_of(irecv, begin_s, begin_s + 1 * microsecond, 0));
        receives.push_back(call_of(wait, begin_s + 2 * microsecond, begin_s + 10 * microsecond));
    }
    Trace trace = trace_of(regular(send, 1, 10, 200), receives, false);
    trace.messages[{0, 1}] = {200, 200};
    Recorded recorded;
    EXPECT_EQ(write_trace(trace, {}, recorded).messages, 150U);
    for (const DrawnCall &drawn : recorded.calls[1])
        for (const ReceivedMessage &message : drawn.received)
            EXPECT_THAT(message.sent_s,
                        DoubleNear(drawn.begin_s - behind_s - 2 * microsecond, 1e-9));
}

TEST(Trace, TimeBinsBecomePhasesAndCounters)
{
    Trace trace = trace_of({}, {});
    TimeLine time;
    time.known = true;
    time.bin_s = 2;
    time.bins.resize(3);
    for (size_t i = 0; i < 3; i++) {
        time.bins[i].begin_s = 2.0 * static_cast<double>(i);
        time.bins[i].split.compute_s = i < 2 ? 1 : 2;
        time.bins[i].bytes = i == 1 ? 100 : 0;
    }
    time.phases.resize(2);
    time.phases[0].name = "set-up";
    time.phases[1].name = "solve";
    Recorded recorded;
    write_trace(trace, time, recorded);
    EXPECT_THAT(recorded.phases, testing::ElementsAre("set-up", "solve"));
    ASSERT_THAT(recorded.counters, SizeIs(2));
    EXPECT_EQ(recorded.counters[0].name, "mean of ranks: computing");
    EXPECT_THAT(
        recorded.values[0],
        testing::ElementsAre(std::pair(0.0, 50.0), std::pair(4.0, 100.0), std::pair(6.0, 0.0)));
    EXPECT_EQ(recorded.counters[1].unit, "B/s");
    EXPECT_THAT(recorded.values[1], testing::ElementsAre(std::pair(0.0, 0.0), std::pair(2.0, 100.0),
                                                         std::pair(4.0, 0.0), std::pair(6.0, 0.0)));
}

TEST(Trace, TimesFitIntoEveryFormatWhateverTheyAre)
{
    EXPECT_EQ(trace_ns(1.5), 1'500'000'000);
    EXPECT_EQ(trace_ns(-1), 0);
    EXPECT_EQ(trace_ns(std::nan("")), 0);
    EXPECT_EQ(trace_ns(1e30), trace_ns(HUGE_VAL));
    EXPECT_GT(trace_ns(HUGE_VAL), 3'000'000'000'000'000'000);
}

// Of rank 0 to rank 1, each with a tag of its own.
std::vector<TraceCall> calls_with_tags(uint32_t count, bool is_sent)
{
    std::vector<TraceCall> calls;
    for (uint32_t i = 0; i < count; i++) {
        const double start_s = (2 * i + (is_sent ? 0 : 1)) * microsecond;
        calls.push_back(call_of(is_sent ? send : recv, start_s, start_s + microsecond / 2));
        calls.back().messages = {{is_sent, is_sent ? 1U : 0U, 1, i + 1, 8, 0}};
    }
    return calls;
}

TEST(Trace, ANewTagForEachMessageDoesNotGather)
{
    constexpr uint32_t many = 100'000;
    Trace trace = trace_of(calls_with_tags(many, true), calls_with_tags(many, false));
    for (TraceThread &thread : trace.threads)
        thread.knows_messages = true;
    Recorded recorded;
    const TraceCounts counts = write_trace(trace, {}, recorded);
    EXPECT_EQ(counts.messages, many);
    EXPECT_EQ(counts.unmatched, 0U);

    MessageFlows flows(trace);
    size_t most = 0;
    for (uint32_t tag = 1; tag <= many; tag++) {
        const TraceMessage sent = {true, 1, 1, tag, 8, 0};
        const TraceMessage received = {false, 0, 1, tag, 8, 0};
        flows.send(0, sent, tag * microsecond);
        if (tag % 2 == 0)  // the others are never received
            flows.take(flows.post(1, received), 1);
        if (flows.are_many())
            flows.forget({});
        most = std::max(most, flows.channels());
    }
    EXPECT_LT(most, 70'000U);
}

}  // namespace
