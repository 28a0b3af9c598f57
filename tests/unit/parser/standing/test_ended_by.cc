// Who ended the job: the rank that aborted, exited or died, before any rank that computes.
#include "standing/planted_standing.h"

#include "render/render_report.h"

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

void end(RankFileContent &rank, mprof_end how, int code, uint64_t when_ns, bool code_known = true)
{
    rank.run.end = how;
    rank.run.end_code = code;
    rank.run.is_end_code_known = code_known ? 1 : 0;
    rank.run.stop_realtime_ns = start_ns + when_ns;
}

// Rank 0 computes while the others wait for it, so without more it would be to blame.
std::vector<RankFileContent> ranks_that_wait_for_0(uint32_t count)
{
    auto ranks = live_ranks(count);
    for (size_t rank = 1; rank < count; rank++)
        enter(ranks[rank], f_barrier, 5 * second);
    return ranks;
}

TEST(Standing, SaysFirstWhoCalledAbort)
{
    auto ranks = ranks_that_wait_for_0(4);
    enter(ranks[2], f_abort, 6 * second);
    end(ranks[2], MPROF_END_ABORT, 3, 6 * second);
    Report report = report_of(ranks);
    EXPECT_EQ(report.standing.headline, "rank 2 called MPI_Abort(3)");
    EXPECT_EQ(report.standing.ended_by, 2U);
    EXPECT_FALSE(report.standing.is_hung);
    EXPECT_THAT(report.verdict.headline, StartsWith("ABORTED: rank 2 called MPI_Abort(3)."));
    EXPECT_THAT(report.verdict.next.at(0).action, "Find out why rank 2 called MPI_Abort(3).");
    EXPECT_EQ(report.standing.look_at.at(0), 2U);
    EXPECT_THAT(render_standing(report, 80), HasSubstr("rank 2 called MPI_Abort(3)"));
    EXPECT_EQ(report_of(ranks, {}, seen_running()).standing.ended_by, 2U)
        << "the launcher has not ended the others yet";

    enter(ranks[1], f_abort, 4 * second);
    end(ranks[1], MPROF_END_ABORT, -1, 4 * second);
    report = report_of(ranks);
    EXPECT_EQ(report.standing.headline,
              "rank 1 called MPI_Abort(-1), and then 1 rank did so as well")
        << "the first one counts";
    for (RankFileContent &rank : ranks)
        end(rank, MPROF_END_ABORT, 1, 7 * second);
    EXPECT_THAT(report_of(ranks).verdict.headline, StartsWith("ABORTED: rank 0 called"))
        << "though all have ended";
}

// Another thread is in a call for longer than the one that aborts.
TEST(Standing, TellsTheThreadThatAborts)
{
    auto ranks = live_ranks(2);
    enter(ranks[1], f_recv, 2 * second, MPROF_COMM_SLOT_WORLD, 0);
    ranks[1].threads.push_back(ranks[1].threads[0]);
    ranks[1].threads[1].facts.in_call = f_abort + 1U;
    ranks[1].threads[1].facts.ticks += second;
    end(ranks[1], MPROF_END_ABORT, 9, 4 * second);
    EXPECT_EQ(report_of(ranks).standing.headline, "rank 1 called MPI_Abort(9)");
}

TEST(Standing, SaysFirstWhoExitedWhileOthersDidNotEnd)
{
    auto ranks = ranks_that_wait_for_0(3);
    ranks[1].threads[0].facts.in_call = 0;
    end(ranks[1], MPROF_END_EXIT, 3, 6 * second);
    Report report = report_of(ranks);
    EXPECT_EQ(report.standing.headline,
              "rank 1 exited with status 3 without MPI_Finalize, after MPI_Init");
    EXPECT_THAT(report.verdict.headline, StartsWith("EXITED: rank 1 exited with status 3"));

    enter(ranks[1], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 0);
    EXPECT_EQ(report_of(ranks).standing.headline,
              "rank 1 exited with status 3 in MPI_Recv from rank 0")
        << "an MPI ends a program that way when it finds an error";
    end(ranks[1], MPROF_END_EXIT, 0, 6 * second, false);
    EXPECT_EQ(report_of(ranks).standing.headline, "rank 1 exited in MPI_Recv from rank 0")
        << "the status is not known";

    EXPECT_EQ(report_of(ranks, {}, seen_running()).standing.ended_by, std::nullopt);
    Observation limit;
    limit.end = RunEnd::time_limit;
    EXPECT_EQ(report_of(ranks, {}, limit).standing.ended_by, std::nullopt)
        << "it may have been the batch system's signal";
    for (RankFileContent &rank : ranks)
        end(rank, MPROF_END_EXIT, 0, 6 * second);
    EXPECT_EQ(report_of(ranks).standing.ended_by, std::nullopt) << "each ended by itself";
}

// mprof run has seen which rank died first, and of what.
TEST(Standing, SaysFirstWhoDied)
{
    auto ranks = ranks_that_wait_for_0(3);
    ranks[1].threads[0].facts.in_call = 0;
    end(ranks[1], MPROF_END_NONE, 11, 6 * second, true);
    const Report report = report_of(ranks);
    EXPECT_EQ(report.standing.headline, "rank 1 died of SIGSEGV outside MPI, after MPI_Init");
    EXPECT_EQ(report.standing.ended_by, 1U);
    EXPECT_THAT(report.verdict.headline, StartsWith("DIED: rank 1 died of SIGSEGV"));

    ranks[1].run.abi = MPROF_ABI_MPICH;
    enter(ranks[1], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 0);
    EXPECT_EQ(report_of(ranks).standing.headline,
              "rank 1 died of SIGSEGV (or of _exit(11)) in MPI_Recv from rank 0");
    ranks[1].run.is_end_code_known = MPROF_END_CODE_TOLD;
    EXPECT_EQ(report_of(ranks).standing.headline, "rank 1 died of SIGSEGV in MPI_Recv from rank 0");
    end(ranks[1], MPROF_END_NONE, 0, 6 * second, true);
    EXPECT_EQ(report_of(ranks).standing.ended_by, std::nullopt) << "there is no signal 0";
}

// mprof run has seen when the job ended, and not who died.
TEST(Standing, SaysWhomTheOthersWaitedForWhenTheJobWasEnded)
{
    auto ranks = ranks_that_wait_for_0(3);
    for (RankFileContent &rank : ranks)
        end(rank, MPROF_END_NONE, 0, 5 * second + second / 2, false);
    const Report report = report_of(ranks);
    EXPECT_THAT(report.standing.headline,
                StartsWith("2 ranks in MPI_Barrier wait for rank 0, which is outside MPI"));
    EXPECT_THAT(report.standing.headline,
                EndsWith(". Something ended the job then: an error or a signal. That is no sign of "
                         "a hang. See what was printed"));
    EXPECT_FALSE(report.standing.is_hung);
    EXPECT_EQ(report.standing.ended_by, std::nullopt);

    for (RankFileContent &rank : ranks)  // a second later, as with Open MPI's launcher
        end(rank, MPROF_END_NONE, 0, 6 * second + second / 2, false);
    EXPECT_THAT(report_of(ranks).standing.headline, HasSubstr("That is no sign of a hang"));

    enter(ranks[0], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 1);
    add_messages(ranks[1], MPROF_PARTNER_SENT, 0, 1);  // on its way
    EXPECT_THAT(report_of(ranks).standing.headline,
                StartsWith("something ended the job while rank 0 was in MPI_Recv from rank 1"))
        << "who was in MPI as well may wait as the others do";
}

}  // namespace
