// The partner table: one row per world rank and direction. When there is no room, a row "others"
// says so.
#include "record_fixture.h"

using namespace mprof_test;

TEST(PartnerTable, KeepsDirectionsApart)
{
    recorder *recorder = open_record(1 << 20);
    add_message(recorder, MPROF_PARTNER_SENT, 7, 100);
    add_message(recorder, MPROF_PARTNER_SENT, 7, 0);
    add_message(recorder, MPROF_PARTNER_GET, 7, 5);
    EXPECT_EQ(find_partner(recorder, 7, MPROF_PARTNER_SENT).messages, 2u);
    EXPECT_EQ(find_partner(recorder, 7, MPROF_PARTNER_SENT).bytes, 100u);
    EXPECT_EQ(find_partner(recorder, 7, MPROF_PARTNER_GET).bytes, 5u);
    EXPECT_EQ(find_partner(recorder, 7, MPROF_PARTNER_RECEIVED).in_use, 0u);
}

TEST(PartnerTable, GrowsWithThePartners)
{
    recorder *recorder = open_record(4 << 20);
    for (uint32_t rank = 0; rank < 10000; rank++)
        add_message(recorder, MPROF_PARTNER_SENT, rank, rank);
    for (uint32_t rank = 0; rank < 10000; rank++)
        ASSERT_EQ(find_partner(recorder, rank, MPROF_PARTNER_SENT).bytes, rank);
    EXPECT_EQ(recorder->live->folded_messages, 0u);
}

TEST(PartnerTable, MessagesThatLoseTheirLineAreCounted)
{
    recorder *recorder = open_record(512 << 10);
    constexpr uint32_t lines = 50000;
    for (uint32_t line = 1; line <= lines; line++) {
        exchange exchange{};
        exchange.kind = MPROF_PARTNER_SENT;
        exchange.callsite = line;
        exchange.messages = 2;
        record_exchange(recorder, &exchange);
    }
    uint64_t placed = 0;
    uint64_t unplaced = 0;
    for (uint32_t i = 0; i <= recorder->partner_mask; i++) {
        const mprof_partner &row = recorder->partners[i];
        (row.callsite != 0 ? placed : unplaced) += row.messages;
    }
    EXPECT_EQ(placed + unplaced, 2 * lines);
    EXPECT_GT(unplaced, 0u);
    EXPECT_EQ(unplaced, recorder->live->unplaced_messages);
    EXPECT_EQ(recorder->live->folded_messages, 0u);
}

TEST(PartnerTable, AddsPartnersThatDoNotFitUpAsOthers)
{
    recorder *recorder = open_record(512 << 10);
    constexpr uint64_t ranks = 200000;
    for (uint32_t rank = 0; rank < ranks; rank++)
        add_message(recorder, MPROF_PARTNER_SENT, rank, 10);
    uint64_t messages = 0;
    for (uint32_t i = 0; i <= recorder->partner_mask; i++)
        messages += recorder->partners[i].messages;
    EXPECT_EQ(messages, ranks);
    mprof_partner others = find_partner(recorder, MPROF_RANK_OTHER, MPROF_PARTNER_SENT);
    EXPECT_GT(others.messages, 0u);
    EXPECT_EQ(others.messages, recorder->live->folded_messages);
}

TEST(Communicators, TranslateRanksToWorldRanks)
{
    recorder *recorder = open_record(1 << 20);
    use_fake_mpi();
    comm *world = comm_find(HANDLE_COMM, mpi_services->comm_world);
    ASSERT_NE(world, nullptr);
    EXPECT_EQ(comm_world_rank(recorder, world, 5), 5u);
    comm *reversed = enter_comm(reversed_comm_handle(), 0, world);
    EXPECT_EQ(comm_world_rank(recorder, reversed, 5), 2u);
    EXPECT_EQ(comm_world_rank(recorder, reversed, 5), 2u);  // from the cache
    EXPECT_EQ(comm_world_rank(recorder, reversed, 0), 7u);
}

TEST(Communicators, ACommunicatorMadeAndFreedInALoopHasOneSlot)
{
    open_record(1 << 20);
    use_fake_mpi();
    comm *world = comm_find(HANDLE_COMM, mpi_services->comm_world);
    uint16_t slot = enter_comm(reversed_comm_handle(), 12, world)->slot;
    for (int i = 0; i < 1000; i++) {
        comm_retire(HANDLE_COMM, handle_find(HANDLE_COMM, reversed_comm_handle()),
                    comm_find(HANDLE_COMM, reversed_comm_handle()));
        EXPECT_EQ(comm_find(HANDLE_COMM, reversed_comm_handle()), nullptr);
        ASSERT_EQ(enter_comm(reversed_comm_handle(), 12, world)->slot, slot);
    }
}

TEST(Communicators, ThatAreTooManyAtATimeAreCountedAtEachUse)
{
    open_record(4 << 20);
    use_fake_mpi();
    comm *world = comm_find(HANDLE_COMM, mpi_services->comm_world);
    constexpr uint64_t made = 66000;
    uint64_t kept = 2;  // MPI_COMM_WORLD and MPI_COMM_SELF
    for (uint64_t i = 0; i < made; i++)
        kept += enter_comm(reversed_comm_handle() + 16 * i, 12, world) != nullptr ? 1U : 0U;
    EXPECT_EQ(kept, 65536u);
    EXPECT_EQ(losses->untracked_communicators, made + 2 - kept);
    EXPECT_EQ(enter_comm(reversed_comm_handle() + 16 * (made - 1), 0, nullptr), nullptr);
    EXPECT_EQ(losses->untracked_communicators, made + 3 - kept);
    comm_retire(HANDLE_COMM, handle_find(HANDLE_COMM, reversed_comm_handle()),
                comm_find(HANDLE_COMM, reversed_comm_handle()));
    EXPECT_NE(enter_comm(reversed_comm_handle(), 12, world), nullptr);
}
