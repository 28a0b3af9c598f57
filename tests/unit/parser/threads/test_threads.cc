// Several threads of a rank in MPI: whatever is a part of the wall clock is of one of them, the MPI
// thread, which spent most time there. Else shares exceed 100 and waiting exceeds MPI.
#include "planted_ranks.h"
#include "report_of.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace mprof;
using namespace mprof_test;

ThreadContent &thread_of(RankFileContent &rank, size_t number)
{
    while (rank.threads.size() <= number) {
        rank.threads.emplace_back();
        rank.threads.back().facts.threads = 1;
    }
    return rank.threads[number];
}

// Each thread of rank 1 waits 800 ms for 8 B of rank 0, which computes.
std::vector<RankFileContent> six_threads_wait()
{
    auto ranks = planted_ranks(2, 1000 * ms);
    add_baseline(ranks[0], 2 * us, 200 * us);
    ranks[0].threads[0].entries = {make_entry(f_send, 8, 6, 6 * us)};
    ranks[0].threads[0].partners = {messages_with(MPROF_PARTNER_SENT, 1, 6, 48, 6 * us)};
    for (size_t thread = 0; thread < 6; thread++) {
        ThreadContent &of = thread_of(ranks[1], thread);
        of.entries = {make_entry(f_recv, 8, 1, 800 * ms)};
        of.partners = {messages_with(MPROF_PARTNER_RECEIVED, 0, 1, 8, 800 * ms)};
    }
    return ranks;
}

const SummaryRow &summary_row(const Report &report, const std::string &name)
{
    const auto at = std::find_if(report.summary.begin(), report.summary.end(),
                                 [&](const SummaryRow &row) { return row.name == name; });
    if (at == report.summary.end())
        throw std::runtime_error("no row " + name);
    return *at;
}

double states_of(const RankRow &row)
{
    return row.compute_s + row.wait_thread_s.value() + row.transfer_s.value() + row.file_s.value() +
           row.startup_s.value() + row.own_s;
}

TEST(Threads, EachOfThemMayWaitAsLongAsThePartnerWasAway)
{
    const Report report = report_of(six_threads_wait());
    EXPECT_NEAR(rank_wait_us(report, 1), 6 * 799'998, 10) << "summed over threads";
    EXPECT_NEAR(caused_us(report, 0), 6 * 799'998, 10);
    EXPECT_NE(report.verdict.verdict_class, VerdictClass::latency_bound);
}

// Rank 0 is away for 400 ms only: so long each thread can have waited.
TEST(Threads, ButNoLonger)
{
    auto ranks = six_threads_wait();
    ranks[0].threads[0].entries[0].ticks = 600 * ms;
    EXPECT_NEAR(rank_wait_us(report_of(ranks), 1), 6 * 400'000, 10);
}

// One thread is in messages all the time, the other one is late with its message.
TEST(Threads, APartnersThreadThatWasAwayLongestIsTheOneThatWasWaitedFor)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    add_baseline(ranks[0], 2 * us, 200 * us);
    thread_of(ranks[0], 0).entries = {make_entry(f_recv, 8, 1, 1000 * ms)};
    thread_of(ranks[0], 1).entries = {make_entry(f_send, 8, 1, us)};
    thread_of(ranks[0], 1).partners = {messages_with(MPROF_PARTNER_SENT, 1, 1, 8, us)};
    thread_of(ranks[1], 0).entries = {make_entry(f_recv, 8, 1, 700 * ms)};
    thread_of(ranks[1], 0).partners = {messages_with(MPROF_PARTNER_RECEIVED, 0, 1, 8, 700 * ms)};
    EXPECT_NEAR(rank_wait_us(report_of(ranks), 1), 699'998, 10);
}

TEST(Threads, RowsOfTheSummaryAreOfOneThread)
{
    const Report report = report_of(six_threads_wait());
    EXPECT_NEAR(report.totals.mpi_s, 4.8, 1e-3) << "of all threads";
    EXPECT_NEAR(summary_row(report, "MPI").total.value_or(0), 0.8, 1e-3);
    EXPECT_NEAR(summary_row(report, "waiting").total.value_or(0), 0.8, 1e-3);
    EXPECT_NEAR(report.totals.wait_thread_s.value_or(0), 0.8, 1e-3);
    EXPECT_NEAR(report.totals.comm_percent, 40, 1e-3);
}

TEST(Threads, StatesOfARankAddUpToItsWallclock)
{
    const Report report = report_of(six_threads_wait());
    for (const RankRow &row : report.ranks)
        EXPECT_NEAR(states_of(row), row.wallclock_s, 1e-9) << row.rank;
}

TEST(Threads, SharesOfTheWallclockAreOfTheThreadThatSpentMostInMpi)
{
    auto ranks = planted_ranks(1, 1000 * ms);
    thread_of(ranks[0], 0).entries = {make_entry(f_allreduce, 8, 10, 300 * ms)};
    thread_of(ranks[0], 1).entries = {make_entry(f_recv, 8, 10, 500 * ms),
                                      make_entry(f_allreduce, 8, 10, 100 * ms)};
    const Report report = report_of(ranks);
    EXPECT_NEAR(function(report, "MPI_Recv").wall_percent, 50, 1e-6);
    EXPECT_NEAR(function(report, "MPI_Allreduce").wall_percent, 10, 1e-5);
    EXPECT_NEAR(function(report, "MPI_Allreduce").time_s, 0.4, 1e-9) << "of both threads";
    ASSERT_EQ(report.ranks[0].functions_s.size(), 2U);
    EXPECT_NEAR(report.ranks[0].functions_s[0] + report.ranks[0].functions_s[1], 0.6, 1e-6)
        << "the bar of the rank";
    double communicators_s = 0;
    for (const CommunicatorRow &row : report.communicators)
        communicators_s += row.mpi_thread_s;
    EXPECT_NEAR(communicators_s, 0.6, 1e-6);
}

// Ten receives of 100 ms each are started by one thread and ended by another one: the start is the
// time of the first, whichever of the two is the MPI thread, and wherever a full table put it.
TEST(Threads, AReceiveThatAnotherThreadEndsIsTimeOfTheOneThatStartedIt)
{
    for (const uint64_t more : {0 * ms, 1200 * ms})
        for (const bool is_folded : {false, true}) {
            auto ranks = planted_ranks(1, 3000 * ms);
            auto started = make_entry(f_irecv, 0, 10, 1000 * ms, MPROF_KIND_PENDING);
            auto ended =
                make_entry(f_irecv, 0, 0U - started.calls, 0U - started.ticks, MPROF_KIND_PENDING);
            auto arrived = make_entry(f_irecv, 8, 10, 1000 * ms);
            ranks[0].regions = {{}, {}, make_region("of the receives", 0, 1, 100 * ms)};
            started.region = 2;
            ended.region = arrived.region = is_folded ? 0 : 2;
            thread_of(ranks[0], 0).entries = {started, make_entry(f_allreduce, 8, 1, 10 * ms)};
            thread_of(ranks[0], 1).entries = {ended, arrived,
                                              make_entry(f_allreduce, 8, 1, 20 * ms + more)};
            const Report report = report_of(ranks);
            const double all_s = more > 0 ? 1.22 : 1.01;
            EXPECT_NEAR(report.ranks[0].mpi_thread_s, all_s, 1e-6);
            EXPECT_NEAR(function(report, "MPI_Irecv").time_s, 1, 1e-6);
            EXPECT_NEAR(function(report, "MPI_Irecv").mpi_thread_s, more > 0 ? 0 : 1, 1e-6);
        }
}

// The first 100 ms of both threads are in a region, which they begin each for itself.
TEST(Threads, TheWholeProgramAmongItsRegionsIsOfOneThread)
{
    auto ranks = planted_ranks(1, 1000 * ms);
    ranks[0].regions = {{}, {}, make_region("both", 0, 2, 200 * ms)};
    for (const size_t thread : {0U, 1U}) {
        auto &entries = thread_of(ranks[0], thread).entries;
        entries = {make_entry(f_recv, 8, 10, 900 * ms), make_entry(f_recv, 8, 1, 50 * ms)};
        entries.back().region = 2;
    }
    const Report report = report_of(ranks);
    ASSERT_EQ(report.regions.size(), 2U);
    EXPECT_NEAR(report.regions[0].comm_percent, report.totals.comm_percent, 1e-6);
    EXPECT_NEAR(report.regions[0].compute_s, report.totals.compute_s, 1e-6);
    EXPECT_NEAR(report.regions[0].inclusive.mpi_s, report.totals.mpi_s, 1e-9);
    EXPECT_NEAR(report.regions[1].comm_percent, 50, 1e-6);
    EXPECT_LE(report.regions[1].wall_percent, 100);
}

// Both threads are in a call when the rank is killed. The one that computed until then has little
// MPI so far.
TEST(Threads, CallsInProgressOfAllThreadsCount)
{
    auto rank = killed_rank(0, 1, 2, 101 * ms);  // MPI_Recv
    rank.threads.push_back(rank.threads[0]);
    rank.threads[1].facts.ticks = 901 * ms;
    rank.threads[1].entries = {make_entry(allreduce, 8, 10, 200 * ms)};
    const Report report = report_of({rank});
    EXPECT_NEAR(function(report, "MPI_Recv").time_s, 0.8, 1e-3);
    EXPECT_NEAR(report.ranks[0].mpi_thread_s, 0.8, 1e-3) << "the thread that hangs";
    EXPECT_LE(report.ranks[0].comm_percent, 100);
}

}  // namespace
