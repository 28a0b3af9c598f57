// Verdicts of ranks that were not on a CPU: kept off it, blocked, in files.
#include "planted_ranks.h"
#include "render/render_report.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report_of.h"
#include "verdict/off_cpu_facts.h"
#include "verdict/planted_runs.h"
#include "verdict/verdict_facts.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

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
    Ranks ranks = imbalanced_ranks(4);
    lose(ranks, 1, 0, 0);
    for (auto &rank : ranks)
        rank.threads[0].facts.read_computing_ns = 600'000'000;
    EXPECT_THAT(remark(ranks), Not(HasSubstr(words)));
    ranks[1].threads[0].facts.read_computing_ns = 9'000'000;  // of 509 ms
    EXPECT_THAT(remark(ranks), HasSubstr(words));
}

TEST(Verdict, PartsOfEachRanksTimeAddUpToItsWallclock)
{
    Ranks ranks = imbalanced_ranks(4);
    add_to_all(ranks, make_entry(f_init, 0, 1, 20 * ms));
    add_to_all(ranks, make_entry(f_file_write, 1024, 10, 50 * ms));
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

TEST(Verdict, ARankThatLacksACpuIsNotToldToComputeLess)
{
    Ranks ranks = imbalanced_ranks(4);
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

// 200 of its 509 ms rank 1 is in the queue: what it works is told alike wherever it is told.
TEST(Verdict, TheCardOfTheSlowestRankCountsWorkAsTheSentenceDoes)
{
    Ranks ranks = imbalanced_ranks(4);
    lose(ranks, 1, 190'000'000, 10'000'000);
    const Report report = report_of(ranks);
    const RankRow &slow = report.ranks[1];
    const auto card =
        std::find_if(report.verdict.cards.begin(), report.verdict.cards.end(),
                     [](const VerdictCard &each) { return each.title == "Slowest rank"; });
    ASSERT_NE(card, report.verdict.cards.end());
    EXPECT_EQ(card->value, "1");
    EXPECT_NEAR(work_s(slow), 0.309, 0.002) << "509 - 190 - 10 ms";
    EXPECT_THAT(card->note, StartsWith("computes " + duration_text(work_s(slow)) + " on a CPU, "));
    EXPECT_THAT(card->note, Not(HasSubstr(duration_text(slow.compute_s))));
}

// Two threads on two CPUs that are busy for `user_ns` of the 500 ms of the run. They are a team of
// OpenMP or not.
Report report_of_busy_threads(uint64_t user_ns, bool is_team = false)
{
    Ranks ranks = planted_ranks(1, 500 * ms);
    add_to_all(ranks, make_entry(f_comm_rank, 0, 1, 50'000));
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

TEST(Verdict, ARankInFilesIsBlocked)
{
    Ranks ranks = imbalanced_ranks(4);
    lose(ranks, 1, 10'000'000, 390'000'000, 380'000'000);
    const Verdict verdict = report_of(ranks).verdict;
    EXPECT_EQ(text_of(verdict.verdict_class), "blocked");
    EXPECT_EQ(verdict.headline, "BLOCKED. Rank 1 is blocked outside MPI for 390 ms (76% of the "
                                "run), reading and writing files; avoiding this would save 400 "
                                "ms.");
    EXPECT_THAT(verdict.why, HasSubstr("reading and writing files"));
    EXPECT_THAT(verdict.next, step_says("fsync"));
}

// It computed for a second before it entered MPI_Init.
TEST(LateStart, WhatARankComputesBeforeMpiIsDividedAmongAll)
{
    Report report;
    report.ranks.resize(4);
    for (uint32_t r = 0; r < 4; r++) {
        report.ranks[r].rank = r;
        report.ranks[r].startup_s = r == 2 ? 0.2 : 1.2;
        report.ranks[r].before_cpu_s = r == 2 ? 1.1 : 0.1;
    }
    const LateStart late = gather_facts(report).late_start;
    EXPECT_EQ(late.rank, 2U);
    EXPECT_NEAR(late.late_s, 1, 1e-9);
    EXPECT_NEAR(late.even_s, 0.75, 1e-9);
    EXPECT_EQ(late.doing, " Before that, it computed for 1.10 s.");
    EXPECT_FALSE(late.is_seen);
    report.nodes.resize(1);
    report.nodes[0].usable_cpus = 2;
    report.early_functions.resize(1);
    report.early_functions[0].frame = {.symbol = "read_mesh", .module = "/bin/app"};
    report.early_functions[0].samples = report.early_functions[0].most_samples = 8;
    report.early_functions[0].most_rank = 2;
    EXPECT_EQ(gather_facts(report).late_start.doing,
              " Before that, it computed for 1.10 s, in read_mesh (app).");
    EXPECT_NEAR(gather_facts(report).late_start.even_s, 0.5, 1e-9) << "that many CPUs";
    report.ranks[2].before_cpu_s = 0.1;
    EXPECT_EQ(gather_facts(report).late_start.even_s, 0) << "it slept";
    EXPECT_FALSE(gather_facts(report).late_start.is_seen);
}

// A run of a second: less than half a second may be the machine's, but not if samples say in which
// function the rank computed meanwhile.
TEST(LateStart, OfAShortRunIsToldIfSamplesSayWhatTheRankComputed)
{
    Report report;
    report.run.wallclock_s = 1;
    report.ranks.resize(2);
    for (uint32_t r = 0; r < 2; r++) {
        report.ranks[r].rank = r;
        report.ranks[r].startup_s = r == 1 ? 0.1 : 0.5;
        report.ranks[r].before_cpu_s = r == 1 ? 0.45 : 0.02;
    }
    EXPECT_FALSE(gather_facts(report).begins_late());
    report.early_functions.resize(1);
    report.early_functions[0].frame = {.symbol = "make_palette", .module = "/bin/app"};
    report.early_functions[0].samples = report.early_functions[0].most_samples = 4;
    report.early_functions[0].most_rank = 1;
    EXPECT_TRUE(gather_facts(report).begins_late());
}

Report report_of_starts(const std::vector<double> &startup_s)
{
    Report report;
    report.run.wallclock_s = 3;
    report.ranks.resize(startup_s.size());
    for (uint32_t r = 0; r < startup_s.size(); r++) {
        report.ranks[r].rank = r;
        report.ranks[r].wallclock_s = 3;
        report.ranks[r].startup_s = startup_s[r];
        report.ranks[r].before_cpu_s = 0.4;  // as an interpreter with its modules
    }
    return report;
}

// Each begins 0.3 s after the one before.
TEST(LateStart, RanksThatBeginOneAfterTheOtherAreLateTogether)
{
    Report report = report_of_starts({1.0, 0.7, 0.4, 0.1});
    const VerdictFacts facts = gather_facts(report);
    EXPECT_EQ(facts.late_start.rank, 3U);
    EXPECT_NEAR(facts.late_start.late_s, 0.6, 1e-9) << "the middle one of the others";
    EXPECT_NEAR(facts.late_start.first_s, 0.9, 1e-9);
    EXPECT_EQ(facts.late_start.even_s, 0) << "all have loaded as much";
    EXPECT_TRUE(facts.late_start.is_staggered());
    EXPECT_TRUE(facts.begins_late());
    report.run.nodes = 2;
    EXPECT_FALSE(gather_facts(report).begins_late()) << "so launchers begin nodes";
}

TEST(LateStart, ARankThatBeginsBeforeTheOthersMakesNoneOfThemLate)
{
    EXPECT_FALSE(gather_facts(report_of_starts({1.0, 0.1, 0.12, 0.1})).begins_late());
    const VerdictFacts one_is_late = gather_facts(report_of_starts({1.0, 0.98, 0.1, 0.99}));
    EXPECT_TRUE(one_is_late.begins_late());
    EXPECT_FALSE(one_is_late.late_start.is_staggered());
}

TEST(OffCpu, TheCallsAroundItAndTheComputingBesideItAreThePlaceOfWhatBlocks)
{
    Report report;
    report.ranks.resize(2);
    report.totals.on_cpu_s = 2;
    report.totals.blocked_s = report.ranks[1].blocked_s = 0.9;
    SegmentRow segment;
    segment.from_function = "MPI_Bcast";
    segment.to_function = "MPI_Reduce";
    segment.from.file = segment.to.file = "/src/tiles.c";
    segment.from.line = 151;
    segment.to.line = 150;
    segment.blocked_s = 0.9;
    report.segments = {SegmentRow(), segment};
    HotSpotRow spot;
    spot.segment = 1;
    spot.site.symbol = "settle";
    spot.site.module = "/src/tiles";
    spot.samples = 100;
    spot.percent = 90;
    report.hotspots = {spot};
    const OffCpuFacts facts = gather_off_cpu(report);
    EXPECT_EQ(facts.blocked_place, " between MPI_Bcast (tiles.c:151) and MPI_Reduce (tiles.c:150)");
    EXPECT_THAT(facts.blocked_beside, StartsWith("settle"));
}

TEST(Verdict, LessThanHalfOfTheExcessOffTheCpuIsLoadImbalance)
{
    Ranks ranks = imbalanced_ranks(4);
    lose(ranks, 1, 190'000'000, 0); /* excess 142 of 300 ms */
    EXPECT_EQ(text_of(report_of(ranks).verdict.verdict_class), "load-imbalance bound");
}

TEST(Verdict, AllRanksWithoutACpuAreNotComputeBound)
{
    Ranks ranks = planted_ranks(2, 1000 * ms);
    add_to_all(ranks, make_entry(f_comm_rank, 0, 1, 50'000));
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
