// Several threads of a rank in MPI.
#include "planted_ranks.h"
#include "report_of.h"

#include <gtest/gtest.h>

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

}  // namespace
