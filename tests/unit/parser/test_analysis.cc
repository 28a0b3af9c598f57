// The arithmetic of the report against numbers worked out by hand (they are in the comments).
#include "report_of.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::ElementsAre;
using testing::HasSubstr;

// Two ranks of 1 ms; a clock read costs 10 ns.
// rank 0: 10 sends of 800 B in 5,100 ns -> 5,000 ns net; 100 allreduces of 8 B in 201,000 ->
// 200,000 ns net rank 1: 10 receives of 800 B in 300,100 -> 300,000 net; 100 allreduces of 8 B in
// 101,000 -> 100,000 net
std::vector<RankFileContent> two_ranks()
{
    RankFileContent zero = sample_rank(0, 2, 1'000'000);
    zero.clock.read_ticks = 10;
    zero.clock.record_ticks = 40;
    zero.threads[0].entries = {make_entry(send, 800, 10, 5100),
                               make_entry(allreduce, 8, 100, 201'000)};
    zero.threads[0].entries[0].min_ticks = 310;
    zero.threads[0].entries[0].max_ticks = 910;
    zero.threads[0].partners = {make_partner(MPROF_PARTNER_SENT, 1, 10, 8000)};
    RankFileContent one = sample_rank(1, 2, 1'000'000);
    one.clock.read_ticks = 10;
    one.clock.record_ticks = 40;
    one.run.own_ns = 600;
    one.threads[0].entries = {make_entry(recv, 800, 10, 300'100),
                              make_entry(allreduce, 8, 100, 101'000)};
    one.threads[0].partners = {make_partner(MPROF_PARTNER_RECEIVED, 0, 10, 8000)};
    return {zero, one};
}

TEST(Analysis, Functions)
{
    const Report report = report_of(two_ranks());
    ASSERT_EQ(report.functions.size(), 3U);
    // Allreduce and receive both take 300 us: sorted by time, then by name.
    EXPECT_EQ(report.functions[2].function, "MPI_Send");
    const FunctionRow &sum = function(report, "MPI_Allreduce");
    EXPECT_EQ(sum.calls, 200U);
    EXPECT_EQ(sum.bytes, 1600U);
    EXPECT_NEAR(sum.time_s, 300e-6, 1e-15);
    EXPECT_NEAR(sum.mpi_percent, 100 * 300.0 / 605, 1e-9);
    EXPECT_NEAR(sum.wall_percent, 15, 1e-9);
    EXPECT_NEAR(sum.max_over_mean, 200.0 / 150, 1e-9);
    EXPECT_EQ(sum.max_rank, 0U);
    EXPECT_EQ(sum.wait_s, std::nullopt);
    const FunctionRow &sends = function(report, "MPI_Send");
    EXPECT_NEAR(sends.min_s, 300e-9, 1e-15) << "net of one clock read";
    EXPECT_NEAR(sends.max_s, 900e-9, 1e-15);
    EXPECT_NEAR(sends.max_over_mean, 2, 1e-9) << "the mean is over all ranks";
}

TEST(Analysis, RanksAndTotals)
{
    const Report report = report_of(two_ranks());
    ASSERT_EQ(report.ranks.size(), 2U);
    EXPECT_NEAR(report.ranks[0].wallclock_s, 1e-3, 1e-15);
    EXPECT_NEAR(report.ranks[0].mpi_s, 205e-6, 1e-15);
    EXPECT_NEAR(report.ranks[0].compute_s, 795e-6, 1e-15);
    EXPECT_NEAR(report.ranks[0].comm_percent, 20.5, 1e-9);
    EXPECT_NEAR(report.ranks[1].compute_s, 599.4e-6, 1e-15) << "without what mprof took";
    EXPECT_EQ(report.ranks[0].sent_bytes, 8000U);
    EXPECT_EQ(report.ranks[1].sent_bytes, 0U);
    EXPECT_EQ(text_of(report.ranks[0].end), "finalize");
    EXPECT_TRUE(report.ranks[0].complete);
    EXPECT_NEAR(report.totals.mpi_s, 605e-6, 1e-15);
    EXPECT_NEAR(report.totals.comm_percent, 30.25, 1e-9);
    EXPECT_NEAR(report.totals.load_balance, (795.0 + 599.4) / 2 / 795, 1e-9);
    EXPECT_NEAR(report.totals.communication_efficiency, 0.795, 1e-9);
    EXPECT_EQ(report.totals.calls, 220U);
    EXPECT_EQ(report.totals.sent_bytes, 8000U);
    EXPECT_EQ(report.totals.memory_bytes, 200U << 20U);
    EXPECT_NEAR(*report.totals.user_s, 2e-3, 1e-12);
    EXPECT_EQ(report.totals.wait_s, 0) << "of messages; of MPI_Allreduce there is no journal";
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.run.mpi_library, "Open MPI v4.1.4");
    EXPECT_EQ(text_of(report.run.mpi_abi), "openmpi");
    EXPECT_EQ(report.run.start, "2026-10-26T07:33:20.000Z");
}

TEST(Analysis, Summary)
{
    const Report report = report_of(two_ranks());
    ASSERT_GE(report.summary.size(), 4U);
    const SummaryRow &compute = report.summary[1];
    EXPECT_EQ(compute.name, "compute");
    EXPECT_NEAR(*compute.total, 1394.4e-6, 1e-12);
    EXPECT_NEAR(compute.mean, 697.2e-6, 1e-12);
    EXPECT_NEAR(compute.min, 599.4e-6, 1e-12);
    EXPECT_NEAR(compute.max, 795e-6, 1e-12);
    EXPECT_EQ(compute.min_rank, 1U);
    EXPECT_EQ(compute.max_rank, 0U);
}

TEST(Analysis, OwnCost)
{
    // 220 calls of 40 ns and 600 ns of its own, in 2 ms.
    const Report report = report_of(two_ranks());
    EXPECT_NEAR(report.quality.overhead_s, 9400e-9, 1e-15);
    EXPECT_NEAR(report.quality.overhead_percent, 0.47, 1e-9);
    EXPECT_NEAR(report.quality.clock_resolution_s, 10e-9, 1e-18);
}

TEST(Analysis, AClockResolvesNoLessThanATick)
{
    auto ranks = two_ranks();
    const double tick_s = report_of(ranks).quality.clock_resolution_s /
                          static_cast<double>(ranks[0].clock.read_ticks);
    for (auto &rank : ranks)
        rank.clock.read_ticks = 0;  // as on ARM, where a tick is longer than a reading
    EXPECT_NEAR(report_of(ranks).quality.clock_resolution_s, tick_s, 1e-18);
}

TEST(Analysis, TimeIsNeverBelowZero)
{
    auto ranks = two_ranks();
    ranks[0].threads[0].entries = {make_entry(send, 8, 100, 500)};  // 5 ns each, but reading the
                                                                    // clock takes 10
    const Report report = report_of(ranks);
    EXPECT_EQ(function(report, "MPI_Send").time_s, 0);
    EXPECT_EQ(report.ranks[0].mpi_s, 0);
}

TEST(Analysis, MessagesAreExactAndAddUp)
{
    auto ranks = two_ranks();
    ranks[0].threads[0].entries.push_back(make_entry(send, uint64_t{3} << 30U, 2, 100));
    ranks[0].threads[0].entries.push_back(make_entry(send, 100, 7, 0, MPROF_KIND_START));
    ranks[0].threads[0].entries.push_back(make_entry(send, 55, 3, 0, MPROF_KIND_RECEIVED));
    const Report report = report_of(ranks);
    uint64_t bytes = 0;
    uint64_t calls = 0;
    for (const MessageRow &row : report.messages) {
        if (row.function != "MPI_Send")
            continue;
        bytes += row.bytes * row.calls;
        if (row.kind != MessageKind::start)
            calls += row.calls;
        EXPECT_EQ(row.sum_bytes, row.bytes * row.calls);
        EXPECT_EQ(text_of(row.precision), "exact");
    }
    const FunctionRow &sends = function(report, "MPI_Send");
    EXPECT_EQ(sends.bytes, 8000 + (uint64_t{6} << 30U) + 700);
    EXPECT_EQ(bytes, sends.bytes);
    EXPECT_EQ(sends.calls, 12U) << "starts are no calls of it";
    EXPECT_EQ(calls, sends.calls);
    EXPECT_EQ(sends.received_bytes, 165U);
    ASSERT_EQ(report.received.size(), 1U);
    EXPECT_EQ(report.received[0].bytes, 55U);
    EXPECT_EQ(report.received[0].calls, 3U);
}

TEST(Analysis, SameSizesOfAllRanksAndThreadsShareARow)
{
    auto ranks = two_ranks();
    ranks[1].threads.push_back(ranks[1].threads[0]);
    const Report report = report_of(ranks);
    int rows = 0;
    for (const MessageRow &row : report.messages) {
        if (row.function != "MPI_Allreduce")
            continue;
        rows++;
        EXPECT_EQ(row.calls, 300U);
    }
    EXPECT_EQ(rows, 1);
}

TEST(Analysis, AReceiveMayBePostedOnOneThreadAndCompletedOnAnother)
{
    auto ranks = two_ranks();
    auto &threads = ranks[0].threads;
    threads.push_back(threads[0]);
    threads[0].entries = {make_entry(irecv, 0, 5, 500, MPROF_KIND_PENDING)};
    threads[1].entries = {make_entry(irecv, 64, 3, 300)};
    mprof_entry minus = make_entry(irecv, 0, 1, 100, MPROF_KIND_PENDING);
    minus.calls = 0 - uint64_t{3};
    minus.ticks = 0 - uint64_t{300};
    threads[1].entries.push_back(minus);
    const Report report = report_of(ranks);
    const FunctionRow &row = function(report, "MPI_Irecv");
    EXPECT_EQ(row.calls, 5U);
    EXPECT_EQ(row.bytes, 192U);
    EXPECT_NEAR(row.time_s, (500 - 50) * 1e-9, 1e-15);
    for (const MessageRow &message : report.messages) {
        if (message.function == "MPI_Irecv" && message.kind == MessageKind::pending) {
            EXPECT_EQ(message.calls, 2U);
        }
    }
}

TEST(Analysis, APendingCallSettledWithLessPrecisionCountsOnce)
{
    auto ranks = two_ranks();
    auto &threads = ranks[0].threads;
    threads.push_back(threads[0]);
    threads[0].entries = {make_entry(irecv, 0, 5, 500, MPROF_KIND_PENDING)};
    mprof_entry minus = make_entry(irecv, 0, 1, 100, MPROF_KIND_PENDING);
    minus.precision = MPROF_PRECISION_FUNCTION;
    minus.communicator = 0;
    minus.calls = 0 - uint64_t{3};
    minus.ticks = 0 - uint64_t{300};
    mprof_entry folded = make_entry(irecv, 0, 3, 300);
    folded.precision = MPROF_PRECISION_FUNCTION;
    folded.communicator = 0;
    folded.bytes = 192;
    threads[1].entries = {minus, folded};
    const Report report = report_of(ranks);
    EXPECT_EQ(function(report, "MPI_Irecv").calls, 5U);
    EXPECT_EQ(function(report, "MPI_Irecv").bytes, 192U);
    EXPECT_NEAR(function(report, "MPI_Irecv").time_s, (500 - 50) * 1e-9, 1e-15);
}

TEST(Analysis, MpiTimeOfSeveralThreadsNeverExceedsTheWallclock)
{
    auto ranks = two_ranks();
    ranks[0].threads[0].entries = {make_entry(recv, 8, 1, 900'010)};
    ranks[0].threads.push_back(ranks[0].threads[0]);
    const Report report = report_of(ranks);
    EXPECT_NEAR(report.ranks[0].mpi_s, 1.8e-3, 1e-12) << "summed over threads";
    EXPECT_NEAR(report.ranks[0].comm_percent, 90, 1e-9) << "of the thread that spent most";
    EXPECT_NEAR(report.ranks[0].compute_s, 1e-4, 1e-12);
    EXPECT_EQ(report.ranks[0].threads, 2U);
}

TEST(Analysis, MatrixIsAsTheSenderSawItAndGetsComeFromTheTarget)
{
    auto ranks = two_ranks();
    ranks[1].threads[0].partners = {make_partner(MPROF_PARTNER_RECEIVED, 0, 10, 8000),
                                    make_partner(MPROF_PARTNER_GET, 0, 2, 100),
                                    make_partner(MPROF_PARTNER_PUT, 0, 3, 30),
                                    make_partner(MPROF_PARTNER_SENT, MPROF_RANK_OTHER, 5, 500),
                                    make_partner(MPROF_PARTNER_SENT, MPROF_RANK_OUTSIDE, 6, 600)};
    const Report report = report_of(ranks);
    ASSERT_EQ(report.matrix.size(), 2U);
    EXPECT_EQ(report.matrix[0].source, 0U);
    EXPECT_EQ(report.matrix[0].destination, 1U);
    EXPECT_EQ(report.matrix[0].messages, 12U);
    EXPECT_EQ(report.matrix[0].bytes, 8100U);
    EXPECT_EQ(report.matrix[0].one_sided_messages, 2U);
    EXPECT_EQ(report.matrix[0].one_sided_bytes, 100U);
    EXPECT_EQ(report.matrix[1].bytes, 30U);
    EXPECT_EQ(report.top_partners[0].bytes, 8100U);
    EXPECT_EQ(report.quality.other_bytes, 500U);
    EXPECT_EQ(report.quality.outside_messages, 6U);
    EXPECT_EQ(report.totals.sent_bytes, 8000U + 30 + 500 + 600);
}

TEST(Analysis, CommunicatorsAreTheSameByIdentity)
{
    auto ranks = two_ranks();
    for (uint32_t rank = 0; rank < 2; rank++) {
        auto &table = ranks[rank].communicators;
        table.push_back(mprof_test::make_communicator(0, 0, ""));  // slot 3: all others
        for (uint64_t i = 0; i < 2; i++) {
            table.push_back(mprof_test::make_communicator(2, rank, ""));
            table.back().identity = rank == 0 ? 100 + i : 101 - i;  // the other way round
            table.back().made_by = allreduce + 1;
        }
        ranks[rank].threads[0].entries.push_back(make_entry(send, 1, 4, 40));
        ranks[rank].threads[0].entries.back().communicator = rank == 0 ? 4 : 5;  // identity 100
    }
    const Report report = report_of(ranks);
    int found = 0;
    for (const CommunicatorRow &row : report.communicators) {
        if (row.name == "MPI_COMM_WORLD") {
            EXPECT_EQ(row.calls, 220U);
            EXPECT_EQ(row.ranks, 2U);
        }
        if (row.identity != "0000000000000064")
            continue;
        found++;
        EXPECT_EQ(row.calls, 8U);
        EXPECT_EQ(row.ranks, 2U);
        EXPECT_EQ(row.made_by, "MPI_Allreduce");
    }
    EXPECT_EQ(found, 1);
    EXPECT_EQ(report.communicators.size(), 5U);  // world, self, others, 100, 101
}

TEST(Analysis, AKilledRankTellsWhereItWas)
{
    auto ranks = two_ranks();
    ranks[1] = mprof_test::killed_rank(1, 2, recv, 1000 + 2'500'000);
    const Report report = report_of(ranks);
    const RankRow &row = report.ranks[1];
    EXPECT_FALSE(report.complete());
    EXPECT_EQ(text_of(report.run.end), "killed or still running");
    EXPECT_EQ(row.in_call, "MPI_Recv");
    EXPECT_NEAR(*row.in_call_since_s, 2.5e-3, 1e-12);
    EXPECT_EQ(row.in_call_peer, 0);
    EXPECT_NEAR(row.wallclock_s, 2.5e-3, 1e-12) << "to the last sign of life";
    EXPECT_EQ(row.user_s, std::nullopt);
    EXPECT_EQ(row.memory_bytes, std::nullopt);
    EXPECT_THAT(
        report.quality.remarks,
        testing::Contains(
            "rank 1: killed or still running, last seen in MPI_Recv (peer 0), entered at 2.50 ms"));
    EXPECT_THAT(report.verdict.extra,
                ElementsAre(HasSubstr("INCOMPLETE PROFILE: 1 of 2 ranks finished, 2 read")));
}

// Another rank's exit status makes mpirun kill this one between MPI_Finalize and the finished file.
TEST(Analysis, ARankKilledAfterMpiFinalizeIsComplete)
{
    auto ranks = two_ranks();
    ranks[1].finished = false;
    const Report report = report_of(ranks);
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(text_of(report.run.end), "completed");
    EXPECT_EQ(report.quality.ranks_finished, 2U);
    EXPECT_TRUE(report.verdict.extra.empty());
}

TEST(Analysis, AnAbortIsNamed)
{
    auto ranks = two_ranks();
    ranks[0] = mprof_test::killed_rank(0, 2, recv, 5000);
    ranks[0].run.end = MPROF_END_ABORT;
    ranks[0].run.end_code = 3;
    const Report report = report_of(ranks);
    EXPECT_EQ(text_of(report.run.end), "aborted");
    EXPECT_THAT(report.quality.remarks, testing::Contains(HasSubstr("rank 0: aborted (code 3)")));
}

TEST(Analysis, ARankKilledInInitBorrowsTheRateOfItsHost)
{
    auto ranks = two_ranks();
    for (auto &rank : ranks)
        rank.clock.kind = MPROF_CLOCK_TSC;
    ranks[0].clock.latest = {2'001'000, 1'001'000, 2'001'000};  // 2 ticks per ns
    ranks[1] = mprof_test::killed_rank(1, 2, init, 1000);
    ranks[1].clock.kind = MPROF_CLOCK_TSC;
    ranks[1].clock.latest = {0, 0, 0};
    ranks[1].threads[0].facts.ticks = 1000 + 4'000'000;
    const Report report = report_of(ranks);
    EXPECT_NEAR(report.ranks[1].wallclock_s, 2e-3, 1e-12);
}

TEST(Analysis, LostDetailIsCounted)
{
    auto ranks = two_ranks();
    ranks[0].threads[0].facts.binned_calls = 20;
    ranks[1].threads[0].facts.folded_calls = 2;
    ranks[1].threads[0].facts.folded_messages = 9;
    const Report report = report_of(ranks);
    EXPECT_NEAR(report.quality.dropped_percent, 10, 1e-9);
    EXPECT_THAT(
        report.quality.remarks[0],
        HasSubstr("20 calls with only a power of two as size, 2 calls with only the function, "
                  "9 messages without a partner for lack of space (totals are exact)"));
}

TEST(Analysis, LostCallsAreSaidFirstAndTotalsNotCalledExact)
{
    auto ranks = two_ranks();
    ranks[0].run.lost_calls = 3;
    ranks[0].run.unjournaled_collectives = 1;
    ranks[1].run.untracked_communicators = 7;
    ranks[1].threads[0].facts.lost_calls = 4;
    ranks[1].threads[0].facts.unplaced_messages = 2;
    const Report report = report_of(ranks);
    EXPECT_EQ(report.quality.lost_calls, 7U);
    EXPECT_NEAR(report.quality.dropped_percent, 100.0 * 7 / 227, 1e-9);
    EXPECT_THAT(report.quality.remarks[0],
                HasSubstr("7 calls LOST, 2 messages without a call site, 7 uses of communicators, "
                          "windows or files that were not kept, 1 collective in no journal for "
                          "lack of space,"));
}

// 1 tick = 1 ns. Of 1,000,000 ticks of untimed stretches 202,000 went to 100 polls, 20 of them
// each for a read of the clock that did not happen; in 100,000 ticks of timed stretches the rule
// was wrong by the root of 4,000,000 ticks, in ten times as many by ten times that.
TEST(Analysis, UntimedCallsAreToldWithTheErrorOfTheirTime)
{
    auto ranks = two_ranks();
    const auto before = report_of(ranks).quality;
    ranks[0].clock.read_ticks = 20;
    ranks[0].clock.record_ticks = 100;
    const double overhead_s = report_of(ranks).quality.overhead_s;
    mprof_thread &facts = ranks[0].threads[0].facts;
    facts.untimed_calls = 100;
    facts.untimed_poll_ticks = 202'000;
    facts.untimed_ticks = 1'000'000;
    facts.timed_poll_ticks = 100'000;
    facts.poll_error_squares = 4'000'000;
    const Quality quality = report_of(ranks).quality;
    EXPECT_EQ(before.untimed_calls, 0U);
    EXPECT_THAT(before.remarks, Not(Contains(HasSubstr("poll"))));
    EXPECT_EQ(quality.untimed_calls, 100U);
    EXPECT_NEAR(quality.untimed_s, 200e-6, 1e-12);
    EXPECT_NEAR(quality.untimed_error_s, 20e-6, 1e-12);
    EXPECT_NEAR(overhead_s - quality.overhead_s, 100 * 2 * 20e-9, 1e-12);
    EXPECT_THAT(quality.remarks, Contains(HasSubstr("of 100 calls that poll (45% of all)")));
    EXPECT_THAT(quality.remarks, Contains(HasSubstr("200 us +- 20.0 us")));
}

}  // namespace
