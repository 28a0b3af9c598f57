// Where ranks stand that have not ended, and what `mprof hang` says of it. The hangs are planted,
// so it is known which rank is to blame.
#include "planted_ranks.h"
#include "report_of.h"

#include "render/json/render_json.h"
#include "render/text/render_standing.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr uint64_t start_ns = 1'700'000'000'000'000'000;
constexpr uint64_t second = 1'000'000'000;

// Ranks that are still there: all began at the same moment and are outside MPI since second 1.
std::vector<RankFileContent> live_ranks(uint32_t ranks)
{
    std::vector<RankFileContent> all = planted_ranks(ranks, second);
    for (RankFileContent &rank : all) {
        rank.finished = false;
        rank.run.end = MPROF_END_NONE;
        rank.run.start_realtime_ns = start_ns;
        rank.threads[0].facts.in_call = 0;
        rank.threads[0].facts.last_function = f_init + 1;
        rank.threads[0].facts.ticks = rank.clock.start.ticks_after + second;
    }
    return all;
}

void enter(RankFileContent &rank, uint16_t function, uint64_t since_ns,
           uint32_t communicator = MPROF_COMM_SLOT_WORLD, int32_t peer = MPROF_NO_PEER)
{
    mprof_thread &facts = rank.threads[0].facts;
    facts.in_call = function + 1U;
    facts.call_communicator = communicator;
    facts.call_peer = peer;
    facts.ticks = rank.clock.start.ticks_after + since_ns;
}

// As seen running 100 s after the start.
Observation seen_running(std::set<uint32_t> gone = {})
{
    return {true, true, start_ns + 100 * second, std::move(gone)};
}

Standing standing_of(const std::vector<RankFileContent> &ranks, const Observation &observation)
{
    return report_of(ranks, {}, observation).standing;
}

TEST(Standing, BlamesTheRankThatACollectiveLacks)
{
    auto ranks = live_ranks(64);
    for (uint32_t rank = 0; rank < 64; rank++)
        if (rank != 37)
            enter(ranks[rank], f_allreduce, 20 * second);
    ranks[37].threads[0].facts.last_function = f_recv + 1;
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(text_of(standing.state), "running");
    EXPECT_EQ(standing.headline, "63 ranks in MPI_Allreduce wait for rank 37, which is outside "
                                 "MPI, for 99.0 s, after MPI_Recv");
    ASSERT_EQ(standing.rows.size(), 2U);
    EXPECT_EQ(standing.rows[0].text, "63 ranks in MPI_Allreduce, for 80.0 s: 0-36 38-63");
    EXPECT_EQ(text_of(standing.rows[0].state), "in call");
    EXPECT_EQ(standing.rows[1].text, "rank 37 outside MPI, after MPI_Recv, for 99.0 s");
    EXPECT_DOUBLE_EQ(standing.rows[1].since_s, 1);
    EXPECT_DOUBLE_EQ(standing.rows[1].longest_s, 99);
}

// A node was lost, and its ranks' files with it.
TEST(Standing, NamesTheRanksOfWhichNothingIsKnown)
{
    auto ranks = live_ranks(6);
    for (RankFileContent &rank : ranks)
        enter(rank, f_allreduce, 20 * second);
    ranks.resize(4);
    Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(standing.headline,
              "4 ranks in MPI_Allreduce wait for ranks 4-5, of which nothing is known");
    EXPECT_EQ(standing.missing, "2 ranks without a readable file, of which nothing is known: 4-5");
    const Report report = report_of(ranks, {}, seen_running());
    EXPECT_THAT(render_standing(report, 120), HasSubstr("missing  : " + standing.missing));
    EXPECT_EQ(nlohmann::json::parse(render_json(report))["standing"]["missing"], standing.missing);

    ranks[1].threads[0].facts.in_call = 0;  // one that is known is to blame
    standing = standing_of(ranks, seen_running());
    EXPECT_THAT(standing.headline, HasSubstr("3 ranks in MPI_Allreduce wait for rank 1"));

    for (RankFileContent &rank : ranks)
        rank.run.end = MPROF_END_FINALIZE;
    standing = standing_of(ranks, seen_running());
    EXPECT_EQ(text_of(standing.state), "ended");
    EXPECT_THAT(standing.missing, HasSubstr("4-5"));
}

// What ranks are in counts, as far as it is known to have lasted.
TEST(Standing, TheCallInProgressIsTimeInMpi)
{
    auto ranks = live_ranks(3);
    enter(ranks[0], f_allreduce, 20 * second);
    enter(ranks[1], f_allreduce, 70 * second);
    const Report report = report_of(ranks, {}, seen_running());
    for (const RankRow &row : report.ranks)
        EXPECT_NEAR(row.wallclock_s, 100, 1e-6) << "until now, also of one that computes";
    const double before_s = report_of(live_ranks(3)).ranks[0].mpi_s;
    EXPECT_NEAR(report.ranks[0].mpi_s, before_s + 80, 1e-6);
    EXPECT_NEAR(report.ranks[0].compute_s, 20 - before_s, 1e-6);
    EXPECT_NEAR(report.ranks[1].mpi_s, before_s + 30, 1e-6);
    EXPECT_NEAR(report.ranks[2].compute_s, 100 - before_s, 1e-6);
    const auto row = std::find_if(report.functions.begin(), report.functions.end(),
                                  [](const auto &f) { return f.function == "MPI_Allreduce"; });
    const Report before = report_of(live_ranks(3));
    const auto old = std::find_if(before.functions.begin(), before.functions.end(),
                                  [](const auto &f) { return f.function == "MPI_Allreduce"; });
    ASSERT_NE(row, report.functions.end());
    EXPECT_NEAR(row->time_s - (old == before.functions.end() ? 0 : old->time_s), 110, 1e-6);
    EXPECT_EQ(row->calls, old == before.functions.end() ? 0 : old->calls) << "when it returns";
}

TEST(Standing, AJobThatIsGoneEndsWithTheLastSignOfLifeOfAnyRank)
{
    auto ranks = live_ranks(3);
    enter(ranks[0], f_allreduce, 20 * second);
    enter(ranks[1], f_allreduce, 70 * second);
    Report report = report_of(ranks);
    EXPECT_NEAR(report.ranks[0].wallclock_s, 70, 1e-6);
    EXPECT_NEAR(report.ranks[1].wallclock_s, 70, 1e-6);
    EXPECT_NEAR(report.ranks[2].wallclock_s, 1, 1e-6) << "nobody knows what it did later";
    report = report_of(ranks, {}, seen_running({0}));
    EXPECT_NEAR(report.ranks[0].wallclock_s, 20, 1e-6) << "its process is gone";
    EXPECT_NEAR(report.ranks[1].wallclock_s, 100, 1e-6);
}

// Nothing tells how long a job hung that was killed: only since when.
TEST(Standing, SaysSinceWhenOfAJobThatIsNotThereAnyMore)
{
    auto ranks = live_ranks(3);
    enter(ranks[0], f_allreduce, 20 * second);
    enter(ranks[1], f_allreduce, 22 * second);
    const Standing standing = standing_of(ranks, {});
    EXPECT_EQ(text_of(standing.state), "killed or still running") << "nobody looked";
    EXPECT_EQ(text_of(standing_of(ranks, {true, false, 0, {}}).state), "not running any more");
    EXPECT_EQ(standing.headline, "2 ranks in MPI_Allreduce wait for rank 2, which is outside MPI, "
                                 "since 1.00 s after the start, after MPI_Init");
    EXPECT_EQ(standing.rows[0].text, "2 ranks in MPI_Allreduce, since 20.0 s after the start: 0-1");
}

TEST(Standing, IsWhatTheReportOfAJobThatDidNotEndBeginsWith)
{
    auto ranks = live_ranks(3);
    enter(ranks[0], f_allreduce, 20 * second);
    enter(ranks[1], f_allreduce, 22 * second);
    const Report killed = report_of(ranks);
    EXPECT_THAT(killed.verdict.headline,
                StartsWith("DID NOT END: " + killed.standing.headline + ". Until then "));
    EXPECT_THAT(killed.verdict.sentence, StartsWith("Did not end: 2 ranks in MPI_Allreduce"));
    EXPECT_THAT(killed.verdict.gain, IsEmpty()) << "of a run whose length is not known";
    EXPECT_THAT(report_of(ranks, {}, seen_running()).verdict.headline,
                StartsWith("STILL RUNNING: 2 ranks in MPI_Allreduce wait for rank 2"));
}

TEST(Standing, ComparesRanksByTheClockOfTheDay)
{
    auto ranks = live_ranks(2);
    ranks[1].run.start_realtime_ns = start_ns + 10 * second;
    enter(ranks[0], f_barrier, 20 * second);
    enter(ranks[1], f_barrier, 50 * second);
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(standing.rows[0].text, "2 ranks in MPI_Barrier, for 40.0 s to 80.0 s: 0-1");
    EXPECT_THAT(standing.headline, IsEmpty()) << "all are in it: who is to blame?";
}

TEST(Standing, FindsARing)
{
    auto ranks = live_ranks(4);
    for (uint32_t rank = 0; rank < 3; rank++)
        enter(ranks[rank], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD,
              static_cast<int32_t>((rank + 1) % 3));
    enter(ranks[3], f_barrier, 5 * second);
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(
        standing.headline,
        "a ring of ranks that wait for each other: rank 0 in MPI_Recv waits for rank 1, rank 1 "
        "in MPI_Recv waits for rank 2, rank 2 in MPI_Recv waits for rank 0");
}

TEST(Standing, FindsARingThatOthersWaitFor)
{
    auto ranks = live_ranks(3);
    enter(ranks[0], f_send, 5 * second, MPROF_COMM_SLOT_WORLD, 1);
    enter(ranks[1], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 2);
    enter(ranks[2], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 1);
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(
        standing.headline,
        "a ring of ranks that wait for each other: rank 1 in MPI_Recv waits for rank 2, rank 2 "
        "in MPI_Recv waits for rank 1");
    EXPECT_THAT(standing.rows[1].text, StartsWith("rank 0 in MPI_Send to rank 1, for 95.0 s"));
}

TEST(Standing, FollowsAChainToItsEnd)
{
    auto ranks = live_ranks(3);
    enter(ranks[0], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 1);
    enter(ranks[1], f_recv, 4 * second, MPROF_COMM_SLOT_WORLD, 2);
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(standing.headline,
              "rank 0 in MPI_Recv waits for rank 1, rank 1 in MPI_Recv waits for rank 2, which is "
              "outside MPI, for 99.0 s, after MPI_Init");
}

// Ranks in a pipeline: bounded time, bounded words.
TEST(Standing, FollowsALongChainOnce)
{
    constexpr int32_t count = 2000;
    auto ranks = live_ranks(count);
    for (int32_t rank = 1; rank < count; rank++)
        enter(ranks[static_cast<size_t>(rank)], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD,
              rank - 1);
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_THAT(standing.headline, StartsWith("rank 1999 in MPI_Recv waits for rank 1998, "));
    EXPECT_THAT(standing.headline, HasSubstr(", and so on over 1999 ranks; rank 0 is outside MPI"));
    EXPECT_LT(standing.headline.size(), 1000U);
}

TEST(Standing, TellsOfProcessesThatAreGoneWhileOthersWait)
{
    auto ranks = live_ranks(3);
    for (RankFileContent &rank : ranks)
        enter(rank, f_barrier, 10 * second);
    const Standing standing = standing_of(ranks, seen_running({2}));
    EXPECT_EQ(standing.headline, "2 ranks in MPI_Barrier wait for rank 2, which is without a "
                                 "process any more, for 90.0 s");
    EXPECT_EQ(text_of(standing.rows[1].state), "gone");
    EXPECT_THAT(standing.rows[1].text,
                StartsWith("rank 2 without a process any more, last seen in MPI_Barrier, for"));
}

TEST(Standing, KnowsWhoIsNoMemberOfTheCommunicator)
{
    auto ranks = live_ranks(4);
    const uint32_t slot = add_communicator(ranks, {0, 1, 2}, 77);
    enter(ranks[0], f_bcast, 10 * second, slot);
    enter(ranks[1], f_bcast, 10 * second, slot);
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_THAT(standing.headline, StartsWith("2 ranks in MPI_Bcast wait for rank 2, which is"));
}

TEST(Standing, SaysHowTheOthersEnded)
{
    auto ranks = live_ranks(4);
    ranks[0].run.end = MPROF_END_ABORT;
    ranks[2].run.end = MPROF_END_EXIT;
    ranks[3] = planted_ranks(4, second)[3];
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(standing.ended, "1 rank returned from MPI_Finalize: 3; 1 rank called MPI_Abort: 0; "
                              "1 rank exited without MPI_Finalize: 2");
}

TEST(Standing, IsEmptyWhenAllHaveEnded)
{
    const Report report = report_of(planted_ranks(2, second), {}, {});
    EXPECT_THAT(report.standing.rows, IsEmpty());
    EXPECT_EQ(text_of(report.standing.state), "ended");
    EXPECT_EQ(nlohmann::json::parse(render_json(report))["standing"]["state"], "ended");
}

TEST(Standing, IsTheSameInTextAndJson)
{
    auto ranks = live_ranks(3);
    enter(ranks[0], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 2);
    enter(ranks[1], f_recv, 4 * second, MPROF_COMM_SLOT_WORLD, 2);
    const Report report = report_of(ranks, {}, seen_running());
    const auto json = nlohmann::json::parse(render_standing_json(report));
    const auto &standing = json["standing"];
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["run"]["ranks"], 3);
    EXPECT_EQ(standing, nlohmann::json::parse(render_json(report))["standing"]);
    EXPECT_EQ(standing["running"], true);
    EXPECT_EQ(standing["rows"][0]["function"], "MPI_Recv");
    EXPECT_EQ(standing["rows"][0]["peer"], 2);
    EXPECT_EQ(standing["rows"][0]["ranks"], 2);
    EXPECT_EQ(standing["rows"][0]["where"], nlohmann::json::parse("[{\"first\":0,\"last\":1}]"));
    const std::string text = render_standing(report, 80);
    EXPECT_THAT(text, HasSubstr("running"));
    EXPECT_THAT(text, HasSubstr("2 ranks in MPI_Recv from rank 2, for 96.0 s"));
    EXPECT_THAT(text, Not(HasSubstr("\033")));
}

}  // namespace
