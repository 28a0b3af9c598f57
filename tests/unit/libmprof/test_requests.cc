// Requests: the bytes of a receive belong to the call that posted it, whoever completes it.
#include "record_fixture.h"

using namespace mprof_test;

namespace {

constexpr uint16_t irecv = 40;
constexpr uint16_t recv_init = 41;
constexpr uint16_t send_init = 42;
constexpr uint16_t wait = 43;

call posted_call(recorder *recorder, uint16_t function, uint64_t comm_handle)
{
    call call{};
    call.recorder = recorder;
    call.path = some_path();
    call.world_peer = MPROF_RANK_OTHER;
    call.word = function;
    call.comm = comm_find(HANDLE_COMM, comm_handle);
    call.ticks = 100;
    return call;
}

void finish(call *call)
{
    add_call(call->recorder, call_key(call), call->ticks);
}

arrival message_of(int source, uint64_t bytes)
{
    arrival arrival{};
    arrival.message = true;
    arrival.source = source;
    arrival.bytes = bytes;
    return arrival;
}

class Requests : public testing::Test {
protected:
    void SetUp() override
    {
        recorder_ = open_record(1 << 20);
        use_fake_mpi();
        waiting_ = posted_call(recorder_, wait, mpi_services->comm_world);
    }

    Sums of_kind(mprof_entry_kind kind)
    {
        return sum_entries(recorder_,
                           [kind](const mprof_entry &entry) { return entry.kind == kind; });
    }

    void complete(arrival arrival, uint64_t ticks)
    {
        pending_.arrival = arrival;
        request_complete(&waiting_, &pending_, ticks);
    }

    recorder *recorder_ = nullptr;
    call waiting_{};  // the call that completes or starts requests
    pending pending_{};
};

TEST_F(Requests, AReceiveMovesFromPendingToItsTrueSize)
{
    call call = posted_call(recorder_, irecv, mpi_services->comm_world);
    request_enter_receive(&call, 0x99);
    finish(&call);
    EXPECT_EQ(of_kind(MPROF_KIND_PENDING).calls, 1u);

    ASSERT_TRUE(request_look_up(0x99, &pending_));
    complete(message_of(6, 1234), 50);
    EXPECT_EQ(of_kind(MPROF_KIND_PENDING).calls, 0u);
    EXPECT_EQ(of_kind(MPROF_KIND_PENDING).ticks, 0u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).calls, 1u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).bytes, 1234u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).ticks, 100u);
    EXPECT_EQ(find_partner(recorder_, 6, MPROF_PARTNER_RECEIVED).bytes, 1234u);
    EXPECT_FALSE(request_look_up(0x99, &pending_));
}

TEST_F(Requests, ACancelledReceiveBringsNothingAndNoPartner)
{
    call call = posted_call(recorder_, irecv, mpi_services->comm_world);
    request_enter_receive(&call, 0x99);
    finish(&call);
    ASSERT_TRUE(request_look_up(0x99, &pending_));
    complete(arrival{}, 50);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).calls, 1u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).bytes, 0u);
    EXPECT_EQ(recorder_->partner_count, 0u);
}

TEST_F(Requests, TheSenderIsKnownAfterTheCommunicatorWasFreed)
{
    enter_comm(reversed_comm_handle(), 0, nullptr);
    call call = posted_call(recorder_, irecv, reversed_comm_handle());
    request_enter_receive(&call, 0x99);
    finish(&call);
    comm_retire(HANDLE_COMM, handle_find(HANDLE_COMM, reversed_comm_handle()),
                comm_find(HANDLE_COMM, reversed_comm_handle()));
    enter_comm(0x84000002, 0, nullptr);  // takes any memory that was given back too early
    ASSERT_TRUE(request_look_up(0x99, &pending_));
    complete(message_of(0, 8), 50);
    EXPECT_EQ(find_partner(recorder_, 7, MPROF_PARTNER_RECEIVED).messages, 1u);
}

TEST_F(Requests, APersistentSendCountsAtEachStart)
{
    call call = posted_call(recorder_, send_init, mpi_services->comm_world);
    persistent made{};
    made.bytes = 800;
    made.peer = 2;
    request_enter_persistent(&call, 0x77, &made);
    finish(&call);
    for (int i = 0; i < 10; i++)
        request_start(&waiting_, 0x77);
    EXPECT_EQ(of_kind(MPROF_KIND_START).calls, 10u);
    EXPECT_EQ(of_kind(MPROF_KIND_START).bytes, 8000u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).calls, 1u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).bytes, 0u);
    EXPECT_EQ(find_partner(recorder_, 2, MPROF_PARTNER_SENT).messages, 10u);
}

TEST_F(Requests, APersistentReceiveCountsOnlyWhatWasStarted)
{
    call call = posted_call(recorder_, recv_init, mpi_services->comm_world);
    persistent made{};
    made.kind = REQUEST_RECEIVE;
    made.peer = MPROF_NO_PEER;
    request_enter_persistent(&call, 0x77, &made);
    finish(&call);
    EXPECT_FALSE(request_look_up(0x77, &pending_));  // MPI_Wait on an inactive request
    for (uint64_t bytes : {10u, 20u, 30u}) {
        request_start(&waiting_, 0x77);
        ASSERT_TRUE(request_look_up(0x77, &pending_));
        complete(message_of(1, bytes), 50);
        EXPECT_FALSE(request_look_up(0x77, &pending_));
    }
    EXPECT_EQ(of_kind(MPROF_KIND_START).calls, 3u);
    EXPECT_EQ(of_kind(MPROF_KIND_START).bytes, 60u);
    request_forget(handle_find(HANDLE_REQUEST, 0x77), nullptr);
    request_start(&waiting_, 0x77);
    EXPECT_FALSE(request_look_up(0x77, &pending_));
}

// What a completing call took belongs to the line that started the request; between the two calls,
// what was not MPI was overlapped.
TEST_F(Requests, ACompletionGivesItsTimeBackWithTheSpan)
{
    call call = posted_call(recorder_, irecv, mpi_services->comm_world);
    call.start_ticks = 1000;
    call.ticks = 100;
    thread_state.mpi_ticks = 7000;
    request_enter_receive(&call, 0x99);
    finish(&call);
    thread_state.mpi_ticks += 100 + 30;  // the call itself, and another one meanwhile
    waiting_.start_ticks = 1600;
    ASSERT_TRUE(request_look_up(0x99, &pending_));
    complete(message_of(6, 1234), 50);
    const Sums completed = of_kind(MPROF_KIND_COMPLETION);
    EXPECT_EQ(completed.calls, 1u);
    EXPECT_EQ(completed.ticks, 50u);
    EXPECT_EQ(completed.bytes, 0u);
    mprof_entry row{};
    sum_entries(recorder_, [&row](const mprof_entry &entry) {
        if (entry.kind == MPROF_KIND_COMPLETION)
            row = entry;
        return true;
    });
    EXPECT_EQ(row.size, 1234u);
    EXPECT_EQ(row.callsite, some_path()->callsite);
    EXPECT_EQ(row.span_ticks, 500u);  // 1600 - (1000 + 100)
    EXPECT_EQ(row.span_mpi_ticks, 30u);
    EXPECT_EQ(find_partner(recorder_, 6, MPROF_PARTNER_RECEIVED).ticks, 150u);
}

// What this thread did in MPI tells nothing of the time before it had the request.
TEST_F(Requests, OfACompletionOnAnotherThreadTheSpanIsNotKnown)
{
    call call = posted_call(recorder_, irecv, mpi_services->comm_world);
    request_enter_receive(&call, 0x9a);
    finish(&call);
    recorder other = *recorder_;
    handle_find(HANDLE_REQUEST, 0x9a).payload->request.recorder = &other;
    ASSERT_TRUE(request_look_up(0x9a, &pending_));
    complete(message_of(6, 8), 50);
    mprof_entry row{};
    sum_entries(recorder_, [&row](const mprof_entry &entry) {
        if (entry.kind == MPROF_KIND_COMPLETION)
            row = entry;
        return true;
    });
    EXPECT_EQ(row.calls, 1u);
    EXPECT_EQ(row.ticks, 50u);
    EXPECT_EQ(row.bytes, 1u) << "of them, those without a span";
    EXPECT_EQ(row.span_ticks, 0u);
}

TEST_F(Requests, ALargeReceiveWeighsMoreThanASmallSend)
{
    request large{};
    large.kind = REQUEST_RECEIVE;
    request small{};
    small.partner = true;
    small.partner_kind = MPROF_PARTNER_SENT;
    small.bytes = 8;
    pending receive{};
    receive.request = &large;
    pending send{};
    send.request = &small;
    receive.arrival = message_of(0, 1 << 20);
    EXPECT_GT(request_weight(&receive), 1000 * request_weight(&send));
    receive.arrival = arrival{};
    EXPECT_EQ(request_weight(&receive), 0u);  // cancelled
}

// A line's next message is mostly like its last one, and then goes a shorter way; what is not like
// it must not.
TEST_F(Requests, EachMessageOfOneLineCountsWhateverTheLastOneWas)
{
    enter_comm(reversed_comm_handle(), 0, nullptr);
    struct message {
        uint64_t comm;
        int source;
        uint64_t bytes;
        bool arrives;
    };
    const uint64_t world = mpi_services->comm_world;
    const message messages[] = {
        {world, 6, 1234, true}, {world, 6, 1234, true}, {world, 6, 8, true},
        {world, 6, 8, true},    {world, 5, 8, true},    {world, 5, 8, true},
        {world, 5, 0, false},   {world, 5, 8, true},    {reversed_comm_handle(), 2, 8, true},
        {world, 5, 8, true},    {world, 99, 8, true},    // no such rank: an MPI's failed call
        {world, 5, 8, true},    {world, 6, 1234, true},  // rows that were not the last ones
        {world, 5, 8, true},    {world, 6, 8, true},
    };
    uint64_t bytes = 0;
    uint64_t completed = 0;
    for (const message &message : messages) {
        call call = posted_call(recorder_, irecv, message.comm);
        request_enter_receive(&call, 0x99);
        finish(&call);
        ASSERT_TRUE(request_look_up(0x99, &pending_));
        complete(message.arrives ? message_of(message.source, message.bytes) : arrival{}, 50);
        bytes += message.arrives && message.source < 8 ? message.bytes : 0;
        completed++;
        EXPECT_EQ(of_kind(MPROF_KIND_PENDING).calls, 0u);
        EXPECT_EQ(of_kind(MPROF_KIND_PENDING).ticks, 0u);
        EXPECT_EQ(of_kind(MPROF_KIND_CALL).calls, completed);
        EXPECT_EQ(of_kind(MPROF_KIND_CALL).bytes, bytes);
        EXPECT_EQ(of_kind(MPROF_KIND_CALL).ticks, completed * 100);
        EXPECT_EQ(of_kind(MPROF_KIND_COMPLETION).calls, completed);
        EXPECT_EQ(of_kind(MPROF_KIND_COMPLETION).ticks, completed * 50);
        EXPECT_FALSE(request_look_up(0x99, &pending_));
    }
    for (mprof_entry_kind kind : {MPROF_KIND_CALL, MPROF_KIND_COMPLETION})
        for (const auto &[size, calls] : {std::pair(1234u, 3u), {8u, 10u}, {0u, 2u}})
            EXPECT_EQ(sum_entries(recorder_,
                                  [kind, size = size](const mprof_entry &entry) {
                                      return entry.kind == kind && entry.size == size;
                                  })
                          .calls,
                      calls)
                << kind << " of " << size << " bytes";
    const mprof_partner six = find_partner(recorder_, 6, MPROF_PARTNER_RECEIVED);
    EXPECT_EQ(six.messages, 6u);
    EXPECT_EQ(six.bytes, 3 * 1234u + 3 * 8);
    EXPECT_EQ(six.ticks, 6 * 150u);
    // Rank 2 of the reversed one is rank 5, too.
    const mprof_partner five = find_partner(recorder_, 5, MPROF_PARTNER_RECEIVED);
    EXPECT_EQ(five.messages, 7u);
    EXPECT_EQ(five.bytes, 7 * 8u);
    EXPECT_EQ(five.ticks, 7 * 150u);
}

// Also where the ranks are others than those of the world, each time, and the communicator is held
// only while a receive is pending.
TEST_F(Requests, SendersInAnyCommunicatorAreRanksOfTheWorld)
{
    enter_comm(reversed_comm_handle(), 0, nullptr);
    const comm *reversed = comm_find(HANDLE_COMM, reversed_comm_handle());
    const uint32_t references = reversed->references;
    for (const int source : {2, 2, 2, 1, 1, 2, 1, 1, 0, 0, 2}) {
        call call = posted_call(recorder_, irecv, reversed_comm_handle());
        request_enter_receive(&call, 0x99);
        finish(&call);
        EXPECT_EQ(reversed->references, references + 1);
        ASSERT_TRUE(request_look_up(0x99, &pending_));
        complete(message_of(source, 8), 50);
        EXPECT_EQ(reversed->references, references);
    }
    for (const auto &[rank, messages] : {std::pair(5u, 5u), {6u, 4u}, {7u, 2u}})
        EXPECT_EQ(find_partner(recorder_, rank, MPROF_PARTNER_RECEIVED).messages, messages) << rank;
    EXPECT_EQ(of_kind(MPROF_KIND_PENDING).calls, 0u);
    EXPECT_EQ(of_kind(MPROF_KIND_COMPLETION).ticks, 11 * 50u);
}

TEST_F(Requests, TheTimeOfEachSendsCompletionGoesToItsPartnerAndItsSize)
{
    struct message {
        int partner;
        uint64_t bytes;
    };
    const message messages[] = {{1, 64}, {1, 64}, {2, 64}, {2, 32},
                                {1, 32}, {2, 64}, {1, 64}, {2, 32}};
    for (const message &message : messages) {
        call call = posted_call(recorder_, irecv, mpi_services->comm_world);
        call_exchange(&call, MPROF_PARTNER_SENT, message.partner, message.bytes, 100);
        call.size = message.bytes;
        request_enter(&call, 0x99);
        finish(&call);
        ASSERT_TRUE(request_look_up(0x99, &pending_));
        complete(arrival{}, 7);
    }
    const Sums large = sum_entries(recorder_, [](const mprof_entry &entry) {
        return entry.kind == MPROF_KIND_COMPLETION && entry.size == 64;
    });
    EXPECT_EQ(large.calls, 5u);
    EXPECT_EQ(large.ticks, 5 * 7u);
    EXPECT_EQ(of_kind(MPROF_KIND_COMPLETION).ticks, 8 * 7u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).bytes, 5u * 64 + 3 * 32);
    const mprof_partner one = find_partner(recorder_, 1, MPROF_PARTNER_SENT);
    EXPECT_EQ(one.messages, 4u);
    EXPECT_EQ(one.bytes, 3 * 64u + 32);
    EXPECT_EQ(one.ticks, 4 * 107u);
    EXPECT_EQ(find_partner(recorder_, 2, MPROF_PARTNER_SENT).ticks, 4 * 107u);
}

// More rows than the table has room for at first: those that the paths remember move.
TEST_F(Requests, SendsAreCountedWhileTheTableOfPartnersGrows)
{
    constexpr uint32_t ranks = 8;
    constexpr uint32_t lines = 200;
    callsites_open(0);
    thread_state.recorder = recorder_;
    for (uint32_t i = 0; i < 3 * lines; i++) {
        const uint32_t line = i % lines;
        call call = posted_call(recorder_, irecv, mpi_services->comm_world);
        call.path = call_find_path(&irecv + line, nullptr);
        call.path->callsite = line + 1;
        for (int messages : {1, 2})
            call_exchange(&call, MPROF_PARTNER_SENT, static_cast<int>(line % ranks), 10,
                          static_cast<uint64_t>(messages));
    }
    thread_state.recorder = nullptr;
    uint64_t messages = 0;
    for (uint32_t i = 0; i <= recorder_->partner_mask; i++)
        messages += recorder_->partners[i].messages;
    EXPECT_EQ(recorder_->partner_count, lines);
    EXPECT_EQ(messages, 3u * 2 * lines);
}

TEST_F(Requests, ANonblockingCollectiveIsNotedWhereItStartedWithTheTimeOfItsCompletion)
{
    call call = posted_call(recorder_, irecv, mpi_services->comm_world);
    uint32_t hint = 0;
    const uint32_t operation = operation_of(irecv, 0, 5, MPROF_NO_PEER, &hint);
    request_enter_collective(&call, 0x55, operation);
    journal_append(MPROF_COMM_SLOT_WORLD, operation, 4096);  // a later one
    ASSERT_TRUE(request_look_up(0x55, &pending_));
    complete(arrival{}, 2000);
    std::vector<uint32_t> codes;
    journals_visit(
        [](const mprof_journal *journal, const uint32_t *items, void *context) {
            for (uint32_t i = 0; i < journal->items; i++)
                static_cast<std::vector<uint32_t> *>(context)->push_back(items[i] & 4095);
        },
        &codes);
    ASSERT_EQ(codes.size(), 2u);
    EXPECT_NEAR(mprof_duration_ticks(codes[0]), 100 + 2000, 2100 / 64.0);
    EXPECT_NEAR(mprof_duration_ticks(codes[1]), 4096, 4096 / 64.0);
}

}  // namespace
