// Waiting in collectives, against planted durations. Durations are kept in steps of 1/64 octave. So
// the result is within 1 % of what was planted.
#include "planted_ranks.h"
#include "report_of.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;

constexpr double one_us = 1e-6;

auto within(double percent, double expected)
{
    return testing::DoubleNear(expected, expected * percent / 100);
}

// `ticks` by rank, the same each time.
void repeat(std::vector<RankFileContent> &ranks, uint16_t function,
            const std::vector<uint64_t> &ticks, int times, int32_t root = MPROF_NO_PEER)
{
    for (size_t r = 0; r < ranks.size(); r++) {
        PlantedJournal journal(ranks[r]);
        for (int i = 0; i < times; i++)
            journal.add(function, ticks[r], root);
        journal.close();
    }
}

TEST(CollectiveWaits, TheLastRankHasTheShortestDuration)
{
    auto ranks = planted_ranks(3, 100 * ms);
    repeat(ranks, f_allreduce, {500 * us, 500 * us, 100 * us}, 100);
    const Report report = report_of(ranks);
    // Two ranks wait 400 us each time.
    EXPECT_THAT(wait_us(report, "MPI_Allreduce"), within(1, 80'000));
    EXPECT_THAT(rank_wait_us(report, 0), within(1, 40'000));
    EXPECT_THAT(rank_wait_us(report, 1), within(1, 40'000));
    EXPECT_EQ(rank_wait_us(report, 2), 0);
    EXPECT_THAT(caused_us(report, 2), within(1, 80'000));
    EXPECT_EQ(caused_us(report, 0), 0);
    ASSERT_EQ(report.causes.size(), 1U);
    EXPECT_EQ(report.causes[0].rank, 2U);
    EXPECT_NEAR(report.causes[0].last_percent, 100, 1e-9);
    EXPECT_EQ(report.causes[0].place, "MPI_Allreduce") << "no callsites were recorded";
    EXPECT_EQ(report.quality.collectives, 300U);
    EXPECT_EQ(report.quality.collectives_kept, 300U);
    EXPECT_EQ(report.quality.wait_source, "collectives measured");
}

TEST(CollectiveWaits, OfTwoLateRanksEachIsBlamedForItsInstances)
{
    auto ranks = planted_ranks(3, 100 * ms);
    for (size_t r = 0; r < 3; r++) {
        PlantedJournal journal(ranks[r]);
        for (size_t i = 0; i < 100; i++)
            journal.add(f_allreduce, (i % 4 == 0 ? 1 : 2) == r ? 100 * us : 400 * us);
        journal.close();
    }
    const Report report = report_of(ranks);
    EXPECT_THAT(wait_us(report, "MPI_Allreduce"), within(1, 100 * 2 * 300));
    EXPECT_THAT(caused_us(report, 1), within(1, 25 * 2 * 300));
    EXPECT_THAT(caused_us(report, 2), within(1, 75 * 2 * 300));
    ASSERT_EQ(report.causes.size(), 2U);
    EXPECT_EQ(report.causes[0].rank, 2U);
    EXPECT_NEAR(report.causes[0].last_percent, 75, 1e-9);
}

TEST(CollectiveWaits, EachRanksClockHasItsOwnRate)
{
    auto ranks = planted_ranks(2, 100 * ms);
    repeat(ranks, f_allreduce, {500 * us, 2 * 100 * us}, 100);
    ranks[1].clock.kind = MPROF_CLOCK_TSC;
    ranks[1].clock.latest.ticks_before = ranks[1].clock.latest.ticks_after =
        ranks[1].clock.start.ticks_before + 2 * 100 * ms;  // two ticks per ns
    EXPECT_THAT(wait_us(report_of(ranks), "MPI_Allreduce"), within(1, 100 * 400));
}

TEST(CollectiveWaits, CommunicatorsAreJudgedEachForItself)
{
    // In {0,1} rank 1 is late by 200 us, in {2,3} rank 2 by 600 us, in the world rank 3 by 50 us;
    // the calls of the three are interleaved in time, which no journal knows or needs.
    auto ranks = planted_ranks(4, 100 * ms);
    const uint32_t low = add_communicator(ranks, {0, 1}, 77);
    const uint32_t high = add_communicator(ranks, {3, 2}, 78);
    const auto plant = [&](uint32_t rank, uint32_t slot, uint64_t ticks) {
        PlantedJournal journal(ranks[rank], slot);
        for (int i = 0; i < 50; i++)
            journal.add(f_allreduce, ticks);
        journal.close();
    };
    plant(0, low, 300 * us);
    plant(1, low, 100 * us);
    plant(2, high, 100 * us);
    plant(3, high, 700 * us);
    repeat(ranks, f_barrier, {80 * us, 80 * us, 80 * us, 30 * us}, 50);
    const Report report = report_of(ranks);
    EXPECT_THAT(rank_wait_us(report, 0), within(1, 50 * (200 + 50)));
    EXPECT_THAT(rank_wait_us(report, 1), within(1, 50 * 50));
    EXPECT_THAT(rank_wait_us(report, 2), within(1, 50 * 50));
    EXPECT_THAT(rank_wait_us(report, 3), within(1, 50 * 600));
    EXPECT_THAT(caused_us(report, 1), within(1, 50 * 200));
    EXPECT_THAT(caused_us(report, 2), within(1, 50 * 600));
    EXPECT_THAT(caused_us(report, 3), within(1, 50 * 150));
    for (const CommunicatorRow &row : report.communicators) {
        if (row.identity == "000000000000004e") {
            EXPECT_THAT(*row.wait_s / one_us, within(1, 50 * 600));
        }
    }
}

// The journal's duration of a nonblocking collective is that of its start and of its completion.
TEST(CollectiveWaits, OfNonblockingCollectivesTheWaitWaits)
{
    auto ranks = planted_ranks(2, 100 * ms);
    for (size_t r = 0; r < 2; r++) {
        PlantedJournal journal(ranks[r]);
        for (int i = 0; i < 100; i++)
            journal.note(f_iallreduce, r == 0 ? 500 * us : 100 * us);
        journal.note(f_iallreduce, 0);  // never completed
        journal.close();
        const uint64_t wait_ticks = (r == 0 ? 490 : 90) * us;
        auto &entries = ranks[r].threads[0].entries;
        entries.push_back(make_entry(f_iallreduce, 8, 100, 100 * 10 * us));
        entries.push_back(make_completion(f_iallreduce, 8, 100, 100 * wait_ticks, ms, 0));
        entries.push_back(make_entry(f_wait, 0, 100, 100 * wait_ticks));
    }
    const Report report = report_of(ranks);
    EXPECT_THAT(wait_us(report, "MPI_Wait"), within(1, 100 * 400));
    EXPECT_EQ(wait_us(report, "MPI_Iallreduce"), 0) << "starting never waits";
    EXPECT_THAT(rank_wait_us(report, 0), within(1, 100 * 400));
    EXPECT_THAT(caused_us(report, 1), within(1, 100 * 400));
}

TEST(CollectiveWaits, InstancesOnWhichRanksDisagreeTellNothing)
{
    auto ranks = planted_ranks(2, 100 * ms);
    for (size_t r = 0; r < 2; r++) {
        PlantedJournal journal(ranks[r]);
        for (size_t i = 0; i < 100; i++)
            journal.add(r == 0 && i >= 90 ? f_barrier : f_allreduce, r == 0 ? 500 * us : 100 * us);
        journal.close();
    }
    const Report report = report_of(ranks);
    EXPECT_THAT(wait_us(report, "MPI_Allreduce"), within(1, 90 * 400));
    EXPECT_EQ(function(report, "MPI_Barrier").wait_s, std::nullopt);
}

// A rank file is missing, or its journal is shorter: the others are judged as before.
TEST(CollectiveWaits, MissingAndShortRanksDoNotSpoilTheRest)
{
    auto ranks = planted_ranks(4, 200 * ms);
    repeat(ranks, f_allreduce, {500 * us, 100 * us, 500 * us, 500 * us}, 100);
    JournalContent &journal = ranks[3].journals[0];
    journal.items.resize(40);
    journal.facts.instances = 40;
    ranks.erase(ranks.begin() + 2);
    const Report report = report_of(ranks);
    EXPECT_THAT(rank_wait_us(report, 0), within(1, 100 * 400));
    EXPECT_THAT(rank_wait_us(report, 2), within(1, 100 * 400))
        << "its 40 stand for all of its calls";
    EXPECT_EQ(report.ranks[2].rank, 3U);
}

// ---- rooted operations --------------------------------------------------------------------------

TEST(CollectiveWaits, InABroadcastAllWaitForTheRoot)
{
    // The root is rank 1 of a communicator in which world rank 2 is that.
    auto ranks = planted_ranks(3, 100 * ms);
    const uint32_t slot = add_communicator(ranks, {0, 2, 1}, 5);
    add_baseline(ranks[0], 10 * us, 1000 * us);
    for (uint32_t r = 0; r < 3; r++) {
        PlantedJournal journal(ranks[r], slot);
        for (int i = 0; i < 100; i++)
            journal.add(f_bcast, r == 2 ? 5 * us : 420 * us, 1);
        journal.close();
    }
    const Report report = report_of(ranks);
    // The best case is 10 us down a tree of ceil(log2 3) = 2 steps.
    EXPECT_THAT(rank_wait_us(report, 0), within(1, 100 * (420 - 20)));
    EXPECT_THAT(rank_wait_us(report, 1), within(1, 100 * (420 - 20)));
    EXPECT_EQ(rank_wait_us(report, 2), 0) << "the root";
    EXPECT_THAT(caused_us(report, 2), within(1, 100 * 2 * 400));
    ASSERT_EQ(report.causes.size(), 1U);
    EXPECT_NEAR(report.causes[0].last_percent, 100, 1e-9);
}

TEST(CollectiveWaits, InAReductionTheRootWaits)
{
    auto ranks = planted_ranks(2, 100 * ms);
    add_baseline(ranks[0], 10 * us, 1000 * us);
    repeat(ranks, f_reduce, {310 * us, 200 * us}, 100, 0);
    const Report report = report_of(ranks);
    EXPECT_THAT(rank_wait_us(report, 0), within(1, 100 * 300));
    EXPECT_EQ(rank_wait_us(report, 1), 0) << "a leaf is done when its part is sent";
    EXPECT_THAT(caused_us(report, 1), within(1, 100 * 300)) << "there is no other";
}

TEST(CollectiveWaits, WhoGivesMuchToARootThatIsLateWaitsForIt)
{
    auto ranks = planted_ranks(3, 200 * ms);
    add_baseline(ranks[0], 10 * us, 1000 * us);
    repeat(ranks, f_reduce, {20 * us, 720 * us, 10 * us}, 100, 0);
    const Report report = report_of(ranks);
    EXPECT_THAT(rank_wait_us(report, 1), within(2, 100 * 700));
    EXPECT_EQ(rank_wait_us(report, 2), 0) << "it left before the root";
    EXPECT_THAT(caused_us(report, 0), within(2, 100 * 700));
}

TEST(CollectiveWaits, ARootThatGivesMuchWaitsForWhoTakesIt)
{
    auto ranks = planted_ranks(2, 200 * ms);
    add_baseline(ranks[0], 10 * us, 1000 * us);
    repeat(ranks, f_bcast, {900 * us, 200 * us}, 100, 0);
    const Report report = report_of(ranks);
    EXPECT_THAT(rank_wait_us(report, 0), within(2, 100 * 700));
}

TEST(CollectiveWaits, InAScanRanksWaitForLowerOnes)
{
    // Rank 1 is late: 2 and 3 wait for it, 0 does not.
    auto ranks = planted_ranks(4, 100 * ms);
    repeat(ranks, f_scan, {20 * us, 20 * us, 320 * us, 320 * us}, 100);
    const Report report = report_of(ranks);
    EXPECT_EQ(rank_wait_us(report, 0), 0);
    EXPECT_NEAR(rank_wait_us(report, 1), 0, 20);
    EXPECT_THAT(rank_wait_us(report, 2), within(1, 100 * 300));
    EXPECT_THAT(rank_wait_us(report, 3), within(1, 100 * 300));
    EXPECT_THAT(caused_us(report, 1), within(1, 100 * 600));
}

TEST(CollectiveWaits, MpiFinalizeNeedsNoJournal)
{
    auto ranks = planted_ranks(2, 100 * ms);
    ranks[0].threads[0].entries = {make_entry(f_finalize, 0, 1, 40 * ms)};
    ranks[1].threads[0].entries = {make_entry(f_finalize, 0, 1, 10 * ms)};
    const Report report = report_of(ranks);
    EXPECT_THAT(wait_us(report, "MPI_Finalize"), within(0.001, 30'000));
    EXPECT_THAT(caused_us(report, 1), within(0.001, 30'000));
}

// The journals have MPI_Finalize as well. It counts once: rank 0 is last each of 20 times, and not
// 21 times of 20.
TEST(CollectiveWaits, MpiFinalizeCountsOnce)
{
    auto ranks = planted_ranks(3, 1000 * ms);
    const std::vector<uint64_t> reduce = {5 * ms, 30 * ms, 30 * ms};
    const std::vector<uint64_t> finalize = {42 * ms, 55 * ms, 47 * ms};
    for (size_t r = 0; r < 3; r++) {
        PlantedJournal journal(ranks[r]);
        for (int i = 0; i < 20; i++)
            journal.add(f_allreduce, reduce[r]);
        journal.add(f_finalize, finalize[r]);
        journal.close();
    }
    const Report report = report_of(ranks);
    ASSERT_EQ(report.causes.size(), 1U);
    EXPECT_EQ(report.causes[0].rank, 0U);
    EXPECT_NEAR(report.causes[0].last_percent, 100, 1e-9);
}

// ---- what is no waiting -------------------------------------------------------------------------

TEST(CollectiveWaits, BelowItsOwnCostWaitingIsChance)
{
    // 6 us each, and the one or the other 4 us longer.
    auto ranks = planted_ranks(2, 100 * ms);
    for (size_t r = 0; r < 2; r++) {
        PlantedJournal journal(ranks[r]);
        for (size_t i = 0; i < 1000; i++)
            journal.add(f_allreduce, (i % 2 == r ? 10 : 6) * us);
        journal.close();
    }
    const Report report = report_of(ranks);
    EXPECT_EQ(wait_us(report, "MPI_Allreduce"), 0);
    EXPECT_TRUE(report.causes.empty());
}

TEST(CollectiveWaits, NobodyCanBeWaitedForLongerThanItIsAway)
{
    // Two ranks that do nothing but Allreduce for 50 ms; in turn one of them is held up in it. They
    // compute 1 ms between them, so no more than that can have been waiting.
    auto ranks = planted_ranks(2, 51 * ms);
    for (size_t r = 0; r < 2; r++) {
        PlantedJournal journal(ranks[r]);
        for (size_t i = 0; i < 1000; i++)
            journal.add(f_allreduce, (i % 2 == r ? 90 : 10) * us);
        journal.close();
    }
    const Report report = report_of(ranks);
    EXPECT_LE(wait_us(report, "MPI_Allreduce"), 2 * 1000 * 1.01);
}

// ---- thinning -----------------------------------------------------------------------------------

// Numbers that look random and are the same everywhere.
class Chance {
public:
    uint64_t below(uint64_t limit)
    {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return (state_ >> 33U) % limit;
    }

private:
    uint64_t state_ = 1;
};

// Ten million instances of three operations in turn, of which one rank or the other comes late by
// 0 to 100 us. The journals keep some 4,900 of them, as libmprof's do.
TEST(CollectiveWaits, TenMillionThinnedInstancesAreWithinFivePercentOfAll)
{
    constexpr uint64_t instances = 10'000'000;
    constexpr uint32_t thinning = 11;
    auto ranks = planted_ranks(2, 2'000'000 * ms);
    PlantedJournal first(ranks[0], MPROF_COMM_SLOT_WORLD, thinning);
    PlantedJournal second(ranks[1], MPROF_COMM_SLOT_WORLD, thinning);
    Chance chance;
    double planted_us = 0;
    uint64_t sums[2][3] = {};
    constexpr uint16_t operations[3] = {f_allreduce, f_barrier, f_iallreduce};
    for (uint64_t i = 0; i < instances; i++) {
        const uint64_t late = chance.below(100) * us;
        const size_t waits = chance.below(3) == 0 ? 1 : 0;
        const uint64_t ticks[2] = {10 * us + (waits == 0 ? late : 0),
                                   10 * us + (waits == 1 ? late : 0)};
        planted_us += static_cast<double>(late) / us;
        first.note(operations[i % 3], ticks[0]);
        second.note(operations[i % 3], ticks[1]);
        for (size_t r = 0; r < 2; r++)
            sums[r][i % 3] += ticks[r];
    }
    first.close();
    second.close();
    for (size_t r = 0; r < 2; r++) {
        auto &entries = ranks[r].threads[0].entries;
        entries.push_back(make_entry(f_allreduce, 8, (instances + 2) / 3, sums[r][0]));
        entries.push_back(make_entry(f_barrier, 0, (instances + 1) / 3, sums[r][1]));
        entries.push_back(make_entry(f_iallreduce, 8, instances / 3, 0));
        entries.push_back(make_completion(f_iallreduce, 8, instances / 3, sums[r][2], 0, 0));
        entries.push_back(make_entry(f_wait, 0, instances / 3, sums[r][2]));
    }
    ASSERT_LT(ranks[0].journals[0].items.size(), 5500U);
    const Report report = report_of(ranks);
    EXPECT_THAT(*report.totals.wait_s / one_us, within(5, planted_us));
    EXPECT_THAT(caused_us(report, 1), within(5, planted_us * 2 / 3));
    EXPECT_THAT(report.quality.wait_source,
                HasSubstr("collectives estimated from <0.1% of 20.0 million"));
}

}  // namespace
