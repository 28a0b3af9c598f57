// Segments: the time between two calls is kept under both lines, and no time gets lost.
#include <map>
#include <random>

#include "record_fixture.h"

using namespace mprof_test;

namespace {

struct SegmentSums {
    uint64_t rows = 0, count = 0, ticks = 0;
};

SegmentSums sum_segments(const recorder *recorder)
{
    SegmentSums sums;
    for (uint32_t i = 0; i <= recorder->segment_mask; i++)
        if (recorder->segments[i].in_use != 0) {
            sums.rows++;
            sums.count += recorder->segments[i].count;
            sums.ticks += recorder->segments[i].ticks;
        }
    return sums;
}

TEST(Segments, AreAddedUpByTheLinesAroundThem)
{
    recorder *recorder = open_record(4 << 20);
    for (uint32_t round = 0; round < 100; round++)
        for (uint32_t line = 1; line <= 10; line++) {
            const segment_key key = make_segment_key(line, 7, line + 1, 8);
            record_segment(recorder, &key, line, nullptr);
        }
    const SegmentSums sums = sum_segments(recorder);
    EXPECT_EQ(sums.rows, 10u);
    EXPECT_EQ(sums.count, 1000u);
    EXPECT_EQ(sums.ticks, 100u * 55u);
}

TEST(Segments, SurviveTheGrowthOfTheTable)
{
    recorder *recorder = open_record(4 << 20);
    for (uint32_t line = 1; line <= 5000; line++) {
        const segment_key key = make_segment_key(line, 7, line + 1, 8);
        record_segment(recorder, &key, 3, nullptr);
    }
    const SegmentSums sums = sum_segments(recorder);
    EXPECT_EQ(sums.rows, 5000u);
    EXPECT_EQ(sums.ticks, 15000u);
}

TEST(Segments, ThatDoNotFitAreAddedUpInOneRow)
{
    recorder *recorder = open_record(512 << 10);
    constexpr uint32_t lines = 50000;
    for (uint32_t line = 1; line <= lines; line++) {
        const segment_key key = make_segment_key(line, 7, line + 1, 8);
        record_segment(recorder, &key, 3, nullptr);
    }
    const SegmentSums sums = sum_segments(recorder);
    EXPECT_EQ(sums.count, lines);
    EXPECT_EQ(sums.ticks, 3u * lines);
    EXPECT_LT(sums.rows, lines);
    EXPECT_EQ(recorder->live->folded_segments, lines - (sums.rows - 1));
}

// What two parts of mprof bill for the same moment, or what is estimated, may be more than has
// passed: the next segment is not shorter than nothing.
TEST(Segments, BeginAtTheLatestNow)
{
    thread_state.last_stop_ticks = clock_ticks();
    thread_was_not_computing(uint64_t{1} << 50);
    const uint64_t after = clock_ticks();
    EXPECT_LE(thread_state.last_stop_ticks, after);
    thread_state.last_stop_ticks = after - 1000;
    thread_was_not_computing(400);
    EXPECT_EQ(thread_state.last_stop_ticks, after - 600);
    thread_state.last_stop_ticks = 0;
    thread_was_not_computing(400);
    EXPECT_EQ(thread_state.last_stop_ticks, 0u) << "before the first call";
}

// A call mostly has the size and comes after the call that it had the last time, and then nothing
// is searched. In a mixed order each must count where it belongs nevertheless.
TEST(Segments, AndEntriesOfOneLineCountInAnyOrderOfSizesAndOfCallsBefore)
{
    constexpr uint16_t function = 7;
    constexpr uint32_t lines_before = 3;
    recorder *recorder = open_record(4 << 20);
    thread_state.recorder = recorder;
    thread_state.cpu.deadline = UINT64_MAX;
    thread_state.last_stop_ticks = 1000;
    struct Sum {
        uint64_t count = 0, bytes = 0, ticks = 0;
    };
    std::map<uint64_t, Sum> sizes;
    std::map<uint32_t, Sum> befores;
    std::mt19937 random(20261125);
    for (uint64_t i = 0; i < 1000; i++) {
        const uint64_t size = random() % 4 * 8;
        const uint64_t ticks = 1 + random() % 100;
        const uint64_t gap = random() % 1000;
        const uint32_t before = 10 + static_cast<uint32_t>(random() % lines_before);
        call call{};
        call.recorder = recorder;
        call.path = some_path();
        call.word = function;
        call.size = size;
        call.start_ticks = thread_state.last_stop_ticks + gap;
        call.ticks = ticks;
        thread_state.last_call = before | 9ull << 32;
        call_end(&call);
        sizes[size].count++;
        sizes[size].bytes += size;
        sizes[size].ticks += ticks;
        befores[before].count++;
        befores[before].ticks += gap;
    }
    thread_state.recorder = nullptr;
    for (const auto &[size, sum] : sizes) {
        const Sums found = sum_entries(
            recorder, [size = size](const mprof_entry &entry) { return entry.size == size; });
        EXPECT_EQ(found.calls, sum.count) << size;
        EXPECT_EQ(found.bytes, sum.bytes) << size;
        EXPECT_EQ(found.ticks, sum.ticks) << size;
    }
    EXPECT_EQ(sum_entries(recorder).entries, sizes.size());
    EXPECT_EQ(sum_segments(recorder).rows, befores.size());
    for (uint32_t i = 0; i <= recorder->segment_mask; i++) {
        const mprof_segment &segment = recorder->segments[i];
        if (segment.in_use != 0) {
            EXPECT_EQ(segment.count, befores[segment.from_callsite].count);
            EXPECT_EQ(segment.ticks, befores[segment.from_callsite].ticks);
        }
    }
}

}  // namespace
