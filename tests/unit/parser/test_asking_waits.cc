// Locks that programs make of MPI_Fetch_and_op: ranks that ask again and again wait. And programs
// that make the same calls, of which one thing is different.
#include "planted_ranks.h"
#include "report_of.h"
#include "verdict/planted_runs.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;

// Both ranks work for 550 ms of the second, and ask for 450 ms.
struct LockOfWindow {
    uint64_t asked[2] = {20'000, 15'000};
    uint32_t asks_rank[2] = {0, 0};  // half of the calls each
    uint64_t between_ticks = 50 * ms;
    uint64_t wallclock_ticks = 1000 * ms;
    uint64_t bytes = 8;
};

Report report_of_lock(const LockOfWindow &lock)
{
    Ranks ranks = planted_ranks(2, lock.wallclock_ticks);
    for (size_t r = 0; r < 2; r++) {
        RankFileContent &rank = ranks[r];
        ThreadContent &thread = rank.threads[0];
        rank.functions.emplace_back("MPI_Fetch_and_op");
        rank.functions.emplace_back("MPI_Win_flush");
        const auto flush = static_cast<uint16_t>(rank.functions.size() - 1);
        const auto fetch = static_cast<uint16_t>(flush - 1);
        rank.modules = {{}, make_module("/bin/app", "00ff")};
        rank.callsites = {{}, make_callsite(0, 1, 0x20), make_callsite(0, 1, 0x40)};
        const uint64_t calls = lock.asked[r];
        thread.entries = {make_entry(fetch, lock.bytes, calls, 300 * ms),
                          make_entry(flush, 0, calls, 150 * ms)};
        thread.entries[0].callsite = 1;
        thread.entries[1].callsite = 2;
        for (const uint32_t other : lock.asks_rank) {
            thread.partners.push_back(
                make_partner(MPROF_PARTNER_GET, other, calls / 2, calls / 2 * lock.bytes));
            thread.partners.back().callsite = 1;
        }
        thread.segments = {make_segment(fetch, 1, flush, 2, calls, lock.between_ticks / 2),
                           make_segment(flush, 2, fetch, 1, calls - 500, lock.between_ticks / 2)};
    }
    return report_of(ranks);
}

TEST(AskingWaits, WhoAsksForALockUntilItIsFreeWaits)
{
    const Report report = report_of_lock({});
    EXPECT_NEAR(wait_us(report, "MPI_Fetch_and_op"), 600'000, 1);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "synchronisation bound");
    EXPECT_THAT(report.verdict.sentence, HasSubstr("mostly in MPI_Fetch_and_op (8 B) at app+0x20"));
}

void expect_latency(const LockOfWindow &lock)
{
    const Report report = report_of_lock(lock);
    EXPECT_EQ(function(report, "MPI_Fetch_and_op").wait_s.value_or(0), 0);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "latency bound");
}

TEST(AskingWaits, WhoseCallsAreCountedOutDoesNotWait)
{
    expect_latency({.asked = {20'000, 20'000}});
}

// A table that all ranks have a part of.
TEST(AskingWaits, WhoAsksSeveralRanksLooksSomethingUp)
{
    expect_latency({.asks_rank = {0, 1}});
}

TEST(AskingWaits, WhoseAnswersAreLargeMovesThem)
{
    expect_latency({.bytes = 1024});
}

// The counter of a work pool: each call is for a piece of work.
TEST(AskingWaits, WhoWorksBetweenTheCallsDoesNotWait)
{
    expect_latency({.between_ticks = 540 * ms});
}

// All ask at once.
TEST(AskingWaits, WhereNobodyWorksMeanwhileNobodyIsWaitedFor)
{
    expect_latency({.wallclock_ticks = 500 * ms});
}

}  // namespace
