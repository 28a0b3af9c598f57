// mprof scale of planted runs: efficiency, factors, what stops the scaling, and what is not known.
#include "render/renderers.h"
#include "scale/scaling.h"

#include <cmath>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Strong scaling of 16 s of work: a p-th for each rank, and `in_mpi_s` in one call.
struct PlantedRun {
    uint32_t ranks = 1;
    double in_mpi_s = 0, waiting_s = 0;
    double serial_s = 0;  // of rank 0 alone, between the calls
    double queue_s = 0;   // waiting for a CPU, of each rank
    double noise = 1;
};

RunRow row_of(GrowthKind kind, const std::string &what, double time_s)
{
    RunRow row;
    row.names.kind = kind;
    row.names.what = what;
    row.time_s = time_s;
    return row;
}

SizeRun run_of(const PlantedRun &planted)
{
    const double p = planted.ranks;
    const double compute_s = (16 / p + planted.queue_s) * planted.noise;
    SizeRun run;
    run.run.path = "run";
    run.run.ranks = planted.ranks;
    run.run.complete = true;
    run.program = "cg";
    run.run.wallclock_s = compute_s + planted.serial_s + planted.in_mpi_s;
    const double mean_compute_s = compute_s + planted.serial_s / p;
    run.compute_s = p * mean_compute_s;
    run.contention_s = p * planted.queue_s;
    run.blocked_s = 0;
    const double serial_wait_s = planted.serial_s * (1 - 1 / p);
    run.mpi_s = p * (planted.in_mpi_s + serial_wait_s);
    run.wait_s = p * (planted.waiting_s + serial_wait_s);
    run.transfer_s = p * (planted.in_mpi_s - planted.waiting_s);
    run.other_mpi_s = 0;
    run.load_balance = mean_compute_s / (compute_s + planted.serial_s);
    run.communication_efficiency = (compute_s + planted.serial_s) / run.run.wallclock_s;
    run.rows["compute"] = row_of(GrowthKind::compute, "computing", mean_compute_s);
    RunRow call = row_of(GrowthKind::call_line, "MPI_Allreduce at cg.c:211",
                         planted.in_mpi_s + serial_wait_s);
    call.wait_s = planted.waiting_s + serial_wait_s;
    call.names.function = "MPI_Allreduce";
    call.names.place = "cg.c:211";
    call.names.file = "cg.c";
    call.names.line = 211;
    run.rows["call"] = call;
    RunRow work = row_of(GrowthKind::segment, "computing between cg.c:211 and cg.c:40", 16 / p);
    work.slowest_s = 16 / p;
    RunRow serial =
        row_of(GrowthKind::segment, "computing between io.c:7 and cg.c:211", planted.serial_s / p);
    serial.slowest_s = planted.serial_s;
    run.segments = {{"work", work}, {"serial", serial}};
    return run;
}

std::vector<double> efficiencies(const Scaling &scaling)
{
    std::vector<double> values;
    for (const SizeRow &row : scaling.sizes)
        values.push_back(std::round(100 * row.efficiency));
    return values;
}

const FactorRow *find_factor(const Scaling &scaling, Factor factor)
{
    for (const FactorRow &row : scaling.factors)
        if (row.factor == factor)
            return &row;
    return nullptr;
}

TEST(Scaling, EfficiencyIsAgainstTheSmallestSize)
{
    const Scaling scaling = analyse_scaling(
        {run_of({4, 1}), run_of({1, 0}), run_of({2, 0.5}), run_of({2, 0.5, 0, 0, 0, 1.02})},
        std::nullopt);
    EXPECT_EQ(scaling.kind, ScalingKind::strong);
    // 16 s; 8.5 and 8.66 s; 5 s.
    EXPECT_THAT(efficiencies(scaling), ElementsAre(100, 93, 80));
    EXPECT_NEAR(scaling.sizes[2].speedup, 16 / 5.0, 1e-9);
    EXPECT_NEAR(scaling.sizes[1].core_hours, 2 * 8.58 / 3600, 1e-9);
    EXPECT_NEAR(scaling.sizes[1].noise_percent.value_or(0), 50 * 0.16 / 8.58, 1e-9);
    EXPECT_FALSE(scaling.sizes[0].noise_percent);
    EXPECT_EQ(scaling.recommended_ranks, 4U);
    EXPECT_FALSE(scaling.first_bad);
    EXPECT_EQ(scaling.headline, "Scales to 4 ranks");
    ASSERT_EQ(scaling.runs.size(), 4U);
    EXPECT_NEAR(scaling.runs[1].efficiency, 16 / 2.0 / 8.5, 1e-9) << "of the run, not the size";
}

TEST(Scaling, FactorsMultiplyToTheirProducts)
{
    const Scaling scaling = analyse_scaling(
        {run_of({1}), run_of({4, 1, 0.4, 0.5}), run_of({8, 1, 0.3, 0.5, 0.2})}, std::nullopt);
    for (size_t size = 0; size < 3; size++) {
        double product = 1;
        for (const FactorRow &row : scaling.factors) {
            ASSERT_TRUE(row.values[size]) << text_of(row.factor);
            if (row.factor == Factor::computation) {
                EXPECT_NEAR(*row.values[size],
                            *find_factor(scaling, Factor::computing)->values[size] *
                                *find_factor(scaling, Factor::cpu_share)->values[size],
                            1e-9);
            } else if (is_product(row.factor)) {
                EXPECT_NEAR(product, *row.values[size], 1e-9) << text_of(row.factor);
            } else {
                product *= *row.values[size];
            }
        }
    }
    const double global = *find_factor(scaling, Factor::global)->values[2];
    EXPECT_NEAR(global, scaling.sizes[2].efficiency, 1e-9) << "the smallest size loses nothing";
}

TEST(Scaling, ACallThatGrowsIsNamedWithItsLaw)
{
    std::vector<SizeRun> runs;
    for (const uint32_t ranks : {2U, 4U, 8U, 16U, 32U, 64U})
        for (const double noise : {1.0, 1.01, 0.99})
            runs.push_back(run_of({ranks, 0.05 * std::sqrt(ranks) * noise, 0, 0, 0, noise}));
    const Scaling scaling = analyse_scaling(runs, std::nullopt);
    // 16/32 s and 0.28 s: 64 %; 16/16 s and 0.2 s: 84 %.
    EXPECT_EQ(scaling.headline, "Stops scaling at 32 ranks");
    EXPECT_THAT(scaling.sentence, HasSubstr("MPI_Allreduce at cg.c:211 grows as p^0.50"));
    EXPECT_EQ(scaling.recommended_ranks, 16U);
    ASSERT_TRUE(scaling.projected_wallclock_s);
    EXPECT_EQ(scaling.projected_ranks, 640);
    EXPECT_NEAR(scaling.projected_wallclock_s->value, 16 / 640.0 + 0.05 * std::sqrt(640), 0.05);
    EXPECT_EQ(scaling.growth[0].function, "MPI_Allreduce") << "most of the projected run";
    EXPECT_GT(scaling.growth[0].projected_share, 0.9);
    EXPECT_EQ(scaling.growth[0].meaning, "grows with the square root");
    EXPECT_EQ(scaling.growth[0].state, Judgement::problem);
    EXPECT_EQ(scaling.growth[1].meaning, "falls as it should");
    EXPECT_EQ(scaling.growth[1].state, Judgement::good);
    ASSERT_FALSE(scaling.projected.empty());
    EXPECT_EQ(scaling.projected.back().ranks, scaling.projected_ranks);
    EXPECT_EQ(scaling.projected.back().wallclock_s.value, scaling.projected_wallclock_s->value);
}

// NCCL runs beside all else: it has a law of its own, and the run is projected without it.
TEST(Scaling, FunctionsOfNcclGrowBesideTheRun)
{
    std::vector<SizeRun> runs, with_nccl;
    for (const uint32_t ranks : {2U, 4U, 8U, 16U, 32U, 64U})
        for (const double noise : {1.0, 1.01, 0.99}) {
            runs.push_back(run_of({ranks, 0.05 * std::sqrt(ranks) * noise, 0, 0, 0, noise}));
            with_nccl.push_back(runs.back());
            with_nccl.back().rows["nccl"] =
                row_of(GrowthKind::nccl, "ncclAllReduce", 0.1 * ranks * noise);
        }
    const Scaling without = analyse_scaling(runs, std::nullopt);
    const Scaling scaling = analyse_scaling(with_nccl, std::nullopt);
    EXPECT_EQ(scaling.projected_wallclock_s->value, without.projected_wallclock_s->value);
    EXPECT_EQ(scaling.sentence, without.sentence);
    const auto row = std::find_if(scaling.growth.begin(), scaling.growth.end(),
                                  [](const GrowthRow &r) { return r.kind == GrowthKind::nccl; });
    ASSERT_NE(row, scaling.growth.end());
    EXPECT_NEAR(row->growth.law().exponent, 1, 0.01);
    EXPECT_NEAR(row->time_s.back(), 6.4, 1e-9) << "the middle one of three runs";
    EXPECT_THAT(render_scale_text(scaling, 80), HasSubstr("beside all else"));
    EXPECT_THAT(render_scale_text(without, 80), Not(HasSubstr("NCCL")));
}

TEST(Scaling, FunctionsOfNcclAreOfTheAverageRank)
{
    Report report;
    report.run.ranks = 4;
    report.run.wallclock_s = 10;
    report.ranks.resize(4);
    NcclFunctionRow row;
    row.function = "ncclAllReduce";
    row.time_s = 8;
    row.wait_s = 2;
    report.nccl_functions = {row};
    const SizeRun run = size_run_of(report, "run");
    const RunRow &found = run.rows.at("NCCL:ncclAllReduce");
    EXPECT_NEAR(found.time_s, 2, 1e-9);
    EXPECT_NEAR(*found.wait_s, 0.5, 1e-9);
}

// All others wait for rank 0; the call in which they do is not to blame.
TEST(Scaling, ASerialPartOfOneRankIsNamedWithItsLines)
{
    const Scaling scaling = analyse_scaling(
        {run_of({1, 0, 0, 1}), run_of({2, 0, 0, 1}), run_of({4, 0, 0, 1}), run_of({8, 0, 0, 1})},
        std::nullopt);
    EXPECT_EQ(scaling.headline, "Stops scaling at 8 ranks");  // 17 s, and 3 s instead of 2.1 s
    EXPECT_EQ(scaling.sentence, "Computing between io.c:7 and cg.c:211 on rank 0 does not get "
                                "shorter with more ranks, a serial part: 1.00 s of 3.00 s there.");
}

// It is serial only if it takes as long at the smallest size, too.
TEST(Scaling, APartThatIsNewOrGrowsIsNotCalledSerial)
{
    const Scaling fresh = analyse_scaling({run_of({1}), run_of({8, 0, 0, 2})}, std::nullopt);
    EXPECT_EQ(fresh.sentence,
              "Computing between io.c:7 and cg.c:211 on rank 0 takes 2.00 s of 4.00 s there.");
    const Scaling grows =
        analyse_scaling({run_of({1, 0, 0, 0.5}), run_of({8, 0, 0, 2})}, std::nullopt);
    EXPECT_THAT(grows.sentence, HasSubstr("on rank 0 takes longer with more ranks: 2.00 s"));
}

TEST(Scaling, RanksWithoutACpuAreNotThePrograms)
{
    const Scaling scaling =
        analyse_scaling({run_of({1}), run_of({2}), run_of({4, 0, 0, 0, 4})}, std::nullopt);
    EXPECT_EQ(scaling.headline, "Stops scaling at 4 ranks");
    EXPECT_THAT(scaling.sentence, HasSubstr("waits 4.00 s for a CPU"));
    EXPECT_NEAR(*find_factor(scaling, Factor::computing)->values[2], 1, 1e-9);
    EXPECT_NEAR(*find_factor(scaling, Factor::cpu_share)->values[2], 0.5, 1e-9);
}

// 16 s of work that takes `slower` times as long, on one node.
SizeRun slower_run(uint32_t ranks, double slower)
{
    SizeRun run = run_of({ranks, 0, 0, 0, 0, slower});
    run.nodes = 1;
    return run;
}

TEST(Scaling, RanksOfANodeThatAreSlowerTogetherLikelyShareItsMemory)
{
    const Scaling scaling =
        analyse_scaling({slower_run(1, 1), slower_run(2, 1.1), slower_run(4, 1.6)}, std::nullopt);
    EXPECT_THAT(scaling.why, HasSubstr("All ranks compute slower together: 1.60x as long with 4 "
                                       "ranks on a node as with 1. Likely they share the memory "
                                       "bandwidth of the node"));
}

// As with work that each rank repeats, which looks alike: what caches hold does not need the
// memory.
TEST(Scaling, RanksWithLittleMemoryDoNotShareIt)
{
    std::vector<SizeRun> runs = {slower_run(1, 1), slower_run(4, 1.6)};
    runs[1].own_bytes = 7 << 20;
    EXPECT_THAT(analyse_scaling(runs, std::nullopt).why, Not(HasSubstr("memory")));
    runs[1].own_bytes = 9 << 20;
    const Scaling scaling = analyse_scaling(runs, std::nullopt);
    EXPECT_THAT(scaling.why, HasSubstr("Likely they share the memory"));
    EXPECT_EQ(scaling.sizes[1].own_bytes, 9 << 20);
    EXPECT_EQ(scaling.sizes[0].own_bytes, std::nullopt);
}

TEST(Scaling, RanksThatAreNotSlowerOrNotOnOneNodeSayNothingOfMemory)
{
    const Scaling even =
        analyse_scaling({slower_run(1, 1), slower_run(2, 1), slower_run(4, 1.1)}, std::nullopt);
    EXPECT_THAT(even.why, Not(HasSubstr("memory")));
    std::vector<SizeRun> runs = {slower_run(1, 1), slower_run(4, 1.6)};
    runs[1].nodes = 4;
    EXPECT_THAT(analyse_scaling(runs, std::nullopt).why, Not(HasSubstr("memory")));
}

// Counters tell: more work is no slow memory, and fewer instructions in a cycle are.
TEST(Scaling, CountersTellWhetherRanksShareTheMemory)
{
    std::vector<SizeRun> runs = {slower_run(1, 1), slower_run(4, 1.6)};
    for (SizeRun &run : runs) {
        run.instructions = 1e10;
        run.cycles = 3e9 * run.compute_s;
    }
    EXPECT_THAT(analyse_scaling(runs, std::nullopt).why,
                HasSubstr("The instructions are the same, but 38% fewer are done in a cycle"));
    runs[1].instructions = 1.6e10;
    EXPECT_THAT(analyse_scaling(runs, std::nullopt).why, Not(HasSubstr("memory")));
}

// As with HPL, whose grid of ranks is square at some sizes alone.
TEST(Scaling, AnEfficiencyThatRisesAgainIsSaid)
{
    const Scaling scaling = analyse_scaling(
        {run_of({1}), run_of({2, 4}), run_of({4, 0.5}), run_of({8, 0.1})}, std::nullopt);
    EXPECT_THAT(efficiencies(scaling), ElementsAre(100, 67, 89, 95));
    EXPECT_EQ(scaling.headline, "Below 80% efficiency at 2 ranks, above it again at 8");
    EXPECT_THAT(scaling.use, HasSubstr("1 rank, the last size before it falls below 80%; 8 ranks"));
    EXPECT_EQ(scaling.good_again_ranks(), 8U);
    const Scaling stops =
        analyse_scaling({run_of({1}), run_of({2, 0.1}), run_of({4, 4})}, std::nullopt);
    EXPECT_FALSE(stops.good_again_ranks());
    EXPECT_THAT(stops.use, HasSubstr("2 ranks, the largest size above 80%"));
}

TEST(Scaling, IsWeakIfEachRankComputesAsMuch)
{
    std::vector<SizeRun> runs;
    for (const uint32_t ranks : {1U, 2U, 4U}) {
        SizeRun run = run_of({1, 0.1 * ranks});
        run.run.ranks = ranks;
        run.compute_s = 16.0 * ranks;
        runs.push_back(run);
    }
    const Scaling weak = analyse_scaling(runs, std::nullopt);
    EXPECT_EQ(weak.kind, ScalingKind::weak);
    EXPECT_NEAR(weak.sizes[2].efficiency, 16.1 / 16.4, 1e-9);
    EXPECT_THAT(weak.remarks, testing::Contains(HasSubstr("--strong")));
    const Scaling strong = analyse_scaling(runs, ScalingKind::strong);
    EXPECT_NEAR(strong.sizes[2].efficiency, 16.1 / 4 / 16.4, 1e-9);
    EXPECT_THAT(strong.remarks, Not(testing::Contains(HasSubstr("--weak"))));
}

// The median of the runs of a size; a cause that a run lacks costs it nothing.
TEST(Scaling, AccountsAreGivenForEachSize)
{
    std::vector<SizeRun> runs = {run_of({1}), run_of({2}), run_of({2}), run_of({2}), run_of({4})};
    for (SizeRun &run : runs)
        run.accounts_s.emplace();
    (*runs[1].accounts_s)[AccountKind::uneven] = 1;
    (*runs[2].accounts_s)[AccountKind::uneven] = 5;
    (*runs[3].accounts_s)[AccountKind::uneven] = 2;
    (*runs[4].accounts_s)[AccountKind::uneven] = 0.25;
    (*runs[4].accounts_s)[AccountKind::latency] = 3;
    const Scaling scaling = analyse_scaling(runs, std::nullopt);
    ASSERT_EQ(scaling.accounts.size(), 2U);
    EXPECT_EQ(scaling.accounts[0].kind, AccountKind::latency);
    EXPECT_THAT(scaling.accounts[0].gain_s, ElementsAre(0, 0, 3));
    EXPECT_EQ(scaling.accounts[1].kind, AccountKind::uneven);
    EXPECT_THAT(scaling.accounts[1].gain_s, ElementsAre(0, 2, 0.25));
    EXPECT_THAT(render_scale_text(scaling, 80), HasSubstr("# what each cause costs the run"));
    runs[0].accounts_s.reset();
    EXPECT_THAT(analyse_scaling(runs, std::nullopt).accounts, IsEmpty());
}

TEST(Scaling, NeedsTwoSizes)
{
    EXPECT_THAT(why_not_scaled({run_of({2}), run_of({2})}), HasSubstr("same number of ranks"));
    EXPECT_THAT(why_not_scaled({run_of({2}), run_of({4})}), IsEmpty());
}

// Runs of one, two and four ranks tell nothing of a thousand.
TEST(Scaling, WithFewSizesNothingIsProjected)
{
    const Scaling scaling = analyse_scaling(
        {run_of({1}), run_of({2, 1}), run_of({4, 2}), run_of({8, 3})}, std::nullopt);
    EXPECT_EQ(scaling.projected_ranks, 0);
    EXPECT_FALSE(scaling.projected_wallclock_s);
    EXPECT_THAT(scaling.ahead, HasSubstr("no projection"));
    EXPECT_THAT(render_scale_text(scaling, 80), HasSubstr("no projection"));
}

// A column per size; with more than there is room for, the first, the first bad one, and the last.
TEST(Scaling, TextHasNoLineThatIsTooLong)
{
    std::vector<SizeRun> runs;
    for (uint32_t ranks = 1; ranks <= 16384; ranks *= 2)
        runs.push_back(run_of({ranks, 0.01 * std::sqrt(ranks)}));
    const Scaling scaling = analyse_scaling(runs, std::nullopt);
    for (const size_t width : {size_t{80}, size_t{132}}) {
        const std::string text = render_scale_text(scaling, width);
        for (size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
            EXPECT_LE(text.find('\n', begin) - begin, width) << text.substr(begin, width + 20);
        EXPECT_THAT(text, HasSubstr(" 16384\n"));
    }
}

}  // namespace
