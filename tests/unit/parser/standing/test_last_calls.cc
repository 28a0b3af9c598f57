// What ranks did last: planted calls come out in order, with their times, partners and places.
#include "planted_ranks.h"
#include "report_of.h"

#include "render/render_report.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace last_calls_tests {
namespace {

using namespace mprof;
using namespace mprof_test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uint64_t start_ns = 1'700'000'000'000'000'000;
constexpr uint64_t second = 1'000'000'000;

// Ranks that have not ended, the n-th of which began n seconds after the first one.
std::vector<RankFileContent> live_ranks(uint32_t ranks)
{
    std::vector<RankFileContent> all = planted_ranks(ranks, 10 * second);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        all[rank].finished = false;
        all[rank].run.end = MPROF_END_NONE;
        all[rank].run.start_realtime_ns = start_ns + rank * second;
        mprof_thread &facts = all[rank].threads[0].facts;
        facts.in_call = 0;
        facts.last_function = f_init + 1;
        facts.ticks = all[rank].clock.start.ticks_after + second;
    }
    return all;
}

void add_call(RankFileContent &rank, uint16_t function, uint64_t since_ns, uint64_t ticks,
              uint32_t bytes, int32_t peer = MPROF_NO_PEER, size_t thread = 0)
{
    mprof_last_call call{};
    call.start_ticks = rank.clock.start.ticks_after + since_ns;
    call.ticks = ticks;
    call.function = static_cast<uint16_t>(function + 1);
    call.communicator = MPROF_COMM_SLOT_WORLD;
    call.peer = peer;
    call.bytes = bytes;
    rank.threads[thread].last_calls.push_back(call);
}

void enter(RankFileContent &rank, uint16_t function, uint64_t since_ns, int32_t peer)
{
    mprof_thread &facts = rank.threads[0].facts;
    facts.in_call = function + 1U;
    facts.call_communicator = MPROF_COMM_SLOT_WORLD;
    facts.call_peer = peer;
    facts.ticks = rank.clock.start.ticks_after + since_ns;
}

std::vector<std::string> calls_of(const Report &report, uint32_t rank)
{
    std::vector<std::string> calls;
    for (const LastCallRow &row : report.last_calls)
        if (row.rank == rank)
            calls.push_back(row.call);
    return calls;
}

Observation seen_running()
{
    return {true, true, start_ns + 100 * second, {}};
}

TEST(LastCalls, StandInTheOrderInWhichTheyBegan)
{
    auto ranks = live_ranks(2);
    add_call(ranks[1], f_recv, 5 * second, 2 * ms, 4096, 0);  // the ring begins anywhere
    add_call(ranks[1], f_test, 6 * second, 30 * ms, 1200);
    add_call(ranks[1], f_send, 3 * second, 5 * us, 8, 0);
    add_call(ranks[1], f_allreduce, 4 * second, ms, 16);
    const Report report = report_of(ranks);
    ASSERT_EQ(report.last_calls.size(), 4U);
    EXPECT_THAT(calls_of(report, 1), ElementsAre("MPI_Send to rank 0", "MPI_Allreduce",
                                                 "MPI_Recv from rank 0", "MPI_Test"));
    const LastCallRow &send = report.last_calls[0], &polls = report.last_calls[3];
    EXPECT_EQ(send.function, "MPI_Send");
    EXPECT_EQ(send.communicator, "MPI_COMM_WORLD");
    EXPECT_EQ(send.peer, 0);
    EXPECT_EQ(send.bytes, 8U);
    EXPECT_FALSE(send.polls);
    EXPECT_NEAR(send.began_s, 4, 1e-9) << "1 s after rank 0 plus 3 s";
    EXPECT_NEAR(*send.time_s, 5e-6, 1e-12);
    EXPECT_EQ(polls.polls, 1200U);
    EXPECT_FALSE(polls.bytes);
    EXPECT_NEAR(*polls.time_s, 0.03, 1e-9) << "all of them";
    EXPECT_THAT(render_standing(report, 80, 1), HasSubstr("1200 polls"));
}

TEST(LastCalls, AreOneRunOfPollsThoughTheProcessWasKilledBeforeItJoinedThem)
{
    auto ranks = live_ranks(1);
    add_call(ranks[0], f_test, 3 * second, 30 * ms, 3);
    add_call(ranks[0], f_send, 4 * second, us, 8, 0);
    add_call(ranks[0], f_test, 5 * second, 30 * ms, 2);
    add_call(ranks[0], f_test, 5 * second + 40 * ms, ms, 1);
    const Report report = report_of(ranks);
    EXPECT_THAT(calls_of(report, 0), ElementsAre("MPI_Test", "MPI_Send to rank 0", "MPI_Test"));
    EXPECT_EQ(report.last_calls[0].polls, 3U);
    EXPECT_EQ(report.last_calls[2].polls, 3U);
    EXPECT_NEAR(*report.last_calls[2].time_s, 0.041, 1e-9);
}

TEST(LastCalls, Are32AlsoIfTwoOfThemAreJoined)
{
    auto ranks = live_ranks(1);
    for (uint32_t i = 0; i < 40; i++)
        add_call(ranks[0], f_send, 3 * second + i * ms, us, 8, 0);
    add_call(ranks[0], f_test, 5 * second, 30 * ms, 2);
    add_call(ranks[0], f_test, 5 * second + 40 * ms, ms, 1);
    EXPECT_EQ(report_of(ranks).last_calls.size(), 32U);
}

TEST(LastCalls, EndWithTheCallInProgress)
{
    auto ranks = live_ranks(2);
    add_call(ranks[0], f_send, 3 * second, 5 * us, 8, 1);
    enter(ranks[0], f_recv, 4 * second, 1);
    const Report report = report_of(ranks);
    EXPECT_THAT(calls_of(report, 0), ElementsAre("MPI_Send to rank 1", "MPI_Recv from rank 1"));
    EXPECT_FALSE(report.last_calls[1].time_s);
    EXPECT_NEAR(report.last_calls[1].began_s, 4, 1e-9);
    EXPECT_THAT(render_standing(report, 80),
                HasSubstr("#     3.000000   5.00 us MPI_Send to rank 1                8 B\n"
                          "#     4.000000  not over MPI_Recv from rank 1\n"));
}

TEST(LastCalls, AreThe32NewestOfAllThreads)
{
    auto ranks = live_ranks(1);
    ranks[0].threads.push_back(ranks[0].threads[0]);
    for (uint32_t i = 0; i < 40; i++)
        add_call(ranks[0], f_send, (i + 1) * ms, us, i, 0, i % 2);
    const Report report = report_of(ranks);
    ASSERT_EQ(report.last_calls.size(), 32U);
    for (uint32_t i = 0; i < 32; i++) {
        EXPECT_EQ(report.last_calls[i].bytes, i + 8);
        EXPECT_EQ(report.last_calls[i].thread, i % 2);
    }
    EXPECT_THAT(render_standing(report, 120), HasSubstr("thread 1: MPI_Send to rank 0"));
}

TEST(LastCalls, AreNotOfRanksThatEndedNormally)
{
    auto ranks = live_ranks(3);
    for (RankFileContent &rank : ranks)
        add_call(rank, f_send, 3 * second, us, 8, 1);
    ranks[1].run.end = MPROF_END_FINALIZE;
    ranks[2].run.end = MPROF_END_ABORT;
    const Report report = report_of(ranks);
    EXPECT_THAT(calls_of(report, 0).size(), 1U);
    EXPECT_THAT(calls_of(report, 1), IsEmpty());
    EXPECT_THAT(calls_of(report, 2).size(), 1U);
    EXPECT_EQ(report.standing.look_at.front(), 2U) << "it called MPI_Abort";
}

// 63 wait for one: it is looked at, though it began as the 38th.
TEST(LastCalls, AreThoseOfTheRankThatOthersWaitFor)
{
    auto ranks = live_ranks(64);
    for (uint32_t rank = 0; rank < 64; rank++) {
        add_call(ranks[rank], f_send, 3 * second, us, 8, 1);
        if (rank != 37)
            enter(ranks[rank], f_allreduce, 64 * second, MPROF_NO_PEER);
    }
    const Report report = report_of(ranks, {}, seen_running());
    EXPECT_THAT(report.standing.look_at, ElementsAre(37U));
    const std::string text = render_standing(report, 80);
    EXPECT_THAT(text, HasSubstr("rank 37 did last"));
    EXPECT_THAT(text, Not(HasSubstr("rank 36 did last")));
    EXPECT_THAT(render_standing(report, 80, 36), HasSubstr("rank 36 did last"));
    EXPECT_THAT(render_standing(report, 80, 64),
                HasSubstr("the last calls of rank 64 are not known"));
    EXPECT_THAT(render_text(report, 80), HasSubstr("rank 37 did last"));
}

TEST(LastCalls, AreThreeRanksInTextAndAllInJson)
{
    auto ranks = live_ranks(5);
    for (uint32_t rank = 0; rank < 5; rank++) {
        add_call(ranks[rank], f_send, 3 * second, us, 8, 1);
        enter(ranks[rank], f_recv, 64 * second, static_cast<int32_t>((rank + 1) % 5));
    }
    const Report report = report_of(ranks, {}, seen_running());
    EXPECT_THAT(report.standing.look_at, ElementsAre(0U, 1U, 2U, 3U, 4U)) << "they are a ring";
    const std::string text = render_standing(report, 80);
    EXPECT_THAT(text, HasSubstr("rank 2 did last"));
    EXPECT_THAT(text, Not(HasSubstr("rank 3 did last")));
    const auto all = nlohmann::json::parse(render_standing_json(report));
    EXPECT_EQ(all["last_calls"].size(), 10U);
    EXPECT_EQ(all["last_calls"][9]["function"], "MPI_Recv");
    EXPECT_EQ(all["last_calls"][9]["time_s"], nullptr);
    const auto one = nlohmann::json::parse(render_standing_json(report, 3));
    EXPECT_EQ(one["last_calls"].size(), 2U);
    EXPECT_EQ(one["last_calls"][0]["rank"], 3);
    EXPECT_EQ(nlohmann::json::parse(render_json(report))["last_calls"], all["last_calls"]);
}

}  // namespace
}  // namespace last_calls_tests
