// Requests: the bytes of a receive belong to the call that posted it, whoever completes it.
#include "record_fixture.h"

using namespace mprof_test;

namespace {

constexpr uint16_t irecv = 40;
constexpr uint16_t recv_init = 41;
constexpr uint16_t send_init = 42;

call posted_call(recorder *recorder, uint16_t function, uint64_t comm_handle)
{
    call call{};
    call.recorder = recorder;
    call.function = function;
    call.comm = comm_find(HANDLE_COMM, comm_handle);
    call.ticks = 100;
    return call;
}

void finish(call *call)
{
    entry_key key = call_key(call);
    record_call(call->recorder, &key, call->ticks);
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
    }

    Sums of_kind(mprof_entry_kind kind)
    {
        return sum_entries(recorder_,
                           [kind](const mprof_entry &entry) { return entry.kind == kind; });
    }

    recorder *recorder_ = nullptr;
};

TEST_F(Requests, AReceiveMovesFromPendingToItsTrueSize)
{
    call call = posted_call(recorder_, irecv, mpi_services->comm_world);
    request_enter(&call, 0x99, REQUEST_RECEIVE);
    finish(&call);
    EXPECT_EQ(of_kind(MPROF_KIND_PENDING).calls, 1u);

    pending pending;
    ASSERT_TRUE(request_look_up(0x99, &pending));
    request_complete(recorder_, &pending, message_of(6, 1234));
    EXPECT_EQ(of_kind(MPROF_KIND_PENDING).calls, 0u);
    EXPECT_EQ(of_kind(MPROF_KIND_PENDING).ticks, 0u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).calls, 1u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).bytes, 1234u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).ticks, 100u);
    EXPECT_EQ(find_partner(recorder_, 6, MPROF_PARTNER_RECEIVED).bytes, 1234u);
    EXPECT_FALSE(request_look_up(0x99, &pending));
}

TEST_F(Requests, ACancelledReceiveBringsNothingAndNoPartner)
{
    call call = posted_call(recorder_, irecv, mpi_services->comm_world);
    request_enter(&call, 0x99, REQUEST_RECEIVE);
    finish(&call);
    pending pending;
    ASSERT_TRUE(request_look_up(0x99, &pending));
    request_complete(recorder_, &pending, arrival{});
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).calls, 1u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).bytes, 0u);
    EXPECT_EQ(recorder_->partner_count, 0u);
}

TEST_F(Requests, TheSenderIsKnownAfterTheCommunicatorWasFreed)
{
    comm_enter(reversed_comm_handle(), 0, nullptr);
    call call = posted_call(recorder_, irecv, reversed_comm_handle());
    request_enter(&call, 0x99, REQUEST_RECEIVE);
    finish(&call);
    comm_retire(HANDLE_COMM, reversed_comm_handle());
    comm_enter(0x84000002, 0, nullptr);  // takes any memory that was given back too early
    pending pending;
    ASSERT_TRUE(request_look_up(0x99, &pending));
    request_complete(recorder_, &pending, message_of(0, 8));
    EXPECT_EQ(find_partner(recorder_, 7, MPROF_PARTNER_RECEIVED).messages, 1u);
}

TEST_F(Requests, APersistentSendCountsAtEachStart)
{
    call call = posted_call(recorder_, send_init, mpi_services->comm_world);
    request_enter_persistent(&call, 0x77, REQUEST_OTHER, 800, 2);
    finish(&call);
    for (int i = 0; i < 10; i++)
        request_start(recorder_, 0x77);
    EXPECT_EQ(of_kind(MPROF_KIND_START).calls, 10u);
    EXPECT_EQ(of_kind(MPROF_KIND_START).bytes, 8000u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).calls, 1u);
    EXPECT_EQ(of_kind(MPROF_KIND_CALL).bytes, 0u);
    EXPECT_EQ(find_partner(recorder_, 2, MPROF_PARTNER_SENT).messages, 10u);
}

TEST_F(Requests, APersistentReceiveCountsOnlyWhatWasStarted)
{
    call call = posted_call(recorder_, recv_init, mpi_services->comm_world);
    request_enter_persistent(&call, 0x77, REQUEST_RECEIVE, 0, MPROF_NO_PEER);
    finish(&call);
    pending pending;
    EXPECT_FALSE(request_look_up(0x77, &pending));  // MPI_Wait on an inactive request
    for (uint64_t bytes : {10u, 20u, 30u}) {
        request_start(recorder_, 0x77);
        ASSERT_TRUE(request_look_up(0x77, &pending));
        request_complete(recorder_, &pending, message_of(1, bytes));
        EXPECT_FALSE(request_look_up(0x77, &pending));
    }
    EXPECT_EQ(of_kind(MPROF_KIND_START).calls, 3u);
    EXPECT_EQ(of_kind(MPROF_KIND_START).bytes, 60u);
    request_forget(0x77);
    request_start(recorder_, 0x77);
    EXPECT_FALSE(request_look_up(0x77, &pending));
}

}  // namespace
