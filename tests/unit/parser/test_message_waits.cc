// Waiting for partners of messages, against planted durations. It is the time beyond what a message
// costs, as far as the partner was away.
#include "planted_ranks.h"
#include "report_of.h"
#include "waits/transfer_cost.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;

void add_messages(std::vector<RankFileContent> &ranks, uint32_t from, uint32_t to, uint64_t calls,
                  uint64_t bytes, uint64_t send_ticks, uint64_t receive_ticks)
{
    auto &sender = ranks[from].threads[0];
    sender.entries.push_back(make_entry(f_send, bytes, calls, calls * send_ticks));
    sender.partners.push_back(
        messages_with(MPROF_PARTNER_SENT, to, calls, calls * bytes, calls * send_ticks));
    auto &receiver = ranks[to].threads[0];
    receiver.entries.push_back(make_entry(f_recv, bytes, calls, calls * receive_ticks));
    receiver.partners.push_back(
        messages_with(MPROF_PARTNER_RECEIVED, from, calls, calls * bytes, calls * receive_ticks));
}

TEST(MessageWaits, ASenderThatIsAlwaysLateIsFoundByTheBaseline)
{
    // 1 KiB costs at most 2 us; each of 100 receives takes 400 us, none of them less.
    auto ranks = planted_ranks(2, 100 * ms);
    add_baseline(ranks[0], 2 * us, 2 * us);
    add_messages(ranks, 0, 1, 100, 1024, us, 400 * us);
    const Report report = report_of(ranks);
    EXPECT_NEAR(wait_us(report, "MPI_Recv"), 100 * (400 - 2), 1);
    EXPECT_EQ(wait_us(report, "MPI_Send"), 0);
    EXPECT_NEAR(caused_us(report, 0), 100 * (400 - 2), 1);
    ASSERT_EQ(report.causes.size(), 1U);
    EXPECT_EQ(report.causes[0].rank, 0U);
    EXPECT_EQ(report.causes[0].place, "MPI_Recv");
    ASSERT_EQ(report.transfers.size(), 1U);
    EXPECT_EQ(text_of(report.transfers[0].locality), "same node");
    EXPECT_NEAR(report.transfers[0].observed_s, 400e-6, 1e-9);
    EXPECT_NEAR(report.transfers[0].possible_s, 2e-6, 1e-9);
    EXPECT_EQ(text_of(report.transfers[0].source), "baseline");
}

TEST(MessageWaits, WhatIsPutIntoAWindowIsTransfer)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    add_baseline(ranks[0], 2 * us, 2 * us);
    ranks[0].threads[0].entries = {make_entry(f_put, 1 << 20, 100, 300 * ms),
                                   make_entry(f_put, 8, 1000, 20 * ms)};
    const Report report = report_of(ranks);
    EXPECT_NEAR(report.totals.large_transfer_s.value_or(0), 0.3, 1e-6);
    EXPECT_NEAR(report.totals.small_transfer_s.value_or(0), 0.02, 1e-6);
}

TEST(MessageWaits, WithoutABaselineTheReportSaysWhatMayBeMissed)
{
    auto ranks = planted_ranks(2, 100 * ms);
    add_messages(ranks, 0, 1, 100, 1024, us, 400 * us);
    const Report report = report_of(ranks);
    EXPECT_EQ(wait_us(report, "MPI_Recv"), 0) << "its best case is late, too";
    EXPECT_THAT(report.quality.wait_source, HasSubstr("without a baseline"));
}

TEST(MessageWaits, WithoutABaselineTheRunsBestCaseCounts)
{
    auto ranks = planted_ranks(2, 100 * ms);
    add_messages(ranks, 0, 1, 100, 1024, us, 400 * us);
    ranks[1].threads[0].entries[0].min_ticks = 5 * us;  // one of the 100 was not late
    EXPECT_NEAR(wait_us(report_of(ranks), "MPI_Recv"), 100 * (400 - 5), 1);
}

TEST(MessageWaits, ALateReceiverHoldsUpLargeSends)
{
    // The receiver's own calls show what 4 MiB cost, 1 ms; the baseline says the same.
    auto ranks = planted_ranks(2, 2000 * ms);
    add_baseline(ranks[0], us, 250 * us);
    add_messages(ranks, 0, 1, 100, 4 * mib, 11 * ms, ms);
    const Report report = report_of(ranks);
    EXPECT_NEAR(wait_us(report, "MPI_Send"), 100 * 10'000, 100);
    EXPECT_EQ(wait_us(report, "MPI_Recv"), 0);
    EXPECT_NEAR(caused_us(report, 1), 100 * 10'000, 100);
}

TEST(MessageWaits, LargeMessagesMayTakeLongerWhenAllSendAtOnce)
{
    // 1 MiB would take 100 us between two idle ranks. All calls of both sides take 250 us: that is
    // how fast it went. Were it 2000 us, somebody would have been late most of the time.
    for (const uint64_t each : {250 * us, 2000 * us}) {
        auto ranks = planted_ranks(2, 2000 * ms);
        add_baseline(ranks[0], us, 100 * us);
        add_messages(ranks, 0, 1, 100, mib, each, each);
        const double expected_us = each == 250 * us ? 0 : 100 * (2000 - 4 * 100);
        EXPECT_NEAR(wait_us(report_of(ranks), "MPI_Recv"), expected_us, 1);
    }
}

TEST(MessageWaits, CallsThatDoNotBlockNeverWait)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    add_baseline(ranks[0], 2 * us, 200 * us);
    for (auto &rank : ranks)
        for (const uint16_t function : {f_isend, f_irecv, f_test, f_comm_rank, f_put})
            rank.threads[0].entries.push_back(make_entry(function, 8, 100, 50 * ms));
    const Report report = report_of(ranks);
    EXPECT_EQ(report.totals.wait_s, 0);
}

// 100 receives are started at once and waited for 400 us each; sends complete without delay.
TEST(MessageWaits, WaitsForStartedReceivesAreWaiting)
{
    auto ranks = planted_ranks(2, 100 * ms);
    add_baseline(ranks[0], 2 * us, 200 * us);
    auto &thread = ranks[1].threads[0];
    thread.entries = {make_entry(f_irecv, 8, 100, 100 * us),
                      make_completion(f_irecv, 8, 100, 100 * 400 * us, 0, 0),
                      make_entry(f_isend, 8, 100, 100 * us),
                      make_completion(f_isend, 8, 100, 0, 0, 0),
                      make_entry(f_waitall, 0, 50, 100 * 400 * us)};
    thread.partners = {messages_with(MPROF_PARTNER_RECEIVED, 0, 100, 800, 100 * 400 * us)};
    const Report report = report_of(ranks);
    EXPECT_NEAR(wait_us(report, "MPI_Waitall"), 100 * (400 - 2), 1);
    EXPECT_EQ(wait_us(report, "MPI_Irecv"), 0);
    EXPECT_NEAR(caused_us(report, 0), 100 * (400 - 2), 1);
    ASSERT_EQ(report.causes.size(), 1U);
    EXPECT_EQ(report.causes[0].place, "MPI_Waitall") << "that is where it shows";
}

// Alone, 8 B take 2 us. Here they came while the rank computed.
TEST(MessageWaits, NoMessageTakesLessThanIsPossible)
{
    auto ranks = planted_ranks(2, 100 * ms);
    add_baseline(ranks[0], 2 * us, 200 * us);
    ranks[1].threads[0].entries = {make_completion(f_irecv, 8, 100, 100 * us / 2, 0, 0)};
    const Report report = report_of(ranks);
    ASSERT_EQ(report.transfers.size(), 1U);
    EXPECT_NEAR(report.transfers[0].observed_s, 0.5e-6, 1e-9);
    EXPECT_EQ(report.transfers[0].possible_s, report.transfers[0].observed_s);
}

// In region 2 requests are waited for, in region 3 they are there already.
TEST(MessageWaits, RequestsAreWaitedForInTheirRegion)
{
    auto ranks = planted_ranks(2, 100 * ms);
    add_baseline(ranks[0], 2 * us, 200 * us);
    ranks[1].regions = {{}, {}, make_region("late", 0, 1, 50 * ms), make_region("fast", 0, 1, ms)};
    auto &entries = ranks[1].threads[0].entries;
    for (const uint16_t region : {uint16_t{2}, uint16_t{3}}) {
        const uint64_t each = region == 2 ? 400 * us : 3 * us;
        entries.push_back(make_completion(f_irecv, 8, 100, 100 * each, 0, 0));
        entries.back().region = region;
        entries.push_back(make_entry(f_waitall, 0, 100, 100 * each));
        entries.back().region = region;
    }
    const Report report = report_of(ranks);
    ASSERT_EQ(report.regions.size(), 3U);
    for (const RegionRow &row : report.regions) {
        if (row.path == "late") {
            EXPECT_NEAR(*row.inclusive.wait_s * 1e6, 100 * (400 - 2), 1);
        }
        if (row.path == "fast") {
            EXPECT_EQ(row.inclusive.wait_s, 0);
        }
    }
}

TEST(MessageWaits, WhatASendrecvReceivesDecidesWhatItCosts)
{
    // It sends 8 B and receives 1 MiB, which takes the 200 us that 1 MiB takes.
    auto ranks = planted_ranks(2, 100 * ms);
    add_baseline(ranks[0], 2 * us, 200 * us);
    auto &thread = ranks[1].threads[0];
    thread.entries = {make_entry(f_sendrecv, 8, 100, 100 * 210 * us),
                      make_entry(f_sendrecv, mib, 100, 0, MPROF_KIND_RECEIVED)};
    EXPECT_EQ(wait_us(report_of(ranks), "MPI_Sendrecv"), 0);
}

TEST(MessageWaits, LessThanTheCostOfTheMessagesIsChance)
{
    auto ranks = planted_ranks(2, 100 * ms);
    add_baseline(ranks[0], 2 * us, 200 * us);
    add_messages(ranks, 0, 1, 1000, 8, us, 3900);  // 1.9 us more than possible
    EXPECT_EQ(wait_us(report_of(ranks), "MPI_Recv"), 0);
}

TEST(MessageWaits, ADisturbedBaselineDoesNotHideWaiting)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    add_baseline(ranks[0], 60 * us, 60 * us);
    ranks[0].baselines.resize(1);
    ranks[0].baselines[0].median_ticks = 4 * ms;
    add_messages(ranks, 0, 1, 100, 1024, us, 4 * ms);
    ranks[1].threads[0].entries[0].min_ticks = us;
    EXPECT_NEAR(wait_us(report_of(ranks), "MPI_Recv"), 100 * 3999, 100);
}

TEST(MessageWaits, ADisturbedBaselineOfLargeMessagesDoesNotHideWaiting)
{
    // Beside other load 256 KiB took 2.6 ms, and the run moves 4 MiB in 0.7 ms.
    auto ranks = planted_ranks(2, 2000 * ms);
    add_baseline(ranks[0], 2 * us, 154 * us);
    auto &baselines = ranks[0].baselines;
    baselines[1].bytes = mib / 16;
    baselines[1].median_ticks = 1235 * us;
    baselines.push_back(baselines[1]);
    baselines[2].bytes = mib / 4;
    baselines[2].best_ticks = baselines[2].median_ticks = 2600 * us;
    add_messages(ranks, 0, 1, 100, 4 * mib, 10'700 * us, 700 * us);
    EXPECT_NEAR(wait_us(report_of(ranks), "MPI_Send"), 100 * 10'000, 100);
}

TEST(MessageWaits, RanksThatOnlyExchangeMessagesDoNotWaitForEachOther)
{
    // 900 of 1000 ms in messages that cost a tenth of what they take; each rank computes 100 ms,
    // and for no longer can the other have waited for it.
    auto ranks = planted_ranks(2, 1000 * ms);
    add_baseline(ranks[0], 2 * us, 200 * us);
    for (const uint32_t r : {0U, 1U})
        add_messages(ranks, r, 1 - r, 20'000, 8, 0, 45 * us);
    const Report report = report_of(ranks);
    EXPECT_NEAR(rank_wait_us(report, 0), 100'000, 1);
    EXPECT_NEAR(rank_wait_us(report, 1), 100'000, 1);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "latency bound");
}

TEST(MessageWaits, InAChainEachRankIsBlamedForItsOwnPart)
{
    // Each rank computes 10 ms before the next one can begin: rank 1 waits 10 ms, rank 2 20 ms,
    // rank 3 30 ms, each for the one before, and of rank 3's waiting each of the others did 10 ms.
    auto ranks = planted_ranks(4, 40 * ms);
    add_baseline(ranks[0], us, 100 * us);
    for (uint32_t r = 1; r < 4; r++)
        add_messages(ranks, r - 1, r, 1, 8, 0, r * 10 * ms);
    for (uint32_t r = 0; r < 4; r++)
        ranks[r].threads[0].entries.push_back(make_entry(f_finalize, 0, 1, (3 - r) * 10 * ms));
    const Report report = report_of(ranks);
    for (uint32_t r = 1; r < 4; r++)
        EXPECT_NEAR(wait_us(report, "MPI_Recv"), 60'000, 10);
    // In MPI_Finalize all wait for rank 3: 30 + 20 + 10 ms.
    EXPECT_NEAR(caused_us(report, 0), 30'000, 10);
    EXPECT_NEAR(caused_us(report, 1), 20'000, 10);
    EXPECT_NEAR(caused_us(report, 2), 10'000, 10);
    EXPECT_NEAR(caused_us(report, 3), 60'000, 10);
}

// Rank 0 waits 100 times for the last of ranks 1 and 2. Rank 1 waits for rank 0 nearly all of the
// time, so it can hardly have been late; rank 2 computes.
TEST(MessageWaits, OfSeveralRanksTheOneThatWasAwayIsLikelyToHaveBeenLast)
{
    auto ranks = planted_ranks(3, 100 * ms);
    add_baseline(ranks[0], 2 * us, 2 * us);
    auto &waiter = ranks[0].threads[0];
    waiter.entries.push_back(make_entry(f_recv, 0, 100, 100 * 400 * us));
    for (const uint32_t partner : {1U, 2U})
        waiter.partners.push_back(
            messages_with(MPROF_PARTNER_ONE_OF, partner, 0, 0, 100 * 200 * us));
    auto &other = ranks[1].threads[0];
    other.entries.push_back(make_entry(f_recv, 0, 100, 100 * 900 * us));
    other.partners.push_back(messages_with(MPROF_PARTNER_RECEIVED, 0, 100, 0, 100 * 900 * us));
    const Report report = report_of(ranks);
    EXPECT_GT(caused_us(report, 2), 20'000);
    EXPECT_GT(caused_us(report, 2), 10 * caused_us(report, 1));
}

TEST(MessageWaits, OtherNodesHaveTheirOwnCost)
{
    // To the other node 8 B take 20 us, measured with the last rank; here 1 us.
    auto ranks = planted_ranks(3, 100 * ms);
    add_baseline(ranks[0], us, 100 * us);
    add_baseline(ranks[0], 20 * us, 400 * us);
    ranks[0].baselines[2].partner = ranks[0].baselines[3].partner = 2;
    ranks[2].texts[1].second = "node01";
    add_messages(ranks, 0, 1, 100, 8, 0, 120 * us);
    add_messages(ranks, 0, 2, 100, 8, 0, 120 * us);
    const Report report = report_of(ranks);
    EXPECT_NEAR(rank_wait_us(report, 1), 100 * (120 - 1), 1);
    EXPECT_NEAR(rank_wait_us(report, 2), 100 * (120 - 20), 1);
    ASSERT_EQ(report.transfers.size(), 2U);
    EXPECT_EQ(text_of(report.transfers[1].locality), "other node");
    EXPECT_NEAR(report.transfers[1].possible_s, 20e-6, 1e-9);
}

// Waiting is part of each time, and adds up to the same whatever it is listed by.
TEST(MessageWaits, SumsAgree)
{
    auto ranks = planted_ranks(3, 500 * ms);
    add_baseline(ranks[0], 2 * us, 200 * us);
    ranks[0].texts[1].second = "node01";
    const uint32_t pair = add_communicator(ranks, {1, 2}, 9);
    for (uint32_t r = 0; r < 3; r++) {
        ranks[r].modules = {{}, make_module("/bin/app", "00ff")};
        ranks[r].callsites = {{}, make_callsite(0, 1, 0x10), make_callsite(0, 1, 0x20)};
        ranks[r].regions = {{}, {}, make_region("solve", 0, 1, 300 * ms)};
        PlantedJournal world(ranks[r]);
        for (int i = 0; i < 50; i++) {
            world.add(f_allreduce, (r == 1 ? 50 : 500) * us);
            world.add(f_bcast, (r == 0 ? 5 : 300) * us, 0);
        }
        world.close();
        if (r > 0) {
            PlantedJournal small(ranks[r], pair);
            for (int i = 0; i < 20; i++)
                small.add(f_barrier, r * 200 * us);
            small.close();
        }
        add_messages(ranks, r, (r + 1) % 3, 40, 100 * (r + 1), us, 700 * us);
        auto &entries = ranks[r].threads[0].entries;
        entries.push_back(make_completion(f_irecv, 64, 30, 30 * 300 * us, 0, 0));
        entries.push_back(make_entry(f_waitall, 0, 30, 30 * 320 * us));
        entries.push_back(make_entry(f_init, 0, 1, 10 * ms));
        for (size_t i = 0; i < entries.size(); i++) {
            entries[i].callsite = 1 + i % 2;
            entries[i].region = i % 3 == 0 ? 2 : 0;
        }
        for (mprof_operation &operation : ranks[r].operations)
            for (const mprof_entry &entry : entries)
                if (entry.function == operation.function) {
                    operation.callsite = entry.callsite;
                    operation.region = entry.region;
                }
    }
    const Report report = report_of(ranks);
    const double all = report.totals.wait_s.value();
    EXPECT_GT(all, 50e-3);
    const auto expect_sum = [&](const char *what, const auto &rows, auto wait_of, auto time_of) {
        double sum = 0;
        for (const auto &row : rows) {
            const std::optional<double> wait_s = wait_of(row);
            sum += wait_s.value_or(0);
            EXPECT_LE(wait_s.value_or(0), time_of(row) * (1 + 1e-12)) << what;
            EXPECT_GE(wait_s.value_or(0), 0) << what;
        }
        EXPECT_NEAR(sum, all, 1e-9) << what;
    };
    const auto wait_s = [](const auto &row) { return row.wait_s; };
    const auto time_s = [](const auto &row) { return row.time_s; };
    expect_sum("functions", report.functions, wait_s, time_s);
    expect_sum("callsites", report.callsites, wait_s, time_s);
    expect_sum("call lines", report.call_lines, wait_s, time_s);
    expect_sum("communicators", report.communicators, wait_s, time_s);
    expect_sum("ranks", report.ranks, wait_s, [](const RankRow &row) { return row.mpi_s; });
    expect_sum(
        "regions", report.regions, [](const RegionRow &row) { return row.exclusive.wait_s; },
        [](const RegionRow &row) { return row.exclusive.mpi_s; });
    EXPECT_NEAR(*report.regions[0].inclusive.wait_s, all, 1e-9);
    double nodes_s = 0, caused_s = 0;
    for (const NodeRow &row : report.nodes)
        nodes_s += *row.wait_s * static_cast<double>(row.ranks);
    EXPECT_NEAR(nodes_s, all, 1e-9);
    for (const RankRow &row : report.ranks)
        caused_s += *row.caused_wait_s;
    EXPECT_LE(caused_s, all * (1 + 1e-9));
    for (const FunctionRow &row : report.functions) {
        if (row.function == "MPI_Init") {
            EXPECT_EQ(row.wait_s, std::nullopt) << "nothing tells";
        }
    }
}

// ---- the cost curve -----------------------------------------------------------------------------

TEST(CostCurve, NeverFallsAndNeverRisesMuchFasterThanTheSize)
{
    CostCurve curve;
    curve.add(8, 4e-6);
    curve.add(1024, 2e-6);  // so 8 B cannot cost more
    curve.add(65'536, 20e-6);
    curve.add(262'144, 900e-6);  // disturbed: at most twice the four times
    curve.close();
    EXPECT_DOUBLE_EQ(curve.between(8), 2e-6);
    EXPECT_DOUBLE_EQ(curve.between(1), 2e-6);
    EXPECT_DOUBLE_EQ(curve.between(65'536), 20e-6);
    EXPECT_DOUBLE_EQ(curve.between(262'144), 160e-6);
    EXPECT_DOUBLE_EQ(curve.between(8'192), 2e-6 * std::sqrt(10)) << "half way of the logarithms";
    EXPECT_DOUBLE_EQ(curve.at_most(8'192), 20e-6);
    EXPECT_DOUBLE_EQ(curve.between(1'048'576), 640e-6) << "by the last one's bandwidth";
}

TEST(CostCurve, SmallMessagesTellNoBandwidth)
{
    CostCurve curve;
    curve.add(8, 2e-6);
    curve.close();
    EXPECT_LT(curve.between(1'048'576), 2e-3);
    EXPECT_GT(curve.between(1'048'576), 0.5e-3);
}

}  // namespace
