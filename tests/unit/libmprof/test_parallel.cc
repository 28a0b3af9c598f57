// Parallel regions: who counts, with how many threads, and how busy they were.
#include <atomic>
#include <thread>
#include <vector>

#include "record_fixture.h"

extern "C" {
#include "record/calls/attach.h"
#include "record/objects/parallel_regions.h"
}

using namespace mprof_test;

namespace {

/* The row of a slot, from the arena as a reader of the file would find it. */
mprof_parallel_region row_at(uint32_t slot)
{
    const mprof_file_header *header = arena_header();
    for (uint32_t i = 0; i < header->section_count; i++) {
        const mprof_section *section = arena_section(i);
        const auto records =
            static_cast<uint32_t>(section->stored_bytes / sizeof(mprof_parallel_region));
        if (section->type == MPROF_SECTION_PARALLEL && section->number == slot / records)
            return static_cast<const mprof_parallel_region *>(
                arena_address(section->offset))[slot % records];
    }
    return mprof_parallel_region{};
}

void spin(uint64_t ticks)
{
    const uint64_t begin = clock_ticks();
    while (clock_ticks() - begin < ticks)
        continue;
}

int here, there;  // places

class Parallel : public testing::Test {
protected:
    void SetUp() override
    {
        thread_state.recorder = open_record(4 << 20);
        parallel_open();
    }

    /* A region of two members. Each is busy for its ticks, then waits for the other one: the first
     * all the time that the second one is busy. */
    static void run(const void *place, uint64_t first_ticks, uint64_t second_ticks)
    {
        const uint64_t number = parallel_begin(place, MPROF_PARALLEL_OMPT);
        ASSERT_NE(number, 0U);
        std::atomic<bool> first_waits{false};
        std::thread second([&] {
            parallel_member_begin(number, 1, 2);
            while (!first_waits)
                std::this_thread::yield();
            spin(second_ticks);
            parallel_wait_begin(); /* and its end is reported much later, or never */
        });
        parallel_member_begin(number, 0, 2);
        spin(first_ticks);
        parallel_wait_begin();
        first_waits = true;
        second.join();
        parallel_wait_end();
        parallel_member_end();
        parallel_end(number);
    }
};

constexpr uint64_t some = 20'000'000;

TEST_F(Parallel, BusyTimeEndsWhereAMemberWaits)
{
    run(&here, some, 3 * some);
    const mprof_parallel_region row = row_at(1);
    EXPECT_EQ(row.regions, 1U);
    EXPECT_EQ(row.threads, 2U);
    EXPECT_EQ(row.source, static_cast<uint32_t>(MPROF_PARALLEL_OMPT));
    EXPECT_GE(row.longest_ticks, 3 * some);
    EXPECT_GE(row.busy_ticks, 4 * some);
    EXPECT_GE(row.ticks, row.longest_ticks);
    EXPECT_EQ(row.thread_ticks, 2 * row.ticks);
    EXPECT_LE(row.busy_ticks, row.thread_ticks - 3 * some) << "the first one waited";
}

TEST_F(Parallel, APlaceIsARow)
{
    run(&here, 100, 100);
    run(&there, 100, 100);
    run(&here, 100, 100);
    EXPECT_EQ(row_at(1).regions, 2U);
    EXPECT_EQ(row_at(2).regions, 1U);
    EXPECT_EQ(row_at(0).flags, 0U);
}

TEST_F(Parallel, AfterAnUnloadThePlaceIsLookedUpAgain)
{
    run(&here, 100, 100);
    parallel_forget_places();
    run(&here, 100, 100);
    EXPECT_EQ(row_at(1).regions, 2U) << "it is the same one";
}

TEST_F(Parallel, BeyondTheTableAllShareSlot0)
{
    static char places[400];
    for (const char &place : places)
        parallel_end(parallel_begin(&place, MPROF_PARALLEL_OMPT));
    EXPECT_EQ(row_at(255).regions, 1U);
    EXPECT_EQ(row_at(0).regions, 400U - 255U);
}

TEST_F(Parallel, InnerRegionsAndThoseOfOtherThreadsDoNotCount)
{
    const uint64_t number = parallel_begin(&here, MPROF_PARALLEL_LIBGOMP);
    EXPECT_EQ(parallel_begin(&there, MPROF_PARALLEL_LIBGOMP), 0U);
    parallel_end(number);
    std::thread([] { EXPECT_EQ(parallel_begin(&there, MPROF_PARALLEL_OMPT), 0U); }).join();
    EXPECT_EQ(row_at(2).flags, 0U);
}

TEST_F(Parallel, WhatIsPausedOrEndedDoesNotCount)
{
    thread_state.paused = true;
    EXPECT_EQ(parallel_begin(&here, MPROF_PARALLEL_OMPT), 0U);
    thread_state.paused = false;
    const uint64_t number = parallel_begin(&here, MPROF_PARALLEL_OMPT);
    record.stopped = true;
    parallel_end(number);
    EXPECT_EQ(row_at(1).regions, 0U);
    EXPECT_EQ(parallel_begin(&here, MPROF_PARALLEL_OMPT), 0U);
}

TEST_F(Parallel, TimeInMpiIsNotBusy)
{
    const uint64_t number = parallel_begin(&here, MPROF_PARALLEL_OMPT);
    parallel_member_begin(number, 0, 1);
    spin(2 * some);
    thread_state.mpi_ticks += some;
    parallel_member_end();
    parallel_end(number);
    const mprof_parallel_region row = row_at(1);
    EXPECT_EQ(row.mpi_ticks, some);
    EXPECT_EQ(row.threads_mpi_ticks, some);
    EXPECT_LE(row.busy_ticks, row.ticks - some);
}

TEST_F(Parallel, ATaskThatRunsWhileItsMemberWaitsIsBusy)
{
    const uint64_t number = parallel_begin(&here, MPROF_PARALLEL_OMPT);
    parallel_member_begin(number, 0, 1);
    parallel_wait_begin();
    spin(some);
    parallel_task_begin();
    spin(2 * some);
    parallel_task_begin(); /* within the other one */
    parallel_task_end();
    parallel_task_end();
    spin(some);
    parallel_wait_end();
    parallel_member_end();
    parallel_end(number);
    const mprof_parallel_region row = row_at(1);
    EXPECT_GE(row.busy_ticks, 2 * some);
    EXPECT_LE(row.busy_ticks, row.ticks - 2 * some);
}

TEST_F(Parallel, WithUnseenTasksNothingIsSaidOfItsThreads)
{
    const uint64_t number = parallel_begin(&here, MPROF_PARALLEL_LIBGOMP);
    parallel_member_begin(number, 0, 1);
    parallel_note_unseen_tasks();
    parallel_member_end();
    parallel_end(number);
    const mprof_parallel_region row = row_at(1);
    EXPECT_EQ(row.flags, static_cast<uint32_t>(MPROF_PARALLEL_IN_USE | MPROF_PARALLEL_TASKS));
    EXPECT_EQ(row.regions, 1U);
    EXPECT_EQ(row.thread_ticks, 0U);
}

TEST_F(Parallel, AnotherToolIsNoted)
{
    parallel_left_to_other_tool();
    EXPECT_EQ(row_at(0).source, static_cast<uint32_t>(MPROF_PARALLEL_OTHER_TOOL));
    EXPECT_EQ(row_at(0).regions, 0U);
}

TEST_F(Parallel, AChildThatBeginsAnewHasNoneOfIt)
{
    const uint64_t number = parallel_begin(&here, MPROF_PARALLEL_OMPT);
    parallel_member_begin(number, 0, 1);
    parallel_forget();
    EXPECT_EQ(parallel_of_thread(), 0U);
    EXPECT_EQ(parallel_begin(&here, MPROF_PARALLEL_OMPT), 0U) << "before its own MPI_Init";
    parallel_open();
    EXPECT_NE(parallel_begin(&here, MPROF_PARALLEL_OMPT), 0U);
}

}  // namespace
