// Causes that are known by name: reports that show all of a pattern, and some that lack one thing.
#include "verdict/particular_causes.h"

#include <array>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

AccountRow account(AccountKind kind, double gain_s, std::optional<uint32_t> rank = std::nullopt)
{
    AccountRow row;
    row.kind = kind;
    row.gain_s = row.gain_low_s = row.gain_high_s = gain_s;
    row.rank = rank;
    return row;
}

RankRow rank_with(uint32_t rank, double compute_s, double message_wait_s)
{
    RankRow row;
    row.rank = rank;
    row.compute_s = compute_s;
    row.message_s = row.message_wait_s = row.wait_s = message_wait_s;
    return row;
}

MatrixCell sent(uint32_t source, uint32_t destination, uint64_t messages)
{
    MatrixCell cell;
    cell.source = source;
    cell.destination = destination;
    cell.messages = messages;
    return cell;
}

// Between two calls of one rank.
SegmentRow segment_of(uint32_t rank, uint64_t count, double time_s)
{
    SegmentRow row;
    row.count = count;
    row.time_s = time_s;
    row.spread.ranks = 1;
    row.spread.min_rank = row.spread.max_rank = rank;
    return row;
}

Report report_of(std::vector<RankRow> ranks, std::vector<AccountRow> accounts)
{
    Report report;
    report.accounts.known = true;
    report.accounts.span_s = 10;
    report.accounts.rows = std::move(accounts);
    report.ranks = std::move(ranks);
    report.totals.wait_s = 0;
    for (const RankRow &row : report.ranks) {
        report.totals.compute_s += row.compute_s;
        *report.totals.wait_s += *row.wait_s;
    }
    return report;
}

// Rank 0 gives 1,000 answers of 10 ms; a task takes 5 ms, so a worker waits half of the time for
// each that there is beside it.
Report report_of_master()
{
    Report report = report_of({rank_with(0, 10, 0), rank_with(1, 2.5, 7.5), rank_with(2, 2.5, 7.5)},
                              {account(AccountKind::uneven, 5, 0)});
    for (const uint32_t worker : {1U, 2U}) {
        report.matrix.push_back(sent(0, worker, 500));
        report.matrix.push_back(sent(worker, 0, 500));
    }
    report.segments.push_back(segment_of(0, 1000, 10));
    return report;
}

TEST(ParticularCauses, AMasterThatCannotKeepUpIsNamed)
{
    const auto found = find_particular_causes(report_of_master());
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].cause, ParticularCause::master);
    EXPECT_EQ(found[0].account, AccountKind::uneven);
    EXPECT_EQ(found[0].rank, 0U);
    EXPECT_DOUBLE_EQ(found[0].gain_s, 5) << "half of its 10 s; a worker has 2.5 s";
    EXPECT_EQ(found[0].sentence,
              "Rank 0 is a master that cannot keep up: it gives 100 answers a second, each takes "
              "10.0 ms, and that serves 1.5 of 2 workers. Two masters, or pieces twice as large, "
              "would save 5.00 s.");
}

TEST(ParticularCauses, WorkersThatAreLongThemselvesBoundWhatTwoMastersSave)
{
    Report report = report_of_master();
    report.ranks[1].compute_s = 7;
    EXPECT_DOUBLE_EQ(find_particular_causes(report).at(0).gain_s, 3);
}

TEST(ParticularCauses, AMasterThatWaitsItselfIsNone)
{
    Report report = report_of_master();
    report.ranks[0].message_wait_s = 5;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

TEST(ParticularCauses, WorkersThatHardlyWaitHaveAMasterThatKeepsUp)
{
    Report report = report_of_master();
    report.ranks[1].message_wait_s = report.ranks[2].message_wait_s = 1;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

// It works once a step, and all exchange with it then.
TEST(ParticularCauses, ARankThatWorksLongerBeforeAllMeetIsNoMaster)
{
    Report report = report_of_master();
    report.segments[0].count = 500;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

TEST(ParticularCauses, WhoTalksAmongEachOtherHasNoMaster)
{
    Report report = report_of_master();
    report.matrix.push_back(sent(1, 2, 500));
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

// 2 s in the calls on each of 2 ranks; rank 1 gives 100 of 101 parts.
Report report_of_sizes(const char *function)
{
    Report report =
        report_of({rank_with(0, 5, 0), rank_with(1, 5, 0)}, {account(AccountKind::bandwidth, 2)});
    CallsiteRow row;
    row.function = function;
    row.site.file = "app.c";
    row.site.line = 7;
    row.calls = 20;
    row.bytes = 1010 << 20;
    row.most_bytes = 1000 << 20;
    row.most_bytes_rank = 1;
    row.time_s = 4;
    row.wait_s = 0;
    row.spread.ranks = 2;
    report.callsites.push_back(row);
    return report;
}

TEST(ParticularCauses, TheRankThatGivesMostToACollectiveIsNamed)
{
    const auto found = find_particular_causes(report_of_sizes("MPI_Alltoallv"));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].cause, ParticularCause::uneven_sizes);
    EXPECT_EQ(found[0].rank, 1U);
    EXPECT_NEAR(found[0].gain_s, 2 * (1 - 0.505), 1e-9) << "the mean is 50.5 % of the most";
    EXPECT_THAT(found[0].sentence,
                HasSubstr("Rank 1 gives 100 times as much data as the average other rank to "
                          "MPI_Alltoallv at app.c:7 (100 MiB a call)"));
    EXPECT_THAT(found[0].sentence, HasSubstr("would save up to 990 ms"));
}

// A root has as much to take, however it is divided.
TEST(ParticularCauses, SizesThatARootTakesAreNoCause)
{
    EXPECT_THAT(find_particular_causes(report_of_sizes("MPI_Gatherv")), IsEmpty());
}

TEST(ParticularCauses, EvenSizesAreNoCause)
{
    Report report = report_of_sizes("MPI_Alltoallv");
    report.callsites[0].most_bytes = 600 << 20;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

TEST(ParticularCauses, WhatSavesHardlyAnythingIsNotTold)
{
    Report report = report_of_sizes("MPI_Allgatherv");
    report.callsites[0].time_s = 0.3;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

// Each rank waits 3 s for large requests, which it has open for 30 ms before.
Report report_of_requests()
{
    Report report =
        report_of({rank_with(0, 7, 3), rank_with(1, 7, 3)}, {account(AccountKind::in_turn, 2)});
    CallsiteRow row;
    row.function = "MPI_Isend";
    row.site.file = "app.c";
    row.site.line = 9;
    row.calls = row.completions = row.spans = 100;
    row.bytes = 100 << 20;
    row.completion_s = 6;
    row.span_s = 0.06;
    row.overlapped_s = 0.06;
    report.callsites.push_back(row);
    return report;
}

TEST(ParticularCauses, AWaitBehindItsStartIsNamed)
{
    const auto found = find_particular_causes(report_of_requests());
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].cause, ParticularCause::wait_at_once);
    EXPECT_DOUBLE_EQ(found[0].gain_s, 2) << "what its account has";
    EXPECT_EQ(found[0].confidence, Confidence::low) << "whether it can be is not known";
    EXPECT_THAT(found[0].sentence, HasSubstr("right after MPI_Isend (1.0 MiB) at app.c:9"));
}

TEST(ParticularCauses, RequestsThatAreOpenWhileTheRankWorksAreNone)
{
    Report report = report_of_requests();
    report.callsites[0].overlapped_s = 1;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

TEST(ParticularCauses, SmallRequestsAreNone)
{
    Report report = report_of_requests();
    report.callsites[0].bytes = 100 * 8;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

// Of three ranks one computes at a time; 100 items go from one to the next.
Report report_of_pipeline()
{
    Report report =
        report_of({rank_with(0, 3.4, 6.6), rank_with(1, 3.4, 6.6), rank_with(2, 3.4, 6.6)},
                  {account(AccountKind::in_turn, 6.12)});
    report.matrix = {sent(0, 1, 100), sent(1, 2, 100), sent(2, 0, 100)};
    return report;
}

TEST(ParticularCauses, APipelineWithOneItemIsNamed)
{
    const auto found = find_particular_causes(report_of_pipeline());
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].cause, ParticularCause::pipeline);
    EXPECT_NEAR(found[0].gain_s, 6, 1e-9) << "2 of 102 steps fill it";
    EXPECT_THAT(found[0].sentence,
                HasSubstr("100 items pass 3 ranks, of which 1.0 compute at a time"));
}

TEST(ParticularCauses, APipelineThatIsFullIsNone)
{
    Report report = report_of_pipeline();
    report.totals.compute_s = 20;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

// After a collective there is no next item that could be begun earlier.
TEST(ParticularCauses, RanksThatMeetAfterEachItemAreNoPipeline)
{
    Report report = report_of_pipeline();
    report.functions.resize(1);
    report.functions[0].function = "MPI_Allreduce";
    report.functions[0].calls = 3 * 40;
    EXPECT_THAT(find_particular_causes(report), SizeIs(1)) << "seldom";
    report.functions[0].calls = 3 * 100;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

// But data can be cut in pieces.
TEST(ParticularCauses, ItemsOfMuchDataCanBeCutInPieces)
{
    Report report = report_of_pipeline();
    report.functions.resize(1);
    report.functions[0].function = "MPI_Bcast";
    report.functions[0].calls = 3 * 100;
    for (MatrixCell &cell : report.matrix)
        cell.bytes = cell.messages << 20;
    const auto found = find_particular_causes(report);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].cause, ParticularCause::pipeline);
    EXPECT_NEAR(found[0].gain_s, 6.12 * 0.8, 1e-9) << "2 of 8 + 2 steps fill it";
    EXPECT_THAT(found[0].sentence, HasSubstr("Cutting each item (1.0 MiB) in pieces"));
}

TEST(ParticularCauses, RanksThatSendWhatTheyDoNotWaitForAreNoPipeline)
{
    Report report = report_of_pipeline();
    report.functions.resize(2);
    report.functions[0].function = "MPI_Recv";
    report.functions[0].wait_s = 3;
    EXPECT_THAT(find_particular_causes(report), SizeIs(1));
    report.functions[1].function = "MPI_Sendrecv";
    report.functions[1].wait_s = 3;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
    report.functions.clear();
    report.matrix.push_back(sent(1, 0, 100));
    report.matrix.push_back(sent(2, 1, 100));
    EXPECT_THAT(find_particular_causes(report), IsEmpty()) << "both ways";
}

TEST(ParticularCauses, AStreamOfMessagesIsNoPipeline)
{
    Report report = report_of_pipeline();
    for (MatrixCell &cell : report.matrix)
        cell.messages *= 1000;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

TEST(ParticularCauses, RanksThatSendElsewhereAreNoPipeline)
{
    Report report = report_of_pipeline();
    report.matrix = {sent(0, 1, 100), sent(1, 2, 30), sent(2, 0, 100)};
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

// Its items come in requests: there is nothing to do while they are waited for.
TEST(ParticularCauses, APipelineIsNoWaitAtOnce)
{
    Report report = report_of_pipeline();
    report.callsites = report_of_requests().callsites;
    report.callsites[0].completion_s = 19;
    const auto found = find_particular_causes(report);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].cause, ParticularCause::pipeline);
}

TEST(ParticularCauses, TheAccountSaysWhatIsAPartOfIt)
{
    Report report = report_of_pipeline();
    note_particular_causes(find_particular_causes(report), report.accounts);
    const AccountRow &row = report.accounts.rows.at(0);
    EXPECT_EQ(row.cause, ParticularCause::pipeline);
    EXPECT_NEAR(row.cause_gain_s.value(), 6, 1e-9);
    EXPECT_THAT(row.cause_words, HasSubstr("one item at a time"));
}

// Rank 1 works 4 s longer than rank 0, all of it in 4 of 100 steps.
Report report_of_rare_steps()
{
    AccountRow uneven = account(AccountKind::uneven, 2, 1);
    uneven.rank_s = 9;
    uneven.next_s = 5;
    Report report = report_of({rank_with(0, 5, 4), rank_with(1, 9, 0)}, {uneven});
    CallsiteRow row;
    row.function = "MPI_Allreduce";
    row.site.file = "app.c";
    row.site.line = 5;
    row.rare = RareSteps{4, 100, 1, 4, 1};
    report.callsites.push_back(row);
    return report;
}

TEST(ParticularCauses, StepsThatAreRarelyLongerAreNamed)
{
    const auto found = find_particular_causes(report_of_rare_steps());
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].cause, ParticularCause::rare_steps);
    EXPECT_EQ(found[0].account, AccountKind::uneven);
    EXPECT_EQ(found[0].rank, 1U);
    EXPECT_DOUBLE_EQ(found[0].gain_s, 2) << "4 s, divided among 2 ranks";
    EXPECT_EQ(found[0].sentence,
              "4 of 100 steps take 1.00 s longer on rank 1, seen at MPI_Allreduce at app.c:5. "
              "In these steps it works longer than the others; an even split would save 2.00 s.");
}

TEST(ParticularCauses, RareStepsInWhichARankIsBlockedAreOfThatAccount)
{
    Report report = report_of_rare_steps();
    AccountRow &row = report.accounts.rows[0];
    row.kind = AccountKind::blocked;
    row.gain_s = 4;
    const auto found = find_particular_causes(report);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].account, AccountKind::blocked);
    EXPECT_DOUBLE_EQ(found[0].gain_s, 4) << "it is gone, not divided";
}

// What waits for a rank is no work of it.
TEST(ParticularCauses, RareStepsOfARankAreOfWhatItDoesBeforeTheyAreOfWhatWaitsForIt)
{
    Report report = report_of_rare_steps();
    AccountRow turn = account(AccountKind::in_turn, 0.5, 1);
    turn.rank_s = 100;
    report.accounts.rows.push_back(turn);
    EXPECT_EQ(find_particular_causes(report).at(0).account, AccountKind::uneven);
}

TEST(ParticularCauses, RareStepsOfAnotherRankThanTheAccountsAreNotItsCause)
{
    Report report = report_of_rare_steps();
    report.callsites[0].rare->rank = 0;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

// Each of 2 ranks computes 3 s under the lock, while the other one waits for it 1.5 s.
Report report_of_lock(const char *from, const char *to)
{
    Report report =
        report_of({rank_with(0, 7, 3), rank_with(1, 7, 3)}, {account(AccountKind::in_turn, 2.5)});
    SegmentRow held;
    held.from_function = from;
    held.to_function = to;
    held.from.file = "app.c";
    held.from.line = 8;
    held.count = 200;
    held.time_s = 6;
    held.spread.ranks = 2;
    held.spread.max_s = 3;
    held.mostly_in = "update (app.c:3)";
    report.segments.push_back(held);
    CallsiteRow row;
    row.function = "MPI_Win_lock";
    row.site.file = "app.c";
    row.site.line = 8;
    row.calls = 200;
    row.time_s = 3;
    row.spread.ranks = 2;
    row.spread.mean_s = row.spread.min_s = row.spread.max_s = 1.5;
    report.callsites.push_back(row);
    return report;
}

TEST(ParticularCauses, ALockThatIsHeldWhileComputingIsNamed)
{
    const auto found = find_particular_causes(report_of_lock("MPI_Win_lock", "MPI_Put"));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].cause, ParticularCause::held_lock);
    EXPECT_EQ(found[0].rank, std::nullopt);
    EXPECT_DOUBLE_EQ(found[0].gain_s, 2.5) << "3 s of waiting, of the account's 2.5 s";
    EXPECT_THAT(found[0].sentence, HasSubstr("Each rank holds the lock of a window for 3.00 s, "
                                             "30.0 ms at a time, while it computes in update "
                                             "(app.c:3) after MPI_Win_lock at app.c:8."));
    EXPECT_THAT(found[0].sentence, HasSubstr("others wait 3.00 s for the lock in MPI_Win_lock"));
}

// With MPICH. 200 times a rank asks for the memory of rank 0 and waits 10 ms for it, 2 s in all.
Report report_of_absent_owner()
{
    Report report =
        report_of({rank_with(0, 7, 3), rank_with(1, 7, 3)}, {account(AccountKind::in_turn, 1.5)});
    report.run.mpi_library = "MPICH Version: 4.0.2";
    CallsiteRow wait;
    wait.function = "MPI_Win_lock";
    wait.site.file = "app.c";
    wait.site.line = 8;
    wait.calls = 200;
    wait.time_s = 2;
    wait.spread.ranks = 1;
    wait.spread.min_rank = wait.spread.max_rank = 1;
    wait.spread.mean_s = wait.spread.min_s = wait.spread.max_s = 2;
    CallsiteRow put;
    put.function = "MPI_Accumulate";
    put.calls = 200;
    put.bytes = 200 * 512;
    put.time_s = put.top_partner_s = 0.001;
    put.top_partner = 0;
    report.callsites = {wait, put};
    return report;
}

TEST(ParticularCauses, AnOwnerOfMemoryThatComputesIsNamed)
{
    const auto found = find_particular_causes(report_of_absent_owner());
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].cause, ParticularCause::absent_owner);
    EXPECT_EQ(found[0].rank, 0U);
    EXPECT_DOUBLE_EQ(found[0].gain_s, 1.5) << "2 s of waiting, of the account's 1.5 s";
    EXPECT_THAT(found[0].sentence,
                HasSubstr("Rank 1 waits 2.00 s for the memory of rank 0 in MPI_Win_lock at "
                          "app.c:8, 10.0 ms at a time: rank 0 computes meanwhile"));
    EXPECT_THAT(found[0].action, HasSubstr("Let rank 0 enter MPI"));
}

TEST(ParticularCauses, OwnersOfMemoryThatTakeTurnsHaveNoNumber)
{
    Report report = report_of_absent_owner();
    report.callsites[0].spread.ranks = 2;
    report.callsites[0].spread.mean_s = report.callsites[0].spread.min_s = 1;
    report.callsites[1].top_partner_s = 0.0005;
    const auto found = find_particular_causes(report);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].rank, std::nullopt);
    EXPECT_DOUBLE_EQ(found[0].gain_s, 1) << "2 s of two ranks";
    EXPECT_THAT(found[0].sentence, HasSubstr("Ranks wait 2.00 s for the memory of another rank"));
}

TEST(ParticularCauses, AnOwnerOfMemoryIsNotAbsentWhereMpiAnswersOrDataMove)
{
    const std::array<void (*)(Report &), 3> changes = {
        [](Report &report) { report.run.mpi_library = "Open MPI v4.1.4"; },
        [](Report &report) { report.callsites[0].calls = 20000; },               // 0.1 ms each
        [](Report &report) { report.callsites[1].bytes = uint64_t{1} << 30; }};  // 1 GiB in 2 s
    for (const auto change : changes) {
        Report report = report_of_absent_owner();
        change(report);
        EXPECT_THAT(find_particular_causes(report), IsEmpty());
    }
}

TEST(ParticularCauses, ARankThatHoldsALockAloneIsNamed)
{
    Report report = report_of_lock("MPI_Put", "MPI_Win_unlock");
    report.segments[0].spread.max_s = 5;
    report.segments[0].spread.max_rank = 1;
    const auto found = find_particular_causes(report);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].rank, 1U);
    EXPECT_THAT(found[0].sentence, HasSubstr("Rank 1 holds the lock of a window for 6.00 s"));
}

TEST(ParticularCauses, ALockThatNobodyWaitsForIsNoCause)
{
    Report report = report_of_lock("MPI_Win_lock", "MPI_Put");
    report.callsites[0].time_s = 0.01;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

TEST(ParticularCauses, WhoComputesOutsideOfTheLockHoldsItFromNobody)
{
    EXPECT_THAT(find_particular_causes(report_of_lock("MPI_Win_unlock", "MPI_Win_lock")),
                IsEmpty());
}

// It may be the one whose memory it is, which has to help the others.
TEST(ParticularCauses, WhereOneRankNeverWaitsTheLockMayNotBeTheReason)
{
    Report report = report_of_lock("MPI_Win_lock", "MPI_Put");
    report.callsites[0].spread.min_s = 0;
    report.callsites[0].spread.max_s = 3;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

TEST(ParticularCauses, WhatTheHolderItselfWaitsIsNotForItsLock)
{
    Report report = report_of_lock("MPI_Win_lock", "MPI_Put");
    report.segments[0].spread.max_s = 6;
    report.segments[0].spread.max_rank = 1;
    report.callsites[0].spread.max_rank = 1;
    report.callsites[0].spread.max_s = 2.99;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

// It waits far longer than anybody computes under the lock: for something else.
TEST(ParticularCauses, WaitingThatTheLockDoesNotExplainIsNotItsCause)
{
    Report report = report_of_lock("MPI_Win_lock", "MPI_Put");
    report.segments[0].time_s = 1;
    report.segments[0].spread.max_s = 0.5;
    EXPECT_THAT(find_particular_causes(report), IsEmpty());
}

}  // namespace
