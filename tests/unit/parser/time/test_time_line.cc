// The run over time: sums that are those of the report, and when what happened.
#include "planted_time.h"
#include "report_of.h"

#include "render/render_report.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <numeric>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::DoubleNear;
using testing::SizeIs;

constexpr uint32_t all_bins = 200;

TimeSplit sum_of_row(const TimeRow &row)
{
    TimeSplit sum;
    for (const TimeSplit &split : row.bins) {
        sum.compute_s += split.compute_s;
        sum.contention_s += split.contention_s;
        sum.blocked_s += split.blocked_s;
        sum.wait_s += split.wait_s;
        sum.transfer_s += split.transfer_s;
        sum.file_s += split.file_s;
        sum.startup_s += split.startup_s;
    }
    return sum;
}

// Rank 0 is late in the collectives of the bins from 50 to 100: there the others wait 0.5 of a bin.
PlantedTime waiting_run(uint32_t ranks)
{
    PlantedTime run(ranks, all_bins);
    const uint32_t setup = run.line("setup", 118), solve = run.line("solve", 211);
    for (uint32_t r = 0; r < ranks; r++)
        run.call(r, f_init, MPROF_TIME_START_UP, 0, 0, 10, 0.9);
    std::vector<double> shares(ranks, 0.55);
    shares[0] = 0.05;
    run.collective(setup, 50, 100, shares);
    run.collective(solve, 100, 180, std::vector<double>(ranks, 0.1));
    for (uint32_t r = 0; r < ranks; r++)
        run.call(r, f_file_write, MPROF_TIME_FILE, 0, 180, 200, 0.8);
    return run;
}

TEST(TimeLine, OfFilesWithoutBinsIsNotKnown)
{
    EXPECT_FALSE(report_of({sample_rank(0, 1, 1'000'000)}).time.known);
}

TEST(TimeLine, SumsOfEachRankAreThoseOfTheReport)
{
    PlantedTime run = waiting_run(3);
    run.off_cpu(1, 20, 30, 0.2, 0.1);
    const Report report = report_of(run.made());
    ASSERT_TRUE(report.time.known);
    ASSERT_THAT(report.time.rows, SizeIs(3));
    for (size_t r = 0; r < 3; r++) {
        const TimeSplit sum = sum_of_row(report.time.rows[r]);
        const RankRow &rank = report.ranks[r];
        EXPECT_NEAR(sum.mpi_s(), rank.mpi_thread_s, 1e-9);
        EXPECT_NEAR(sum.wait_s, rank.wait_s.value(), 1e-9);
        EXPECT_NEAR(sum.compute_s + sum.contention_s + sum.blocked_s, rank.compute_s, 1e-9);
        EXPECT_NEAR(sum.contention_s, rank.contention_s.value_or(0), 1e-9);
        EXPECT_NEAR(sum.blocked_s, rank.blocked_s.value_or(0), 1e-9);
        EXPECT_NEAR(sum.startup_s, 0.09, 1e-9);
        EXPECT_NEAR(sum.file_s, 0.16, 1e-9);
        for (size_t i = 0; i < report.time.bins.size(); i++)
            EXPECT_NEAR(report.time.rows[r].bins[i].all_s(), report.time.bin_s, 1e-9) << i;
    }
    EXPECT_NEAR(report.ranks[1].contention_s.value(), 0.02, 1e-9);
    double calls = 0;
    for (const TimeBin &bin : report.time.bins)
        calls += 3 * bin.calls;
    EXPECT_NEAR(calls, static_cast<double>(report.totals.calls), 1e-6);
}

TEST(TimeLine, WaitingIsWhereTheJournalSaysThatRanksWaited)
{
    const Report report = report_of(waiting_run(4).made());
    const auto &bins_of_1 = report.time.rows[1].bins;
    ASSERT_THAT(bins_of_1, SizeIs(all_bins));
    EXPECT_NEAR(report.ranks[1].wait_s.value(), 50 * 0.5 * 0.01, 0.02 * 0.25);
    for (uint32_t i = 50; i < 100; i++)
        EXPECT_NEAR(bins_of_1[i].wait_s, 0.005, 0.0003) << i;
    for (uint32_t i = 100; i < 200; i++)
        EXPECT_NEAR(bins_of_1[i].wait_s, 0, 0.0002) << i;
    for (uint32_t i = 0; i < 200; i++)
        EXPECT_NEAR(report.time.rows[0].bins[i].wait_s, 0, 0.0002) << i;
}

// The waits of one instance are longer than its last bin: it began before.
TEST(TimeLine, WaitingOfALongCallIsInTheBinsThatItCovers)
{
    PlantedTime run(2, all_bins);
    auto &ranks = run.contents();
    for (uint32_t r = 0; r < 2; r++) {
        ranks[r].operations.push_back({1, f_allreduce, 0, 0, MPROF_NO_PEER});
        const uint64_t ticks = r == 0 ? bin_ns : 60 * bin_ns;
        JournalContent journal;
        journal.facts.communicator = MPROF_COMM_SLOT_WORLD;
        journal.facts.instances = 1;
        journal.items = {uint32_t{1} << MPROF_JOURNAL_CODE_BITS | mprof_duration_code(ticks)};
        ranks[r].journals.push_back(journal);
        ranks[r].threads[0].entries.push_back(calls_of(f_allreduce, 0, 1, ticks, ticks));
        const uint32_t first = r == 0 ? 99 : 40;
        for (uint32_t i = first; i < 100; i++)
            ranks[r].time_bins[i].ticks[MPROF_TIME_COLLECTIVE] = bin_ns;
        ranks[r].time_bins[first].calls = 1;
        ranks[r].time_bins[99].instances[0] = 1;
    }
    const Report report = report_of(run.made());
    const auto &waiter = report.time.rows[1].bins;
    EXPECT_NEAR(report.ranks[1].wait_s.value(), 0.59, 0.02);
    EXPECT_NEAR(waiter[70].wait_s, 0.01, 1e-6);
    EXPECT_NEAR(waiter[99].wait_s, 0.01, 1e-6);
    EXPECT_NEAR(waiter[39].wait_s, 0, 1e-9);
    EXPECT_NEAR(waiter[100].wait_s, 0, 1e-9);
}

TEST(TimeLine, RanksThatBeginLaterStandLater)
{
    PlantedTime run(2, all_bins);
    run.call(1, f_send, MPROF_TIME_POINT_TO_POINT, 0, 0, 10, 1);
    auto ranks = run.made();
    constexpr uint64_t later_ns = 500 * ms;
    for (mprof_clock_pair *pair : {&ranks[1].clock.start, &ranks[1].clock.latest})
        *pair = {pair->ticks_before + later_ns, pair->monotonic_ns + later_ns,
                 pair->ticks_after + later_ns};
    ranks[1].time.begin_ticks += later_ns;
    ranks[1].time.end_ticks += later_ns;
    const Report report = report_of(ranks);
    const auto &late = report.time.rows[1].bins;
    ASSERT_THAT(late, SizeIs(250));
    EXPECT_NEAR(late[49].all_s(), 0, 1e-9);
    EXPECT_NEAR(late[50].mpi_s(), 0.01, 1e-9);
    EXPECT_NEAR(late[60].mpi_s(), 0, 1e-9);
    EXPECT_NEAR(sum_of_row(report.time.rows[1]).all_s(), 2.0, 1e-9);
    EXPECT_NEAR(report.time.rows[0].bins[249].all_s(), 0, 1e-9);
}

TEST(TimeLine, WhatALiveFileHasBeyondItsBinsCameAfterThem)
{
    PlantedTime run(1, all_bins);
    run.call(0, f_send, MPROF_TIME_POINT_TO_POINT, 0, 0, 200, 0.5);
    auto ranks = run.made();
    RankFileContent &rank = ranks[0];
    rank.finished = false;
    rank.run.end = MPROF_END_NONE;
    rank.time.bins = 100;
    rank.time.end_ticks = 1'000 + 100 * bin_ns;
    for (uint32_t i = 100; i < 200; i++)
        rank.time_bins[i] = {};
    const Report report = report_of(ranks);
    const auto &row = report.time.rows[0].bins;
    ASSERT_GE(row.size(), 200U);
    double early_s = 0, late_s = 0;
    for (size_t i = 0; i < row.size(); i++)
        (report.time.bins[i].begin_s < 1 - 1e-9 ? early_s : late_s) += row[i].mpi_s();
    EXPECT_NEAR(early_s, 0.5, 0.005);
    EXPECT_NEAR(late_s, 0.5, 0.005);
    EXPECT_NEAR(early_s + late_s, report.ranks[0].mpi_thread_s, 1e-9);
}

// The file counts both as start-up.
TEST(TimeLine, CommunicatorsThatAreMadeAgainAndAgainAreNoStartUp)
{
    PlantedTime run(2, all_bins);
    const uint32_t solve = run.line("solve", 211);
    for (uint32_t r = 0; r < 2; r++) {
        run.contents()[r].functions.emplace_back("MPI_Comm_dup");
        const auto dup = static_cast<uint16_t>(run.contents()[r].functions.size() - 1);
        run.call(r, f_init, MPROF_TIME_START_UP, 0, 0, 10, 0.9);
        run.call(r, dup, MPROF_TIME_START_UP, solve, 20, 180, 0.4);
    }
    const Report report = report_of(run.made());
    const TimeRow &row = report.time.rows[1];
    EXPECT_NEAR(sum_of_row(row).startup_s, 0.09, 1e-9);
    EXPECT_NEAR(row.bins[5].startup_s, 0.009, 1e-9);
    EXPECT_NEAR(row.bins[100].startup_s, 0, 1e-9);
    EXPECT_NEAR(row.bins[100].transfer_s + row.bins[100].wait_s, 0.004, 1e-9);
}

TEST(TimeLine, ARowKnowsTheLineThatTookMost)
{
    const Report report = report_of(waiting_run(2).made());
    const TimeRow &row = report.time.rows[1];
    ASSERT_THAT(row.call_lines, SizeIs(all_bins));
    ASSERT_GT(row.call_lines[70], 0U);
    EXPECT_EQ(report.call_lines[row.call_lines[70] - 1].place, "cg.py:118");
    EXPECT_EQ(report.call_lines[row.call_lines[150] - 1].place, "cg.py:211");
    EXPECT_EQ(row.call_lines[30], 0U);
}

// 2,560 ranks in 128 rows. Rank 1000 alone is blocked for half of the run.
TEST(TimeLine, AGroupShowsItsOutlier)
{
    PlantedTime run(2560, 20);
    run.off_cpu(1000, 5, 15, 0, 1);
    for (RankFileContent &rank : run.contents())
        rank.compressed = false;
    const Report report = report_of(run.made());
    ASSERT_THAT(report.time.rows, SizeIs(128));
    size_t outliers = 0;
    for (const TimeRow &row : report.time.rows)
        outliers += row.outlier ? 1U : 0U;
    EXPECT_EQ(outliers, 1U);
    const TimeRow &row = report.time.rows[1000 / 20];
    EXPECT_EQ(row.ranks, 20U);
    EXPECT_EQ(row.outlier, 1000U);
    EXPECT_NEAR(sum_of_row(row).blocked_s, 0.1, 1e-9);
    const auto json = nlohmann::json::parse(render_json(report))["time"];
    EXPECT_THAT(json["ranks"], SizeIs(128));
    EXPECT_THAT(json["details"], SizeIs(1 + 64)) << "the group on its one node, and slow ranks";
}

// 512 ranks in 128 rows of 4, two of which share a node; nodes are named by their number. Rank 301
// computes all of the time, the others wait for half of it.
PlantedTime run_with_a_slow_rank(uint32_t ranks, uint32_t slow)
{
    PlantedTime run(ranks, 20);
    const uint32_t step = run.line("step", 7);
    for (uint32_t r = 0; r < ranks; r++) {
        if (r != slow)
            run.call(r, f_send, MPROF_TIME_POINT_TO_POINT, step, 0, 20, 0.5);
        run.contents()[r].compressed = false;
        for (auto &[key, text] : run.contents()[r].texts)
            text = key == "host" ? "n" + std::to_string(r / 2) : text;
    }
    return run;
}

TEST(TimeLine, DetailsOfAGroupAreItsNodesAndTheSlowestRanks)
{
    const Report report = report_of(run_with_a_slow_rank(512, 301).made());
    const std::vector<TimeDetail> &details = report.time.details;
    ASSERT_THAT(details, SizeIs(2 + 64));
    EXPECT_EQ(details[0].host, "n150");
    EXPECT_EQ(details[0].first_rank, 300U);
    EXPECT_EQ(details[0].ranks, 2U);
    EXPECT_NEAR(sum_of_row(details[0]).compute_s, (0.1 + 0.2) / 2, 1e-6);
    EXPECT_EQ(details[1].host, "n151");
    EXPECT_NEAR(sum_of_row(details[1]).compute_s, 0.1, 1e-6);
    EXPECT_EQ(details[2].first_rank, 301U);
    EXPECT_EQ(details[2].ranks, 1U);
    EXPECT_EQ(details[2].host, "n150");
    EXPECT_NEAR(sum_of_row(details[2]).compute_s, 0.2, 1e-6);
    EXPECT_EQ(details[3].first_rank, 0U) << "of those that compute the same, the first";
    const auto json = nlohmann::json::parse(render_json(report))["time"];
    EXPECT_THAT(json["ranks"], SizeIs(512));
    EXPECT_THAT(json["details"], SizeIs(0)) << "each rank has its row already";
}

TEST(TimeLine, WhereEachRankHasARowThereAreNoDetails)
{
    EXPECT_THAT(report_of(run_with_a_slow_rank(128, 3).made()).time.details, SizeIs(0));
}

// Rank 1 is blocked for most of the run, and rank 0 waits for it: between calls of MPI_Test it
// waits for what it asks for, elsewhere it is blocked.
TEST(TimeLine, ARankThatAsksAndSleepsWaits)
{
    const auto blocked_s = [](uint16_t function) {
        PlantedTime run(2, all_bins);
        run.call(0, f_init, MPROF_TIME_START_UP, 0, 0, 10, 0.9);
        run.call(1, f_init, MPROF_TIME_START_UP, 0, 0, 10, 0.9);
        run.collective(run.line("solve", 211), 20, 170, {0.95, 0.01});
        run.off_cpu(1, 20, 170, 0, 0.9);
        std::vector<RankFileContent> ranks = run.made();
        ThreadContent &thread = ranks[1].threads[0];
        mprof_off_cpu &row = thread.off_cpu.at(0);
        row.from_function = row.to_function = static_cast<uint16_t>(1 + function);
        thread.segments = {make_segment(function, 0, function, 0, 1000, row.blocked_ns)};
        for (const AccountRow &account : report_of(ranks).accounts.rows)
            if (account.kind == AccountKind::blocked)
                return account.gain_s;
        return 0.0;
    };
    EXPECT_GT(blocked_s(f_barrier), 0.1);
    EXPECT_EQ(blocked_s(f_test), 0);
}

TEST(TimeLine, ARunOfOverASecondHas128BinsAtLeast)
{
    PlantedTime run(1, 110);
    run.call(0, f_send, MPROF_TIME_POINT_TO_POINT, 0, 20, 30, 1);
    const Report report = report_of(run.made());
    EXPECT_THAT(report.time.bins, SizeIs(220));
    EXPECT_NEAR(report.time.bin_s, 0.005, 1e-12);
    EXPECT_NEAR(report.time.bins[41].split.mpi_s(), 0.005, 1e-9);
}

}  // namespace
