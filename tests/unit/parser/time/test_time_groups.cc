// Rows of the run over time, put together where there are too many.
#include "report/time_window.h"

#include <gtest/gtest.h>

using namespace mprof;

namespace {

// Ranks that compute for a little longer or shorter than 0.6 s of each bin, and one that never
// waits.
TimeLine ranks_with_slow_one(uint32_t ranks, uint32_t slow)
{
    TimeLine time;
    time.known = true;
    time.bin_s = 1;
    time.bins.resize(20);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        TimeSplit split;
        split.compute_s = rank == slow ? 1 : 0.6 + 0.001 * (rank % 7);
        split.wait_s = 1 - split.compute_s;
        TimeRow row;
        row.first_rank = rank;
        row.bins.assign(20, split);
        row.call_lines.assign(20, 1);
        time.rows.push_back(row);
    }
    return time;
}

TEST(TimeGroups, FewRowsStay)
{
    const auto rows = grouped_rows(ranks_with_slow_one(128, 5), 128);
    ASSERT_EQ(rows.size(), 128U);
    EXPECT_EQ(rows[5].ranks, 1U);
    EXPECT_FALSE(rows[5].outlier);
}

TEST(TimeGroups, SlowRankIsARow)
{
    const auto rows = grouped_rows(ranks_with_slow_one(1000, 371), 128);
    ASSERT_EQ(rows.size(), 125U);
    for (const TimeRow &row : rows) {
        EXPECT_EQ(row.ranks, 8U);
        const bool has_slow = row.first_rank <= 371 && 371 < row.first_rank + row.ranks;
        EXPECT_EQ(row.outlier.has_value(), has_slow) << row.first_rank;
        EXPECT_EQ(row.call_lines.empty(), !has_slow);
        EXPECT_NEAR(row.bins[7].compute_s, has_slow ? 1 : 0.603, 0.003);
        EXPECT_NEAR(row.bins[7].all_s(), 1, 1e-12);
    }
    EXPECT_EQ(rows[46].outlier, 371U);
}

// Of two, three or four ranks a mean is much like the one that is unlike the others.
TEST(TimeGroups, SlowRankOfASmallGroupIsARow)
{
    for (const uint32_t ranks : {200U, 300U, 500U, 640U}) {
        size_t outliers = 0;
        for (const TimeRow &row : grouped_rows(ranks_with_slow_one(ranks, 137), 128)) {
            outliers += row.outlier.has_value() ? 1U : 0U;
            EXPECT_EQ(row.outlier.value_or(137), 137U) << ranks;
        }
        EXPECT_EQ(outliers, 1U) << ranks;
    }
}

TEST(TimeGroups, LastGroupMayBeSmaller)
{
    const auto rows = grouped_rows(ranks_with_slow_one(300, 1000), 128);
    ASSERT_EQ(rows.size(), 100U);
    const auto uneven = grouped_rows(ranks_with_slow_one(257, 1000), 128);
    EXPECT_EQ(uneven.back().ranks, 2U);
    uint64_t ranks = 0;
    for (const TimeRow &row : uneven)
        ranks += row.ranks;
    EXPECT_EQ(ranks, 257U);
}

}  // namespace
