// Samples of the CPU over ranks, against numbers worked out by hand. No module here is a file, so a
// module is one row.
#include "analyse/places/hot_spots.h"
#include "render/text/sections/text_sections.h"
#include "report/place_rows.h"
#include "report_of.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

constexpr uint64_t period_ns = 10'000'000;

mprof_segment make_segment(uint16_t from, uint16_t to, uint64_t ticks)
{
    mprof_segment segment = {};
    segment.in_use = 1;
    segment.from_function = from;
    segment.to_function = to;
    segment.count = 1;
    segment.ticks = ticks;
    return segment;
}

mprof_cpu_sample make_sample(uint16_t from, uint16_t to, uint32_t module, uint64_t offset,
                             uint32_t samples)
{
    mprof_cpu_sample row = {};
    row.in_use = 1;
    row.from_function = from;
    row.to_function = to;
    row.module = module;
    row.offset = offset;
    row.samples = samples;
    return row;
}

// From MPI_Init to MPI_Allreduce: 30 samples of app and 10 of libx on rank 0, 60 of libx on rank 1,
// which has its modules in another order. 7 samples of app between short calls.
std::vector<RankFileContent> sampled_ranks()
{
    constexpr uint16_t from = 1 + init;
    constexpr uint16_t to = 1 + allreduce;
    RankFileContent zero = sample_rank(0, 2, 1'000'000'000);
    zero.modules = {mprof_module{}, make_module("/nonexistent/app", "aa01"),
                    make_module("/nonexistent/libx.so", "bb01")};
    zero.threads[0].segments = {make_segment(from, to, 400'000'000)};
    zero.threads[0].cpu_samples = {
        make_sample(from, to, 1, 0x100, 20), make_sample(from, to, 1, 0x200, 10),
        make_sample(from, to, 2, 0x300, 10), make_sample(0, 0, 1, 0x100, 7)};
    RankFileContent one = sample_rank(1, 2, 1'000'000'000);
    one.modules = {mprof_module{}, make_module("/nonexistent/libx.so", "bb01"),
                   make_module("/nonexistent/app", "aa01")};
    one.threads[0].segments = {make_segment(from, to, 600'000'000)};
    one.threads[0].cpu_samples = {make_sample(from, to, 1, 0x310, 60)};
    for (RankFileContent *rank : {&zero, &one}) {
        rank->threads[0].facts.cpu_samples_state = MPROF_CPU_SAMPLES_ON;
        rank->threads[0].facts.cpu_sample_period_ns = period_ns;
    }
    return {zero, one};
}

TEST(HotSpots, OfAFewSamplesNoFunctionIsTheOneThatASegmentIsMostlyIn)
{
    auto ranks = sampled_ranks();
    for (RankFileContent &rank : ranks)
        for (mprof_cpu_sample &sample : rank.threads[0].cpu_samples)
            sample.samples = 1;
    const Report report = report_of(ranks);
    EXPECT_GT(report.segments[0].samples, 0U);
    EXPECT_EQ(report.segments[0].mostly_in, "");
}

TEST(HotSpots, AreAddedUpBySegmentAndModule)
{
    const Report report = report_of(sampled_ranks());
    ASSERT_THAT(report.segments, SizeIs(1));
    EXPECT_EQ(report.segments[0].samples, 100U);
    EXPECT_EQ(report.segments[0].mostly_in, "libx.so");
    EXPECT_DOUBLE_EQ(report.segments[0].mostly_percent, 70);
    EXPECT_EQ(report.quality.cpu_samples, 107U);
    ASSERT_THAT(report.hotspots, SizeIs(3));
    const HotSpotRow &libx = report.hotspots[0];
    EXPECT_EQ(libx.segment, 0U);
    EXPECT_EQ(libx.from, "MPI_Init");
    EXPECT_EQ(libx.to, "MPI_Allreduce");
    EXPECT_EQ(libx.samples, 70U);
    EXPECT_NEAR(libx.time_s, 0.7, 1e-9);
    EXPECT_EQ(libx.spread.max_rank, 1U);
    EXPECT_NEAR(libx.spread.max_s, 0.6, 1e-9);
    EXPECT_NEAR(libx.spread.min_s, 0.1, 1e-9);
    EXPECT_EQ(report.hotspots[1].site.module_name(), "app");
    EXPECT_DOUBLE_EQ(report.hotspots[1].percent, 30);
    EXPECT_EQ(report.hotspots[1].site.offset, 0x101U) << "the hottest place of the module";
    EXPECT_EQ(report.hotspots[2].segment, std::nullopt);
    EXPECT_EQ(report.hotspots[2].from, "");
    EXPECT_EQ(report.hotspots[2].samples, 7U);
}

mprof_sample_path make_path(const mprof_cpu_sample &sample, uint32_t module, uint64_t offset)
{
    mprof_sample_path path = {};
    path.sample = sample;
    path.modules[0] = module;
    path.offsets[0] = offset;
    return path;
}

// Before MPI_Init a sample is a tenth of a second, and no part of the computing.
TEST(HotSpots, OfTheTimeBeforeMpiAreAListOfTheirOwn)
{
    std::vector<RankFileContent> ranks = sampled_ranks();
    const Report before = report_of(ranks);
    EXPECT_TRUE(before.early_places.empty());
    ranks[0].threads[0].early_paths = {make_path(make_sample(0, 1, 1, 0x100, 3), 2, 0x600)};
    ranks[1].threads[0].early_paths = {make_path(make_sample(0, 1, 2, 0x104, 9), 1, 0x600),
                                       make_path(make_sample(0, 1, 1, 0x300, 4), 2, 0)};
    const Report report = report_of(ranks);
    ASSERT_EQ(report.early_places.size(), 2U);
    const EarlyRow &most = report.early_places[0];
    EXPECT_NEAR(most.time_s, 1.2, 1e-9);
    EXPECT_NEAR(most.percent, 75, 1e-9);
    EXPECT_EQ(most.spread.ranks, 2U);
    EXPECT_EQ(most.spread.max_rank, 1U);
    EXPECT_NEAR(most.spread.max_s, 0.9, 1e-9);
    EXPECT_FALSE(most.path.empty());
    EXPECT_EQ(report.hotspots.size(), before.hotspots.size());
    EXPECT_EQ(report.quality.cpu_samples, before.quality.cpu_samples);
}

// Page faults are counted for their function, whatever rank they are of, and for no segment.
TEST(HotSpots, CountPageFaultsByWhoTouchesTheMemory)
{
    constexpr uint16_t from = 1 + init;
    constexpr uint16_t to = 1 + allreduce;
    std::vector<RankFileContent> ranks = sampled_ranks();
    const Report before = report_of(ranks);
    EXPECT_TRUE(before.fault_places.empty());
    ranks[0].threads[0].fault_paths = {make_path(make_sample(from, to, 1, 0x100, 30'000), 2, 0x600),
                                       make_path(make_sample(from, to, 2, 0x300, 20'000), 1, 0)};
    ranks[1].threads[0].fault_paths = {
        make_path(make_sample(from, to, 2, 0x104, 50'000), 1, 0x600)};
    const Report report = report_of(ranks);
    ASSERT_EQ(report.fault_places.size(), 2U);
    const FaultRow &most = report.fault_places[0];
    EXPECT_EQ(most.samples, 80'000U);
    EXPECT_DOUBLE_EQ(most.percent, 80);
    EXPECT_EQ(most.spread.ranks, 2U);
    EXPECT_EQ(most.spread.max_rank, 1U);
    ASSERT_FALSE(most.path.empty());
    EXPECT_DOUBLE_EQ(most.path_percent, 100);
    EXPECT_EQ(report.fault_places[1].samples, 20'000U);
    EXPECT_EQ(report.hotspots.size(), before.hotspots.size());
}

// Of the samples with a way, 30 of 40 lead through mpi4py.
TEST(HotSpots, TellWhatIsPickledByTheWayThroughMpi4py)
{
    constexpr uint16_t from = 1 + init;
    constexpr uint16_t to = 1 + allreduce;
    std::vector<RankFileContent> ranks = sampled_ranks();
    ranks[0].modules[1] = make_module("/usr/lib/mpi4py/MPI.cpython-311.so", "aa01");
    ranks[0].threads[0].sample_paths = {make_path(make_sample(from, to, 2, 0x300, 30), 1, 0x500),
                                        make_path(make_sample(from, to, 2, 0x304, 10), 2, 0x600)};
    const Report report = report_of(ranks);
    ASSERT_TRUE(report.ranks[0].pickling_s);
    EXPECT_NEAR(*report.ranks[0].pickling_s, 0.75 * 0.4, 1e-9) << "of the segment";
    EXPECT_EQ(report.ranks[1].pickling_s, std::nullopt) << "it has no mpi4py";
}

// Of line 5 of a script: 100 ms behind MPI_Comm_rank, and 200 ms of which 150 have samples
// elsewhere.
TEST(HotSpots, WhatALineDoesBehindCommRankIsPicklingWithoutAnySample)
{
    std::vector<RankFileContent> ranks = sampled_ranks();
    RankFileContent &rank = ranks[0];
    rank.modules[1] = make_module("/usr/lib/mpi4py/MPI.cpython-311.so", "aa01");
    rank.scripts = {{}, make_script("/home/x/a.py", "swap", 1)};
    rank.callsites = {{}, make_script_callsite(0, 1, 5, 8)};
    rank.functions.emplace_back("MPI_Comm_rank");
    const auto asked = static_cast<uint16_t>(rank.functions.size());
    mprof_segment inside = make_segment(asked, 1 + allreduce, 100'000'000);
    mprof_segment behind = make_segment(1 + allreduce, asked, 200'000'000);
    for (mprof_segment *segment : {&inside, &behind})
        segment->from_callsite = segment->to_callsite = 1;
    mprof_cpu_sample sample = make_sample(1 + allreduce, asked, 2, 0x300, 15);
    sample.from_callsite = sample.to_callsite = 1;
    rank.threads[0].segments = {inside, behind};
    rank.threads[0].cpu_samples = {sample};
    const Report report = report_of(ranks);
    ASSERT_TRUE(report.ranks[0].pickling_s);
    EXPECT_NEAR(*report.ranks[0].pickling_s, 0.1 + 0.05, 1e-9) << "and pages of the kernel";
    EXPECT_EQ(report.pickling.place, "a.py:5");
    rank.threads[0].segments[0].count = 10'000;
    EXPECT_FALSE(report_of(ranks).ranks[0].pickling_s.has_value()) << "10 us each";
}

// Line 5 is gather(work(comm.size)): between MPI_Comm_size and MPI_Comm_test_inter it is the
// program that computes. In send(work()) after comm.rank, samples tell that.
TEST(HotSpots, WhatALineComputesBeforeMpi4pyBeginsIsNoPickling)
{
    std::vector<RankFileContent> ranks = sampled_ranks();
    RankFileContent &rank = ranks[0];
    rank.modules[1] = make_module("/usr/lib/mpi4py/MPI.cpython-311.so", "aa01");
    rank.scripts = {{}, make_script("/home/x/a.py", "gather", 1)};
    rank.callsites = {{}, make_script_callsite(0, 1, 5, 8)};
    rank.functions.emplace_back("MPI_Comm_size");
    const auto size = static_cast<uint16_t>(rank.functions.size());
    rank.functions.emplace_back("MPI_Comm_test_inter");
    const auto test_inter = static_cast<uint16_t>(rank.functions.size());
    mprof_segment segment = make_segment(size, test_inter, 300'000'000);
    segment.from_callsite = segment.to_callsite = 1;
    rank.threads[0].segments = {segment};
    rank.threads[0].cpu_samples = {};
    EXPECT_FALSE(report_of(ranks).ranks[0].pickling_s.has_value());
    segment.to_function = size;
    rank.threads[0].segments = {segment};
    EXPECT_FALSE(report_of(ranks).ranks[0].pickling_s.has_value())
        << "if i % comm.size == 0: work()";

    segment.to_function = 1 + allreduce;
    rank.threads[0].segments = {segment};
    EXPECT_NEAR(report_of(ranks).ranks[0].pickling_s.value_or(0), 0.3, 1e-9) << "as bytes are made";
    mprof_sample_path path = make_path(make_sample(size, 1 + allreduce, 2, 0x300, 10), 2, 0x600);
    path.sample.from_callsite = path.sample.to_callsite = 1;
    rank.threads[0].sample_paths = {path};
    EXPECT_NEAR(report_of(ranks).ranks[0].pickling_s.value_or(0), 0, 1e-9) << "samples deny it";
}

// Modules that are no files: their callers are told by the module's name.
TEST(HotSpots, TellTheHeaviestOfTheirCallPaths)
{
    constexpr uint16_t from = 1 + init;
    constexpr uint16_t to = 1 + allreduce;
    std::vector<RankFileContent> ranks = sampled_ranks();
    ranks[0].threads[0].sample_paths = {make_path(make_sample(from, to, 2, 0x300, 1), 1, 0x500),
                                        make_path(make_sample(from, to, 2, 0x304, 2), 2, 0x600),
                                        make_path(make_sample(from, to, 2, 0x300, 1), 0, 0)};
    ranks[1].threads[0].sample_paths = {make_path(make_sample(from, to, 1, 0x310, 6), 2, 0x504)};
    const Report report = report_of(ranks);
    const HotSpotRow &libx = report.hotspots[0];
    EXPECT_EQ(libx.path_samples, 10U) << "one of them has no known caller";
    EXPECT_DOUBLE_EQ(libx.path_percent, 70) << "of app, on both ranks";
    ASSERT_THAT(libx.path, SizeIs(1));
    EXPECT_EQ(libx.path[0].module_name(), "app");
    EXPECT_EQ(libx.caller_words(), "app (70%)");
    EXPECT_EQ(report.hotspots[1].caller_words(), "");
    std::map<std::string, double> stacks;  // innermost first
    for (const StackRow &row : report.stacks) {
        std::string stack = row.function.module_name() + " ";
        for (const Frame &frame : row.callers)
            stack += frame.module_name() + " ";
        stacks[stack] += row.time_s;
    }
    EXPECT_THAT(stacks, ElementsAre(Pair("app ", DoubleNear(0.3 + 0.07, 1e-9)),
                                    Pair("libx.so ", DoubleNear(0.07, 1e-9)),
                                    Pair("libx.so app ", DoubleNear(0.49, 1e-9)),
                                    Pair("libx.so libx.so ", DoubleNear(0.14, 1e-9))))
        << "libx takes 0.7 s, and 1, 7 and 2 of 10 paths";
    EXPECT_THAT(segments_section(report, 80), HasSubstr("  by app (70%)"));
}

TEST(HotSpots, OfACallerInAModuleThatIsNotThereAreAnError)
{
    std::vector<RankFileContent> ranks = sampled_ranks();
    ranks[0].threads[0].sample_paths = {make_path(make_sample(1, 1, 1, 0x100, 1), 9, 0x500)};
    const Report report = report_of(ranks);
    ASSERT_THAT(report.quality.damaged, SizeIs(1));
    EXPECT_THAT(report.quality.damaged[0].message, HasSubstr("module 9"));
}

TEST(HotSpots, AreToldOnlyWithEnoughSamples)
{
    std::vector<RankFileContent> ranks = sampled_ranks();
    EXPECT_THAT(segments_section(report_of(ranks), 80), HasSubstr("  in libx.so"));
    EXPECT_THAT(segments_section(report_of(ranks), 80), Not(HasSubstr("between short calls")));
    ranks[0].threads[0].cpu_samples.back().samples = 20;
    EXPECT_THAT(segments_section(report_of(ranks), 80),
                HasSubstr("between short calls, by 20 samples"));
    ranks[0].threads[0].cpu_samples.clear();
    ranks[1].threads[0].cpu_samples[0].samples = 19;
    EXPECT_THAT(segments_section(report_of(ranks), 80), Not(HasSubstr("  in ")));
}

TEST(HotSpots, OfLibrariesOfTheMpiAreNoneBetweenShortCalls)
{
    std::vector<RankFileContent> ranks = sampled_ranks();
    ranks[0].modules[1] = make_module("/nonexistent/mca_btl_vader.so", "aa01");
    for (const HotSpotRow &row : report_of(ranks).hotspots)
        EXPECT_TRUE(row.segment);
}

TEST(HotSpots, WhatRefusedThemIsOneRemark)
{
    std::vector<RankFileContent> ranks = sampled_ranks();
    const auto remarks = [&] {
        std::vector<std::string> found;
        for (const std::string &remark : report_of(ranks).quality.remarks)
            if (remark.find("was not sampled") != std::string::npos)
                found.push_back(remark);
        return found;
    };
    EXPECT_THAT(remarks(), IsEmpty());
    for (RankFileContent &rank : ranks) {
        rank.threads[0].facts.cpu_samples_state = MPROF_CPU_SAMPLES_FORBIDDEN;
        rank.threads[0].cpu_samples.clear();
    }
    EXPECT_THAT(remarks(), ElementsAre(HasSubstr("perf_event_paranoid")));
}

TEST(HotSpots, ThatManySamplesHaveNoCallPathIsSaid)
{
    std::vector<RankFileContent> ranks = sampled_ranks();
    const auto says_so = [&] {
        for (const std::string &remark : report_of(ranks).quality.remarks)
            if (remark.find("copied no stacks") != std::string::npos)
                return true;
        return false;
    };
    EXPECT_FALSE(says_so()) << "107 samples may have had none by chance";
    ranks[0].threads[0].cpu_samples[0].samples = 200;
    EXPECT_TRUE(says_so());
    ranks[1].threads[0].sample_paths = {
        make_path(make_sample(1 + init, 1 + allreduce, 1, 0x310, 6), 2, 0x504)};
    EXPECT_FALSE(says_so());
}

TEST(HotSpots, OfAModuleThatIsNotThereAreAnError)
{
    std::vector<RankFileContent> ranks = sampled_ranks();
    ranks[0].threads[0].cpu_samples[0].module = 9;
    const Report report = report_of(ranks);
    ASSERT_THAT(report.quality.damaged, SizeIs(1));
    EXPECT_THAT(report.quality.damaged[0].message, HasSubstr("module 9"));
}

TEST(HotSpots, NameTheFirstStepOfARunThatComputes)
{
    std::vector<RankFileContent> ranks = sampled_ranks();
    for (RankFileContent &rank : ranks)
        rank.threads[0].entries = {make_entry(allreduce, 8, 1, 1'000'000)};
    const Report report = report_of(ranks);
    ASSERT_EQ(text_of(report.verdict.verdict_class), "compute bound");
    ASSERT_FALSE(report.verdict.next.empty());
    EXPECT_THAT(report.verdict.next[0].action, HasSubstr("65% of the computing is in libx.so"));
    EXPECT_FALSE(report.verdict.next[0].worth_s) << "no account is about it";
}

TEST(HotSpots, AreAddedUpByLibrary)
{
    const Report report = report_of(sampled_ranks());
    EXPECT_THAT(report.hot_lines, IsEmpty()) << "no module here has lines";
    ASSERT_THAT(report.hot_libraries, SizeIs(2));
    EXPECT_EQ(report.hot_libraries[0].site.module_name(), "libx.so");
    EXPECT_EQ(report.hot_libraries[0].samples, 70U);
    EXPECT_EQ(report.hot_libraries[0].site.place(), "");
    EXPECT_EQ(report.hot_libraries[1].samples, 37U) << "also of what has no segment";
    EXPECT_NEAR(report.hot_libraries[1].percent, 100 * 37.0 / 107, 1e-9);
    EXPECT_EQ(report.hot_libraries[1].spread.max_rank, 0U);
}

TEST(HotSpots, ByLineAreThoseOfAllFunctionsOnIt)
{
    HotSpots lines(HotSpotsBy::line);
    Frame frame;
    frame.module = "/bin/app";
    frame.file = "/src/heat.c";
    frame.line = 88;
    frame.symbol = "update";
    lines.add(frame, 20, 0.2, 0);
    frame.symbol = "inlined";
    lines.add(frame, 10, 0.1, 1);
    frame.line = 0;
    lines.add(frame, 70, 0.7, 1);
    const auto rows = lines.rows();
    ASSERT_THAT(rows, SizeIs(1));
    EXPECT_EQ(rows[0].samples, 30U);
    EXPECT_DOUBLE_EQ(rows[0].percent, 30) << "of all samples, those without a line, too";
    EXPECT_EQ(rows[0].site.place(), "heat.c:88");
    EXPECT_EQ(rows[0].spread.max_rank, 0U);
}

TEST(HotSpots, InALibraryOfTheGpuAreWaitingForIt)
{
    std::vector<RankFileContent> ranks = sampled_ranks();
    for (RankFileContent &rank : ranks) {
        rank.threads[0].entries = {make_entry(allreduce, 8, 1, 1'000'000)};
        for (mprof_module &module : rank.modules)
            if (module.build_id[0] == 0xbb)
                module = make_module("/opt/libcuda.so.535.1", "bb01");
    }
    const Report report = report_of(ranks);
    ASSERT_FALSE(report.verdict.next.empty());
    EXPECT_THAT(report.verdict.next[0].action,
                HasSubstr("Look at the GPU first: for 65% of the computing"));
    EXPECT_EQ(report.segments[0].mostly_in, "libcuda.so.535.1 (waiting for the GPU)");
}

// Two programs of a job share a function; the second one has most of it, by one way more than by
// the other.
TEST(WorkFunctions, ACallerIsThatOfTheRankWithMostSamples)
{
    const auto frame = [](const char *symbol) {
        Frame made;
        made.module = "/nonexistent/app";
        made.symbol = symbol;
        return made;
    };
    WorkFunctions functions;
    functions.add(frame("kernel"), {frame("air"), frame("main")}, 40, 0);
    functions.add(frame("kernel"), {frame("output"), frame("main")}, 10, 1);
    functions.add(frame("kernel"), {frame("ocean"), frame("main")}, 90, 1);
    functions.add(frame("kernel"), {frame("land"), frame("main")}, 50, 2);
    for (const WorkFunctionRow &row : functions.rows())
        if (row.frame.symbol == "kernel") {
            EXPECT_EQ(row.most_rank, 1U);
            EXPECT_EQ(row.caller.symbol, "ocean");
            return;
        }
    ADD_FAILURE() << "kernel is missing";
}

TEST(LibraryKinds, AreToldByTheBeginOfTheName)
{
    EXPECT_EQ(library_kind("libcuda.so.1"), LibraryKind::gpu);
    EXPECT_EQ(library_kind("libopenblas64_p-r0.so"), LibraryKind::linear_algebra);
    EXPECT_EQ(library_kind("libfftw3_mpi.so.3"), LibraryKind::fourier);
    EXPECT_EQ(library_kind("libcudart_of_mine"), LibraryKind::other);
    EXPECT_EQ(library_kind(""), LibraryKind::other);
}

}  // namespace
