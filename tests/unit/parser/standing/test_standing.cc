// Where the ranks are that have not finished, and what `mprof hang` says of it.
#include "standing/planted_standing.h"

#include "render/render_report.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

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
              "4 ranks in MPI_Allreduce wait for ranks 4-5, about which nothing is known");
    EXPECT_EQ(standing.missing,
              "2 ranks without a readable file, so nothing is known about them: 4-5");
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

TEST(Standing, SaysThatTagsDoNotMatch)
{
    auto ranks = live_ranks(3);
    enter(ranks[0], f_send, 5 * second, MPROF_COMM_SLOT_WORLD, 1);
    with_tag(ranks[0], 1);
    enter(ranks[1], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 0);
    with_tag(ranks[1], 2);
    Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(standing.headline,
              "the tags of a message do not match: rank 0 in MPI_Send sends tag 1 to rank 1, rank "
              "1 in MPI_Recv waits for tag 2 from rank 0");
    EXPECT_EQ(standing.rows[1].text, "rank 1 in MPI_Recv from rank 0, tag 2, for 95.0 s");

    enter(ranks[1], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, MPROF_ANY_PEER);
    standing = standing_of(ranks, seen_running());
    EXPECT_THAT(standing.headline, HasSubstr("rank 1 in MPI_Recv waits for tag 2 from any rank"));
    EXPECT_EQ(standing.rows[1].text, "rank 1 in MPI_Recv from any rank, tag 2, for 95.0 s");

    ranks[1].threads[0].facts.call_tag = MPROF_TAG_ANY;
    EXPECT_THAT(standing_of(ranks, seen_running()).headline, Not(HasSubstr("do not match")));
    with_tag(ranks[1], 1);
    EXPECT_THAT(standing_of(ranks, seen_running()).headline, Not(HasSubstr("do not match")));
}

TEST(Standing, SaysThatCommunicatorsOfAMessageDoNotMatch)
{
    auto ranks = live_ranks(2);
    const uint32_t slot = add_communicator(ranks, {1, 0}, 77);
    for (RankFileContent &rank : ranks)
        set_name(rank, slot, "rows");
    enter(ranks[0], f_wait, 5 * second, slot, 0);
    with_tag(ranks[0], 1, f_isend);
    enter(ranks[1], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 0);
    with_tag(ranks[1], 1);
    EXPECT_EQ(standing_of(ranks, seen_running()).headline,
              "the communicators of a message do not match: rank 0 in MPI_Wait sends it on rows to "
              "rank 1, rank 1 in MPI_Recv waits for one on MPI_COMM_WORLD from rank 0");
}

TEST(Standing, FindsARingOverTwoCommunicators)
{
    auto ranks = live_ranks(3);
    const uint32_t first = add_communicator(ranks, {2, 1, 0}, 77);
    const uint32_t other = add_communicator(ranks, {0, 1, 2}, 78);
    for (RankFileContent &rank : ranks) {
        set_name(rank, first, "rows");
        set_name(rank, other, "columns");
    }
    enter(ranks[0], f_barrier, 5 * second, first);
    enter(ranks[1], f_allreduce, 5 * second, other);
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(standing.headline,
              "a ring of ranks that wait for each other: rank 0 in MPI_Barrier on rows waits for "
              "rank 1, rank 1 in MPI_Allreduce on columns waits for rank 0");
    Observation at_once = seen_running();
    at_once.realtime_ns = start_ns + 5 * second + second / 100;
    EXPECT_THAT(standing_of(ranks, at_once).headline, Not(HasSubstr("ring")))
        << "one of them may just come out of it";
}

TEST(Standing, FindsARingOfACollectiveAndAMessage)
{
    auto ranks = live_ranks(2);
    enter(ranks[0], f_barrier, 5 * second);
    enter(ranks[1], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 0);
    EXPECT_EQ(standing_of(ranks, seen_running()).headline,
              "a ring of ranks that wait for each other: rank 0 in MPI_Barrier waits for rank 1, "
              "rank 1 in MPI_Recv waits for rank 0");
}

TEST(Standing, NamesTheCommunicatorOfACollective)
{
    auto ranks = live_ranks(3);
    const uint32_t slot = add_communicator(ranks, {2, 1, 0}, 77);
    for (RankFileContent &rank : ranks)
        set_name(rank, slot, "rows");
    enter(ranks[0], f_allreduce, 5 * second, slot);
    enter(ranks[1], f_allreduce, 5 * second, slot);
    EXPECT_THAT(standing_of(ranks, seen_running()).headline,
                StartsWith("2 ranks in MPI_Allreduce on rows wait for rank 2, which is outside"));
}

TEST(Standing, NamesThePartnersOfRequests)
{
    auto ranks = live_ranks(3);
    const uint32_t slot = add_communicator(ranks, {2, 1, 0}, 77);
    for (RankFileContent &rank : ranks)
        set_name(rank, slot, "rows");
    enter(ranks[0], f_wait, 5 * second, slot, 1);
    with_tag(ranks[0], 7, f_irecv);
    enter(ranks[1], f_wait, 5 * second, MPROF_COMM_SLOT_WORLD, 2);
    with_tag(ranks[1], 8, f_isend);
    enter(ranks[2], f_waitall, 5 * second, MPROF_COMM_SLOT_NONE);
    ranks[2].threads[0].facts.call_requests = 4;
    const Standing standing = standing_of(ranks, seen_running());
    ASSERT_EQ(standing.rows.size(), 3U);
    EXPECT_EQ(standing.headline,
              "rank 0 in MPI_Wait for MPI_Irecv on rows waits for rank 1, rank 1 in MPI_Wait for "
              "MPI_Isend waits for rank 2, which is in MPI_Waitall, for 95.0 s");
    std::vector<std::string> texts;
    for (const StandingRow &row : standing.rows)
        texts.push_back(row.text);
    EXPECT_THAT(texts,
                testing::UnorderedElementsAre(
                    "rank 0 in MPI_Wait for MPI_Irecv from rank 1, tag 7, on rows, for 95.0 s",
                    "rank 1 in MPI_Wait for MPI_Isend to rank 2, tag 8, for 95.0 s",
                    "rank 2 in MPI_Waitall for 4 requests, for 95.0 s"));
}

TEST(Standing, SaysForHowLongARankPolls)
{
    auto ranks = live_ranks(2);
    poll(ranks[0], f_test, 40 * second, 1);
    with_tag(ranks[0], 7, f_irecv);
    Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(text_of(row_of(standing, 0).state), "polling");
    EXPECT_EQ(row_of(standing, 0).text,
              "rank 0 polls with MPI_Test for MPI_Irecv from rank 1, tag 7, for 60.0 s");
    EXPECT_EQ(standing.headline, "rank 0 polling with MPI_Test for MPI_Irecv waits for rank 1, "
                                 "which is outside MPI, for 99.0 s, after MPI_Init");

    ranks[0].threads[0].facts.in_call = f_test + 1;
    standing = standing_of(ranks, seen_running());
    EXPECT_THAT(row_of(standing, 0).text, StartsWith("rank 0 polls with MPI_Test for MPI_Irecv"));

    ranks[0].threads[0].facts.last_function = f_recv + 1;
    standing = standing_of(ranks, seen_running());
    EXPECT_THAT(row_of(standing, 0).text, StartsWith("rank 0 in MPI_Test for MPI_Irecv"))
        << "the 1st";

    poll(ranks[0], f_test, 40 * second, 1);
    ranks[0].threads[0].facts.ticks -= 50 * second;
    standing = standing_of(ranks, seen_running());
    EXPECT_EQ(row_of(standing, 0).text, "rank 0 outside MPI, after MPI_Test, for 50.0 s")
        << "it computes";
}

// Between reading a rank's file and looking for its process there may be seconds, with many files
// or on a busy machine.
TEST(Standing, ARankThatPolledWhenItsFileWasReadStillPolls)
{
    auto ranks = live_ranks(2);
    poll(ranks[0], f_test, 40 * second, 1);
    std::vector<Result<RankFile>> files;
    for (const RankFileContent &rank : ranks)
        files.push_back(parse_rank_file(compose(rank), "rank-" + std::to_string(rank.rank)));
    files[0].value().read_realtime_ns = start_ns + 100 * second;
    const auto profile = merge_ranks(std::move(files), "f");
    ASSERT_TRUE(profile.ok());
    Observation observation = seen_running();
    observation.realtime_ns += 5 * second;
    const Report report = analyse_profile(profile.value(), {}, observation);
    EXPECT_EQ(text_of(row_of(report.standing, 0).state), "polling");
}

TEST(Standing, SaysWhatPollsOfAnyRankLookFor)
{
    auto ranks = live_ranks(2);
    for (RankFileContent &rank : ranks) {
        rank.functions.emplace_back("MPI_Iprobe");
        poll(rank, static_cast<uint16_t>(rank.functions.size() - 1), 40 * second, MPROF_ANY_PEER);
        with_tag(rank, 9);
    }
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(standing.rows[0].text,
              "2 ranks poll with MPI_Iprobe for a message from any rank, tag 9, for 60.0 s: 0-1");
    EXPECT_THAT(standing.headline, IsEmpty());
}

TEST(Standing, SaysWhoIsStopped)
{
    auto ranks = live_ranks(3);
    enter(ranks[0], f_allreduce, 20 * second);
    enter(ranks[1], f_allreduce, 20 * second);
    Observation observation = seen_running();
    observation.stopped = {2};
    Standing standing = standing_of(ranks, observation);
    EXPECT_EQ(standing.headline,
              "2 ranks in MPI_Allreduce wait for rank 2, which is stopped (signal), outside MPI, "
              "for 99.0 s, after MPI_Init");
    EXPECT_EQ(text_of(standing.rows[1].state), "stopped");
    EXPECT_EQ(standing.rows[1].text,
              "rank 2 is stopped (signal), outside MPI, after MPI_Init, for 99.0 s");

    enter(ranks[2], f_allreduce, 20 * second);
    observation.stopped = {};
    observation.traced = {1, 2};
    standing = standing_of(ranks, observation);
    EXPECT_EQ(standing.headline, "ranks 1-2 are stopped (debugger)");
    EXPECT_EQ(standing.rows[0].text,
              "2 ranks are stopped (debugger) in MPI_Allreduce, for 80.0 s: 1-2");
}

TEST(Standing, NamesTheHolderOfALock)
{
    auto ranks = live_ranks(3);
    const uint32_t slot = add_communicator(ranks, {0, 1, 2}, 77);
    for (RankFileContent &rank : ranks) {
        set_name(rank, slot, "window");
        rank.functions.emplace_back("MPI_Win_lock");
    }
    enter(ranks[1], static_cast<uint16_t>(ranks[1].functions.size() - 1), 20 * second, slot, 0);
    ranks[2].threads[0].facts.locked_window = slot;
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(standing.headline, "rank 1 in MPI_Win_lock on window waits for the lock of "
                                 "rank 2, which is outside MPI, for 99.0 s, after MPI_Init");
    EXPECT_THAT(row_of(standing, 1).text,
                StartsWith("rank 1 in MPI_Win_lock for the memory of rank 0 on window, for"));

    ranks[0].threads[0].facts.locked_window = slot;
    EXPECT_THAT(standing_of(ranks, seen_running()).headline, IsEmpty()) << "of another window?";
}

// Ranks that exchange messages wait for each other for a moment, longer where CPUs are short.
TEST(Standing, ARingOfAMomentIsAnExchange)
{
    auto ranks = live_ranks(2);
    for (uint32_t rank = 0; rank < 2; rank++)
        enter(ranks[rank], f_recv, 100 * second - 300'000'000, MPROF_COMM_SLOT_WORLD,
              static_cast<int32_t>(1 - rank));
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_THAT(standing.headline,
                StartsWith("ranks wait for each other, as in any exchange, and not for long yet: "
                           "rank 0 in MPI_Recv waits for rank 1, rank 1 in MPI_Recv waits for "));
    EXPECT_THAT(standing.advice, StartsWith("look again in some seconds"));
    EXPECT_FALSE(standing.is_hung);
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

TEST(Standing, IsNotWiderThanAsked)
{
    auto ranks = live_ranks(3);
    const uint32_t slot = add_communicator(ranks, {2, 1, 0}, 77);
    for (RankFileContent &rank : ranks)
        enter(rank, f_allreduce, 5 * second, slot);
    ranks[2].threads[0].facts.in_call = 0;
    for (size_t length = 1; length < 60; length++) {
        for (RankFileContent &rank : ranks)
            set_name(rank, slot, std::string(length, 'x'));
        std::istringstream text(render_standing(report_of(ranks, {}, seen_running()), 80));
        for (std::string line; std::getline(text, line);)
            EXPECT_LE(line.size(), 80U) << line;
    }
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
    EXPECT_THAT(standing.headline, StartsWith("2 ranks in MPI_Bcast on a communicator without "
                                              "name wait for rank 2, which is"));
}

TEST(Standing, SaysHowTheOthersEnded)
{
    auto ranks = live_ranks(4);
    ranks[0].run.end = MPROF_END_ABORT;
    ranks[2].run.end = MPROF_END_EXIT;
    ranks[3] = planted_ranks(4, second)[3];
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_EQ(standing.ended, "1 rank returned from MPI_Finalize: 3; 1 rank aborted: 0; "
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
