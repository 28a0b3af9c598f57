// What the kernel does for a rank, in words: from counts that are written here.
#include "verdict/kernel_work.h"
#include "verdict/work_place.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using testing::HasSubstr;
using testing::Not;

RankRow rank_with(uint32_t number, double system_s)
{
    RankRow row;
    row.rank = number;
    row.user_s = 1;
    row.system_s = system_s;
    row.minor_faults = 500;
    row.read_calls = row.write_calls = 200;
    row.read_bytes = row.written_bytes = 20000;
    return row;
}

Report two_ranks()
{
    Report report;
    report.ranks = {rank_with(0, 1), rank_with(1, 4)};
    return report;
}

TEST(KernelWork, IsOfTheRankWithMostSystemTime)
{
    Report report = two_ranks();
    report.ranks[1].read_calls = 8'000'000;
    report.ranks[1].read_bytes = 8'000'000;
    const auto work = find_kernel_work(report, std::nullopt);
    ASSERT_TRUE(work);
    EXPECT_EQ(work->rank, 1U);
    EXPECT_EQ(work->most, KernelPart::reads);
    EXPECT_EQ(work->words(),
              "80% of the CPU time of rank 1 is system time: 8.0 million reads of 1 B");
}

TEST(KernelWork, FaultsStandBeforeFewCalls)
{
    Report report = two_ranks();
    report.ranks[0].minor_faults = 2'000'000;
    report.ranks[0].write_calls = 1'000'000;
    report.ranks[0].written_bytes = 16'000'000;
    const auto work = find_kernel_work(report, 0U);
    ASSERT_TRUE(work);
    EXPECT_EQ(work->most, KernelPart::faults);
    EXPECT_THAT(work->words(), HasSubstr("2.0 million page faults, 1.0 million writes of 16 B"));
}

// Some hundred calls are no reason for seconds.
TEST(KernelWork, CountsThatExplainNothingAreNotSaid)
{
    const auto work = find_kernel_work(two_ranks(), 1U);
    ASSERT_TRUE(work);
    EXPECT_EQ(work->most, KernelPart::unknown);
    EXPECT_THAT(work->words(), Not(HasSubstr(":")));
}

TEST(KernelWork, SamplesInACallOfTheSystemAreSaid)
{
    Report report = two_ranks();
    HotSpotRow spot;
    spot.site.module = "/usr/lib/x86_64-linux-gnu/libc.so.6";
    spot.site.symbol = "__GI___libc_open64";
    spot.samples = 20;
    spot.spread = {1, 0.1, 0, 0.2, 0, 0, 1};
    report.hotspots = {spot};
    const auto work = find_kernel_work(report, 1U);
    ASSERT_TRUE(work);
    EXPECT_EQ(work->most, KernelPart::opens);
    EXPECT_THAT(work->words(), HasSubstr("samples in open()"));
    spot.site.symbol = "reader";
    report.hotspots = {spot};
    EXPECT_EQ(find_kernel_work(report, 1U)->call, "");
}

HotSpotRow hot_spot(const char *module, const char *symbol, uint64_t samples, double max_s,
                    double min_s)
{
    HotSpotRow spot;
    spot.site.module = module;
    spot.site.symbol = symbol;
    spot.samples = samples;
    spot.spread.ranks = min_s > 0 ? 2 : 1;
    spot.spread.max_s = max_s;
    spot.spread.min_s = min_s;
    spot.spread.mean_s = (max_s + min_s) / static_cast<double>(spot.spread.ranks);
    spot.spread.max_rank = 1;
    spot.from = spot.to = "a.c:97";
    return spot;
}

// All ranks compute alike; what the kernel does is in another function.
TEST(KernelWork, WhereMostSamplesAreIsNoPlaceOfIt)
{
    Report report = two_ranks();
    report.hotspots = {
        hot_spot("/home/app", "compute", 170, 0.9, 0.85),
        hot_spot("/lib/x86_64-linux-gnu/libc.so.6", "__GI___libc_write", 9, 0.09, 0)};
    EXPECT_EQ(find_system_place(report, 1U).words, "write(), between a.c:97 and its next call");
    report.hotspots.pop_back();
    EXPECT_EQ(find_system_place(report, 1U).words, "");
}

TEST(KernelWork, TheCallerOfACallIsItsPlace)
{
    Report report = two_ranks();
    HotSpotRow spot = hot_spot("/lib/x86_64-linux-gnu/libc.so.6", "__open64", 9, 0.09, 0);
    Frame caller;
    caller.module = "/home/app";
    caller.symbol = "look_up";
    spot.path = {caller};
    spot.path_percent = 100;
    report.hotspots = {spot};
    const WorkPlace place = find_system_place(report, 1U);
    EXPECT_EQ(place.function, "look_up");
    EXPECT_THAT(place.words, HasSubstr("open(), called by look_up"));
}

// It computes, so most samples are in it; HDF5 mostly calls the system.
TEST(KernelWork, ALibraryOfMathematicsIsNoPlaceOfIt)
{
    Report report = two_ranks();
    HotSpotRow spot = hot_spot("/usr/lib/libopenblas.so.0", "dgemm_kernel", 90, 0.5, 0.4);
    Frame caller;
    caller.module = "/home/app";
    caller.symbol = "multiply";
    spot.path = {caller};
    spot.path_percent = 100;
    report.hotspots = {spot};
    EXPECT_EQ(find_system_place(report, std::nullopt).words, "");
    report.hotspots[0].site.module = "/opt/lib/libhdf5.so.103";
    EXPECT_EQ(find_system_place(report, std::nullopt).function, "multiply");
}

TEST(KernelWork, NamesOfTheCLibraryAreThoseOfTheCall)
{
    for (const auto &[symbol, name] :
         {std::pair("__fcntl64_nocancel_adjusted", "fcntl"), std::pair("__libc_fcntl64", "fcntl"),
          std::pair("__GI___pthread_sigmask", "pthread_sigmask"),
          std::pair("__memmove_avx_unaligned", "")})
        EXPECT_EQ(system_call_name(hot_spot("/usr/lib/libc.so.6", symbol, 3, 0.03, 0.02)), name)
            << symbol;
}

// A function of the C library that the table has no name of.
TEST(KernelWork, SamplesAtOneInstructionOfTheCLibraryAreACallOfTheSystem)
{
    Report report = two_ranks();
    HotSpotRow spot = hot_spot("/lib/x86_64-linux-gnu/libc.so.6", "__getrusage", 5, 0.03, 0.02);
    spot.at_one_address = true;
    report.hotspots = {spot};
    EXPECT_EQ(find_system_place(report, std::nullopt).words,
              "getrusage(), between a.c:97 and its next call");
    report.hotspots[0].at_one_address = false;  // as memcpy()
    EXPECT_EQ(find_system_place(report, std::nullopt).words, "");
}

// The CPU is sampled outside the kernel.
TEST(KernelWork, BetweenTheCallsWhereTheCpuHasNoSamplesItsPlaceIs)
{
    Report report = two_ranks();
    HotSpotRow loop = hot_spot("/home/app", "compute", 100, 0.5, 0.5);
    loop.time_s = 1;  // 10 ms each
    report.hotspots = {loop};
    SegmentRow computing, touching;
    computing.from_function = computing.to_function = "MPI_Barrier";
    computing.time_s = 1;
    computing.samples = 98;
    touching.from_function = "MPI_Barrier";
    touching.to_function = "MPI_Bcast";
    touching.from.file = touching.to.file = "cells.c";
    touching.from.line = 7;
    touching.to.line = 9;
    touching.time_s = 0.9;
    touching.blocked_s = 0.1;
    touching.samples = 2;
    report.segments = {computing, touching};
    EXPECT_EQ(find_system_place(report, std::nullopt).words,
              "the code between MPI_Barrier (cells.c:7) and MPI_Bcast (cells.c:9)");
    // Of a rank: where it has as much of that as any other one.
    report.segments[1].spread = {1, 0.9, 0.9, 0.9, 0, 0, 1};
    EXPECT_EQ(find_system_place(report, 1U).words,
              "the code between MPI_Barrier (cells.c:7) and MPI_Bcast (cells.c:9)");
    EXPECT_EQ(find_system_place(report, 0U).words, "");
    report.segments[1].samples = 79;
    EXPECT_EQ(find_system_place(report, std::nullopt).words, "") << "1 and 2 samples are missing";
}

// Not one sample is in it; but the others wait for the rank behind it.
TEST(KernelWork, OfARankItsPlaceIsWhereTheOthersWaitForIt)
{
    Report report = two_ranks();
    report.hotspots = {hot_spot("/home/app", "compute", 170, 0.9, 0.85)};
    EXPECT_EQ(find_kernel_place(report, 1U).words, "");
    CauseRow cause;
    cause.rank = 1;
    cause.segment_ends = "a.c:5 and a.c:9";
    report.causes = {cause};
    EXPECT_EQ(find_kernel_place(report, 1U).words, "the code between a.c:5 and a.c:9");
    EXPECT_EQ(find_kernel_place(report, 0U).words, "");
    EXPECT_EQ(find_kernel_place(report, std::nullopt).words, "");
    report.hotspots.push_back(
        hot_spot("/lib/x86_64-linux-gnu/libc.so.6", "__GI___libc_write", 9, 0.09, 0));
    EXPECT_EQ(find_kernel_place(report, 1U).words, "write(), between a.c:97 and its next call");
}

FaultRow fault_row(const std::string &module, const std::string &symbol, uint64_t faults,
                   double percent, uint32_t max_rank)
{
    FaultRow row;
    row.site.module = module;
    row.site.symbol = symbol;
    row.site.file = "a.c";
    row.site.line = 20;
    row.samples = faults;
    row.percent = percent;
    row.spread.ranks = 1;
    row.spread.max_rank = max_rank;
    return row;
}

// Page faults have no samples of the CPU; their own ones say who touches the memory.
TEST(KernelWork, OfPageFaultsItsPlaceIsWhoTouchesTheMemory)
{
    Report report = two_ranks();
    report.ranks[1].minor_faults = 4'000'000;
    report.fault_places = {fault_row("/home/app", "fill", 3'000'000, 60, 0),
                           fault_row("/home/app", "grow", 2'000'000, 40, 1)};
    EXPECT_EQ(find_kernel_place(report, 1U).words, "grow (a.c:20)") << "of the rank";
    EXPECT_EQ(find_kernel_place(report, std::nullopt).function, "fill");
    report.fault_places[1].percent = 20;
    EXPECT_EQ(find_kernel_place(report, 1U).words, "") << "too few of them";
    FaultRow &clearing = report.fault_places[1] =
        fault_row("/lib/x86_64-linux-gnu/libc.so.6", "__memset_erms", 2'000'000, 40, 1);
    clearing.path = {fault_row("/home/app", "clear_cells", 0, 0, 1).site};
    clearing.path_samples = 2'000'000;
    clearing.path_percent = 100;
    const WorkPlace place = find_kernel_place(report, 1U);
    EXPECT_EQ(place.function, "clear_cells");
    EXPECT_THAT(place.words, HasSubstr("called by clear_cells (a.c:20)"));
    report.ranks[1].minor_faults = 1'000'000;
    EXPECT_EQ(find_kernel_place(report, 1U).function, "clear_cells") << "slow ones, in 4 s";
    report.ranks[1].minor_faults = 500;
    EXPECT_EQ(find_kernel_place(report, 1U).words, "") << "the kernel does something else";
    report.ranks[1].minor_faults = 4'000'000;
    HotSpotRow unmap = hot_spot("/lib/x86_64-linux-gnu/libc.so.6", "__munmap", 9, 0.09, 0.09);
    report.hotspots = {unmap};
    EXPECT_EQ(find_kernel_place(report, 1U).function, "clear_cells") << "whoever calls munmap()";
    report.hotspots[0].path = {fault_row("/home/app", "drop_cells", 0, 0, 1).site};
    report.hotspots[0].path_percent = 100;
    EXPECT_EQ(find_kernel_place(report, 1U).function, "drop_cells");
}

TEST(KernelWork, NamesTheFileAndWhoUsesIt)
{
    Report report = two_ranks();
    for (RankRow &row : report.ranks) {
        row.read_calls = 8'000'000;
        row.read_bytes = 512'000'000;
    }
    PlainFileRow mesh;
    mesh.name = "/data/mesh.dat";
    mesh.ranks = 2;
    mesh.read_bytes = uint64_t{1024} << 20U;
    mesh.read_calls = uint64_t{16} << 20U;
    mesh.most_rank = 0;
    PlainFileRow state;
    state.name = "/data/state.dat";
    state.ranks = 1;
    state.written_bytes = uint64_t{16} << 20U;
    state.write_calls = uint64_t{1} << 20U;
    state.most_rank = 1;
    report.plain_files = {mesh, state};
    const auto work = find_kernel_work(report, 1U);
    ASSERT_TRUE(work);
    ASSERT_EQ(work->file, &report.plain_files[0]);
    EXPECT_EQ(file_words(report, *work->file),
              "All 2 ranks read /data/mesh.dat: 1.0 GiB in 16.8 million calls of 64 B. ");
    EXPECT_EQ(file_words(report, report.plain_files[1]),
              "Rank 1 alone writes /data/state.dat: 16 MiB in 1.0 million calls of 16 B. ");
}

}  // namespace
