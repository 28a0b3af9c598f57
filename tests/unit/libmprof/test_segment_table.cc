// Segments: the time between two calls is kept under both lines, and no time gets lost.
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

}  // namespace
