// Times of ranks that did not come to their end: the call that they were in counts as far as it is
// known to have lasted, and no part of their time is below 0.
#include "planted_ranks.h"
#include "report_of.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;

// All are in MPI_Recv from 100 ms on.
std::vector<RankFileContent> hanging_ranks()
{
    std::vector<RankFileContent> ranks;
    for (const uint32_t rank : {0U, 1U}) {
        ranks.push_back(killed_rank(rank, 2, recv, 100 * ms));
        ranks.back().run.start_realtime_ns = 5'000'000 * ms;
    }
    return ranks;
}

TEST(CallsInProgress, LastUntilTheLastSignOfLifeOfAnyRank)
{
    EXPECT_NEAR(report_of(hanging_ranks()).run.wallclock_s, 0.1, 1e-3);
}

TEST(CallsInProgress, LastUntilTheJobWasSeenToEnd)
{
    auto ranks = hanging_ranks();
    for (RankFileContent &rank : ranks)
        rank.run.stop_realtime_ns = rank.run.start_realtime_ns + 9600 * ms;
    const Report report = report_of(ranks);
    EXPECT_NEAR(report.run.wallclock_s, 9.6, 1e-3);
    EXPECT_NEAR(function(report, "MPI_Recv").time_s, 2 * 9.5, 1e-2);
    for (const RankRow &row : report.ranks)
        EXPECT_EQ(row.end, RankEnd::none) << "that does not make it a good end";
}

// The rank computed for 2 s, 1.5 s of it without a CPU. A sample was taken at 9 s, 6 s after the
// call had begun.
TEST(CallsInProgress, LeaveNoPartOfTheTimeBelowZero)
{
    auto rank = killed_rank(0, 1, recv, 3000 * ms);
    rank.clock.latest.ticks_before = rank.clock.latest.ticks_after = 1000 + 9000 * ms;
    rank.clock.latest.monotonic_ns = rank.clock.start.monotonic_ns + 9000 * ms;
    rank.threads[0].entries = {make_entry(allreduce, 8, 1, 1000 * ms)};
    rank.threads[0].facts.read_computing_ns = 8000 * ms;
    mprof_off_cpu row{};
    row.in_use = 1;
    row.stretches = 10;
    row.queue_ns = 5000 * ms;
    rank.threads[0].off_cpu = {row};
    const RankRow of_rank = report_of({rank}).ranks[0];
    EXPECT_NEAR(of_rank.compute_s, 2, 1e-3);
    EXPECT_GE(of_rank.on_cpu_s.value_or(-1), 0);
    EXPECT_GE(of_rank.unread_s.value_or(-1), 0);
    EXPECT_LE(of_rank.contention_s.value_or(9), 2.001);
}

}  // namespace
