// What ranks used and where they ran, against numbers worked out by hand: counters and metrics by
// region and rank, without the cost of reading; memory from samples; and what the report says of
// placement.
#include "planted_ranks.h"
#include "report_of.h"

#include "render/render_report.h"
#include "report/verdict_thresholds.h"

#include <cmath>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

mprof_counter counter(const std::string &name, uint64_t read_growth, const std::string &unit = "")
{
    mprof_counter made = make_counter(name, unit);
    made.source = MPROF_COUNTER_PAPI;
    made.read_growth = read_growth;
    made.read_ticks = 500;
    return made;
}

mprof_counter_values values(uint16_t region, uint16_t in_mpi, uint64_t reads, uint64_t first,
                            uint64_t second)
{
    mprof_counter_values row = {};
    row.in_use = 1;
    row.region = region;
    row.in_mpi = in_mpi;
    row.reads = reads;
    row.values[0] = first;
    row.values[1] = second;
    return row;
}

// 1 ms each; region 2 is "solve", region 3 "inner" in it; each read adds 7 instructions.
// rank 0: program 1,000 in 10 reads -> 930; in MPI 170 in 10 -> 100; solve 5,000 in 0 reads;
//         inner, on a second thread, 300 in 0. Cycles: 465, 100, 2,500, 150.
// rank 1: program 200 in 0 reads, in MPI 30 in 10 reads: less than they add -> 0. Cycles: 100, 0.
std::vector<RankFileContent> two_ranks_with_counters()
{
    RankFileContent zero = sample_rank(0, 2, 1'000'000);
    zero.regions = {{}, {}, make_region("solve", 0, 1, 10), make_region("inner", 2, 1, 5)};
    zero.counters = {counter("PAPI_TOT_INS", 7), counter("PAPI_TOT_CYC", 0)};
    zero.threads[0].counter_values = {values(0, 0, 10, 1000, 465), values(0, 1, 10, 170, 100),
                                      values(2, 0, 0, 5000, 2500)};
    zero.threads.push_back(zero.threads[0]);
    zero.threads[1].counter_values = {values(3, 0, 0, 300, 150)};
    RankFileContent one = sample_rank(1, 2, 1'000'000);
    one.counters = {counter("PAPI_TOT_INS", 7), counter("PAPI_TOT_CYC", 0)};
    one.threads[0].counter_values = {values(0, 0, 0, 200, 100), values(0, 1, 10, 30, 0)};
    return {zero, one};
}

TEST(Counters, AddUpNetOfReading)
{
    const Report report = report_of(two_ranks_with_counters());
    ASSERT_EQ(report.counters.size(), 2U);
    const CounterRow &instructions = report.counters[0];
    EXPECT_EQ(instructions.name, "PAPI_TOT_INS");
    EXPECT_EQ(text_of(instructions.source), "PAPI");
    EXPECT_EQ(instructions.total, 930 + 100 + 5000 + 300 + 200);
    EXPECT_EQ(instructions.in_mpi, 100);
    EXPECT_EQ(instructions.outside_mpi, 6430);
    EXPECT_EQ(instructions.max, 6330);
    EXPECT_EQ(instructions.max_rank, 0U);
    EXPECT_EQ(instructions.min, 200);
    EXPECT_EQ(instructions.mean, 3265);
    EXPECT_THAT(report.ranks[0].counters, ElementsAre(6330, 3215));
    EXPECT_THAT(report.ranks[0].counters_in_mpi, ElementsAre(100, 100));
    EXPECT_THAT(report.ranks[1].counters, ElementsAre(200, 100));
    EXPECT_THAT(report.ranks[1].counters_in_mpi, ElementsAre(0, 0));
}

TEST(Counters, OfARegionHoldThoseInIt)
{
    const Report report = report_of(two_ranks_with_counters());
    ASSERT_EQ(report.regions.size(), 3U);
    EXPECT_THAT(report.regions[0].counters, ElementsAre(6530, 3315));
    EXPECT_THAT(report.regions[1].counters, ElementsAre(5300, 2650));
    EXPECT_EQ(report.regions[2].path, "solve/inner");
    EXPECT_THAT(report.regions[2].counters, ElementsAre(300, 150));
}

TEST(Counters, ReadingIsBilled)
{
    // 30 reads of 500 ns.
    const Report report = report_of(two_ranks_with_counters());
    EXPECT_NEAR(report.quality.counters_s, 15e-6, 1e-12);
    std::vector<RankFileContent> without = two_ranks_with_counters();
    for (RankFileContent &rank : without)
        for (mprof_counter &one : rank.counters)
            one.read_ticks = 0;
    EXPECT_NEAR(report.quality.overhead_s - report_of(without).quality.overhead_s, 15e-6, 1e-12);
    EXPECT_THAT(report.quality.remarks, Contains(HasSubstr("reading the counters took 15.0 us")));
}

TEST(Counters, ThatARankLacksAreNotZeroThere)
{
    std::vector<RankFileContent> ranks = two_ranks_with_counters();
    ranks[1].counters = {counter("PAPI_TOT_INS", 0)};
    const Report report = report_of(ranks);
    EXPECT_TRUE(std::isnan(report.ranks[1].counters[1]));
    EXPECT_EQ(report.counters[1].total, 3215);
    EXPECT_EQ(report.counters[1].mean, 3215);
    EXPECT_THAT(csv_table(report, "rank_counters.csv"), HasSubstr("\n1,PAPI_TOT_CYC,,\n"));
    EXPECT_THAT(render_json(report), HasSubstr("\"PAPI_TOT_CYC\": null"));
}

TEST(Metrics, DivideWhatHappensOutsideMpi)
{
    // Rank 0: 6,230 / 3,115; rank 1: 200 / 100; the run: 6,430 / 3,215.
    const Report report = report_of(two_ranks_with_counters());
    ASSERT_EQ(report.metrics.size(), 1U) << "no clock rate of a rank with two threads";
    const MetricRow &row = report.metrics[0];
    EXPECT_EQ(row.name, "instructions per cycle");
    EXPECT_EQ(row.formula, "PAPI_TOT_INS / PAPI_TOT_CYC, outside MPI");
    EXPECT_NEAR(row.value, 2, 1e-12);
    EXPECT_NEAR(row.min, 2, 1e-12);
    EXPECT_THAT(report.ranks[1].metrics, ElementsAre(2));
}

TEST(Metrics, RatesAreByWallclock)
{
    // 2e6 and 1e6 operations in 1 ms: 2 and 1 Gflop/s, 3 together; 0.5 and 0.25 ms of CPU time.
    std::vector<RankFileContent> ranks = {sample_rank(0, 2, 1'000'000),
                                          sample_rank(1, 2, 1'000'000)};
    for (RankFileContent &rank : ranks) {
        rank.counters = {counter("PAPI_FP_OPS", 0), counter("task-clock", 0, "ns")};
        const uint64_t half = rank.rank == 0 ? 1 : 2;
        rank.threads[0].counter_values = {values(0, 0, 0, 2'000'000 / half, 500'000 / half)};
    }
    const Report report = report_of(ranks);
    ASSERT_EQ(report.metrics.size(), 2U);
    EXPECT_EQ(report.metrics[0].name, "CPU use");
    EXPECT_NEAR(report.metrics[0].value, 37.5, 1e-9);
    EXPECT_NEAR(report.metrics[0].max, 50, 1e-9);
    EXPECT_EQ(report.metrics[1].unit, "Gflop/s");
    EXPECT_NEAR(report.metrics[1].value, 3, 1e-9);
    EXPECT_NEAR(report.metrics[1].mean, 1.5, 1e-9);
    const std::string text = render_text(report, 80);
    EXPECT_THAT(text, HasSubstr("task-clock [s]"));
    EXPECT_THAT(text, HasSubstr("floating point [Gflop/s]"));
}

TEST(Counters, WhatIsEstimatedLackingOrRefusedIsSaid)
{
    std::vector<RankFileContent> ranks = two_ranks_with_counters();
    ranks[0].counters[0].flags |= MPROF_COUNTER_MULTIPLEXED | MPROF_COUNTER_INCOMPLETE;
    for (RankFileContent &rank : ranks)
        rank.texts.emplace_back("counters_refused", "A: no such event, did you mean B?; C: busy");
    const Report report = report_of(ranks);
    EXPECT_TRUE(report.counters[0].multiplexed);
    EXPECT_FALSE(report.counters[1].multiplexed);
    EXPECT_THAT(report.quality.counters_refused,
                ElementsAre("A: no such event, did you mean B?", "C: busy"));
    EXPECT_THAT(report.quality.remarks, Contains(HasSubstr("estimates: PAPI_TOT_INS")));
    EXPECT_THAT(report.quality.remarks, Contains(HasSubstr("counters are incomplete")));
    EXPECT_THAT(report.quality.remarks, Contains(HasSubstr("not counted: C: busy")));
}

mprof_sample sample(mprof_sample_moment moment, uint64_t ticks, uint64_t resident_mib)
{
    mprof_sample made = {};
    made.moment = moment;
    made.ticks = ticks;
    made.cpu = 3;
    made.cpus_allowed = 2;
    made.resident_bytes = resident_mib * mib;
    made.peak_resident_bytes = (resident_mib + 5) * mib;
    made.shared_bytes = 2 * mib;
    made.involuntary_switches = ticks / 1000;
    made.migrations = 4;
    made.user_ns = 3'000'000;
    return made;
}

TEST(Memory, ComesFromTheSamples)
{
    RankFileContent rank = sample_rank(0, 1, 1'000'000);
    rank.samples = {sample(MPROF_SAMPLE_INIT_ENTERED, 1'000, 10),
                    sample(MPROF_SAMPLE_INIT_LEFT, 101'000, 30),
                    sample(MPROF_SAMPLE_RUNNING, 501'000, 90),
                    sample(MPROF_SAMPLE_FINALIZE_ENTERED, 901'000, 50)};
    rank.samples[3].numa_local_bytes = 40 * mib;
    const Report report = report_of({rank});
    const RankRow &row = report.ranks[0];
    EXPECT_EQ(row.init_memory_bytes, 20 * mib);
    EXPECT_EQ(row.shared_memory_bytes, 2 * mib);
    EXPECT_EQ(row.numa_own_bytes, 40 * mib);
    EXPECT_EQ(row.numa_other_bytes, 0U);
    EXPECT_EQ(row.migrations, 4U);
    EXPECT_EQ(row.involuntary_switches, 901U);
    ASSERT_EQ(row.samples.size(), 4U);
    EXPECT_EQ(text_of(row.samples[2].moment), "running");
    EXPECT_NEAR(row.samples[2].time_s, 500e-6, 1e-12);
    ASSERT_EQ(report.memory.size(), 4U) << "nothing is on another NUMA node";
    EXPECT_EQ(report.memory[2].name, "growth");
    EXPECT_EQ(report.memory[2].total, 20.0 * mib);
    EXPECT_THAT(csv_table(report, "samples.csv"),
                HasSubstr("\n0,running,0.0005,94371840,2097152,\n"));
}

TEST(Memory, OfAKilledRankIsThatOfItsLastSample)
{
    RankFileContent rank = mprof_test::killed_rank(0, 1, 3, 900'000);
    rank.run.user_ns = rank.run.system_ns = rank.run.peak_memory_bytes = 0;
    rank.samples = {sample(MPROF_SAMPLE_INIT_ENTERED, 1'000, 10),
                    sample(MPROF_SAMPLE_RUNNING, 501'000, 90)};
    const Report report = report_of({rank});
    EXPECT_EQ(report.ranks[0].memory_bytes, 95 * mib);
    EXPECT_NEAR(report.ranks[0].user_s.value_or(0), 3e-3, 1e-12);
    EXPECT_EQ(report.ranks[0].init_memory_bytes, std::nullopt);
    EXPECT_EQ(report.totals.memory_bytes, 95 * mib);
}

TEST(Memory, WithoutSamplesIsNotKnown)
{
    const Report report = report_of({sample_rank(0, 1, 1'000'000)});
    EXPECT_THAT(report.memory, IsEmpty());
    EXPECT_EQ(report.ranks[0].migrations, std::nullopt);
    EXPECT_EQ(report.ranks[0].numa_other_bytes, std::nullopt);
}

// Ranks of 10 s on one host of 8 CPUs in 4 cores, CPU n and n + 4 in one core.
std::vector<RankFileContent> placed(const std::vector<std::string> &cpus)
{
    std::vector<RankFileContent> ranks;
    for (const std::string &list : cpus) {
        const auto number = static_cast<uint32_t>(ranks.size());
        const uint64_t cpu = std::stoul(list) % 4;
        ranks.push_back(sample_rank(number, static_cast<uint32_t>(cpus.size()), 10'000'000'000));
        auto &texts = ranks.back().texts;
        texts.emplace_back("cpus_allowed", list);
        texts.emplace_back("core_cpus", std::to_string(cpu) + "," + std::to_string(cpu + 4));
        texts.emplace_back("node.cpus", "8");
        texts.emplace_back("node.memory_bytes", std::to_string(1024 * mib));
        ranks.back().samples = {sample(MPROF_SAMPLE_FINALIZE_ENTERED, 10'000'000, 50)};
        ranks.back().samples[0].involuntary_switches = 20;
    }
    return ranks;
}

std::string remarks_of(const std::vector<RankFileContent> &ranks)
{
    const Report report = report_of(ranks);
    std::string all;
    for (const auto &list : {report.verdict.extra, report.quality.remarks})
        for (const std::string &remark : list)
            all += remark + "\n";
    return all;
}

// Messages of mprof's own are in what the MPI counts, and cannot be taken out.
TEST(Counters, OfTheMpiMayHaveMessagesOfMprofAndTheReportSaysSo)
{
    auto ranks = planted_ranks(1, 1000 * ms);
    ranks[0].threads[0].entries = {make_entry(f_send, 8, 1, ms)};
    EXPECT_THAT(remarks_of(ranks), Not(HasSubstr("the MPI's own counts")));
    ranks[0].threads[0].entries.push_back(make_entry(f_pvar_read, 0, 1, us));
    EXPECT_THAT(remarks_of(ranks),
                HasSubstr("the program reads the MPI's own counts (MPI_T_pvar_read)"));
}

// Ranks with a core each that have GPUs open.
std::string remarks_with_gpus(const std::vector<std::string> &gpus, const std::string &sharing = "")
{
    auto ranks = placed({"0", "1", "2"});
    for (size_t r = 0; r < gpus.size(); r++) {
        if (!gpus[r].empty())
            ranks[r].texts.emplace_back("gpu_devices", gpus[r]);
        if (!sharing.empty())
            ranks[r].texts.emplace_back("gpu_sharing", sharing);
    }
    return remarks_of(ranks);
}

TEST(Placement, RanksOnOneGpuAreNamed)
{
    const char *one = "/dev/nvidia0", *other = "/dev/nvidia1", *all = "/dev/nvidia0,/dev/nvidia1";
    EXPECT_THAT(remarks_with_gpus({one, one, other}),
                HasSubstr("SHARED GPU: ranks 0 and 1 on node00 use the same GPU /dev/nvidia0."));
    EXPECT_THAT(remarks_with_gpus({one, other, ""}), Not(HasSubstr("GPU")));
    EXPECT_THAT(remarks_with_gpus({all, all, all}), Not(HasSubstr("GPU")))
        << "CUDA opens all: which one is used is not known";
    EXPECT_THAT(remarks_with_gpus({one, one, one}, "MPS"), Not(HasSubstr("GPU"))) << "on purpose";
    EXPECT_THAT(remarks_with_gpus({"", "", ""}), Not(HasSubstr("GPU")));
}

// The GPUs of ranks on CPUs 0, 1 and 2.
TEST(Placement, RanksFarFromTheirGpusAreNamed)
{
    const auto remarks = [](const std::vector<std::string> &gpu_cpus) {
        auto ranks = placed({"0", "1", "2"});
        for (size_t r = 0; r < gpu_cpus.size(); r++)
            ranks[r].texts.emplace_back("gpu_cpus", gpu_cpus[r]);
        return remarks_of(ranks);
    };
    EXPECT_THAT(remarks({"0-3", "0-3", "4-7"}),
                HasSubstr("FAR GPU: rank 2 on node00 may run on none of the CPUs that its GPU is "
                          "attached to."));
    EXPECT_THAT(remarks({"4-7", "0-3", "4-7"}),
                HasSubstr("FAR GPU: ranks 0 and 2 on node00 may run on none of the CPUs that their "
                          "GPUs are attached to."));
    EXPECT_THAT(remarks({"0-3", "1", "2,9"}), Not(HasSubstr("FAR GPU")));
    EXPECT_THAT(remarks({"", "", ""}), Not(HasSubstr("FAR GPU"))) << "not known";
}

TEST(Placement, ACoreForEachRankIsFine)
{
    const std::string remarks = remarks_of(placed({"0", "1", "2", "3,7"}));
    for (const char *words : {"SHARED", "OVERSUBSCRIBED", "not bound", "NUMA", "interrupted"})
        EXPECT_THAT(remarks, Not(HasSubstr(words)));
}

TEST(Placement, RanksOnOneCoreAreNamed)
{
    EXPECT_THAT(remarks_of(placed({"0", "0", "2"})),
                HasSubstr("SHARED CORE: ranks 0 and 1 on node00 are bound to the same core (CPU "
                          "0,4)"));
    EXPECT_THAT(remarks_of(placed({"1", "2", "5"})), HasSubstr("ranks 0 and 2 on node00"))
        << "the two threads of a core";
}

TEST(Placement, RanksOnOneCoreOfSeveralAreToBeBoundApart)
{
    const auto first_words = [](const Report &report) {
        std::string words;
        for (const NextStep &step : report.verdict.next)
            words += step.action + "\n";
        return words;
    };
    EXPECT_THAT(first_words(report_of(placed({"0", "0", "2"}))),
                HasSubstr("Bind each rank on node00 to a core of its own"));
    std::vector<RankFileContent> limited = placed({"0", "0", "2"});
    for (RankFileContent &rank : limited)
        rank.texts.emplace_back("cgroup_cpus", "2.00");
    EXPECT_THAT(first_words(report_of(limited)), HasSubstr("Start at most as many ranks"));
}

TEST(Placement, MoreRanksThanCpus)
{
    EXPECT_THAT(remarks_of(placed({"0-1", "0-1", "0-1"})),
                HasSubstr("OVERSUBSCRIBED: 3 ranks on node00 share 2 CPUs,"));
    std::vector<RankFileContent> limited = placed({"0", "1", "2"});
    for (RankFileContent &rank : limited)
        rank.texts.emplace_back("cgroup_cpus", "1.50");
    EXPECT_THAT(remarks_of(limited), HasSubstr("share 1.5 CPUs, the limit of its control group"));
}

TEST(Placement, RanksThatAreNotBound)
{
    EXPECT_THAT(remarks_of(placed({"0-7", "0-7", "3"})),
                HasSubstr("not bound: ranks 0 and 1 on node00 may run on any of its 8 CPUs and "
                          "moved between them 8 times"));
    EXPECT_THAT(remarks_of(placed({"0-7"})), Not(HasSubstr("not bound"))) << "alone it may";
}

// What the group's files say when MPI_Init returned, and when MPI_Finalize was entered.
std::vector<mprof_condition> limits_of(uint64_t throttles, uint64_t highs, uint64_t kills)
{
    mprof_condition first = {};
    first.moment = MPROF_SAMPLE_INIT_LEFT;
    first.read_calls = 1;
    first.throttled_ns = 1'000'000'000;
    first.throttles = first.memory_highs = first.oom_kills = 5;
    mprof_condition last = first;
    last.moment = MPROF_SAMPLE_FINALIZE_ENTERED;
    last.throttled_ns += throttles * 80'000'000;
    last.throttles += throttles;
    last.memory_highs = highs == UINT64_MAX ? highs : 5 + highs;
    last.oom_kills = kills == UINT64_MAX ? kills : 5 + kills;
    return {first, last};
}

TEST(Limits, OfTheControlGroupAreGrowthSinceMpiInit)
{
    std::vector<RankFileContent> ranks = placed({"0", "1"});
    ranks[0].conditions = limits_of(10, 3, UINT64_MAX);
    const Report report = report_of(ranks);
    EXPECT_EQ(report.ranks[0].throttles, 10U);
    EXPECT_DOUBLE_EQ(report.ranks[0].throttled_s.value_or(0), 0.8);
    EXPECT_EQ(report.ranks[0].memory_highs, 3U);
    EXPECT_EQ(report.ranks[0].oom_kills, std::nullopt) << "the system does not tell";
    EXPECT_EQ(report.ranks[1].throttles, std::nullopt);
}

// A counter that wraps, or a group that was made anew, counts nothing.
TEST(Limits, CountersThatGoBackHaveNotGrown)
{
    std::vector<RankFileContent> ranks = placed({"0"});
    ranks[0].conditions = limits_of(10, 3, 1);
    std::swap(ranks[0].conditions[0].throttles, ranks[0].conditions[1].throttles);
    EXPECT_EQ(report_of(ranks).ranks[0].throttles, 0U);
}

TEST(Limits, OfMemoryAreSaidBesideTheVerdict)
{
    std::vector<RankFileContent> ranks = placed({"0", "1"});
    ranks[0].conditions = ranks[1].conditions = limits_of(0, 250, 1);
    const std::string remarks = remarks_of(ranks);
    EXPECT_THAT(remarks, HasSubstr("MEMORY LIMIT: the kernel killed a process of the control group "
                                   "of node00"));
    EXPECT_THAT(remarks, HasSubstr("exceeded memory.high 250 times"));
    ranks[0].conditions = ranks[1].conditions = limits_of(0, 0, 0);
    EXPECT_THAT(remarks_of(ranks), Not(HasSubstr("MEMORY LIMIT")));
}

TEST(Limits, MemoryInSwapSpaceIsTheMostOfAnySample)
{
    std::vector<RankFileContent> ranks = placed({"0", "1"});
    ranks[1].samples.insert(ranks[1].samples.begin(), sample(MPROF_SAMPLE_RUNNING, 5'000'000, 50));
    ranks[1].samples[0].swapped_bytes = 300 * mib;
    ranks[1].samples[1].swapped_bytes = 100 * mib;
    ranks[1].samples[1].major_faults = 40'000;
    EXPECT_EQ(report_of(ranks).ranks[1].swapped_bytes, 300 * mib);
    EXPECT_THAT(remarks_of(ranks),
                HasSubstr("SWAPPING: 300 MiB of the memory of rank 1 on node00 was in swap space; "
                          "40000 pages was read back from disk."));
}

// Two ranks on each of two nodes, which took 600 and 900 kJ in the 10 s of the run.
TEST(Energy, OfANodeCountsOnce)
{
    std::vector<RankFileContent> ranks = placed({"0", "1", "2", "3"});
    for (size_t r = 0; r < ranks.size(); r++) {
        for (auto &[key, value] : ranks[r].texts)
            if (key == "host")
                value = r < 2 ? "node00" : "node01";
        ranks[r].samples.insert(ranks[r].samples.begin(), sample(MPROF_SAMPLE_INIT_ENTERED, 0, 50));
        ranks[r].samples[0].energy_uj = 1;
        ranks[r].samples[1].energy_uj = 1 + (r < 2 ? 600'000'000'000 : 900'000'000'000);
    }
    const Report report = report_of(ranks);
    EXPECT_DOUBLE_EQ(report.ranks[0].energy_j.value_or(0), 600'000);
    EXPECT_DOUBLE_EQ(report.run.energy_j.value_or(0), 1'500'000);
    EXPECT_THAT(report.run.energy, HasSubstr("1.5 MJ"));
    double parts_j = 0;
    for (const TimePart &part : report.time_parts)
        parts_j += part.energy_j.value_or(0);
    EXPECT_NEAR(parts_j, 1'500'000, 1);
    for (size_t r = 2; r < 4; r++)
        ranks[r].samples[1].energy_uj = 0;
    EXPECT_EQ(report_of(ranks).run.energy_j, std::nullopt) << "one node does not tell";
    EXPECT_EQ(report_of(ranks).run.energy, "");
}

TEST(Placement, MemoryOnAnotherNumaNode)
{
    std::vector<RankFileContent> ranks = placed({"0", "1", "2"});
    ranks[1].samples[0].numa_local_bytes = 100 * mib;
    ranks[1].samples[0].numa_other_bytes = 100 * mib;
    ranks[2].samples[0].numa_local_bytes = 1000 * mib;
    ranks[2].samples[0].numa_other_bytes = 100 * mib;
    EXPECT_THAT(remarks_of(ranks),
                HasSubstr("wrong NUMA node: 100 MiB of the memory of rank 1 on node00"));
}

TEST(Placement, ACpuThatSomethingElseUses)
{
    std::vector<RankFileContent> ranks = placed({"0", "1"});
    ranks[1].samples[0].involuntary_switches = 2500;
    EXPECT_THAT(remarks_of(ranks), HasSubstr("interrupted: rank 1 on node00 lost the CPU "
                                             "up to 250 times a second"));
}

TEST(Placement, ANodeWhoseMemoryIsFull)
{
    std::vector<RankFileContent> ranks = placed({"0", "1"});
    for (RankFileContent &rank : ranks)
        rank.run.peak_memory_bytes = 500 * mib;
    EXPECT_THAT(remarks_of(ranks), HasSubstr("add up to 1000 MiB of 1.0 GiB"));
}

TEST(Placement, FactsOfANodeAreThoseOfItsFirstRank)
{
    const Report report = report_of(placed({"0", "1"}));
    ASSERT_EQ(report.nodes.size(), 1U);
    EXPECT_THAT(report.nodes[0].facts, Contains(std::pair<std::string, std::string>("cpus", "8")));
}

TEST(Placement, HostileListsOfCpusAreHarmless)
{
    for (const char *list : {"", "x", "0-99999999999", "7-2", ",,,", "1-", "0-8191"}) {
        std::vector<RankFileContent> ranks = placed({"0", "1"});
        for (RankFileContent &rank : ranks)
            for (auto &[key, value] : rank.texts)
                if (key == "cpus_allowed" || key == "core_cpus")
                    value = list;
        EXPECT_NO_THROW(report_of(ranks));
    }
}

TEST(Evenness, IsThatOfTheRankFarthestFromTheMean)
{
    const auto words = [](double min, double mean, double max) {
        mprof::CounterRow row;
        row.min = min;
        row.mean = mean;
        row.max = max;
        return text_of(mprof::evenness_of(row));
    };
    EXPECT_EQ(words(95, 100, 110), "even");
    EXPECT_EQ(words(100, 100, 111), "slightly uneven");
    EXPECT_EQ(words(90, 100, 100), "slightly uneven");  // 100 / 90 = 1.11
    EXPECT_EQ(words(100, 100, 130), "uneven");
    EXPECT_EQ(words(0, 100, 101), "uneven");
    EXPECT_EQ(words(0, 0, 0), "even");
}

}  // namespace
