// What a report says to try next: composed profiles, each of which one step fits.
#include "planted_ranks.h"
#include "render/render_report.h"
#include "report_of.h"
#include "verdict/planted_runs.h"
#include "verdict/step_rules.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Verdict, AStepSaysWhatItSavesAtMostAndHowSureThatIs)
{
    const Verdict verdict = report_of(imbalanced_ranks(4)).verdict;
    ASSERT_FALSE(verdict.next.empty());
    ASSERT_TRUE(verdict.next[0].worth_s);
    EXPECT_NEAR(*verdict.next[0].worth_s, *verdict.gain_s, 1e-4);
    ASSERT_TRUE(verdict.next[0].worth_low_s && verdict.gain_low_s);
    EXPECT_EQ(verdict.next[0].account, AccountKind::uneven);
    EXPECT_NEAR(*verdict.gain_low_s, *verdict.next[0].worth_low_s, 1e-3);
    EXPECT_THAT(verdict.next[0].words(), HasSubstr("up to 300 ms)."));
    EXPECT_THAT(verdict.next[0].reason_words(),
                AllOf(StartsWith("Load balance 0."), HasSubstr(". To try it: let each rank print"),
                      HasSubstr(". If it does not help: if the counts are equal but ")));
}

TEST(Verdict, CallsOfSeveralSizesAreNotAllOfTheOneThatTakesTheTime)
{
    Heaviest of;
    of.calls = 16050;
    of.size_calls = 198;
    of.size = 2'000'000;
    of.time_s = 3;
    EXPECT_EQ(of.calls_words(), "198 of 16050 calls are of 1.9 MiB and take most of the time");
    of.size_calls = 16000;
    EXPECT_EQ(of.calls_words(), "16050 calls of 1.9 MiB, 187 us each");
    of.size_calls = 1;
    EXPECT_EQ(of.calls_words(), "1 of 16050 calls is of 1.9 MiB and takes most of the time");
    of.calls = 1;
    EXPECT_EQ(of.calls_words(), "1 call of 1.9 MiB, 3.00 s");
}

TEST(Verdict, ManyCallsAreCountedAsPeopleSayIt)
{
    Heaviest of;
    of.calls = 2'000'000;
    of.size_calls = 2'000'000;
    of.size = 8;
    of.time_s = 0.508;
    EXPECT_EQ(of.calls_words(), "2.0 million calls of 8 B, 254 ns each");
    of.size_calls = 1'600'000;
    EXPECT_EQ(of.calls_words(), "1.6 million of 2.0 million calls are of 8 B and take most of the "
                                "time");
}

TEST(Verdict, ASureStepStandsAboveOneThatMightSaveMore)
{
    Proposal sure, doubtful;
    sure.worth_s = 1;
    doubtful.worth_s = 3;
    using mprof::Confidence;
    EXPECT_GT(expected_s(sure, Confidence::high), expected_s(doubtful, Confidence::low));
    EXPECT_LT(expected_s(sure, Confidence::medium), expected_s(doubtful, Confidence::medium));
    sure.of_class = true;
    EXPECT_GT(expected_s(sure, Confidence::high), expected_s(doubtful, Confidence::medium));
    doubtful.is_guess = true;
    EXPECT_GT(expected_s(sure, Confidence::medium), expected_s(doubtful, Confidence::high));
}

TEST(Verdict, SharedCpusLowerTheConfidence)
{
    Ranks ranks = imbalanced_ranks(4);
    for (auto &rank : ranks)
        rank.texts.emplace_back("cpus_allowed", "0-1");
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_THAT(verdict.extra, ElementsAre(StartsWith("OVERSUBSCRIBED")));
    ASSERT_GE(verdict.next.size(), 2U);
    EXPECT_EQ(verdict.next[0].confidence, mprof::Confidence::medium);
    EXPECT_THAT(verdict.next, step_says("Start at most as many ranks on node00 as it has CPUs"));
}

// The CPUs have as much to do for fewer ranks: nobody can tell what that saves. Where cores are
// free, the account of too few CPUs is what binding saves.
TEST(Verdict, FewerRanksPromiseNothingAndFreeCoresTheirAccount)
{
    Report report;
    AccountRow row;
    row.kind = AccountKind::few_cpus;
    row.gain_s = row.gain_low_s = 2;
    report.accounts.rows = {row};
    VerdictFacts facts;
    facts.accounts = &report.accounts;
    facts.crowded_host = "node00";
    EXPECT_FALSE(propose_fewer_ranks({report, facts, VerdictClass::mixed}).saves);
    facts.crowded_has_free_cores = true;
    const Proposal step = propose_fewer_ranks({report, facts, VerdictClass::mixed});
    EXPECT_TRUE(step.saves);
    EXPECT_DOUBLE_EQ(step.worth_s, 2);
    EXPECT_EQ(step.account, AccountKind::few_cpus);
}

// Ranks that share CPUs may use them for longer with as much work.
TEST(Verdict, WhereCpusAreSharedALittleMoreCpuTimeIsNotSurelyMoreWork)
{
    Report report;
    report.ranks.resize(4);
    AccountRow row;
    row.kind = AccountKind::uneven;
    row.gain_s = row.gain_low_s = 2;
    row.rank = 1;
    row.rank_s = 7.3;
    row.next_s = 5.3;
    const auto confidence = [&](bool crowded) {
        report.accounts.rows = {row};
        report.accounts.crowded = crowded;
        VerdictFacts facts;
        facts.accounts = &report.accounts;
        return propose_slow_rank({report, facts, VerdictClass::load_imbalance_bound}).confidence;
    };
    EXPECT_EQ(confidence(false), mprof::Confidence::high);
    EXPECT_EQ(confidence(true), mprof::Confidence::medium);
    row.next_s = 4;
    EXPECT_EQ(confidence(true), mprof::Confidence::high);
}

// Below the smallest eager limit a send waits for no receiver.
TEST(Verdict, TheEagerLimitIsNotToBeRaisedAboveWhatItIs)
{
    Report report;
    report.ranks.resize(2);
    report.ranks[0].wait_s = 2;
    CallLineRow send;
    send.function = "MPI_Send";
    send.calls = send.size_calls = 100;
    send.wait_s = 2;
    VerdictFacts facts;
    facts.ranks = 2;
    facts.wallclock_s = facts.rank_wallclock_s = 4;
    const auto step = [&](uint64_t bytes) {
        send.size = bytes;
        report.call_lines = {send};
        return propose_late_receives({report, facts, VerdictClass::synchronisation_bound});
    };
    EXPECT_FALSE(step(800).matches);
    EXPECT_TRUE(step(8000).matches);
    EXPECT_THAT(step(8000).action, HasSubstr("raise the MPI's eager limit above"));
    report.eager_limits.resize(1);
    report.eager_limits[0].limit_bytes = 16384;
    EXPECT_FALSE(step(8000).matches) << "the machine's file knows it better";
}

// The receivers sleep, which is an account of its own: a sender that need not wait for them saves
// what ranks wait for each other in turn.
TEST(Verdict, SendsThatNeedNotWaitSaveWhatIsWaitedInTurn)
{
    Report report;
    report.ranks.resize(2);
    report.ranks[0].wait_s = 2;
    CallLineRow send;
    send.function = "MPI_Send";
    send.calls = send.size_calls = 100;
    send.size = 100'000;
    send.wait_s = 2;
    report.call_lines = {send};
    AccountRow blocked, in_turn;
    blocked.kind = AccountKind::blocked;
    blocked.gain_s = 3;
    in_turn.kind = AccountKind::in_turn;
    in_turn.gain_s = 1.5;
    VerdictFacts facts;
    facts.ranks = 2;
    facts.wallclock_s = facts.rank_wallclock_s = 4;
    facts.accounts = &report.accounts;
    const auto account = [&] {
        return propose_late_receives({report, facts, VerdictClass::blocked}).account;
    };
    report.accounts.rows = {blocked, in_turn};
    EXPECT_EQ(account(), AccountKind::in_turn);
    report.accounts.rows = {blocked};
    EXPECT_EQ(account(), AccountKind::blocked) << "nothing is waited in turn";
}

// Ten ranks, one of which waits for a receiver: the run may get shorter by all that it waits, not
// by a tenth of it. It cannot by more than any rank waits.
TEST(Verdict, AWaitOfOneRankIsWorthAllOfIt)
{
    Report report;
    report.ranks.resize(10);
    report.ranks[3].wait_s = 2;
    CallLineRow send;
    send.function = "MPI_Send";
    send.place = "ring.c:7";
    send.calls = send.size_calls = 100;
    send.size = 100000;
    send.wait_s = 2;
    report.call_lines = {send};
    VerdictFacts facts;
    facts.ranks = 10;
    facts.wallclock_s = facts.rank_wallclock_s = 4;
    const StepContext context{report, facts, VerdictClass::synchronisation_bound};
    EXPECT_DOUBLE_EQ(propose_late_receives(context).worth_s, 2);
    report.ranks[3].wait_s = 0.5;
    report.ranks[4].wait_s = 1.5;
    EXPECT_DOUBLE_EQ(propose_late_receives(context).worth_s, 1.5);
}

// Most bytes go between nodes. What is transfer must be point to point, too: an order of the ranks
// says nothing of collectives.
TEST(Verdict, PlacementIsWorthAStepWhereMessagesBetweenNodesTakeTheTransfer)
{
    Report report;
    for (const char *host : {"node00", "node01"}) {
        NodeRow node;
        node.host = host;
        node.ranks = 2;
        node.inside_bytes = 10 << 20;
        node.outside_bytes = 90 << 20;
        report.nodes.push_back(node);
    }
    for (uint32_t rank = 0; rank < 4; rank++) {
        RankRow row;
        row.wallclock_s = 10;
        row.message_s = 4;
        row.message_wait_s = 1;
        row.transfer_s = 3;
        report.ranks.push_back(row);
    }
    VerdictFacts facts;
    facts.ranks = 4;
    facts.wallclock_s = 10;
    facts.rank_wallclock_s = 40;
    facts.large_s = 12;
    const auto step = [&] {
        return propose_nodes_apart({report, facts, VerdictClass::bandwidth_bound});
    };
    EXPECT_TRUE(step().matches);
    EXPECT_TRUE(step().of_class);
    EXPECT_THAT(step().action, HasSubstr("mprof place FOLDER"));
    EXPECT_THAT(step().evidence, HasSubstr("90% of the bytes"));
    EXPECT_THAT(step().evidence, HasSubstr("100% of the transfer"));
    for (RankRow &row : report.ranks)
        row.transfer_s = 30;
    EXPECT_FALSE(step().matches) << "nine tenths of the transfer are collectives";
    for (RankRow &row : report.ranks)
        row.transfer_s = 3;
    for (NodeRow &node : report.nodes)
        node.inside_bytes = 100 << 20;
    EXPECT_FALSE(step().matches) << "most bytes stay inside a node";
}

TEST(Verdict, ARankWhoseFileIsMissingIsWhatTheOthersWaitFor)
{
    Ranks ranks = imbalanced_ranks(4, 2);
    add_baseline(ranks[0], 2 * us, 200 * us);
    ranks.erase(ranks.begin() + 2);
    const Report report = report_of(ranks);
    // 3 ranks wait 4.01 ms each time; a message of 8 B to each of 4 ranks would be 8 us of it.
    EXPECT_NEAR(report.totals.missing_wait_s.value(), 3 * 100 * 4.002e-3, 0.02);
    EXPECT_EQ(report.totals.wait_s, report.totals.missing_wait_s) << "for nobody else";
    EXPECT_THAT(report.verdict.headline,
                HasSubstr("of that is waiting for rank 2, whose file is missing."));

    // Without waiting, nothing is said of the missing one.
    Ranks even = planted_ranks(4, 510 * ms);
    repeat_call(even, f_allreduce, {10 * us, 11 * us, 9 * us, 10 * us}, 100);
    add_baseline(even[0], 2 * us, 200 * us);
    even.erase(even.begin() + 2);
    EXPECT_NEAR(report_of(even).totals.missing_wait_s.value(), 0, 0.001);
    EXPECT_EQ(report_of(imbalanced_ranks(4)).totals.missing_wait_s, std::nullopt);
}

TEST(Verdict, ThreadsThatWaitAtTheSameTimeCostTheRunWhatOneOfThemWaits)
{
    // 4 threads of each rank receive for 800 of 1000 ms; whom they wait for is not known.
    auto ranks = planted_ranks(2, 1000 * ms);
    add_baseline(ranks[0], 2 * us, 2 * us);
    for (auto &rank : ranks) {
        rank.threads[0].entries = {calls_of(f_recv, 8, 100, 800 * ms, 2 * us)};
        rank.threads.resize(4, rank.threads[0]);
    }
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "synchronisation bound");
    EXPECT_NEAR(verdict.gain_s.value(), 0.8, 0.001);
    for (const StepRule &rule : verdict.step_rules)
        EXPECT_LE(rule.worth_s, 1) << rule.name;
}

TEST(Verdict, CheapCallsByTheMillionAreWorthAStep)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add_to_all(ranks, make_entry(f_comm_rank, 0, 5'000'000, 50 * ms));
    EXPECT_THAT(report_of(ranks).verdict.next, step_says("Call MPI_Comm_rank once"));
}

HotSpotRow sampled(const char *function, uint64_t samples, size_t segment)
{
    HotSpotRow row;
    row.site.module = "/home/x/graph";
    row.site.symbol = function;
    row.samples = samples;
    row.segment = segment;
    return row;
}

// A stack that overflows leaves no sample: what was sampled there in the steps before is told.
TEST(Verdict, WhereARankThatDiedComputedIsSaid)
{
    Report report;
    report.run.wallclock_s = 1;
    report.ranks.resize(2);
    report.ranks[1].rank = 1;
    report.ranks[1].in_call_place = "graph.c:9";
    report.standing.ended_by = 1;
    report.standing.ended_how = RankEnd::died;
    report.standing.headline = "rank 1 died of SIGSEGV";
    report.segments.resize(2);
    report.segments[0].from.file = "/home/x/graph.c";
    report.segments[0].from.line = 9;
    report.segments[1].from = report.segments[0].from;
    report.segments[1].from.line = 20;
    report.hotspots = {sampled("weigh", 90, 0), sampled("visit", 5, 0), sampled("write", 80, 1)};
    const VerdictFacts facts = gather_facts(report);
    const StepContext context{report, facts, VerdictClass::compute_bound};
    EXPECT_EQ(propose_look_at_end(context).action,
              "Find out why rank 1 died of SIGSEGV; until then it computed there in weigh (graph) "
              "and visit (graph).");
    report.standing.ended_how = RankEnd::exit;
    EXPECT_EQ(propose_look_at_end(context).action, "Find out why rank 1 died of SIGSEGV.");
}

TEST(Verdict, AtMostThreeStepsAndTheClassFirst)
{
    Ranks ranks = imbalanced_ranks(2);
    add_to_all(ranks, make_entry(f_comm_rank, 0, 5'000'000, 5 * ms));
    add_to_all(ranks, make_entry(f_test, 0, 1'000'000, 20 * ms));
    add_to_all(ranks, make_entry(f_file_write, 8, 1, 80 * ms));
    const Verdict verdict = report_of(ranks).verdict;
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_LE(verdict.next.size(), 3U);
    EXPECT_THAT(verdict.next[0].action, HasSubstr("Give rank 1 less work"));
}

}  // namespace
