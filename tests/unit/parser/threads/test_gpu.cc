// What the report says of GPUs, against numbers worked out by hand.
#include "planted_ranks.h"
#include "render/text/sections/text_sections.h"
#include "report_of.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;

constexpr uint64_t mib = 1 << 20;

mprof_gpu calls_of(uint32_t thread, uint64_t wait_ms, uint64_t copy_ms, uint64_t launch_ms)
{
    mprof_gpu gpu{};
    gpu.in_use = 1;
    gpu.thread = thread;
    gpu.calls[MPROF_GPU_WAIT] = 10;
    gpu.calls[MPROF_GPU_POLL] = 5;
    gpu.calls[MPROF_GPU_COPY] = 4;
    gpu.calls[MPROF_GPU_LAUNCH] = 20;
    gpu.calls[MPROF_GPU_LOAD] = 1;
    gpu.ticks[MPROF_GPU_WAIT] = wait_ms * ms / 2;
    gpu.ticks[MPROF_GPU_POLL] = wait_ms * ms / 2;
    gpu.ticks[MPROF_GPU_COPY] = copy_ms * ms;
    gpu.ticks[MPROF_GPU_LAUNCH] = launch_ms * ms;
    gpu.copies[MPROF_GPU_TO_DEVICE] = 3;
    gpu.copies[MPROF_GPU_FROM_DEVICE] = 1;
    gpu.bytes[MPROF_GPU_TO_DEVICE] = 3 * mib;
    gpu.bytes[MPROF_GPU_FROM_DEVICE] = mib;
    return gpu;
}

// Two ranks of 1 s, 100 ms of it in MPI.
std::vector<RankFileContent> gpu_ranks()
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (RankFileContent &rank : ranks) {
        rank.threads[0].entries = {make_entry(f_allreduce, 8, 100, 100 * ms)};
        rank.threads[0].facts.read_computing_ns = 900'000'000;
    }
    ranks[0].gpu = {calls_of(0, 200, 50, 10)};
    ranks[1].gpu = {calls_of(0, 600, 50, 10), calls_of(MPROF_GPU_NO_THREAD, 100, 0, 30)};
    return ranks;
}

const TimePart *part_of(const Report &report, TimeState state)
{
    for (const TimePart &part : report.time_parts)
        if (part.state == state)
            return &part;
    return nullptr;
}

TEST(Gpu, TimeInTheDriverIsNoComputing)
{
    const Report report = report_of(gpu_ranks());
    const RankRow &rank = report.ranks[1];
    EXPECT_NEAR(*rank.gpu_wait_s, 0.6, 1e-9) << "waits and polls";
    EXPECT_NEAR(*rank.gpu_copy_s, 0.05, 1e-9);
    EXPECT_NEAR(*rank.gpu_launch_s, 0.01, 1e-9);
    EXPECT_NEAR(rank.compute_s, 0.9, 1e-9) << "all that is not MPI";
    EXPECT_NEAR(*rank.on_cpu_s, 0.24, 1e-9);
    ASSERT_NE(part_of(report, TimeState::gpu_wait), nullptr);
    EXPECT_NEAR(part_of(report, TimeState::gpu_wait)->time_s, 0.4, 1e-9);
    EXPECT_NEAR(part_of(report, TimeState::computing)->time_s, 0.44, 1e-9);
}

TEST(Gpu, CountsAndBytesAreOfAllThreads)
{
    const RankRow rank = report_of(gpu_ranks()).ranks[1];
    EXPECT_EQ(rank.gpu_waits, 20U);
    EXPECT_EQ(rank.gpu_polls, 10U);
    EXPECT_EQ(rank.gpu_copies, 8U);
    EXPECT_EQ(rank.gpu_launches, 42U);
    EXPECT_EQ(rank.gpu_to_device_bytes, 6 * mib);
    EXPECT_EQ(rank.gpu_from_device_bytes, 2 * mib);
    EXPECT_NEAR(*rank.gpu_other_threads_s, 0.13, 1e-9);
}

TEST(Gpu, NothingIsSaidWithoutOne)
{
    auto ranks = gpu_ranks();
    for (RankFileContent &rank : ranks)
        rank.gpu.clear();
    const Report report = report_of(ranks);
    EXPECT_FALSE(report.ranks[0].gpu_wait_s);
    EXPECT_FALSE(report.totals.gpu_wait_s);
    EXPECT_EQ(part_of(report, TimeState::gpu_wait), nullptr);
    EXPECT_EQ(gpu_section(report, 80), "");
}

TEST(Gpu, TheSectionNamesTheRankThatWaitsLongest)
{
    const std::string text = gpu_section(report_of(gpu_ranks()), 200);
    EXPECT_THAT(text, HasSubstr("The average rank waits 400 ms for its GPU"));
    EXPECT_THAT(text, HasSubstr("Rank 1 waits longest: 600 ms."));
    EXPECT_THAT(text, HasSubstr("6.0 MiB"));
}

// A killed rank is seen alive at its last call of the driver.
TEST(Gpu, TheLastCallIsASignOfLife)
{
    auto ranks = gpu_ranks();
    for (RankFileContent &rank : ranks) {
        rank.finished = false;
        rank.gpu[0].last_ticks = rank.clock.start.ticks_after + 3000 * ms;
    }
    EXPECT_NEAR(report_of(ranks).ranks[0].wallclock_s, 3, 0.01);
}

mprof_gpu_site site_at(uint32_t callsite, mprof_gpu_class kind, uint64_t calls, uint64_t time_ms)
{
    mprof_gpu_site site{};
    site.in_use = 1;
    site.callsite = callsite;
    site.kind = kind;
    site.calls = calls;
    site.ticks = time_ms * ms;
    site.most_ticks = time_ms * ms / calls;
    return site;
}

TEST(Gpu, ARowPerPlaceAndUse)
{
    auto ranks = gpu_ranks();
    for (RankFileContent &rank : ranks) {
        rank.modules = {{}, make_module("/opt/app", "aa")};
        rank.callsites = {{}, make_callsite(0, 1, 0x40), make_callsite(0, 1, 0x80)};
        rank.gpu_sites = {site_at(1, MPROF_GPU_WAIT, 10, 100), site_at(1, MPROF_GPU_POLL, 5, 50),
                          site_at(1, MPROF_GPU_COPY, 4, 50), site_at(2, MPROF_GPU_LAUNCH, 20, 5)};
    }
    ranks[1].gpu_sites[0] = site_at(1, MPROF_GPU_WAIT, 10, 400);
    const Report report = report_of(ranks);
    ASSERT_EQ(report.gpu_sites.size(), 3U);
    const GpuSiteRow &wait = report.gpu_sites[0];
    EXPECT_EQ(wait.use, GpuUse::wait);
    EXPECT_EQ(wait.place, "app+0x40");
    EXPECT_EQ(wait.calls, 30U) << "waits and polls";
    EXPECT_EQ(wait.ranks, 2U);
    EXPECT_NEAR(wait.time_s, 0.6, 1e-9);
    EXPECT_NEAR(wait.max_s, 0.45, 1e-9);
    EXPECT_EQ(wait.max_rank, 1U);
    EXPECT_NEAR(wait.longest_call_s, 0.04, 1e-9);
    EXPECT_EQ(report.gpu_sites[1].use, GpuUse::copy);
    EXPECT_EQ(report.gpu_sites[2].place, "app+0x80");
    EXPECT_THAT(gpu_section(report, 200), HasSubstr("Most of the waiting is at app+0x40"));
}

// 200 and 600 of 900 ms each are waiting, which is no computing on a CPU.
TEST(Gpu, TheFirstSentenceSaysWhoWaitsForItAndWhere)
{
    auto ranks = gpu_ranks();
    for (RankFileContent &rank : ranks) {
        rank.modules = {{}, make_module("/opt/app", "aa")};
        rank.callsites = {{}, make_callsite(0, 1, 0x40)};
        rank.gpu_sites = {site_at(1, MPROF_GPU_WAIT, 10, 100)};
    }
    const Report report = report_of(ranks);
    EXPECT_THAT(report.verdict.headline,
                HasSubstr("44% of the computing is waiting for the GPU at app+0x40: 600 ms on rank "
                          "1, 400 ms on average."));
    ASSERT_FALSE(report.verdict.next.empty());
    EXPECT_THAT(report.verdict.next[0].action, HasSubstr("Look at the GPU first: 44%"));
}

// More than the computing: the error of a call that had begun.
TEST(Gpu, ItIsNeverMoreThanTheComputing)
{
    auto ranks = gpu_ranks();
    ranks[0].gpu = {calls_of(0, 1600, 200, 0)};
    const RankRow rank = report_of(ranks).ranks[0];
    EXPECT_NEAR(*rank.gpu_wait_s, 0.8, 1e-9);
    EXPECT_NEAR(*rank.gpu_copy_s, 0.1, 1e-9);
    EXPECT_NEAR(*rank.on_cpu_s, 0, 1e-9);
}

}  // namespace
