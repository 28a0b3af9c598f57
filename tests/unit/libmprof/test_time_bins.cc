// Time bins and the ring of last calls. Time is the test's own: a tick is a nanosecond, and MPI
// began at 0. What the bins should hold is worked out nanosecond by nanosecond.
#include <array>
#include <map>
#include <random>
#include <vector>

#include "record_fixture.h"

extern "C" {
#include "api/mpi_functions.h"
#include "record/calls/attach.h"
#include "record/calls/call.h"
#include "record/objects/communicators.h"
#include "record/time/last_calls.h"
#include "record/time/time_bins.h"
}

using namespace mprof_test;

namespace {

constexpr uint64_t first_ns = TIME_BIN_FIRST_NS;
constexpr uint16_t world_word = 0;

template <class T>
T *find_section(uint32_t type)
{
    for (uint32_t i = 0; i < arena_header()->section_count; i++)
        if (arena_section(i)->type == type)
            return static_cast<T *>(arena_address(arena_section(i)->offset));
    return nullptr;
}

struct TimeBins : testing::Test {
    recorder *record_of_thread = nullptr;
    mprof_clock clock{};
    mprof_run run{};
    uint64_t now = 2 * first_ns;

    void open(size_t ceiling_bytes = 4 << 20)
    {
        clock_choose();
        clock_kind = MPROF_CLOCK_MONOTONIC;
        ASSERT_TRUE(arena_open(ceiling_bytes));
        ASSERT_TRUE(handles_open(32 << 20));
        losses = &run;
        record.begun = true;
        record.clock = &clock;
        time_bins_open();
        record_of_thread = recorder_attach(recorder_give_back);
        ASSERT_NE(record_of_thread, nullptr);
    }
    void SetUp() override { open(); }

    // A call after `gap_ns` of computing, as call.c ends and begins it.
    void make_call(uint16_t function, uint64_t gap_ns, uint64_t took_ns, uint64_t bytes = 0,
                   uint32_t callsite = 5)
    {
        call made{};
        now += gap_ns;
        if (now >= record_of_thread->bin.end_ticks)
            time_bins_before(record_of_thread, now);
        made.recorder = record_of_thread;
        made.start_ticks = now;
        made.ticks = took_ns;
        made.size = bytes;
        made.word = entry_word(function, 0, world_word, MPROF_KIND_CALL);
        made.peer = MPROF_NO_PEER;
        now += took_ns;
        const uint64_t this_call = callsite | (function + 1ull) << 32;
        const bool polls = (mpi_function_marks[function] & MPI_IS_UNTIMED) != 0;
        const call_marks marks = {this_call, this_call, polls ? 1 : static_cast<uint32_t>(bytes),
                                  mpi_time_classes[function]};
        last_calls_add(record_of_thread, &made, &marks);
        time_bins_after(&made, &marks);
    }
    static const mprof_time &time() { return *find_section<mprof_time>(MPROF_SECTION_TIME); }
    static std::vector<mprof_time_bin> bins()
    {
        const auto *first = find_section<mprof_time_bin>(MPROF_SECTION_TIME_BINS);
        return {first, first + time().bins};
    }
    static uint64_t sum(const std::function<uint64_t(const mprof_time_bin &)> &of)
    {
        uint64_t sum = 0;
        for (const mprof_time_bin &bin : bins())
            sum += of(bin);
        return sum;
    }
};

TEST_F(TimeBins, ACallOverManyBinsIsDividedExactly)
{
    make_call(FN_MPI_Barrier, 0, 1);  // the first bins begin
    now = 10 * first_ns + 250'000;
    make_call(FN_MPI_Allreduce, 0, 7 * first_ns + 100'000, 8);
    make_call(FN_MPI_Barrier, first_ns, 1);
    time_bins_settle(record_of_thread, now);

    EXPECT_EQ(time().bin_ticks, first_ns);
    const auto all = bins();
    ASSERT_GE(all.size(), 19u);
    EXPECT_EQ(all[10].ticks[MPROF_TIME_COLLECTIVE], 750'000u);
    for (size_t i = 11; i < 17; i++)
        EXPECT_EQ(all[i].ticks[MPROF_TIME_COLLECTIVE], first_ns) << i;
    EXPECT_EQ(all[17].ticks[MPROF_TIME_COLLECTIVE], 350'000u);
    EXPECT_EQ(all[10].calls, 1u) << "it began there";
    EXPECT_EQ(all[10].bytes, 8u);
    EXPECT_EQ(all[9].calls, 0u);
    for (size_t i = 10; i < 18; i++)
        EXPECT_EQ(all[i].function, FN_MPI_Allreduce + 1) << i;
}

TEST_F(TimeBins, SumsOfRandomCallsAreExactHoweverOftenTheLengthDoubles)
{
    std::mt19937_64 random(7);
    std::map<uint64_t, std::array<uint64_t, MPROF_TIME_CLASSES>> truth;  // by first bin
    const std::array<std::pair<uint16_t, int>, 4> kinds = {
        {{FN_MPI_Allreduce, MPROF_TIME_COLLECTIVE},
         {FN_MPI_Send, MPROF_TIME_POINT_TO_POINT},
         {FN_MPI_Waitall, MPROF_TIME_COMPLETION},
         {FN_MPI_File_write, MPROF_TIME_FILE}}};
    uint64_t calls = 0, bytes = 0;
    while (now < 4'000 * first_ns) {
        const auto &[function, time_class] = kinds[random() % kinds.size()];
        const uint64_t gap = random() % 300'000;
        const uint64_t took = random() % 8 == 0 ? random() % (20 * first_ns) : random() % 5'000;
        uint64_t at = now + gap;
        const uint64_t size = random() % 100;
        make_call(function, gap, took, size);
        calls++;
        bytes += size;
        while (at < now) {  // piece by piece
            const uint64_t end = std::min(now, (at / first_ns + 1) * first_ns);
            truth[at / first_ns][static_cast<size_t>(time_class)] += end - at;
            at = end;
        }
    }
    time_bins_settle(record_of_thread, now);

    const uint64_t per_bin = time().bin_ticks / first_ns;
    EXPECT_EQ(time().bin_ticks % first_ns, 0u);
    EXPECT_EQ(per_bin & (per_bin - 1), 0u) << "a power of two";
    EXPECT_EQ(per_bin, 8u) << "4,000 ms in at most 512 bins";
    const auto all = bins();
    EXPECT_LE(all.size(), static_cast<size_t>(TIME_BINS_MOST));
    for (size_t i = 0; i < 500; i++)
        for (size_t k = 0; k < MPROF_TIME_CLASSES; k++) {
            uint64_t wanted = 0;
            for (uint64_t piece = i * per_bin; piece < (i + 1) * per_bin; piece++)
                wanted += truth[piece][k];
            ASSERT_EQ(all[i].ticks[k], wanted) << "bin " << i << ", class " << k;
        }
    EXPECT_EQ(sum([](const mprof_time_bin &bin) { return bin.calls; }), calls);
    EXPECT_EQ(sum([](const mprof_time_bin &bin) { return bin.bytes; }), bytes);

    time_bins_thin(TIME_BINS_FINISHED);
    EXPECT_LE(bins().size(), static_cast<size_t>(TIME_BINS_FINISHED));
    EXPECT_EQ(sum([](const mprof_time_bin &bin) { return bin.calls; }), calls);
    EXPECT_EQ(sum([](const mprof_time_bin &bin) { return bin.bytes; }), bytes);
}

TEST_F(TimeBins, TheLineWithMostOfTheTimeIsNamed)
{
    make_call(FN_MPI_Barrier, 0, 1);
    now = 20 * first_ns;
    for (int i = 0; i < 300; i++) {
        make_call(FN_MPI_Send, 10, 1'000, 0, 7);
        make_call(FN_MPI_Recv, 10, 1'900, 0, 8);
    }
    now = 22 * first_ns;
    make_call(FN_MPI_Barrier, 0, 1);
    EXPECT_EQ(bins()[20].callsite, 8u);
    EXPECT_EQ(bins()[20].function, FN_MPI_Recv + 1);
}

// Calls of less than 1,024 ticks, and one that took no time at all.
TEST_F(TimeBins, ALineOfShortCallsIsNamed)
{
    make_call(FN_MPI_Barrier, 0, 1);
    for (uint64_t bin = 20; bin < 28; bin++) {
        now = bin * first_ns;
        make_call(FN_MPI_Send, 10, bin < 24 ? 300 : 0, 0, 7);
    }
    now = 28 * first_ns;
    make_call(FN_MPI_Barrier, 0, 1);
    for (size_t i = 20; i < 28; i++) {
        EXPECT_EQ(bins()[i].callsite, 7u) << i;
        EXPECT_EQ(bins()[i].function, FN_MPI_Send + 1) << i;
        EXPECT_EQ(bins()[i].site_kiloticks, 1u) << i;
    }
    time_bins_thin(4);
    ASSERT_EQ(time().bin_ticks, 8 * first_ns);
    EXPECT_EQ(bins()[2].function, FN_MPI_Send + 1);
    EXPECT_EQ(bins()[2].site_kiloticks, 4u) << "four bins of the first length";
}

TEST_F(TimeBins, TimeWithoutACpuIsSpreadToTheLastNanosecond)
{
    make_call(FN_MPI_Barrier, 0, 1);
    time_bins_add_off_cpu(30 * first_ns + 1, 40 * first_ns + 7, 1'000'003, 6'000'001);
    EXPECT_EQ(sum([](const mprof_time_bin &bin) { return bin.queue_ns; }), 1'000'003u);
    EXPECT_EQ(sum([](const mprof_time_bin &bin) { return bin.blocked_ns; }), 6'000'001u);
    EXPECT_NEAR(static_cast<double>(bins()[35].blocked_ns), 600'000, 2);
    EXPECT_EQ(bins()[29].blocked_ns, 0u);
    EXPECT_LT(bins()[40].blocked_ns, 10u);
}

TEST_F(TimeBins, NoBinBeginsBeforeMpiDoes)
{
    record.begun = false;
    make_call(FN_MPI_Initialized, 5 * first_ns, 1);
    EXPECT_EQ(time().bins, 0u);
    record.begun = true;
    make_call(FN_MPI_Init, 5 * first_ns, 3 * first_ns);
    make_call(FN_MPI_Barrier, 1, 1);
    time_bins_settle(record_of_thread, now);
    EXPECT_EQ(sum([](const mprof_time_bin &bin) { return bin.calls; }), 3u);
    EXPECT_EQ(sum([](const mprof_time_bin &bin) { return bin.ticks[MPROF_TIME_START_UP]; }),
              3 * first_ns);
}

TEST_F(TimeBins, LastCallsAreTheLastOnesInOrder)
{
    for (uint32_t i = 0; i < LAST_CALLS + 100; i++)
        make_call(FN_MPI_Send, 10, 20, i, 100 + i % 3);
    const auto *ring = find_section<mprof_last_call>(MPROF_SECTION_LAST_CALLS);
    std::map<uint64_t, mprof_last_call> by_time;
    for (int i = 0; i < LAST_CALLS; i++)
        by_time[ring[i].start_ticks] = ring[i];
    ASSERT_EQ(by_time.size(), static_cast<size_t>(LAST_CALLS));
    uint32_t number = 100;
    for (const auto &[start, item] : by_time) {
        EXPECT_EQ(item.bytes, number);
        EXPECT_EQ(item.callsite, 100 + number % 3);
        EXPECT_EQ(item.function, FN_MPI_Send + 1);
        EXPECT_EQ(item.ticks, 20u);
        EXPECT_EQ(item.peer, MPROF_NO_PEER);
        number++;
    }
}

TEST_F(TimeBins, ARunOfPollsIsOneItem)
{
    make_call(FN_MPI_Send, 10, 20);
    const uint64_t begin = now + 10;
    for (int i = 0; i < 50; i++) {
        make_call(FN_MPI_Test, 10, 5, 0, 9);
        if (i > 0)
            last_calls_join_polls(record_of_thread);
    }
    last_calls_add_polls(record_of_thread, 9 | (FN_MPI_Test + 1ull) << 32, 200);
    last_calls_add_polls(record_of_thread, 8 | (FN_MPI_Test + 1ull) << 32, 1000);
    make_call(FN_MPI_Recv, 10, 20);
    const auto *ring = find_section<mprof_last_call>(MPROF_SECTION_LAST_CALLS);
    EXPECT_EQ(ring[0].function, FN_MPI_Send + 1);
    EXPECT_EQ(ring[1].function, FN_MPI_Test + 1);
    EXPECT_EQ(ring[1].bytes, 250u);
    EXPECT_EQ(ring[1].start_ticks, begin);
    EXPECT_EQ(ring[1].start_ticks + ring[1].ticks, ring[2].start_ticks - 10);
    EXPECT_EQ(ring[2].function, FN_MPI_Recv + 1);
    EXPECT_EQ(ring[3].start_ticks, 0u);
}

// Ranks that have made as many collectives keep the same ones, and those of one that has made more
// are among them.
TEST_F(TimeBins, TimesOfCollectivesAreKeptByTheirNumber)
{
    collective_times_forget();
    collective_times_open();
    const auto *times = find_section<mprof_collective_time>(MPROF_SECTION_COLLECTIVE_TIMES);
    ASSERT_NE(times, nullptr);
    call made{};
    made.comm = comm_of_world;
    for (uint64_t number = 0; number < 1000; number++) {
        made.start_ticks = 10 * number;
        made.ticks = number % 7;
        collective_time_note(&made);
    }
    std::vector<uint64_t> numbers;
    for (size_t i = 0; i < MPROF_COLLECTIVE_TIMES_MOST && times[i].in_use != 0; i++) {
        numbers.push_back(times[i].number);
        EXPECT_EQ(times[i].start_ticks, 10 * numbers.back());
        EXPECT_EQ(times[i].ticks, numbers.back() % 7);
    }
    std::vector<uint64_t> expected;
    for (uint64_t number = 0; number < 1000; number += 16)
        expected.push_back(number);
    EXPECT_EQ(numbers, expected);

    collective_times_thin(COLLECTIVE_TIMES_FINISHED);
    EXPECT_EQ(times[15].number, 15 * 64u);
    EXPECT_EQ(times[16].in_use, 0u);
}

}  // namespace
