// Single calls on demand: who has which ring, what a window keeps, and what is cut at the end. Time
// is the test's own.
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <vector>

#include "../record_fixture.h"

extern "C" {
#include "api/mpi_functions.h"
#include "process/life.h"
#include "record/calls/attach.h"
#include "record/calls/call.h"
#include "record/time/events.h"
#include "record/time/last_calls.h"
#include "record/time/regions.h"
}

using namespace mprof_test;

namespace {

constexpr size_t items = 1024;
constexpr size_t file_bytes = EVENTS_PAGE + items * sizeof(mprof_last_call);
constexpr size_t piece_items = EVENTS_PIECE / sizeof(mprof_last_call);

uint64_t space = UINT64_MAX;  // bytes that the disk has
unsigned refusals = 0;

bool reserve(uint64_t, uint64_t bytes)
{
    refusals += bytes > space ? 1 : 0;
    if (bytes > space)
        return false;
    space -= bytes;
    return true;
}

struct Events : testing::Test {
    recorder *owner = nullptr;
    mprof_clock clock{};
    mprof_run run{};
    uint64_t now = 100;
    mprof_file_header *file = nullptr;

    void open(bool alone, size_t bytes = file_bytes)
    {
        clock_choose();
        ASSERT_TRUE(arena_open(4 << 20));
        losses = &run;
        record.begun = true;
        record.clock = &clock;
        clock.start = clock_pair();
        options.events_bytes = bytes;
        thread_state.recorder = owner = recorder_attach(recorder_give_back);
        ASSERT_NE(owner, nullptr);
        file = static_cast<mprof_file_header *>(mmap_file(bytes));
        events_open(file, bytes, alone, reserve);
    }
    void SetUp() override
    {
        space = UINT64_MAX;
        refusals = 0;
        events_forget();
    }
    static void *mmap_file(size_t bytes)
    {
        void *memory =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return memory == MAP_FAILED ? nullptr : memory;
    }
    void make_call(uint32_t bytes)
    {
        call made{};
        made.recorder = owner;
        made.start_ticks = now += 10;
        made.ticks = 5;
        made.peer = MPROF_NO_PEER;
        const uint64_t this_call = 5 | (FN_MPI_Send + 1ull) << 32;
        const call_marks marks = {this_call, this_call, bytes, 0};
        last_calls_add(owner, &made, &marks);
        if (thread_state.cpu.deadline == 0)  // so leave() looks around
            events_look(owner, now);
        thread_state.cpu.deadline = UINT64_MAX;
    }
    const mprof_section &section(uint32_t number) const
    {
        return reinterpret_cast<const mprof_section *>(file + 1)[number];
    }
    const mprof_last_call *ring(uint32_t number) const
    {
        return reinterpret_cast<const mprof_last_call *>(reinterpret_cast<const uint8_t *>(file) +
                                                         section(number).offset);
    }
};

TEST_F(Events, AThreadThatIsAloneHasTheWholeFile)
{
    open(true);
    ASSERT_EQ(file->section_count, 1u);
    EXPECT_EQ(section(0).type, static_cast<uint32_t>(MPROF_SECTION_EVENTS));
    EXPECT_EQ(section(0).stored_bytes, items * sizeof(mprof_last_call));
    for (uint32_t i = 0; i < items + 10; i++)
        make_call(i);
    EXPECT_EQ(ring(0)[9].bytes, items + 9) << "the last one, where the ring began anew";
    EXPECT_EQ(ring(0)[10].bytes, 10u) << "the oldest one";
}

TEST_F(Events, FurtherThreadsHaveHalfOfWhatIsLeft)
{
    open(false);
    recorder second{};
    events_attach(&second);
    recorder third{};
    events_attach(&third);
    EXPECT_EQ(section(0).stored_bytes, items / 2 * sizeof(mprof_last_call));
    EXPECT_EQ(section(1).stored_bytes, items / 4 * sizeof(mprof_last_call));
    EXPECT_EQ(section(1).offset, section(0).offset + section(0).stored_bytes);
    EXPECT_TRUE(second.has_events);
    EXPECT_FALSE(third.has_events) << "less than 256 calls are left";
    EXPECT_EQ(file->section_count, 2u);
}

TEST_F(Events, ARingGrowsAsItFills)
{
    open(true, EVENTS_PAGE + 3 * EVENTS_PIECE - 4096);
    EXPECT_EQ(section(0).stored_bytes, size_t{EVENTS_PIECE});
    for (uint32_t i = 0; i < piece_items; i++)
        make_call(i);
    EXPECT_EQ(section(0).stored_bytes, 2 * size_t{EVENTS_PIECE});
    const uint32_t most = 3 * piece_items - 128;
    for (uint32_t i = piece_items; i < most; i++)
        make_call(i);
    EXPECT_EQ(section(0).stored_bytes, 3 * size_t{EVENTS_PIECE} - 4096);
    for (uint32_t i = 0; i < most; i++)
        ASSERT_EQ(ring(0)[i].bytes, i);
    make_call(most);
    EXPECT_EQ(ring(0)[0].bytes, most) << "the size that was asked for is full";
    EXPECT_EQ(refusals, 0u);
}

TEST_F(Events, WithoutSpaceARingKeepsItsLengthAndAsksNoMore)
{
    space = 2 * size_t{EVENTS_PIECE};
    open(true, EVENTS_PAGE + 8 * size_t{EVENTS_PIECE});
    for (uint32_t i = 0; i < 6 * piece_items; i++)
        make_call(i);
    EXPECT_EQ(section(0).stored_bytes, 2 * size_t{EVENTS_PIECE});
    EXPECT_EQ(refusals, 1u);
    EXPECT_EQ(ring(0)[0].bytes, 4 * piece_items);
    EXPECT_EQ(ring(0)[2 * piece_items - 1].bytes, 6 * piece_items - 1);
}

TEST_F(Events, WithoutAnySpaceThereIsNoRing)
{
    space = 0;
    open(true);
    make_call(1);
    EXPECT_EQ(file->section_count, 0u);
    EXPECT_FALSE(owner->has_events);
}

TEST_F(Events, MessagesLetARingGrowToo)
{
    open(true, EVENTS_PAGE + 2 * size_t{EVENTS_PIECE});
    exchange sent{};
    sent.kind = MPROF_PARTNER_SENT;
    sent.messages = 1;
    for (uint64_t i = 0; i < piece_items + 1; i++) {
        const event_message facts = {now += 10, 0, MPROF_COMM_SLOT_WORLD, 43};
        events_add_message(owner, &sent, &facts);
    }
    EXPECT_EQ(section(0).stored_bytes, 2 * size_t{EVENTS_PIECE});
    EXPECT_NE(ring(0)[piece_items].start_ticks, 0u);
    EXPECT_LT(ring(0)[0].start_ticks, ring(0)[piece_items].start_ticks);
}

TEST_F(Events, ARegionIsAWindow)
{
    options.events_region = "solve";
    open(true);
    make_call(1);
    application_region_begin("solve");
    make_call(2);
    application_region_begin("inner");
    make_call(3);
    application_region_end("inner");
    application_region_end("solve");
    make_call(4);
    application_region_begin("solve");
    make_call(5);
    EXPECT_EQ(ring(0)[0].bytes, 2u);
    EXPECT_EQ(ring(0)[1].bytes, 3u);
    EXPECT_EQ(ring(0)[2].bytes, 5u);
    EXPECT_EQ(ring(0)[3].start_ticks, 0u);
    options.events_region = nullptr;
}

TEST_F(Events, ARegionThatBeginsInAPauseIsAWindow)
{
    options.events_region = "solve";
    open(true);
    application_pause();
    application_region_begin("solve");
    application_resume();
    make_call(7);
    EXPECT_EQ(ring(0)[0].bytes, 7u);
    options.events_region = nullptr;
}

// A jump out of a signal handler may leave between any two stores of an exchange of rings.
TEST_F(Events, AnExchangeThatWasLeftIsFinishedByTheNextCall)
{
    open(true);
    ASSERT_TRUE(owner->in_events);
    mprof_last_call *const first = owner->last_calls;
    mprof_last_call *const other = owner->other_calls[0];
    std::copy_n(owner->other_calls, 3, owner->exchange.in_use);
    owner->exchange.other[0] = owner->last_calls;
    owner->exchange.other[1] = owner->last_calls_end;
    owner->exchange.other[2] = owner->last_call;
    owner->exchange.in_events = false;
    owner->exchange.is_under_way = true;
    owner->last_calls = other;  // the first store, and here it was left
    call left{};
    thread_state.outermost = &left;
    thread_state.depth = 1;
    call_count_left();
    thread_state.depth = 0;
    EXPECT_EQ(owner->last_calls, other);
    EXPECT_EQ(owner->last_calls_end - owner->last_calls, LAST_CALLS);
    EXPECT_EQ(owner->other_calls[0], first);
    EXPECT_FALSE(owner->in_events);
    owner->last_calls_end = nullptr;  // what is done is not done again
    events_finish_exchange(owner);
    EXPECT_EQ(owner->last_calls_end, nullptr);
}

TEST_F(Events, AMessageStandsBeforeItsCall)
{
    open(true);
    exchange sent{};
    sent.kind = MPROF_PARTNER_SENT;
    sent.world_rank = 7;
    sent.messages = 1;
    sent.bytes = 5'000'000'000;
    const event_message facts = {110, 0, MPROF_COMM_SLOT_WORLD, 43};
    events_add_message(owner, &sent, &facts);
    make_call(9);
    mprof_message message;
    memcpy(&message, &ring(0)[0], sizeof message);
    EXPECT_EQ(message.kind, MPROF_MESSAGE_SENT);
    EXPECT_EQ(message.rank, 7u);
    EXPECT_EQ(message.tag, 43u);
    EXPECT_EQ(message.bytes, UINT32_MAX);
    EXPECT_EQ(message.start_ticks, ring(0)[1].start_ticks);
    EXPECT_EQ(ring(0)[1].bytes, 9u);
}

TEST_F(Events, TheEndTellsWhatWasUsedAndLetsLateCallsGoNowhere)
{
    open(true);
    for (uint32_t i = 0; i < 30; i++)
        make_call(i);
    alignas(8) std::array<uint8_t, EVENTS_PAGE> page;
    ASSERT_TRUE(events_close(page.data()));
    const auto *used =
        reinterpret_cast<const mprof_section *>(page.data() + sizeof(mprof_file_header));
    EXPECT_EQ(used->stored_bytes, 30 * sizeof(mprof_last_call));
    make_call(30);
    EXPECT_EQ(file->section_count, 0u) << "memory of nobody";
}

// Writes calls and messages into a ring of eight items, of which all fields tell the same number.
void fill_for_ever(recorder *owner)
{
    for (uint32_t k = 1;; k++) {
        call made{};
        made.recorder = owner;
        made.start_ticks = made.ticks = k;
        made.peer = static_cast<int32_t>(k);
        const call_marks marks = {1, 5 | (FN_MPI_Send + 1ull) << 32 | uint64_t{k % 4096} << 48, k,
                                  0};
        last_calls_add(owner, &made, &marks);
        exchange sent{};
        sent.kind = MPROF_PARTNER_SENT;
        sent.world_rank = k;
        sent.bytes = k;
        const event_message facts = {k, 0, 1 + k % 4096, k};
        events_add_message(owner, &sent, &facts);
    }
}

bool is_whole(const mprof_last_call &item)
{
    const auto k = static_cast<uint32_t>(item.start_ticks);
    mprof_message message;
    memcpy(&message, &item, sizeof message);
    if (message.kind == MPROF_MESSAGE_SENT)
        return message.posted_ticks == 0 && message.rank == k && message.bytes == k &&
               message.tag == k && message.communicator == 1 + k % 4096;
    return item.ticks == k && item.bytes == k && item.callsite == 5 &&
           item.function == FN_MPI_Send + 1 && item.communicator == k % 4096 &&
           item.peer == static_cast<int32_t>(k);
}

// kill -9 ends a process between any two instructions. Half of an item of a ring that began anew
// would be the newest call, of whose fields some are a thousand calls old.
TEST_F(Events, AKilledProcessLeavesWholeItemsOnly)
{
    open(true);
    constexpr size_t ring_items = 8;
    constexpr size_t bytes = ring_items * sizeof(mprof_last_call);
    constexpr unsigned turns = 100;
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto *ring = static_cast<mprof_last_call *>(memory);
    for (unsigned turn = 0; turn < turns; turn++) {
        memset(memory, 0, bytes);
        const pid_t child = fork();
        if (child == 0) {
            owner->last_calls = owner->last_call = ring;
            owner->last_calls_end = ring + ring_items;
            fill_for_ever(owner);
        }
        while (__atomic_load_n(&ring[ring_items - 1].start_ticks, __ATOMIC_RELAXED) <
               2 * ring_items)
            sched_yield();
        usleep(turn % 7);
        kill(child, SIGKILL);
        ASSERT_EQ(waitpid(child, nullptr, 0), child);
        unsigned there = 0;
        for (size_t i = 0; i < ring_items; i++) {
            there += ring[i].start_ticks != 0 ? 1 : 0;
            ASSERT_TRUE(ring[i].start_ticks == 0 || is_whole(ring[i]))
                << "turn " << turn << ", item " << i << " of " << ring[i].start_ticks;
        }
        EXPECT_GE(there, ring_items - 1) << "at most one is being written";
    }
    munmap(memory, bytes);
}

}  // namespace
