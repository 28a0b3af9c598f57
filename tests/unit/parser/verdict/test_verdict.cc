// What bounds the run: one composed profile per class, and the sentences that come with it.
#include "planted_ranks.h"
#include "render/render_report.h"
#include "report_of.h"
#include "verdict/planted_runs.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(Verdict, ComputeBound)
{
    Ranks ranks = planted_ranks(2, ms);
    add_to_all(ranks, make_entry(f_comm_rank, 0, 1, 50'000));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "compute bound");
    EXPECT_EQ(verdict.headline, "COMPUTE BOUND. MPI takes 5.0% of the run.");
    EXPECT_EQ(verdict.gain_s, std::nullopt);
    EXPECT_THAT(verdict.next, step_says("a CPU profiler"));
    EXPECT_EQ(verdict.next[0].worth_s, std::nullopt) << "nobody knows what there is to save";
}

// They move nothing and wait for nobody: no message is to blame, and no other rank.
TEST(Verdict, TheTimeOfCallsThatOnlyAskIsWork)
{
    Ranks ranks = planted_ranks(2, 510 * ms);
    repeat_call(ranks, f_allreduce, {10 * us, 3010 * us}, 100);
    ranks[0].threads[0].entries.push_back(make_entry(f_comm_rank, 0, 5'000'000, 450 * ms));
    set_callsites_of_all(ranks);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "load-imbalance bound");
    EXPECT_THAT(verdict.sentence, StartsWith("Rank 0 does 71% of the work (509 ms, rank 1 209 ms"));
}

TEST(Verdict, LoadImbalanceNamesRankPlaceAndGain)
{
    Ranks ranks = imbalanced_ranks(4);
    set_callsites_of_all(ranks);
    const Report report = report_of(ranks);
    const Verdict &verdict = report.verdict;
    // Three ranks wait 401 of 510 ms, rank 1 is in MPI for 1 ms: 3 * 401 + 1 of 2040.
    EXPECT_EQ(text_of(verdict.verdict_class), "load-imbalance bound");
    EXPECT_EQ(verdict.headline,
              "LOAD-IMBALANCE BOUND. Rank 1 works for 509 ms, the average rank for 209 "
              "ms; an even split would save 300 ms.");
    EXPECT_EQ(verdict.why, "Ranks wait "
                           "mostly in MPI_Allreduce (8 B) at app+0x20 on MPI_COMM_WORLD (100% of "
                           "MPI time): rank 1 came last in 100% of the "
                           "calls, and the others waited 1.20 s for it.");
    EXPECT_NEAR(*verdict.gain_s, 0.3, 0.001) << "509 - (509 + 3 * 109) / 4 ms";
    EXPECT_EQ(verdict.gain, "Evenly divided work would save up to 300 ms (59%). If rank 1 can skip "
                            "its extra work: 400 ms.");
    EXPECT_THAT(verdict.extra, IsEmpty());
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action, HasSubstr("Give rank 1 less work"));
    EXPECT_EQ(verdict.next[0].confidence, mprof::Confidence::high);
}

TEST(Verdict, LoadImbalanceTellsBetweenWhichCallsTheRankComputes)
{
    Ranks ranks = imbalanced_ranks(2);
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
    Ranks ranks = imbalanced_ranks(4);
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
    repeat_call(ranks, f_allreduce, {2560 * us, 2560 * us, 10 * us, 10 * us}, 100);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "load-imbalance bound");
    EXPECT_THAT(verdict.headline,
                HasSubstr("The 2 ranks on slow compute 2.00x as long as everyone else"));
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action, StartsWith("Leave slow out"));
}

// test_standing.cc has those that hang.
TEST(Verdict, OfAJobThatEndedDoesNotAskWhetherItHangs)
{
    for (const VerdictRule &rule : report_of(imbalanced_ranks(3)).verdict.rules)
        EXPECT_NE(text_of(rule.verdict_class), "HUNG");
}

TEST(Verdict, ASlowNodeThatWasTooHotIsSaidToBe)
{
    Ranks ranks = planted_ranks(4, 510 * ms);
    for (size_t r = 2; r < 4; r++) {
        ranks[r].texts[1].second = "node2";
        ranks[r].texts.emplace_back("heat_throttles", "12");
    }
    repeat_call(ranks, f_allreduce, {2560 * us, 2560 * us, 10 * us, 10 * us}, 100);
    const Report hot = report_of(ranks);
    EXPECT_THAT(hot.verdict.why, HasSubstr("The CPUs of node2 were throttled by heat 12 times."));
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
    Ranks ranks = imbalanced_ranks(3);
    for (size_t r = 0; r < 3; r++)
        ranks[r].conditions = {condition_with(r == 1 ? 500'000 : 100'000)};
    const Report slow = report_of(ranks);
    EXPECT_EQ(slow.causes[0].reason, "does the same arithmetic 400% slower");
    EXPECT_THAT(slow.verdict.why, HasSubstr("does the same arithmetic 400% slower: the rank has "
                                            "no more work."));
    ASSERT_FALSE(slow.verdict.next.empty());
    EXPECT_THAT(slow.verdict.next[0].action, HasSubstr("check its clock, load and temperature"));

    ranks[1].conditions = {condition_with(110'000)};
    const Report more = report_of(ranks);
    EXPECT_EQ(more.causes[0].reason, "does the same arithmetic 10% slower");
    EXPECT_THAT(more.verdict.next[0].action, StartsWith("Give rank 1 less work"));
    EXPECT_THAT(more.verdict.why, Not(HasSubstr("arithmetic")));
}

mprof_sample sample_with(mprof_sample_moment moment, uint64_t ticks, uint64_t work_ns)
{
    mprof_sample sample = {};
    sample.moment = moment;
    sample.cpu = sample.numa_node = -1;
    sample.ticks = ticks;
    sample.work_ns = work_ns;
    return sample;
}

// A CPU that becomes too hot: samples tell from when on it was slow.
TEST(Verdict, ASlowCpuIsSaidWithTheTimeSinceWhichItIs)
{
    Ranks ranks = imbalanced_ranks(3);
    for (size_t r = 0; r < 3; r++)
        ranks[r].conditions = {condition_with(r == 1 ? 500'000 : 100'000)};
    const uint64_t begin = ranks[1].clock.start.ticks_before;
    ranks[1].samples = {sample_with(MPROF_SAMPLE_RUNNING, begin + 50 * ms, 100'000),
                        sample_with(MPROF_SAMPLE_RUNNING, begin + 100 * ms, 500'000),
                        sample_with(MPROF_SAMPLE_RUNNING, begin + 200 * ms, 101'000),
                        sample_with(MPROF_SAMPLE_RUNNING, begin + 300 * ms, 490'000),
                        sample_with(MPROF_SAMPLE_RUNNING, begin + 400 * ms, 500'000)};
    EXPECT_THAT(report_of(ranks).verdict.why,
                HasSubstr("does the same arithmetic 400% slower since 300 ms: the rank has no "
                          "more work."));
    for (mprof_sample &sample : ranks[1].samples)
        sample.work_ns = 500'000;
    EXPECT_THAT(report_of(ranks).verdict.why, HasSubstr("400% slower: the rank has no more work."))
        << "from the begin on";
}

TEST(Verdict, WhatIsUnusualAboutTheSlowRankIsSaid)
{
    Ranks ranks = imbalanced_ranks(3);
    for (size_t r = 0; r < 3; r++) {
        mprof_sample sample = {};
        sample.moment = MPROF_SAMPLE_FINALIZE_ENTERED;
        sample.cpu = sample.numa_node = -1;
        sample.involuntary_switches = r == 1 ? 1000 : 10;
        ranks[r].samples = {sample};
    }
    const Report report = report_of(ranks);
    ASSERT_EQ(report.causes.size(), 1U);
    EXPECT_EQ(report.causes[0].reason, "is preempted 1961 times a second, the others 20");
}

// Two thirds of a program's ranks compute a tenth less than the others, and wait for that long.
TEST(Verdict, ASmallImbalanceThatExplainsTheWaitingIsNamed)
{
    Ranks ranks = planted_ranks(3, 2000 * ms);
    repeat_call(ranks, f_allreduce, {3010 * us, 3010 * us, 10 * us}, 100);
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
    Ranks ranks = ranks_late_in_turn(4, f_allreduce);
    set_callsites_of_all(ranks);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "synchronisation bound");
    EXPECT_THAT(verdict.why, HasSubstr("load balance 1.00), but not at the same moments."));
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action,
                HasSubstr("from step to step (at MPI_Allreduce (8 B) at app+0x20)"));
    EXPECT_THAT(verdict.next[0].evidence, HasSubstr("in 25% of the calls"));
}

// Nobody knows for whom a rank polls, but there it waits as well.
TEST(Verdict, TwoPlacesThatHoldRanksInTurnAreBothNamed)
{
    Ranks ranks = ranks_late_in_turn(4, f_allreduce);
    add_to_all(ranks, make_entry(f_test, 0, 10, 180 * ms));
    set_callsites_of_all(ranks);
    EXPECT_THAT(
        report_of(ranks).verdict.sentence,
        HasSubstr("mostly in MPI_Allreduce (8 B) at app+0x20 and MPI_Test at app+0x20; working"));
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
    set_callsites_of_all(ranks);
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
    set_callsites_of_all(ranks);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "latency bound");
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action, StartsWith("Send fewer, larger messages"));
    EXPECT_EQ(verdict.next[0].evidence, "80000 calls of 8 B, 6.00 us each");
}

// Each rank waits 300 ms; that rank 0 computes 19 ms and the others 9 ms is the reason of 7.5 ms of
// it.
TEST(Verdict, ImbalanceThatExplainsLittleOfTheWaitingIsNotTheClass)
{
    Ranks ranks = ranks_late_in_turn(4, f_allreduce);
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
    const Verdict verdict = report_of(ranks_late_in_turn(2, f_barrier)).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "synchronisation bound");
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action, StartsWith("Remove the MPI_Barrier"));
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
    set_callsites_of_all(ranks);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "synchronisation bound");
    EXPECT_THAT(verdict.sentence,
                HasSubstr("mostly in MPI_Recv (8 B) at app+0x20; working at the same time"));
    ASSERT_FALSE(verdict.next.empty());
    EXPECT_THAT(verdict.next[0].action, StartsWith("Let ranks work at the same time"));
    EXPECT_THAT(verdict.next[0].evidence, HasSubstr("of 4 ranks, only 1.0 compute at a time"));
}

TEST(Verdict, ManyTinyReductionsAreLatency)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    repeat_call(ranks, f_allreduce, {80 * us, 80 * us}, 10'000);
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
    add_to_all(ranks, make_entry(f_recv, 8, 100'000, 800 * ms));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "latency bound");
    EXPECT_THAT(verdict.why, HasSubstr("Messages of 8 B take 8.00 us each; 6.00 us is possible."));
    EXPECT_THAT(verdict.next, step_says("Send fewer, larger messages"));
}

TEST(Verdict, LargeMessagesAreBandwidth)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add_baseline(ranks[0], us, 100 * us);
    add_to_all(ranks, make_entry(f_sendrecv, 1U << 20U, 4000, 4000 * 200 * us));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "bandwidth bound");
    EXPECT_THAT(verdict.why, HasSubstr("Messages of 1.0 MiB take 200 us (5.2 GB/s) each; 100 us "
                                       "(10.5 GB/s) is possible."));
}

TEST(Verdict, StartUpBound)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add_to_all(ranks, make_entry(f_init, 0, 1, 600 * ms));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "start-up bound");
    EXPECT_NEAR(*verdict.gain_s, 0.6, 1e-4);
}

// Of a run of a moment mprof itself is a tenth.
TEST(Verdict, WhatMprofTookIsNotTheRestOfAShortRun)
{
    for (const uint64_t own_ms : {0U, 100U}) {
        Ranks ranks = planted_ranks(2, 1000 * ms);
        add_to_all(ranks, make_entry(f_init, 0, 1, 470 * ms));
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
        add_to_all(ranks, make_entry(f_init, 0, 1, run_s * 200 * ms));
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
    repeat_call(ranks, f_allreduce, {10 * us, 10 * us, 10 * us}, 1);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(verdict.headline, "START-UP BOUND. Rank 1 entered MPI_Init 3.00 s after the others, "
                                "which waited for it there.");
}

// Of 1.8 s from the start of the processes on, both ranks compute 0.8 s before MPI_Init.
TEST(Verdict, WhatAllRanksComputeBeforeMpiInitIsStartUp)
{
    const auto verdict_of = [](uint64_t first_ns, uint64_t second_ns,
                               const std::string &command = "") {
        Ranks ranks = planted_ranks(2, 1000 * ms);
        add_to_all(ranks, make_entry(f_init, 0, 1, 50 * ms));
        for (RankFileContent &rank : ranks)
            if (!command.empty())
                rank.texts = {{"command", command}};
        for (size_t r = 0; r < ranks.size(); r++) {
            mprof_sample &entered = ranks[r].samples.emplace_back();
            entered.moment = MPROF_SAMPLE_INIT_ENTERED;
            entered.cpu = entered.numa_node = -1;
            entered.user_ns = r == 0 ? first_ns : second_ns;
        }
        return report_of(ranks).verdict;
    };
    const Verdict verdict = verdict_of(800 * ms, 850 * ms);
    EXPECT_EQ(verdict.headline, "START-UP BOUND. Each rank computes for at least 800 ms before "
                                "MPI_Init, 44% of its time. If all compute the same, sharing it "
                                "among them would save up to 400 ms.");
    EXPECT_NEAR(*verdict.gain_s, 0.4, 1e-9);
    EXPECT_EQ(verdict.next[0].confidence, Confidence::low);
    for (const auto &[first_ns, second_ns] :
         {std::pair(400 * ms, 400 * ms), std::pair(800 * ms, 100 * ms)})
        EXPECT_EQ(text_of(verdict_of(first_ns, second_ns).verdict_class), "compute bound")
            << "modules that are loaded, and one rank alone";

    const Verdict script = verdict_of(800 * ms, 850 * ms, "/usr/bin/python3 solve.py");
    EXPECT_EQ(script.headline, "START-UP BOUND. Each rank computes for at least 800 ms before "
                               "MPI_Init, 44% of its time: the script imports modules there, or "
                               "does what all ranks do alike.");
    EXPECT_NEAR(*script.gain_s, 0.8, 1e-9);
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

// A library that splits a communicator for each call: the same function, and no start-up.
TEST(Verdict, CommunicatorsThatAreMadeAgainAndAgainAreNoStartUp)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    for (auto &rank : ranks) {
        rank.functions.emplace_back("MPI_Comm_split");
        PlantedJournal journal(rank);
        for (size_t i = 0; i < 1000; i++)
            journal.add(static_cast<uint16_t>(rank.functions.size() - 1), 600 * us);
        journal.close(0);
    }
    set_callsites_of_all(ranks);
    const Report report = report_of(ranks);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "latency bound");
    EXPECT_EQ(report.verdict.sentence,
              "Making communicators again and again takes 600 ms (60% of the run), mostly in "
              "MPI_Comm_split at app+0x20; making each once and keeping it would save 600 ms.");
    EXPECT_NEAR(report.totals.small_transfer_s.value(), 1.2, 0.01) << "of two ranks";
    EXPECT_NEAR(report.ranks[0].startup_s.value(), 0, 1e-9);
    EXPECT_THAT(report.verdict.next, step_says("Make communicators once and keep them"));
}

Report report_of_datatypes(uint64_t each)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    for (auto &rank : ranks)
        for (const char *function : {"MPI_Type_vector", "MPI_Type_commit", "MPI_Type_free"}) {
            rank.functions.emplace_back(function);
            const auto id = static_cast<uint16_t>(rank.functions.size() - 1);
            const uint64_t ticks = function == std::string("MPI_Type_commit") ? 300 * ms : 100 * ms;
            rank.threads[0].entries.push_back(make_entry(id, 0, each, ticks));
        }
    set_callsites_of_all(ranks);
    return report_of(ranks);
}

TEST(Verdict, DatatypesThatAreMadeAgainAndAgainAreSaid)
{
    const Report report = report_of_datatypes(5000);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "latency bound");
    EXPECT_THAT(report.verdict.sentence,
                StartsWith("Making datatypes again and again takes 500 ms (50% of the run), mostly "
                           "in MPI_Type_commit"));
    EXPECT_THAT(report.verdict.next, step_says("Make datatypes once and keep them"));
}

// Types of many blocks that a program makes before its steps are its own work.
TEST(Verdict, DatatypesThatAreMadeOnceAreWork)
{
    const Report report = report_of_datatypes(100);
    EXPECT_NE(text_of(report.verdict.verdict_class), "latency bound");
    EXPECT_NEAR(report.ranks[0].local_s, 0.5, 1e-6);
}

// Puts that return at once, and fences that take 12 ms on both ranks: so MPICH moves data.
Report report_of_puts(uint64_t bytes)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    for (auto &rank : ranks) {
        rank.functions.emplace_back("MPI_Win_fence");
        PlantedJournal journal(rank);
        for (size_t i = 0; i < 50; i++)
            journal.add(static_cast<uint16_t>(rank.functions.size() - 1), 12 * ms);
        journal.close(0);
        rank.threads[0].entries.push_back(make_entry(f_put, bytes, 50, ms));
    }
    set_callsites_of_all(ranks);
    return report_of(ranks);
}

TEST(Verdict, DataThatMoveInAFenceAreNoWaiting)
{
    const Report report = report_of_puts(8 << 20);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "bandwidth bound");
    EXPECT_THAT(report.verdict.sentence, HasSubstr("mostly in MPI_Put (8.0 MiB) at app+0x20"));
    EXPECT_NEAR(report.totals.large_transfer_s.value(), 2 * 0.601, 0.01);
    EXPECT_NEAR(report.ranks[0].idle_s, 0, 1e-3);
}

// A byte takes at most 10 ns: the rest of the fence waits for somebody.
TEST(Verdict, AFenceBehindSmallPutsWaits)
{
    const Report report = report_of_puts(8);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "synchronisation bound");
    EXPECT_NEAR(report.ranks[0].idle_s, 0.6, 1e-3);
}

// The headline names the larger cost: here messages, of a size that is neither small nor large.
TEST(Verdict, StartUpIsNotTheClassBesideMoreTimeInCalls)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add_to_all(ranks, make_entry(f_init, 0, 1, 250 * ms));
    add_to_all(ranks, make_entry(f_sendrecv, 10'000, 400, 600 * ms));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "latency bound");
}

TEST(Verdict, InAShortRunStartUpComesBehindAnyAccount)
{
    for (const uint64_t init_ms : {100U, 500U}) {
        Ranks ranks = imbalanced_ranks(2);
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
    add_to_all(ranks, make_entry(f_file_write, 8, 1, 400 * ms));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "I/O bound");
    EXPECT_EQ(verdict.headline,
              "I/O BOUND. MPI-IO takes 40% of the run. Avoiding it would save 400 "
              "ms, mostly in MPI_File_write.");
}

TEST(Verdict, TheOneRankThatWritesForAllIsNamed)
{
    Ranks ranks = planted_ranks(2, 510 * ms);
    repeat_call(ranks, f_allreduce, {10 * us, 3010 * us}, 100);
    ranks[0].threads[0].entries.push_back(make_entry(f_file_write, 8, 1, 450 * ms));
    set_callsites_of_all(ranks);
    EXPECT_THAT(report_of(ranks).verdict.headline,
                StartsWith("I/O BOUND. Rank 0 alone spends 450 ms (88% of the run) in MPI-IO. "
                           "Avoiding it would save"));
    ranks[1].threads[0].entries.push_back(make_entry(f_file_write, 8, 1, 150 * ms));
    EXPECT_THAT(report_of(ranks).verdict.headline, StartsWith("I/O BOUND. MPI-IO takes 59% of "))
        << "600 of 1020 ms";
}

TEST(Verdict, AdviceOnFilesFitsWhatTheProgramDoes)
{
    const auto advice = [](const std::vector<mprof_entry> &calls) {
        auto ranks = planted_ranks(2, 1000 * ms);
        for (const mprof_entry &entry : calls)
            add_to_all(ranks, entry);
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
                HasSubstr("already large and collective"));
}

TEST(Verdict, PollingIsWaiting)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add_to_all(ranks, make_entry(f_test, 0, 1'000'000, 400 * ms));
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "synchronisation bound");
    EXPECT_THAT(verdict.next, step_says("Wait with MPI_Wait instead of MPI_Test"));
}

TEST(Verdict, MixedAndIncomplete)
{
    Ranks ranks = planted_ranks(2, ms);
    add_to_all(ranks, make_entry(f_allreduce, 8, 1, 600'000));
    EXPECT_EQ(text_of(report_of(ranks).verdict.verdict_class), "mixed")
        << "below a tenth of a second nothing is an account";
    ranks.pop_back();
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_THAT(verdict.extra,
                ElementsAre(HasSubstr("INCOMPLETE PROFILE: 1 of 2 ranks finished, 1 read")));
    for (const NextStep &step : verdict.next)
        EXPECT_EQ(step.confidence, mprof::Confidence::low);
}

TEST(Verdict, TheRulesAreExplainedWithTheNumbersOfTheRun)
{
    const std::string text = render_explain(report_of(imbalanced_ranks(4)), 120);
    EXPECT_THAT(text, HasSubstr("\n =>  load-imbalance bound   first: ranks work for different"));
    EXPECT_THAT(text, HasSubstr("this run: 300 ms to 300 ms of 510 ms - matches"));
    EXPECT_THAT(text, HasSubstr("\n     compute bound          MPI without start-up below 50%"));
    EXPECT_THAT(text, HasSubstr("\n =>  slow rank "));
    EXPECT_THAT(text, HasSubstr("\n     polling                              does not match\n"));
}

TEST(Verdict, ClassesOfThreadsHaveTheirNames)  // threads/test_openmp.cc says when
{
    EXPECT_EQ(text_of(VerdictClass::serial_part), "serial part");
    EXPECT_EQ(text_of(VerdictClass::thread_imbalance), "thread imbalance");
    EXPECT_EQ(text_of(VerdictClass::kernel_bound), "kernel bound");
}

TEST(Verdict, TheClassOfPicklingHasItsName)  // accounts/test_make_accounts.cc says when
{
    EXPECT_EQ(text_of(VerdictClass::pickling_bound), "pickling bound");
}

TEST(Verdict, ClassesOfGpusHaveTheirNames)  // threads/test_gpu.cc says when
{
    EXPECT_EQ(text_of(VerdictClass::gpu_bound), "GPU bound");
    EXPECT_EQ(text_of(VerdictClass::gpu_imbalance_bound), "GPU-imbalance bound");
    EXPECT_EQ(text_of(VerdictClass::copy_bound), "copy bound");
    EXPECT_EQ(text_of(VerdictClass::launch_bound), "launch bound");
}

TEST(Verdict, TheClassOfSeveralProgramsHasItsName)  // programs/test_programs.cc says when
{
    EXPECT_EQ(text_of(VerdictClass::coupling_bound), "coupling bound");
}

TEST(Verdict, WhatMpiFinalizeTakesIsNoSmallMessages)
{
    Ranks ranks = planted_ranks(2, 100 * ms);
    add_to_all(ranks, make_entry(f_finalize, 0, 1, 60 * ms));
    add_to_all(ranks, make_entry(f_send, 8, 100, ms));
    const Report report = report_of(ranks);
    EXPECT_LE(report.totals.small_transfer_s.value_or(0), 0.002);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "mixed");
    EXPECT_THAT(report.verdict.why, StartsWith("Most MPI time is in MPI_Finalize"));
}

}  // namespace
