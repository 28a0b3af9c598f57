// What the report says of OpenMP, against numbers worked out by hand.
#include "planted_ranks.h"
#include "render/text/sections/text_sections.h"
#include "report_of.h"
#include "verdict/thread_facts.h"
#include "verdict/work_place.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;

// `ticks_ms` of wall time in all, of which the threads were busy for `busy_ms` together.
mprof_parallel_region region_at(uint64_t offset, uint64_t regions, uint32_t threads,
                                uint64_t ticks_ms, uint64_t busy_ms, uint64_t longest_ms)
{
    mprof_parallel_region region{};
    region.flags = MPROF_PARALLEL_IN_USE;
    region.source = MPROF_PARALLEL_LIBGOMP;
    region.threads = threads;
    region.module = 1;
    region.offset = offset;
    region.regions = regions;
    region.ticks = ticks_ms * ms;
    region.thread_ticks = threads * ticks_ms * ms;
    region.busy_ticks = busy_ms * ms;
    region.longest_ticks = longest_ms * ms;
    return region;
}

// Two ranks of 1 s: `mpi_ms` of it in MPI_Allreduce outside regions. In regions `parallel_ms`,
// of which the four threads are busy for `busy_ms` together, the busiest of each for `longest_ms`.
std::vector<RankFileContent> hybrid_ranks(uint64_t parallel_ms, uint64_t busy_ms,
                                          uint64_t longest_ms, uint64_t mpi_ms = 100)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (RankFileContent &rank : ranks) {
        rank.threads[0].entries = {make_entry(f_allreduce, 8, 100, mpi_ms * ms)};
        rank.modules = {{}, make_module("/opt/app", "aa")};
        rank.texts.emplace_back("cpus_allowed", "0-7");
        rank.parallel_regions = {{}, region_at(0x40, 50, 4, parallel_ms, busy_ms, longest_ms)};
    }
    return ranks;
}

// After `cpu_ms` on CPUs, with so many threads that live, which waited for CPUs.
mprof_sample sample_of(uint32_t moment, uint64_t cpu_ms, uint64_t queue_ms, uint32_t threads)
{
    mprof_sample sample{};
    sample.moment = moment;
    sample.ticks = 1 + cpu_ms * ms;
    sample.user_ns = cpu_ms * ms;
    sample.queue_ns = queue_ms * ms;
    sample.threads = threads;
    return sample;
}

// What a thread waited for CPUs is known as long as it lives. Threads that neither live at the
// beginning nor at the end of an interval may have lacked one.
TEST(Threads, WhatTheyLackOfCpusIsOfIntervalsAtWhoseEndTheyLive)
{
    auto ranks = planted_ranks(1, 1000 * ms);
    const auto part_of = [&](uint32_t threads_at_end) {
        ranks[0].samples = {sample_of(MPROF_SAMPLE_INIT_ENTERED, 10, 1, 1),
                            sample_of(MPROF_SAMPLE_INIT_LEFT, 100, 60, 1),
                            sample_of(MPROF_SAMPLE_RUNNING, 700, 260, 3),
                            sample_of(MPROF_SAMPLE_FINALIZE_ENTERED, 900, 62, threads_at_end)};
        return report_of(ranks).ranks[0].queue_part;
    };
    ASSERT_TRUE(part_of(1));
    EXPECT_NEAR(*part_of(1), 0.25, 1e-9) << "200 of 600 + 200 ms";
    EXPECT_NEAR(*part_of(3), 0.2, 1e-9) << "of all 800 + 200 ms: no growth is none";
    ranks[0].samples = {sample_of(MPROF_SAMPLE_INIT_LEFT, 100, 60, 1),
                        sample_of(MPROF_SAMPLE_FINALIZE_ENTERED, 900, 62, 1)};
    EXPECT_FALSE(report_of(ranks).ranks[0].queue_part) << "whoever worked has ended";
    ranks = planted_ranks(1, 1000 * ms);
    EXPECT_FALSE(report_of(ranks).ranks[0].queue_part);
}

TEST(Openmp, OfEachRankAndOfTheRun)
{
    const Report report = report_of(hybrid_ranks(800, 2400, 750));
    const OpenmpFacts &facts = report.openmp;
    EXPECT_EQ(facts.source, OpenmpSource::libgomp);
    EXPECT_EQ(facts.regions, 100U);
    EXPECT_EQ(facts.threads, 4U);
    EXPECT_NEAR(*facts.parallel_s, 0.8, 1e-9);
    EXPECT_NEAR(*facts.serial_s, 0.1, 1e-9);
    EXPECT_NEAR(*facts.serial_mpi_s, 0.1, 1e-9);
    EXPECT_NEAR(*facts.parallel_mpi_s, 0, 1e-9);
    EXPECT_NEAR(*facts.busy_threads, 2.5, 1e-9) << "2.4 s in regions and 0.1 s outside";
    EXPECT_NEAR(*facts.thread_balance, 0.6 / 0.75, 1e-9);
    EXPECT_NEAR(*facts.imbalance_s, 0.15, 1e-9);
    EXPECT_NEAR(*facts.region_efficiency, 0.75, 1e-9);
    EXPECT_NEAR(report.ranks[1].parallel_s.value_or(0), 0.8, 1e-9);
    EXPECT_NEAR(report.ranks[1].parallel_busy_s.value_or(0), 2.4, 1e-9);
    EXPECT_EQ(report.ranks[1].team_threads, 4U);
}

TEST(Openmp, TheEfficienciesOfPopMultiply)
{
    const OpenmpFacts facts = report_of(hybrid_ranks(800, 2400, 750)).openmp;
    EXPECT_NEAR(*facts.mpi_efficiency, 0.9, 1e-9);
    EXPECT_NEAR(*facts.hybrid_efficiency, 2.5 / 4, 1e-9);
    EXPECT_NEAR(*facts.openmp_efficiency, 2.5 / 4 / 0.9, 1e-9);
}

TEST(Openmp, ARowPerPlaceOfAllRanks)
{
    auto ranks = hybrid_ranks(100, 400, 100);
    ranks[1].parallel_regions.push_back(region_at(0x80, 1, 4, 700, 700, 700));
    const Report report = report_of(ranks);
    ASSERT_EQ(report.parallel_regions.size(), 2U);
    EXPECT_EQ(report.parallel_regions[0].place, "app+0x80") << "most time first";
    EXPECT_EQ(report.parallel_regions[0].ranks, 1U);
    const ParallelRow &row = report.parallel_regions[1];
    EXPECT_EQ(row.ranks, 2U);
    EXPECT_EQ(row.regions, 100U);
    EXPECT_NEAR(row.time_s, 0.2, 1e-9);
    EXPECT_NEAR(row.busy_threads.value_or(0), 4, 1e-9);
    EXPECT_NEAR(row.thread_balance.value_or(0), 1, 1e-9);
    EXPECT_NEAR(row.imbalance_s.value_or(1), 0, 1e-9);
}

// A region with if(false), or num_threads(1), is one thread's work as what is outside regions.
TEST(Openmp, ARegionOnOneThreadIsNamed)
{
    auto ranks = hybrid_ranks(100, 400, 100, 50);
    for (RankFileContent &rank : ranks) {
        rank.parallel_regions.push_back(region_at(0x80, 1, 1, 800, 800, 800));
    }
    const Report report = report_of(ranks);
    EXPECT_EQ(text_of(report.verdict.verdict_class), "serial part");
    EXPECT_THAT(report.verdict.sentence,
                HasSubstr("the parallel region in app+0x80 runs on 1 of 4 threads"));
    ASSERT_FALSE(report.verdict.next.empty());
    EXPECT_THAT(report.verdict.next[0].action, HasSubstr("num_threads()"));
    EXPECT_NEAR(report.verdict.next[0].worth_s.value_or(0), 0.6, 0.01);
}

TEST(Openmp, NothingIsSaidOfThreadsWhoseTasksWereNotSeen)
{
    auto ranks = hybrid_ranks(800, 0, 0);
    for (RankFileContent &rank : ranks) {
        rank.parallel_regions[1].flags |= MPROF_PARALLEL_TASKS;
        rank.parallel_regions[1].thread_ticks = 0;
    }
    const Report report = report_of(ranks);
    EXPECT_EQ(report.openmp.threads, 4U);
    EXPECT_EQ(report.openmp.unseen_task_regions, 1U);
    EXPECT_FALSE(report.openmp.busy_threads || report.openmp.hybrid_efficiency ||
                 report.parallel_regions[0].busy_s || report.ranks[0].thread_balance);
    EXPECT_THAT(report.openmp.sentence, HasSubstr("not known"));
}

TEST(Openmp, AnotherToolMayHaveTheInterface)
{
    auto ranks = planted_ranks(1, 1000 * ms);
    ranks[0].parallel_regions = {{}};
    ranks[0].parallel_regions[0].flags = MPROF_PARALLEL_IN_USE;
    ranks[0].parallel_regions[0].source = MPROF_PARALLEL_OTHER_TOOL;
    const Report report = report_of(ranks);
    EXPECT_EQ(report.openmp.source, OpenmpSource::other_tool);
    EXPECT_TRUE(report.parallel_regions.empty());
    EXPECT_FALSE(report.ranks[0].parallel_s.has_value());
    EXPECT_THAT(openmp_section(report, 80), HasSubstr("Another tool"));
}

TEST(Openmp, ProgramsWithoutItHaveNoWordOfIt)
{
    const Report report = report_of(planted_ranks(2, 1000 * ms));
    EXPECT_EQ(report.openmp.source, OpenmpSource::none);
    EXPECT_EQ(report.openmp.sentence, "");
    EXPECT_EQ(openmp_section(report, 80), "");
    EXPECT_FALSE(report.openmp.serial_s.has_value());
}

TEST(Openmp, TheTextHasPlacesAndEfficiencies)
{
    const std::string text = openmp_section(report_of(hybrid_ranks(800, 2400, 750)), 80);
    EXPECT_THAT(text, HasSubstr("4 threads per rank, 2.5 busy on average"));
    EXPECT_THAT(text, HasSubstr("80% in parallel regions"));
    EXPECT_THAT(text, HasSubstr("hybrid efficiency 63%"));
    EXPECT_THAT(text, HasSubstr("# app+0x40"));
}

TEST(OpenmpVerdict, AThreadWithMoreToDoThanTheOthers)
{
    const Report report = report_of(hybrid_ranks(800, 1600, 790));
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::thread_imbalance);
    EXPECT_NEAR(report.verdict.gain_s.value_or(0), 0.9 - (0.1 + 1.6) / 4, 1e-9);
    EXPECT_THAT(report.verdict.why, HasSubstr("app+0x40"));
    ASSERT_FALSE(report.verdict.next.empty());
    EXPECT_THAT(report.verdict.next[0].action, HasSubstr("schedule(dynamic)"));
    EXPECT_EQ(report.verdict.next[0].confidence, Confidence::high);
}

// 200 ms of 1 s in the queue for a CPU, on each rank.
std::vector<RankFileContent> queueing(std::vector<RankFileContent> ranks)
{
    for (RankFileContent &rank : ranks) {
        mprof_off_cpu row{};
        row.in_use = 1;
        row.stretches = 10;
        row.queue_ns = 200 * ms;
        rank.threads[0].off_cpu = {row};
        rank.threads[0].facts.read_computing_ns = 900 * ms;
    }
    return ranks;
}

// Threads that lose less than a CPU was lacking for may wait for the one that lacked it.
TEST(OpenmpVerdict, LackOfACpuComesBehindWhatTheThreadsLose)
{
    const Report report = report_of(queueing(hybrid_ranks(800, 1600, 790)));
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::thread_imbalance);
    for (const NextStep &step : report.verdict.next)
        EXPECT_NE(step.confidence, Confidence::high) << step.action;
    EXPECT_NE(report_of(queueing(hybrid_ranks(800, 2600, 790))).verdict.verdict_class,
              VerdictClass::thread_imbalance);
}

TEST(OpenmpVerdict, ASerialPartIsWorthWhatAmdahlSays)
{
    const Report report = report_of(hybrid_ranks(300, 1190, 300));
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::serial_part);
    // 0.6 s on one thread, and what the threads of the region do not work.
    EXPECT_NEAR(report.verdict.gain_s.value_or(0), 0.6 * 3 / 4 + (0.3 - 1.19 / 4), 1e-9);
    EXPECT_THAT(report.verdict.headline, HasSubstr("on one of 4 threads"));
    ASSERT_FALSE(report.verdict.next.empty());
    EXPECT_THAT(report.verdict.next[0].action, HasSubstr("Use all threads"));
}

HotSpotRow wait_of_openmp(const std::string &caller, uint64_t samples)
{
    HotSpotRow row;
    row.site.module = "/usr/lib/libgomp.so.1";
    row.path = {{.symbol = caller, .file = "tiles.c", .module = "/opt/app", .line = 40}};
    row.samples = row.path_samples = samples;
    row.path_percent = 100;
    return row;
}

// Two threads are busy for 1 s each, in 2 s.
TEST(OpenmpVerdict, ThreadsThatWaitForEachOthersLockAreInTurn)
{
    ParallelRow region;
    region.place = "tiles.c:66";
    region.function = "stack_tiles";
    region.threads = 2;
    region.regions = 10;
    region.time_s = 2;
    region.busy_s = 2;
    region.busy_threads = 1;
    region.busiest_s = 1;
    region.imbalance_s = 0;
    EXPECT_NEAR(region.in_turn_s(), 1 - 10 * 1e-4, 1e-9);
    Report report;
    report.ranks.resize(1);
    report.totals.wallclock_s = 2.2;
    report.openmp.threads = 2;
    report.openmp.imbalance_s = 0;
    report.openmp.serial_s = 0.2;
    report.parallel_regions = {region};
    const ThreadFacts facts = gather_thread_facts(report);
    EXPECT_TRUE(facts.is_in_turn());
    EXPECT_EQ(facts.turns_place, "stack_tiles (tiles.c:66)");
    EXPECT_EQ(facts.turns_lock, "");
    HotSpotRow busy = wait_of_openmp("add_tile", 9);
    busy.site = {.symbol = "smooth", .file = "tiles.c", .module = "/opt/app", .line = 20};
    report.hotspots = {wait_of_openmp("stack_tiles [OpenMP]", 30), busy};
    EXPECT_EQ(find_team_place(report).words, "smooth, called by add_tile (tiles.c:40)");
    // What calls the library: the end of the region, and a critical section of a function in it.
    report.hotspots = {wait_of_openmp("stack_tiles [OpenMP]", 30),
                       wait_of_openmp("stack_tiles_in", 20)};
    EXPECT_EQ(gather_thread_facts(report).turns_lock, "stack_tiles_in (tiles.c:40)");
    region.regions = 10000;
    EXPECT_EQ(region.in_turn_s(), 0) << "starting regions is no lock";
}

// Two threads in 2 s, of which 1.4 s each are busy, by samples.
TEST(OpenmpVerdict, ThreadsThatHaveNoTaskWaitForOne)
{
    Report report;
    report.ranks.resize(1);
    report.ranks[0].team_threads = 2;
    report.ranks[0].parallel_s = 2;
    report.ranks[0].parallel_busy_s = 2.8;
    report.totals.wallclock_s = 2.2;
    report.openmp.threads = 2;
    report.openmp.serial_s = 0.2;
    report.parallel_regions.resize(1);
    report.parallel_regions[0].place = "tree.c:12";
    report.parallel_regions[0].function = "build";
    report.parallel_regions[0].threads = 2;
    report.parallel_regions[0].time_s = 2;
    const ThreadFacts facts = gather_thread_facts(report);
    EXPECT_TRUE(facts.lacks_tasks());
    EXPECT_NEAR(facts.tasks_s, 0.6, 1e-9);
    EXPECT_EQ(facts.tasks_place, "build (tree.c:12)");
    report.openmp.busy_threads = 1.4;
    EXPECT_FALSE(gather_thread_facts(report).lacks_tasks()) << "they are known";
}

TEST(OpenmpVerdict, HealthyHybridProgramsStayComputeBound)
{
    const Report report = report_of(hybrid_ranks(940, 3700, 935, 10));
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::compute_bound);
}

TEST(OpenmpVerdict, OneSmallRegionMakesNoSerialPart)
{
    const Report report = report_of(hybrid_ranks(5, 20, 5, 10));
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::compute_bound);
}

TEST(OpenmpVerdict, ThreadsWithoutACpuCouldNotHelp)
{
    auto ranks = hybrid_ranks(300, 1190, 300, 10);
    for (RankFileContent &rank : ranks) {
        mprof_sample sample{};
        sample.moment = MPROF_SAMPLE_INIT_ENTERED;
        sample.cpus_allowed = 2;
        rank.samples = {sample};
        rank.texts.back() = {"cpus_allowed", "0-1"};
    }
    const Report report = report_of(ranks);
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::compute_bound)
        << "two ranks share two CPUs";
}

}  // namespace
