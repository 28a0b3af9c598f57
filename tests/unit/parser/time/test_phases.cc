// Phases: where a run changes, how its parts are called, and what is said of them.
#include "analyse/time/change_points.h"
#include "planted_time.h"
#include "report/time_window.h"
#include "report_of.h"

#include <cmath>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint32_t run_bins = 200;
constexpr double two_bins_s = 0.02;

std::vector<std::string> phase_names(const Report &report)
{
    std::vector<std::string> names;
    for (const PhaseRow &phase : report.time.phases)
        names.push_back(phase.name);
    return names;
}

TEST(Phases, AreFoundAndNamed)
{
    const Report report = report_of(classic_run().made());
    EXPECT_THAT(phase_names(report), ElementsAre("start-up", "read_matrix", "solve", "output"));
    const auto &phases = report.time.phases;
    EXPECT_NEAR(phases[0].from_s, 0, 1e-9);
    EXPECT_NEAR(phases[1].from_s, 0.1, two_bins_s);
    EXPECT_NEAR(phases[2].from_s, 0.6, two_bins_s);
    EXPECT_NEAR(phases[3].from_s, 1.7, two_bins_s);
    EXPECT_NEAR(phases[3].to_s, 2.0, 1e-9);
    EXPECT_EQ(phases[1].source, PhaseSource::call_site);
    EXPECT_EQ(phases[1].place, "cg.py:118");
    EXPECT_EQ(phases[1].slowest_rank, 0U);
    EXPECT_EQ(phases[1].state, Judgement::problem);
    EXPECT_EQ(phases[2].state, Judgement::good);
    EXPECT_FALSE(phases[2].slowest_rank);
}

TEST(Phases, SayWhoWaitsForWhomAndWhere)
{
    const Report report = report_of(classic_run().made());
    const auto &phases = report.time.phases;
    EXPECT_THAT(phases[1].headline,
                HasSubstr("3 ranks wait 440 ms in MPI_Allreduce at cg.py:118: rank 0 computes"));
    EXPECT_THAT(phases[3].headline, HasSubstr("MPI_File_write_all at cg.py:43 takes 255 ms"));
    EXPECT_THAT(report.time.headline, HasSubstr("read_matrix takes 500 ms, and 330 ms of that is "
                                                "waiting, mostly in MPI_Allreduce at cg.py:118, "
                                                "for rank 0."));
}

TEST(Phases, OfARankThatSlowsDownFromTheMiddleOn)
{
    PlantedTime run(4, run_bins);
    const uint32_t solve = run.line("solve", 211);
    run.collective(solve, 0, 100, {0.1, 0.1, 0.1, 0.1});
    run.collective(solve, 100, 200, {0.4, 0.4, 0.4, 0.1});
    const Report report = report_of(run.made());
    EXPECT_THAT(phase_names(report), ElementsAre("solve 1", "solve 2"));
    EXPECT_NEAR(report.time.phases[1].from_s, 1.0, two_bins_s);
    EXPECT_EQ(report.time.phases[1].slowest_rank, 3U);
    EXPECT_NEAR(report.time.phases[1].slowest_over, 1.5, 0.01);
    EXPECT_THAT(report.time.phases[1].headline, HasSubstr("rank 3 computes 1.50x as long"));
    EXPECT_THAT(report.time.drift,
                HasSubstr("Rank 3 becomes slower: outside MPI, it takes 1.00x as long as the "
                          "median rank at first and 1.50x at the end."));
}

// As long as nobody waits the calls take next to nothing, and yet tell where the program is.
TEST(Phases, OfARankThatSlowsDownWhereMpiTookNearlyNothing)
{
    PlantedTime run(4, run_bins);
    const uint32_t solve = run.line("solve", 211);
    run.collective(solve, 0, 100, {0.01, 0.01, 0.01, 0.01});
    run.collective(solve, 100, 200, {0.4, 0.4, 0.4, 0.01});
    const Report report = report_of(run.made());
    EXPECT_THAT(phase_names(report), ElementsAre("solve 1", "solve 2"));
    EXPECT_THAT(report.time.drift, HasSubstr("Rank 3 becomes slower"));
}

// The calls of the solver take 500 ns each. One long call in it, of the set-up, has more time than
// all of them, and does not name the phase.
TEST(Phases, WithHardlyAnyMpiAreNamedAfterTheLineOfMostBins)
{
    PlantedTime run(4, run_bins);
    const uint32_t setup = run.line("set_up", 118), solve = run.line("solve", 211);
    run.collective(setup, 0, 60, {0.02, 0.9, 0.9, 0.9});
    run.collective(solve, 60, 200, {0.00005, 0.00005, 0.00005, 0.00005});
    run.collective(setup, 130, 131, {0.5, 0.5, 0.5, 0.5});
    const Report report = report_of(run.made());
    ASSERT_THAT(phase_names(report), ElementsAre("set_up", "solve"));
    EXPECT_LT(report.time.phases[1].mpi_percent, 1);
    EXPECT_EQ(report.time.phases[1].source, PhaseSource::call_site);
    EXPECT_EQ(report.time.phases[1].place, "cg.py:211");
}

// Within bin 100 the ranks go over from sleeping to output. The bin is like neither.
TEST(Phases, BeginAtTheBinInWhichTheRunChanges)
{
    PlantedTime run(2, 140);
    const uint32_t solve = run.line("solve", 211), output = run.line("write_out", 43);
    for (uint32_t rank = 0; rank < 2; rank++) {
        run.off_cpu(rank, 0, 100, 0, 0.99);
        run.off_cpu(rank, 100, 101, 0, 0.6);
        run.call(rank, f_file_write_all, MPROF_TIME_FILE, output, 100, 101, 0.4);
        run.call(rank, f_file_write_all, MPROF_TIME_FILE, output, 101, 140, 0.99);
    }
    run.collective(solve, 0, 100, {0.005, 0.005});
    const Report report = report_of(run.made());
    EXPECT_THAT(phase_names(report), ElementsAre("solve", "output"));
    EXPECT_NEAR(report.time.phases[1].from_s, 1.0, 0.011);
}

// No call at all: there is nothing to be called after.
TEST(Phases, WithoutAnyCallAreComputing)
{
    PlantedTime run(2, run_bins);
    run.collective(run.line("set_up", 118), 0, 60, {0.5, 0.5});
    EXPECT_THAT(phase_names(report_of(run.made())), ElementsAre("set_up", "computing"));
}

// "stage1" and "stage2" are two functions, not two phases of one.
TEST(Phases, OfFunctionsWithNumbersAreNotTheSameWork)
{
    PlantedTime run(4, run_bins);
    const uint32_t first = run.line("stage1", 211), second = run.line("stage2", 300);
    run.collective(first, 0, 100, {0.1, 0.1, 0.1, 0.1});
    run.collective(second, 100, 200, {0.4, 0.4, 0.4, 0.1});
    const Report report = report_of(run.made());
    EXPECT_THAT(phase_names(report), ElementsAre("stage1", "stage2"));
    EXPECT_THAT(report.time.drift, IsEmpty());
}

// Also of a line that moves when its file is edited.
TEST(Phases, OfOneKindAreKnownWhateverTheirNumbers)
{
    PlantedTime run(4, run_bins);
    const uint32_t solve = run.line("solve", 211), line = run.line("main", 300);
    run.collective(solve, 0, 70, {0.1, 0.1, 0.1, 0.1});
    run.collective(line, 70, 140, {0.9, 0.9, 0.9, 0.9});
    run.collective(solve, 140, 200, {0.1, 0.1, 0.1, 0.1});
    const Report report = report_of(run.made());
    EXPECT_THAT(phase_names(report), ElementsAre("solve 1", "cg.py:300", "solve 2"));
    std::vector<std::string> titles, kinds;
    for (const PhaseRow &phase : report.time.phases) {
        titles.push_back(phase_title(phase));
        kinds.push_back(phase_kind(phase));
    }
    EXPECT_THAT(titles, ElementsAre("solve", "cg.py:300", "solve"));
    EXPECT_THAT(kinds, ElementsAre("solve", "cg.py MPI_Allreduce", "solve"));
}

// The same line all the time, with no pattern: each stretch waits for more or less than the others.
TEST(Phases, OneLoopThatIsNowFasterAndNowSlowerIsOne)
{
    PlantedTime run(2, 200);
    const uint32_t line = run.line("loop", 7);
    const std::vector<std::pair<uint32_t, double>> stretches = {
        {0, 0.1},   {21, 0.5},  {50, 0.2},   {63, 0.7}, {91, 0.3},
        {110, 0.6}, {141, 0.1}, {160, 0.45}, {175, 0.2}};
    for (size_t i = 0; i < stretches.size(); i++) {
        const uint32_t end = i + 1 < stretches.size() ? stretches[i + 1].first : 200;
        run.collective(line, stretches[i].first, end, {0.05, stretches[i].second});
    }
    const Report report = report_of(run.made());
    ASSERT_EQ(report.time.phases.size(), 1U);
    EXPECT_EQ(report.time.phases[0].name, "loop");
}

TEST(Phases, PeriodicHiccupsAreOnePhase)
{
    PlantedTime run(4, run_bins);
    const uint32_t solve = run.line("solve", 211), gather = run.line("gather", 300);
    for (uint32_t i = 0; i < run_bins; i += 20) {
        run.collective(solve, i, i + 16, {0.1, 0.1, 0.1, 0.1});
        run.collective(gather, i + 16, i + 20, {0.05, 0.9, 0.9, 0.9});
    }
    const Report report = report_of(run.made());
    EXPECT_THAT(report.time.phases, SizeIs(1));
    EXPECT_THAT(report.time.drift, IsEmpty());
}

// Ten hiccups of one rank: three are in the first third, four in the last.
TEST(Phases, MoreHiccupsInTheLastThirdAreNoDrift)
{
    PlantedTime run(2, run_bins);
    const uint32_t solve = run.line("solve", 211);
    for (uint32_t i = 0; i < run_bins; i += 20) {
        run.collective(solve, i, i + 10, {0.1, 0.1});
        run.collective(solve, i + 10, i + 20, {0.9, 0.1});
    }
    EXPECT_THAT(report_of(run.made()).time.drift, IsEmpty());
}

// One collective per bin in the first 100 bins, and then one in two bins.
TEST(Phases, OfStepsThatBecomeLonger)
{
    PlantedTime run(2, run_bins);
    const uint32_t solve = run.line("solve", 211);
    run.collective(solve, 0, 100, {0.1, 0.1});
    for (uint32_t i = 100; i < run_bins; i += 2)
        run.collective(solve, i, i + 1, {0.2, 0.2});
    EXPECT_THAT(
        report_of(run.made()).time.drift,
        HasSubstr("Steps become longer: one takes about 10.0 ms at first and 20.0 ms at the "
                  "end (counted at cg.py:211). Most of that is outside MPI."));
}

// Opening the file looks different from writing it.
TEST(Phases, OutputIsOneWhateverIsDoneWithTheFile)
{
    PlantedTime run(2, run_bins);
    const uint32_t solve = run.line("solve", 211), open = run.line("write_result", 40),
                   write = run.line("write_result", 43);
    run.collective(solve, 0, 100, {0.1, 0.1});
    for (uint32_t r = 0; r < 2; r++) {
        run.call(r, f_file_write_all, MPROF_TIME_FILE, open, 100, 150, 0.5);
        run.call(r, f_file_write_all, MPROF_TIME_FILE, write, 150, 200, 0.95);
    }
    EXPECT_THAT(phase_names(report_of(run.made())), ElementsAre("solve", "output"));
}

TEST(Phases, OfAContentionBurstOnOneRank)
{
    PlantedTime run(4, run_bins);
    const uint32_t solve = run.line("solve", 211);
    run.collective(solve, 0, 200, {0.1, 0.1, 0.1, 0.1});
    run.off_cpu(2, 80, 120, 0.5, 0);
    const Report report = report_of(run.made());
    ASSERT_THAT(report.time.phases, SizeIs(3));
    const PhaseRow &burst = report.time.phases[1];
    EXPECT_NEAR(burst.from_s, 0.8, two_bins_s);
    EXPECT_NEAR(burst.to_s, 1.2, two_bins_s);
    EXPECT_THAT(burst.headline, HasSubstr("Rank 2 is kept off the CPU for 200 ms."));
    EXPECT_NE(burst.state, Judgement::good);
}

TEST(Phases, HaveTheNamesOfRegions)
{
    PlantedTime run(2, run_bins);
    const uint32_t line = run.line("exchange", 5);
    run.collective(line, 0, 200, {0.1, 0.1});
    run.region("assembly", 0, 80);
    run.region("solver", 80, 200);
    const Report report = report_of(run.made());
    EXPECT_THAT(phase_names(report), ElementsAre("assembly", "solver"));
    EXPECT_EQ(report.time.phases[0].source, PhaseSource::region);
}

TEST(Phases, OfAnEvenRunIsOneAndNothingIsSaid)
{
    PlantedTime run(4, run_bins);
    run.collective(run.line("solve", 211), 0, 200, {0.1, 0.1, 0.1, 0.1});
    const Report report = report_of(run.made());
    EXPECT_THAT(phase_names(report), ElementsAre("solve"));
    EXPECT_THAT(report.time.headline, IsEmpty());
    EXPECT_THAT(report.time.drift, IsEmpty());
}

TEST(Phases, AddUpToTheRun)
{
    const Report report = report_of(classic_run().made());
    double length_s = 0, wait_s = 0;
    for (const PhaseRow &phase : report.time.phases) {
        length_s += phase.to_s - phase.from_s;
        wait_s += phase.wait_s;
    }
    EXPECT_NEAR(length_s, 2.0, 1e-9);
    EXPECT_NEAR(wait_s, report.totals.wait_s.value() / 4, 1e-9);
}

Signal square_wave(size_t length, size_t period, double low, double high)
{
    Signal signal;
    for (size_t i = 0; i < length; i++)
        signal.push_back({i % period < period / 2 ? low : high});
    return signal;
}

TEST(ChangePoints, FindThePeriod)
{
    EXPECT_EQ(find_period(square_wave(256, 16, 0.1, 0.9)), 16U);
    EXPECT_EQ(find_period(square_wave(256, 256, 0.1, 0.9)), 0U);
}

// Steps of 16 bins, and from 128 on 0.2 more in all of them.
TEST(ChangePoints, BetweenPeriodicPartsAreFound)
{
    Signal signal = square_wave(256, 16, 0.1, 0.6);
    for (size_t i = 128; i < 256; i++)
        signal[i][0] += 0.2;
    const auto parts = find_change_points(signal, {});
    ASSERT_THAT(parts, SizeIs(2));
    EXPECT_NEAR(static_cast<double>(parts[1]), 128, 2);
}

// The run changes within bin 50.
TEST(ChangePoints, SettleAtTheBinInWhichTheRunChanges)
{
    Signal signal(50, {0.1});
    signal.push_back({0.55});
    signal.insert(signal.end(), 40, {1.0});
    for (const size_t found : {47U, 48U, 52U, 53U}) {
        std::vector<size_t> parts = {0, found};
        settle_cuts(signal, 1, 3, parts);
        EXPECT_NEAR(static_cast<double>(parts[1]), 50.5, 0.5) << found;
    }
}

TEST(ChangePoints, OfNoiseAreNone)
{
    Signal signal;
    uint32_t state = 1;
    for (size_t i = 0; i < 256; i++) {
        state = state * 1664525U + 1013904223U;
        signal.push_back({0.5 + 0.2 * (static_cast<double>(state >> 8U) / (1 << 24) - 0.5)});
    }
    EXPECT_THAT(find_change_points(signal, {}), ElementsAre(0U));
}

TEST(ChangePoints, AreNotMoreThanWanted)
{
    Signal signal;
    for (size_t i = 0; i < 300; i++)
        signal.push_back({std::fmod(static_cast<double>(i / 10) * 0.618, 1)});
    PartLimits limits;
    EXPECT_LE(find_change_points(signal, limits).size(), limits.most_parts);
}

}  // namespace
