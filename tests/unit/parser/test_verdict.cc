// What bounds the run: one composed profile per class, and the sentences that come with it.
#include "planted_ranks.h"
#include "render/text/render_text.h"
#include "report_of.h"
#include "verdict/step_rules.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Ranks = std::vector<RankFileContent>;

void add(Ranks &ranks, const mprof_entry &entry)
{
    for (auto &rank : ranks)
        rank.threads[0].entries.push_back(entry);
}

// `ticks` by rank, the same each time.
void repeat(Ranks &ranks, uint16_t function, const std::vector<uint64_t> &ticks, size_t times,
            int32_t root = MPROF_NO_PEER)
{
    for (size_t r = 0; r < ranks.size(); r++) {
        PlantedJournal journal(ranks[r]);
        for (size_t i = 0; i < times; i++)
            journal.add(function, ticks[r], root);
        journal.close();
    }
}

// The callsite of every entry and operation: line 0x20 of /bin/app; without symbols "app+0x20".
void set_callsites(Ranks &ranks)
{
    for (auto &rank : ranks) {
        rank.modules = {{}, make_module("/bin/app", "00ff")};
        rank.callsites = {{}, make_callsite(0, 1, 0x20)};
        for (mprof_entry &entry : rank.threads[0].entries)
            entry.callsite = 1;
        for (mprof_partner &partner : rank.threads[0].partners)
            partner.callsite = 1;
        for (mprof_operation &operation : rank.operations)
            operation.callsite = 1;
    }
}

auto step_says(const std::string &words)
{
    return Contains(Field(&NextStep::action, HasSubstr(words)));
}

// Rank `late` computes 5 ms before each of 100 reductions, the others 1 ms.
Ranks imbalanced(uint32_t count, size_t late = 1)
{
    Ranks ranks = planted_ranks(count, 510 * ms);
    std::vector<uint64_t> ticks(count, 4010 * us);
    ticks[late] = 10 * us;
    repeat(ranks, f_allreduce, ticks, 100);
    return ranks;
}

// In turn each rank is late by 4 ms; on the whole all compute the same.
Ranks late_in_turn(uint32_t count, uint16_t function)
{
    Ranks ranks = planted_ranks(count, 510 * ms);
    for (size_t r = 0; r < count; r++) {
        PlantedJournal journal(ranks[r]);
        for (size_t i = 0; i < 100; i++)
            journal.add(function, i % count == r ? 10 * us : 4010 * us);
        journal.close();
    }
    return ranks;
}

TEST(Verdict, ComputeBound)
{
    Ranks ranks = planted_ranks(2, ms);
    add(ranks, make_entry(f_comm_rank, 0, 1, 50'000));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "compute bound");
    EXPECT_EQ(verdict.headline, "COMPUTE BOUND. 5.0% of the run is MPI.");
    EXPECT_EQ(verdict.gain_s, std::nullopt);
    EXPECT_THAT(verdict.next, step_says("a CPU profiler"));
    EXPECT_EQ(verdict.next[0].worth_s, std::nullopt) << "nobody knows what there is to save";
}

// They move nothing and wait for nobody: no message is to blame, and no other rank.
TEST(Verdict, TheTimeOfCallsThatOnlyAskIsWork)
{
    Ranks ranks = planted_ranks(2, 510 * ms);
    repeat(ranks, f_allreduce, {10 * us, 3010 * us}, 100);
    ranks[0].threads[0].entries.push_back(make_entry(f_comm_rank, 0, 5'000'000, 450 * ms));
    set_callsites(ranks);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "load-imbalance bound");
    EXPECT_THAT(verdict.sentence, StartsWith("Rank 0 does 71% of the work (509 ms, rank 1 209 ms"));
}

TEST(Verdict, LoadImbalanceNamesRankPlaceAndGain)
{
    Ranks ranks = imbalanced(4);
    set_callsites(ranks);
    const Report report = report_of(ranks);
    const Verdict &verdict = report.verdict;
    // Three ranks wait 401 of 510 ms, rank 1 is in MPI for 1 ms: 3 * 401 + 1 of 2040.
    EXPECT_EQ(text_of(verdict.verdict_class), "load-imbalance bound");
    EXPECT_EQ(verdict.headline, "LOAD-IMBALANCE BOUND. Rank 1 works 509 ms, the average rank 209 "
                                "ms: evenly divided the run saves 300 ms.");
    EXPECT_EQ(verdict.why, "The waiting surfaces "
                           "mostly in MPI_Allreduce (8 B) at app+0x20 on MPI_COMM_WORLD, which "
                           "alone holds 100% of all MPI time: rank 1 came last in 100% of the "
                           "calls, and the others waited 1.20 s for it.");
    EXPECT_NEAR(*verdict.gain_s, 0.3, 0.001) << "509 - (509 + 3 * 109) / 4 ms";
    EXPECT_EQ(verdict.gain, "Evenly divided work would save up to 300 ms (59%). If rank 1 need not "
                            "do it at all: 400 ms.");
    EXPECT_THAT(verdict.extra, IsEmpty());
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action, HasSubstr("Give rank 1 less work"));
    EXPECT_EQ(verdict.next[0].confidence, mprof::Confidence::high);
}

TEST(Verdict, LoadImbalanceTellsBetweenWhichCallsTheRankComputes)
{
    Ranks ranks = imbalanced(2);
    for (size_t r = 0; r < 2; r++)
        ranks[r].threads[0].segments = {
            make_segment(f_allreduce, 0, f_allreduce, 0, 99, (r == 1 ? 495 : 99) * ms),
            make_segment(f_init, 0, f_allreduce, 0, 1, 5 * ms)};
    const Report report = report_of(ranks);
    ASSERT_EQ(report.causes.size(), 1U);
    EXPECT_EQ(report.causes[0].segment,
              "MPI_Allreduce and its next call (495 ms, the others 99.0 ms)");
    EXPECT_THAT(report.verdict.why,
                HasSubstr("Rank 1 computes longer between MPI_Allreduce and its "
                          "next call (495 ms, the others 99.0 ms)."));
}

// Ranks 2 and 3 reach the reductions by another way.
TEST(Verdict, LoadImbalanceIsComparedWithRanksThatPassThere)
{
    Ranks ranks = imbalanced(4);
    for (size_t r = 0; r < 4; r++)
        ranks[r].threads[0].segments = {make_segment(r < 2 ? f_allreduce : f_init, 0, f_allreduce,
                                                     0, 99, (r == 1 ? 495 : 99) * ms)};
    EXPECT_EQ(report_of(ranks).causes.at(0).segment,
              "MPI_Allreduce and its next call (495 ms, 1 of 3 others 99.0 ms)");
}

TEST(Verdict, ASlowHostIsNamed)
{
    Ranks ranks = planted_ranks(4, 510 * ms);
    for (size_t r = 2; r < 4; r++)
        ranks[r].texts[1].second = "slow";
    repeat(ranks, f_allreduce, {2560 * us, 2560 * us, 10 * us, 10 * us}, 100);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "load-imbalance bound");
    EXPECT_THAT(verdict.headline,
                HasSubstr("The 2 ranks on slow compute 2.00x as long as everyone else"));
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action, StartsWith("Take slow out"));
}

// test_standing.cc has those that hang.
TEST(Verdict, OfAJobThatEndedDoesNotAskWhetherItHangs)
{
    for (const VerdictRule &rule : report_of(imbalanced(3)).verdict.rules)
        EXPECT_NE(text_of(rule.verdict_class), "HUNG");
}

TEST(Verdict, ASlowNodeThatWasTooHotIsSaidToBe)
{
    Ranks ranks = planted_ranks(4, 510 * ms);
    for (size_t r = 2; r < 4; r++) {
        ranks[r].texts[1].second = "node2";
        ranks[r].texts.emplace_back("heat_throttles", "12");
    }
    repeat(ranks, f_allreduce, {2560 * us, 2560 * us, 10 * us, 10 * us}, 100);
    const Report hot = report_of(ranks);
    EXPECT_THAT(hot.verdict.why, HasSubstr("node2's CPUs were throttled by heat 12 times "
                                           "meanwhile."));
    EXPECT_EQ(hot.ranks[2].heat_throttles, 12U);
    EXPECT_EQ(hot.ranks[0].heat_throttles, std::nullopt);
    for (size_t r = 2; r < 4; r++)
        ranks[r].texts.back().second = "0";
    EXPECT_THAT(report_of(ranks).verdict.why, Not(HasSubstr("heat")));
}

mprof_condition condition_with(uint64_t work_ns)
{
    mprof_condition condition = {};
    condition.moment = MPROF_SAMPLE_FINALIZE_ENTERED;
    condition.work_ns = work_ns;
    condition.read_bytes = condition.written_bytes = condition.throttled_ns = UINT64_MAX;
    return condition;
}

// Rank 1 computes five times as long as the others. Its CPU explains that, or a tenth of it.
TEST(Verdict, ASlowCpuIsToldFromMoreWork)
{
    Ranks ranks = imbalanced(3);
    for (size_t r = 0; r < 3; r++)
        ranks[r].conditions = {condition_with(r == 1 ? 500'000 : 100'000)};
    const Report slow = report_of(ranks);
    EXPECT_EQ(slow.causes[0].reason, "does the same arithmetic 400% slower");
    EXPECT_THAT(slow.verdict.why, HasSubstr("does the same arithmetic 400% slower: the work is "
                                            "not more."));
    ASSERT_FALSE(slow.verdict.next.empty());
    EXPECT_THAT(slow.verdict.next[0].action, HasSubstr("check its clock, load and thermal state"));

    ranks[1].conditions = {condition_with(110'000)};
    const Report more = report_of(ranks);
    EXPECT_EQ(more.causes[0].reason, "does the same arithmetic 10% slower");
    EXPECT_THAT(more.verdict.next[0].action, StartsWith("Give rank 1 less work"));
    EXPECT_THAT(more.verdict.why, Not(HasSubstr("arithmetic")));
}

TEST(Verdict, WhatIsUnusualAboutTheSlowRankIsSaid)
{
    Ranks ranks = imbalanced(3);
    for (size_t r = 0; r < 3; r++) {
        mprof_sample sample = {};
        sample.moment = MPROF_SAMPLE_FINALIZE_ENTERED;
        sample.cpu = sample.numa_node = -1;
        sample.involuntary_switches = r == 1 ? 1000 : 10;
        ranks[r].samples = {sample};
    }
    const Report report = report_of(ranks);
    ASSERT_EQ(report.causes.size(), 1U);
    EXPECT_EQ(report.causes[0].reason, "has to give up the CPU 1961 times a second, the others 20");
}

// Two thirds of a program's ranks compute a tenth less than the others, and wait for that long.
TEST(Verdict, ASmallImbalanceThatExplainsTheWaitingIsNamed)
{
    Ranks ranks = planted_ranks(3, 2000 * ms);
    repeat(ranks, f_allreduce, {3010 * us, 3010 * us, 10 * us}, 100);
    const Report report = report_of(ranks);
    ASSERT_GT(report.totals.load_balance, 0.85);
    ASSERT_LT(report.totals.load_balance, 0.95);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "load-imbalance bound");
    EXPECT_THAT(report.verdict.sentence, StartsWith("Rank 2 works"));
    for (const VerdictCard &card : report.verdict.cards)
        EXPECT_TRUE(card.title != "Load balance" || card.state == Judgement::problem);
}

TEST(Verdict, ImbalanceThatMovesIsSynchronisation)
{
    Ranks ranks = late_in_turn(4, f_allreduce);
    set_callsites(ranks);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "synchronisation bound");
    EXPECT_THAT(verdict.why, HasSubstr("load balance 1.00), but not at the same time."));
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action,
                HasSubstr("who comes last at MPI_Allreduce (8 B) at app+0x20 "
                          "changes"));
    EXPECT_THAT(verdict.next[0].evidence, HasSubstr("in 25% of the calls"));
}

// Nobody knows for whom a rank polls, but there it waits as well.
TEST(Verdict, TwoPlacesThatHoldRanksInTurnAreBothNamed)
{
    Ranks ranks = late_in_turn(4, f_allreduce);
    add(ranks, make_entry(f_test, 0, 10, 180 * ms));
    set_callsites(ranks);
    EXPECT_THAT(
        report_of(ranks).verdict.sentence,
        HasSubstr("mostly in MPI_Allreduce (8 B) at app+0x20 and MPI_Test at app+0x20: all"));
}

// The root is late for each broadcast, and the others are late for the reduction behind it: on the
// whole all compute and wait the same, but who is late for the broadcast does not change.
TEST(Verdict, ARootThatIsLateIsNamedThoughTheOthersAreLateElsewhere)
{
    Ranks ranks = planted_ranks(4, 1010 * ms);
    add_baseline(ranks[0], 10 * us, 1000 * us);
    for (size_t r = 0; r < 4; r++) {
        PlantedJournal journal(ranks[r]);
        for (size_t i = 0; i < 100; i++) {
            journal.add(f_bcast, r == 0 ? 10 * us : 4010 * us, 0);
            journal.add(f_allreduce, r == 0 ? 4010 * us : 10 * us);
        }
        journal.close();
    }
    set_callsites(ranks);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "synchronisation bound");
    EXPECT_THAT(verdict.why, HasSubstr("rank 0 came last in 100% of the calls"));
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action, StartsWith("Let rank 0, the root of MPI_Bcast"));
    for (const NextStep &step : verdict.next)
        EXPECT_THAT(step.action, Not(HasSubstr("changes")));
}

// Two ranks send each other 8 bytes all the time. A message takes 2 us at best, and 6 us here.
TEST(Verdict, ManySmallMessagesAreNotALateRank)
{
    constexpr uint64_t calls = 40'000;
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add_baseline(ranks[0], 2 * us, 200 * us);
    for (uint32_t r = 0; r < 2; r++) {
        ThreadContent &thread = ranks[r].threads[0];
        thread.entries = {make_entry(f_send, 8, calls, calls * us),
                          make_entry(f_recv, 8, calls, calls * 6 * us)};
        thread.partners = {
            messages_with(MPROF_PARTNER_SENT, 1 - r, calls, calls * 8, calls * us),
            messages_with(MPROF_PARTNER_RECEIVED, 1 - r, calls, calls * 8, calls * 6 * us)};
    }
    set_callsites(ranks);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "latency bound");
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action, StartsWith("Send fewer and larger messages"));
    EXPECT_EQ(verdict.next[0].evidence, "80000 calls of 8 B, 6.00 us each");
}

// Each rank waits 300 ms; that rank 0 computes 19 ms and the others 9 ms is the reason of 7.5 ms of
// it.
TEST(Verdict, ImbalanceThatExplainsLittleOfTheWaitingIsNotTheClass)
{
    Ranks ranks = late_in_turn(4, f_allreduce);
    for (size_t r = 0; r < 4; r++) {
        const uint64_t end = 1000 + (r == 0 ? 450 : 410) * ms;
        ranks[r].clock.latest = {end, end, end};
    }
    const Report report = report_of(ranks);
    EXPECT_LT(report.totals.load_balance, 0.85);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "synchronisation bound");
}

TEST(Verdict, BarriersThatRanksWaitInAreWorthAQuestion)
{
    const Verdict verdict = report_of(late_in_turn(2, f_barrier)).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "synchronisation bound");
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action, StartsWith("Take out the MPI_Barrier"));
}

TEST(Verdict, RanksThatWorkOneAfterTheOtherAreAChain)
{
    Ranks ranks = planted_ranks(4, 4000 * ms);
    add_baseline(ranks[0], us, 100 * us);
    for (uint32_t r = 0; r < 4; r++) {
        ThreadContent &thread = ranks[r].threads[0];
        thread.entries.push_back(make_entry(f_barrier, 0, 1, (3 - r) * 1000 * ms));
        if (r == 0)
            continue;
        thread.entries.push_back(make_entry(f_recv, 8, 1, r * 1000 * ms));
        thread.partners.push_back(
            messages_with(MPROF_PARTNER_RECEIVED, r - 1, 1, 8, r * 1000 * ms));
    }
    set_callsites(ranks);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "synchronisation bound");
    EXPECT_THAT(verdict.sentence, HasSubstr("mostly in MPI_Recv (8 B) at app+0x20: all at work"));
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action, StartsWith("Let ranks work at the same time"));
    EXPECT_THAT(verdict.next[0].evidence, HasSubstr("of 4 ranks only 1.0 compute at a time"));
}

TEST(Verdict, ManyTinyReductionsAreLatency)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    repeat(ranks, f_allreduce, {80 * us, 80 * us}, 10'000);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "latency bound");
    EXPECT_THAT(verdict.headline, StartsWith("LATENCY BOUND. Small messages take 800 ms (80% of "
                                             "the run), mostly in MPI_Allreduce"));
    EXPECT_THAT(verdict.next, step_says("Put several values into one MPI_Allreduce"));
}

TEST(Verdict, ManyTinyMessagesAreLatency)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add_baseline(ranks[0], 6 * us, 300 * us);
    add(ranks, make_entry(f_recv, 8, 100'000, 800 * ms));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "latency bound");
    EXPECT_THAT(verdict.why, HasSubstr("Messages of 8 B take 8.00 us each; possible are 6.00 us."));
    EXPECT_THAT(verdict.next, step_says("Send fewer and larger messages"));
}

TEST(Verdict, LargeMessagesAreBandwidth)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add_baseline(ranks[0], us, 100 * us);
    add(ranks, make_entry(f_sendrecv, 1U << 20U, 4000, 4000 * 200 * us));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "bandwidth bound");
    EXPECT_THAT(verdict.why, HasSubstr("Messages of 1.0 MiB take 200 us (5.2 GB/s) each; possible "
                                       "are 100 us (10.5 GB/s)."));
}

TEST(Verdict, StartUpBound)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add(ranks, make_entry(f_init, 0, 1, 600 * ms));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "start-up bound");
    EXPECT_NEAR(*verdict.gain_s, 0.6, 1e-4);
}

// Of a run of a moment mprof itself is a tenth.
TEST(Verdict, WhatMprofTookIsNotTheRestOfAShortRun)
{
    for (const uint64_t own_ms : {0U, 100U}) {
        Ranks ranks = planted_ranks(2, 1000 * ms);
        add(ranks, make_entry(f_init, 0, 1, 470 * ms));
        for (RankFileContent &rank : ranks)
            rank.run.own_ns = own_ms * ms;
        EXPECT_EQ(text_of(report_of(ranks).verdict.verdict_class),
                  own_ms == 0 ? "compute bound" : "start-up bound");
    }
}

// MPI_Init costs once, whatever follows: it is a headline of long runs alone.
TEST(Verdict, LessStartUpIsAHeadlineOfRunsAboveAMinute)
{
    for (const uint64_t run_s : {10U, 100U}) {
        Ranks ranks = planted_ranks(2, run_s * 1000 * ms);
        add(ranks, make_entry(f_init, 0, 1, run_s * 200 * ms));
        EXPECT_EQ(text_of(report_of(ranks).verdict.verdict_class),
                  run_s == 10 ? "compute bound" : "start-up bound");
    }
}

TEST(Verdict, ARankThatEntersMpiLateIsNamed)
{
    Ranks ranks = planted_ranks(3, 10'000 * ms);
    for (size_t r = 0; r < 3; r++)
        ranks[r].threads[0].entries.push_back(
            make_entry(f_init, 0, 1, r == 1 ? 100 * ms : 3100 * ms));
    repeat(ranks, f_allreduce, {10 * us, 10 * us, 10 * us}, 1);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(verdict.headline, "START-UP BOUND. Rank 1 entered MPI_Init 3.00 s after the others, "
                                "which waited for it there.");
}

// One rank comes late to a call that ends or connects communicators: that is no start-up.
TEST(Verdict, TheWaitForALateRankIsNotStartUp)
{
    for (const char *function : {"MPI_Comm_disconnect", "MPI_Comm_free", "MPI_Comm_accept",
                                 "MPI_Comm_create_group", "MPI_Intercomm_merge"}) {
        Ranks ranks = planted_ranks(4, 1000 * ms);
        for (size_t r = 0; r < ranks.size(); r++) {
            ranks[r].functions.emplace_back(function);
            const auto id = static_cast<uint16_t>(ranks[r].functions.size() - 1);
            ranks[r].threads[0].entries.push_back(make_entry(id, 0, 1, r == 1 ? ms : 600 * ms));
        }
        EXPECT_NE(text_of(report_of(ranks).verdict.verdict_class), "start-up bound") << function;
    }
}

TEST(Verdict, MakingCommunicatorsIsStartUp)
{
    for (const char *function : {"MPI_Comm_dup", "MPI_Comm_split", "MPI_Cart_create",
                                 "MPI_Dist_graph_create_adjacent", "MPI_Init_thread"}) {
        Ranks ranks = planted_ranks(4, 1000 * ms);
        for (auto &rank : ranks) {
            rank.functions.emplace_back(function);
            const auto id = static_cast<uint16_t>(rank.functions.size() - 1);
            rank.threads[0].entries.push_back(make_entry(id, 0, 100, 600 * ms));
        }
        EXPECT_EQ(text_of(report_of(ranks).verdict.verdict_class), "start-up bound") << function;
    }
}

// What a call that makes a communicator takes beyond waiting is start-up, and is not transfer, too.
TEST(Verdict, StartUpIsNotCountedAsTransferOnceMore)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    for (auto &rank : ranks) {
        rank.functions.emplace_back("MPI_Comm_dup");
        PlantedJournal journal(rank);
        for (size_t i = 0; i < 100; i++)
            journal.add(static_cast<uint16_t>(rank.functions.size() - 1), 4 * ms);
        journal.close(0);
    }
    const Report report = report_of(ranks);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "start-up bound");
    EXPECT_EQ(report.totals.small_transfer_s, 0);
}

// The headline names the larger cost: here messages, of a size that is neither small nor large.
TEST(Verdict, StartUpIsNotTheClassBesideMoreTimeInCalls)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add(ranks, make_entry(f_init, 0, 1, 250 * ms));
    add(ranks, make_entry(f_sendrecv, 10'000, 400, 600 * ms));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "latency bound");
}

TEST(Verdict, InAShortRunStartUpComesBehindAnyAccount)
{
    for (const uint64_t init_ms : {100U, 500U}) {
        Ranks ranks = imbalanced(2);
        for (auto &rank : ranks) {
            rank.clock.latest = {1000 + 1010 * ms, 1000 + 1010 * ms, 1000 + 1010 * ms};
            rank.threads[0].entries.push_back(make_entry(f_init, 0, 1, init_ms * ms));
        }
        EXPECT_EQ(text_of(report_of(ranks).verdict.verdict_class), "load-imbalance bound");
    }
}

TEST(Verdict, InputOutputBound)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add(ranks, make_entry(f_file_write, 8, 1, 400 * ms));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "I/O bound");
    EXPECT_EQ(verdict.headline, "I/O BOUND. 40% of the run is MPI-IO. Without it the run saves 400 "
                                "ms, mostly in MPI_File_write.");
}

TEST(Verdict, AdviceOnFilesFitsWhatTheProgramDoes)
{
    const auto advice = [](const std::vector<mprof_entry> &calls) {
        auto ranks = planted_ranks(2, 1000 * ms);
        for (const mprof_entry &entry : calls)
            add(ranks, entry);
        return report_of(ranks).verdict.next.at(0);
    };
    const NextStep storm = advice({make_entry(f_file_open, 0, 400, 600 * ms)});
    EXPECT_THAT(storm.action, StartsWith("Open files once"));
    EXPECT_EQ(storm.evidence, "800 calls to open or close files, 1.50 ms each");
    EXPECT_THAT(advice({make_entry(f_file_write_all, 8 * mib, 4, 200 * ms),
                        make_entry(f_file_sync, 0, 4, 400 * ms)})
                    .action,
                StartsWith("Sync files less often"));
    const NextStep pieces = advice({make_entry(f_file_write, 512, 1000, 600 * ms)});
    EXPECT_THAT(pieces.action, HasSubstr("or use the collective calls"));
    EXPECT_EQ(pieces.evidence, "2000 calls of 512 B on average, 600 us each");
    EXPECT_THAT(advice({make_entry(f_file_write, 8 * mib, 4, 600 * ms)}).action,
                StartsWith("Try the collective calls"));
    EXPECT_EQ(advice({make_entry(f_file_write_all, 512, 1000, 600 * ms)}).action,
              "Read and write more at once.");
    EXPECT_THAT(advice({make_entry(f_file_write_all, 8 * mib, 4, 600 * ms)}).action,
                HasSubstr("collective already"));
}

TEST(Verdict, PollingIsWaiting)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add(ranks, make_entry(f_test, 0, 1'000'000, 400 * ms));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "synchronisation bound");
    EXPECT_THAT(verdict.next, step_says("Wait with MPI_Wait instead of MPI_Test"));
}

TEST(Verdict, MixedAndIncomplete)
{
    Ranks ranks = planted_ranks(2, ms);
    add(ranks, make_entry(f_allreduce, 8, 1, 600'000));
    EXPECT_EQ(text_of(report_of(ranks).verdict.verdict_class), "mixed")
        << "below a tenth of a second nothing is an account";
    ranks.pop_back();
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_THAT(verdict.extra,
                ElementsAre(HasSubstr("INCOMPLETE PROFILE: 1 of 2 ranks finished, 1 read")));
    for (const NextStep &step : verdict.next)
        EXPECT_EQ(step.confidence, mprof::Confidence::low);
}

TEST(Verdict, AStepSaysWhatItSavesAtMostAndHowSureThatIs)
{
    const Verdict verdict = report_of(imbalanced(4)).verdict;
    ASSERT_FALSE(verdict.next.empty());
    ASSERT_TRUE(verdict.next[0].worth_s);
    EXPECT_NEAR(*verdict.next[0].worth_s, *verdict.gain_s, 1e-4);
    ASSERT_TRUE(verdict.next[0].worth_low_s && verdict.gain_low_s);
    EXPECT_EQ(verdict.next[0].account, AccountKind::uneven);
    EXPECT_NEAR(*verdict.gain_low_s, *verdict.next[0].worth_low_s, 1e-3);
    EXPECT_THAT(verdict.next[0].words(), HasSubstr("up to 300 ms)."));
    EXPECT_THAT(verdict.next[0].reason_words(),
                AllOf(StartsWith("Load balance 0."), HasSubstr(". To try it: let each rank print"),
                      HasSubstr(". If it does not help: equal numbers, unequal times: ")));
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
    Ranks ranks = imbalanced(4);
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
    EXPECT_FALSE(step().matches) << "most bytes stay inside of a node";
}

TEST(Verdict, ARankWhoseFileIsMissingIsWhatTheOthersWaitFor)
{
    Ranks ranks = imbalanced(4, 2);
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
    repeat(even, f_allreduce, {10 * us, 11 * us, 9 * us, 10 * us}, 100);
    add_baseline(even[0], 2 * us, 200 * us);
    even.erase(even.begin() + 2);
    EXPECT_NEAR(report_of(even).totals.missing_wait_s.value(), 0, 0.001);
    EXPECT_EQ(report_of(imbalanced(4)).totals.missing_wait_s, std::nullopt);
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
    add(ranks, make_entry(f_comm_rank, 0, 5'000'000, 50 * ms));
    EXPECT_THAT(report_of(ranks).verdict.next, step_says("Call MPI_Comm_rank once"));
}

TEST(Verdict, AtMostThreeStepsAndTheClassFirst)
{
    Ranks ranks = imbalanced(2);
    add(ranks, make_entry(f_comm_rank, 0, 5'000'000, 5 * ms));
    add(ranks, make_entry(f_test, 0, 1'000'000, 20 * ms));
    add(ranks, make_entry(f_file_write, 8, 1, 80 * ms));
    const Verdict verdict = report_of(ranks).verdict;
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_LE(verdict.next.size(), 3U);
    EXPECT_THAT(verdict.next[0].action, HasSubstr("Give rank 1 less work"));
}

TEST(Verdict, TheRulesAreExplainedWithTheNumbersOfTheRun)
{
    const std::string text = render_explain(report_of(imbalanced(4)), 120);
    EXPECT_THAT(text, HasSubstr("\n =>  load-imbalance bound   first: ranks work differently"));
    EXPECT_THAT(text, HasSubstr("this run: 300 ms to 300 ms of 510 ms - matches"));
    EXPECT_THAT(text, HasSubstr("\n     compute bound          MPI without start-up below 50%"));
    EXPECT_THAT(text, HasSubstr("\n =>  slow rank "));
    EXPECT_THAT(text, HasSubstr("\n     polling                              does not match\n"));
}

// What rank `rank` lost of its computing, in ns.
void lose(Ranks &ranks, size_t rank, uint64_t queue_ns, uint64_t blocked_ns, uint64_t file_ns = 0)
{
    for (auto &each : ranks) {
        each.threads[0].facts.read_computing_ns = 500'000'000;
        each.run.user_ns = 100'000'000; /* no other threads */
        if (&each != &ranks[rank])
            continue;
        mprof_off_cpu row = {};
        row.in_use = 1;
        row.queue_ns = queue_ns;
        row.blocked_ns = blocked_ns;
        row.file_ns = file_ns;
        each.threads[0].off_cpu.push_back(row);
    }
}

TEST(Verdict, ComputingOfUnknownKindIsSaid)
{
    const auto remark = [](const Ranks &ranks) {
        const Report report = report_of(ranks);
        std::string all;
        for (const std::string &words : report.quality.remarks)
            all += words + "\n";
        return all;
    };
    const char *words = "it is not known whether the rank computed or lacked a CPU";
    Ranks ranks = imbalanced(4);
    lose(ranks, 1, 0, 0);
    for (auto &rank : ranks)
        rank.threads[0].facts.read_computing_ns = 600'000'000;
    EXPECT_THAT(remark(ranks), Not(HasSubstr(words)));
    ranks[1].threads[0].facts.read_computing_ns = 9'000'000;  // of 509 ms
    EXPECT_THAT(remark(ranks), HasSubstr(words));
}

TEST(Verdict, ARankThatLacksACpuIsNotToldToComputeLess)
{
    Ranks ranks = imbalanced(4);
    lose(ranks, 1, 390'000'000, 10'000'000);
    const Report report = report_of(ranks);
    const Verdict &verdict = report.verdict;
    EXPECT_EQ(verdict.headline,
              "KEPT OFF THE CPU. Another program runs on the CPUs of node00: rank "
              "1 waited 390 ms for a CPU, the average rank 97.5 ms.");
    EXPECT_NEAR(*verdict.gain_s, 0.38, 0.011);
    EXPECT_THAT(verdict.next, Not(step_says("less work")));
    EXPECT_THAT(verdict.next, step_says("top"));
    EXPECT_NEAR(*report.ranks[1].contention_s, 0.39, 1e-6);
    EXPECT_NEAR(*report.ranks[1].on_cpu_s, 0.109, 0.001) << "509 - 390 - 10 ms";
}

// Two threads on two CPUs that are busy for `user_ns` of the 500 ms of the run. They are a team of
// OpenMP or not.
Report report_of_busy_threads(uint64_t user_ns, bool is_team = false)
{
    Ranks ranks = planted_ranks(1, 500 * ms);
    add(ranks, make_entry(f_comm_rank, 0, 1, 50'000));
    lose(ranks, 0, 200 * ms, 0);
    ranks[0].run.user_ns = user_ns;
    ranks[0].texts.emplace_back("cpus_allowed", "0-1");
    if (is_team) {
        mprof_parallel_region region = {};
        region.flags = MPROF_PARALLEL_IN_USE;
        region.source = MPROF_PARALLEL_LIBGOMP;
        region.regions = 1;
        region.threads = 2;
        region.ticks = region.longest_ticks = 490 * ms;
        region.thread_ticks = region.busy_ticks = 980 * ms;
        ranks[0].parallel_regions = {{}, region};
    }
    return report_of(ranks);
}

TEST(Verdict, ThreadsAreBlamedForTheQueueOnlyIfTheyKeepTheCpusBusy)
{
    EXPECT_THAT(report_of_busy_threads(900 * ms).verdict.sentence,
                HasSubstr("he threads of 1 rank"));
    EXPECT_THAT(report_of_busy_threads(500 * ms).verdict.sentence,
                HasSubstr("nother program runs"));
}

// Beside one program that computes they have two thirds of the two CPUs, or a little more.
TEST(Verdict, ATeamThatFitsItsCpusIsNotBlamedForTheQueue)
{
    EXPECT_THAT(report_of_busy_threads(720 * ms, true).verdict.sentence,
                HasSubstr("nother program runs"));
    EXPECT_THAT(report_of_busy_threads(980 * ms, true).verdict.sentence,
                HasSubstr("he threads of 1 rank"));
}

TEST(Verdict, ClassesOfThreadsHaveTheirNames)  // threads/test_openmp.cc says when
{
    EXPECT_EQ(text_of(VerdictClass::serial_part), "serial part");
    EXPECT_EQ(text_of(VerdictClass::thread_imbalance), "thread imbalance");
    EXPECT_EQ(text_of(VerdictClass::kernel_bound), "kernel bound");
}

TEST(Verdict, TheClassOfSeveralProgramsHasItsName)  // programs/test_programs.cc says when
{
    EXPECT_EQ(text_of(VerdictClass::coupling_bound), "coupling bound");
}

TEST(Verdict, ARankInFilesIsBlocked)
{
    Ranks ranks = imbalanced(4);
    lose(ranks, 1, 10'000'000, 390'000'000, 380'000'000);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "blocked");
    EXPECT_EQ(verdict.headline, "BLOCKED. Rank 1 is blocked outside MPI for 390 ms (76% of the "
                                "run): without that the run saves 400 ms.");
    EXPECT_THAT(verdict.why, HasSubstr("reading and writing files"));
    EXPECT_THAT(verdict.next, step_says("fsync"));
}

TEST(Verdict, LessThanHalfOfTheExcessOffTheCpuIsLoadImbalance)
{
    Ranks ranks = imbalanced(4);
    lose(ranks, 1, 190'000'000, 0); /* excess 142 of 300 ms */
    EXPECT_EQ(text_of(report_of(ranks).verdict.verdict_class), "load-imbalance bound");
}

TEST(Verdict, WhatMpiFinalizeTakesIsNoSmallMessages)
{
    Ranks ranks = planted_ranks(2, 100 * ms);
    add(ranks, make_entry(f_finalize, 0, 1, 60 * ms));
    add(ranks, make_entry(f_send, 8, 100, ms));
    const Report report = report_of(ranks);
    EXPECT_LE(report.totals.small_transfer_s.value_or(0), 0.002);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "mixed");
    EXPECT_THAT(report.verdict.why, StartsWith("Most MPI time is in MPI_Finalize"));
}

TEST(Verdict, PartsOfEachRanksTimeAddUpToItsWallclock)
{
    Ranks ranks = imbalanced(4);
    add(ranks, make_entry(f_init, 0, 1, 20 * ms));
    add(ranks, make_entry(f_file_write, 1024, 10, 50 * ms));
    lose(ranks, 1, 190'000'000, 10'000'000);
    const Report report = report_of(ranks);
    for (const RankRow &row : report.ranks) {
        EXPECT_NEAR(*row.startup_s, 0.02, 1e-9);
        EXPECT_NEAR(*row.file_s, 0.05, 1e-9);
        EXPECT_NEAR(*row.transfer_s, 0.001, 1e-5) << "100 calls of at least 10 us";
        EXPECT_NEAR(*row.on_cpu_s + *row.contention_s + *row.blocked_s + *row.wait_s +
                        *row.transfer_s + *row.file_s + *row.startup_s + row.own_s,
                    row.wallclock_s, 1e-9);
    }
    EXPECT_GT(*report.ranks[1].contention_s, 10 * *report.ranks[1].blocked_s);
}

TEST(Verdict, AllRanksWithoutACpuAreNotComputeBound)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add(ranks, make_entry(f_comm_rank, 0, 1, 50'000));
    lose(ranks, 0, 300 * ms, 0);
    lose(ranks, 1, 300 * ms, 0);
    const Report report = report_of(ranks);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "kept off the CPU");
    double sum_s = 0;
    for (const TimePart &part : report.time_parts)
        sum_s += part.time_s;
    EXPECT_NEAR(sum_s, report.totals.wallclock_s / 2, 1e-9) << "the parts are the wallclock";
}

}  // namespace
