// What the report says of GPUs, against numbers worked out by hand.
#include "planted_ranks.h"
#include "render/text/sections/text_sections.h"
#include "report_of.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;
using testing::Not;

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
    EXPECT_NEAR(*rank.gpu->wait_s, 0.6, 1e-9) << "waits and polls";
    EXPECT_NEAR(*rank.gpu->copy_s, 0.05, 1e-9);
    EXPECT_NEAR(*rank.gpu->launch_s, 0.01, 1e-9);
    EXPECT_NEAR(rank.compute_s, 0.9, 1e-9) << "all that is not MPI";
    EXPECT_NEAR(*rank.on_cpu_s, 0.24, 1e-9);
    ASSERT_NE(part_of(report, TimeState::gpu_wait), nullptr);
    EXPECT_NEAR(part_of(report, TimeState::gpu_wait)->time_s, 0.4, 1e-9);
    EXPECT_NEAR(part_of(report, TimeState::computing)->time_s, 0.44, 1e-9);
}

TEST(Gpu, CountsAndBytesAreOfAllThreads)
{
    const RankRow rank = report_of(gpu_ranks()).ranks[1];
    EXPECT_EQ(rank.gpu->waits, 20U);
    EXPECT_EQ(rank.gpu->polls, 10U);
    EXPECT_EQ(rank.gpu->copies, 8U);
    EXPECT_EQ(rank.gpu->launches, 42U);
    EXPECT_EQ(rank.gpu->to_device_bytes, 6 * mib);
    EXPECT_EQ(rank.gpu->from_device_bytes, 2 * mib);
    EXPECT_NEAR(*rank.gpu->other_threads_s, 0.13, 1e-9);
}

TEST(Gpu, NothingIsSaidWithoutOne)
{
    auto ranks = gpu_ranks();
    for (RankFileContent &rank : ranks)
        rank.gpu.clear();
    const Report report = report_of(ranks);
    EXPECT_FALSE(report.ranks[0].gpu->wait_s);
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

mprof_gpu_kernel kernel_named(const char *name)
{
    mprof_gpu_kernel kernel{};
    kernel.in_use = 1;
    snprintf(kernel.name, sizeof kernel.name, "%s", name);
    return kernel;
}

// All that is no computing is waiting in MPI_Allreduce. Most of the waiting is at app+0x40, after
// kernel stencil.
std::vector<RankFileContent> ranks_with(const std::vector<mprof_gpu> &of_ranks,
                                        const std::vector<uint64_t> &compute_ms)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (size_t r = 0; r < ranks.size(); r++) {
        RankFileContent &rank = ranks[r];
        rank.threads[0].entries = {make_entry(f_allreduce, 8, 100, (1000 - compute_ms[r]) * ms)};
        rank.threads[0].facts.read_computing_ns = compute_ms[r] * 1'000'000;
        rank.gpu = {of_ranks[r]};
        rank.modules = {{}, make_module("/opt/app", "aa")};
        rank.callsites = {{}, make_callsite(0, 1, 0x40), make_callsite(0, 1, 0x80)};
        rank.gpu_kernels = {kernel_named("_Z7stencilPd"), kernel_named("(graph)")};
        rank.gpu_sites = {site_at(1, MPROF_GPU_WAIT, 10, 50 + 100 * r),
                          site_at(2, MPROF_GPU_WAIT, 10, 20), site_at(2, MPROF_GPU_COPY, 4, 50),
                          site_at(2, MPROF_GPU_LAUNCH, 20, 50)};
        rank.gpu_sites[0].kernel = 1;
        rank.gpu_sites[1].kernel = 2;
    }
    return ranks;
}

const AccountRow *account_of(const Report &report, AccountKind kind)
{
    for (const AccountRow &row : report.accounts.rows)
        if (row.kind == kind)
            return &row;
    return nullptr;
}

// Each works 240 ms and copies 50; rank 1 waits 400 ms longer, half of which evenness saves.
TEST(Gpu, UnevenGpusNameRankLineAndKernel)
{
    const Report report =
        report_of(ranks_with({calls_of(0, 200, 50, 10), calls_of(0, 600, 50, 10)}, {500, 900}));
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::gpu_imbalance_bound);
    EXPECT_THAT(report.verdict.headline,
                HasSubstr("Rank 1 waits 600 ms for its GPU at app+0x40 after kernel stencil, rank "
                          "0 200 ms; an even split would save 200 ms."));
    const AccountRow *row = account_of(report, AccountKind::gpu_uneven);
    ASSERT_NE(row, nullptr);
    EXPECT_NEAR(row->gain_s, 0.2, 1e-6);
    EXPECT_EQ(row->rank, 1U);
    EXPECT_EQ(row->place, "app+0x40");
    ASSERT_FALSE(report.verdict.next.empty());
    EXPECT_THAT(report.verdict.next[0].action, HasSubstr("Give rank 1's GPU less work"));
    EXPECT_NEAR(*report.verdict.next[0].worth_s, 0.2, 1e-6);
}

// Nobody knows how much of what GPUs work is needed: no account, and no gain.
TEST(Gpu, EvenWaitingIsGpuBound)
{
    const Report report =
        report_of(ranks_with({calls_of(0, 600, 10, 10), calls_of(0, 600, 10, 10)}, {900, 900}));
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::gpu_bound);
    EXPECT_THAT(
        report.verdict.headline,
        HasSubstr("Ranks wait for their GPUs for 600 ms (60% of the run), mostly at app+0x40 "
                  "after kernel stencil."));
    EXPECT_FALSE(report.verdict.gain_s);
    const AccountRow *row = account_of(report, AccountKind::gpu_wait);
    ASSERT_NE(row, nullptr);
    EXPECT_NEAR(row->gain_s, 0.6, 1e-6);
    EXPECT_EQ(row->gain_low_s, 0);
}

TEST(Gpu, LessThanHalfOfTheComputingIsNoGpuBound)
{
    const Report report =
        report_of(ranks_with({calls_of(0, 440, 0, 0), calls_of(0, 440, 0, 0)}, {900, 900}));
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::compute_bound);
    EXPECT_THAT(report.verdict.headline, HasSubstr("49% of the computing is waiting for the GPU"));
}

TEST(Gpu, CopiesAndLaunchesHaveClassesOfTheirOwn)
{
    const Report copies =
        report_of(ranks_with({calls_of(0, 0, 300, 0), calls_of(0, 0, 300, 0)}, {900, 900}));
    EXPECT_EQ(copies.verdict.verdict_class, VerdictClass::copy_bound);
    EXPECT_THAT(copies.verdict.headline,
                HasSubstr("The average rank copies to or from its GPU for 300 ms (30% of the run), "
                          "mostly at app+0x80"));
    const Report launches =
        report_of(ranks_with({calls_of(0, 0, 0, 300), calls_of(0, 0, 0, 300)}, {900, 900}));
    EXPECT_EQ(launches.verdict.verdict_class, VerdictClass::launch_bound);
    EXPECT_THAT(launches.verdict.headline, HasSubstr("launches on its GPU for 300 ms"));
}

// While a rank launches its GPU works; and loading code is no launching.
TEST(Gpu, LaunchingBesideWaitingOrLoadingIsNoHeadline)
{
    const Report beside =
        report_of(ranks_with({calls_of(0, 300, 0, 300), calls_of(0, 300, 0, 300)}, {900, 900}));
    EXPECT_NE(beside.verdict.verdict_class, VerdictClass::launch_bound);
    auto ranks = ranks_with({calls_of(0, 0, 0, 300), calls_of(0, 0, 0, 300)}, {900, 900});
    for (RankFileContent &rank : ranks)
        std::swap(rank.gpu[0].ticks[MPROF_GPU_LAUNCH], rank.gpu[0].ticks[MPROF_GPU_LOAD]);
    const Report loading = report_of(ranks);
    EXPECT_NE(loading.verdict.verdict_class, VerdictClass::launch_bound);
    EXPECT_NEAR(*loading.ranks[0].gpu->setup_s, 0.3, 1e-9);
}

// Each rank copies for 300 ms, for `pageable_ms` of them from pageable memory: 3 MiB, and 1 MiB
// from pinned memory; without any 4 MiB from pinned memory.
std::vector<RankFileContent> ranks_with_copies(uint64_t pageable_ms)
{
    auto ranks = ranks_with({calls_of(0, 0, 300, 0), calls_of(0, 0, 300, 0)}, {900, 900});
    for (RankFileContent &rank : ranks) {
        const uint64_t pageable = pageable_ms > 0 ? 3 * mib : 0;
        rank.gpu[0].host_bytes[MPROF_GPU_TO_DEVICE][MPROF_MEMORY_HOST] = pageable;
        rank.gpu[0].host_bytes[MPROF_GPU_TO_DEVICE][MPROF_MEMORY_PINNED] = 3 * mib - pageable;
        rank.gpu[0].host_bytes[MPROF_GPU_FROM_DEVICE][MPROF_MEMORY_PINNED] = mib;
        rank.gpu[0].pageable_ticks = pageable_ms * ms;
        rank.gpu_sites[2].bytes = 4 * mib;
        rank.gpu_sites[2].pageable_bytes = pageable;
    }
    return ranks;
}

TEST(Gpu, CopiesOfPageableMemoryAreAStep)
{
    const Report report = report_of(ranks_with_copies(200));
    EXPECT_EQ(report.ranks[1].gpu->to_device_pageable_bytes, 3 * mib);
    EXPECT_EQ(report.ranks[1].gpu->to_device_pinned_bytes, 0U);
    EXPECT_EQ(report.ranks[1].gpu->from_device_pinned_bytes, mib);
    EXPECT_NEAR(*report.ranks[1].gpu->pageable_copy_s, 0.2, 1e-9);
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::copy_bound);
    ASSERT_FALSE(report.verdict.next.empty());
    const NextStep &step = report.verdict.next[0];
    EXPECT_THAT(step.action, HasSubstr("Pin the host memory of the copies at app+0x80: 6.0 MiB of "
                                       "8.0 MiB are copied from or to pageable memory"));
    EXPECT_NEAR(*step.worth_s, 0.1, 1e-6) << "half of what such copies take";
    EXPECT_THAT(gpu_section(report, 300),
                HasSubstr("6.0 MiB of 8.0 MiB between GPUs and host are copied from or to pageable "
                          "memory, which is slower than pinned memory: 200 ms per rank, mostly at "
                          "app+0x80."));
}

TEST(Gpu, NobodyIsToldToPinWhatIsPinned)
{
    const Report report = report_of(ranks_with_copies(0));
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::copy_bound);
    ASSERT_FALSE(report.verdict.next.empty());
    EXPECT_THAT(report.verdict.next[0].action, HasSubstr("Copy while kernels run"));
    EXPECT_THAT(report.verdict.next[0].action, Not(HasSubstr("pinned")));
    EXPECT_THAT(gpu_section(report, 300), Not(HasSubstr("pageable")));
}

mprof_gpu_buffer buffer_at(uint32_t callsite, mprof_memory_kind memory, uint64_t bytes,
                           uint64_t staged_bytes, uint64_t staged_ms)
{
    mprof_gpu_buffer buffer{};
    buffer.in_use = 1;
    buffer.callsite = callsite;
    buffer.function = f_allreduce;
    buffer.memory = static_cast<uint16_t>(memory);
    buffer.calls = 10;
    buffer.bytes = bytes;
    buffer.staged_copies = 10;
    buffer.staged_bytes = staged_bytes;
    buffer.staged_ticks = staged_ms * ms;
    return buffer;
}

TEST(Gpu, StagingIsAStepWithItsBytesAndSeconds)
{
    auto ranks = ranks_with({calls_of(0, 0, 300, 0), calls_of(0, 0, 300, 0)}, {900, 900});
    for (RankFileContent &rank : ranks) {
        rank.gpu_buffers = {buffer_at(1, MPROF_MEMORY_HOST, 32 * mib, 24 * mib, 200),
                            buffer_at(1, MPROF_MEMORY_DEVICE, mib, 0, 0)};
        rank.gpu[0].sends_from_gpu = 1;
    }
    const Report report = report_of(ranks);
    ASSERT_EQ(report.gpu_buffers.size(), 2U);
    EXPECT_EQ(report.gpu_buffers[0].memory, BufferMemory::host);
    EXPECT_EQ(report.gpu_buffers[0].staged_bytes, 48 * mib);
    EXPECT_NEAR(report.gpu_buffers[0].staged_s, 0.4, 1e-9);
    EXPECT_EQ(report.gpu_buffers[0].ranks, 2U);
    ASSERT_FALSE(report.verdict.next.empty());
    const NextStep &step = report.verdict.next[0];
    EXPECT_THAT(step.action, HasSubstr("at app+0x40: 48 MiB go through host memory. This MPI "
                                       "says that it cannot"));
    EXPECT_NEAR(*step.worth_s, 0.2, 1e-6) << "of the average rank, and within the account";
    EXPECT_THAT(gpu_section(report, 200), HasSubstr("48 MiB went through host memory"));
}

// Threads with a GPU, and a thread for MPI that waits for them without a CPU.
TEST(Gpu, WhoIsBlockedWhileItsThreadsWaitForTheGpuIsToldSo)
{
    auto ranks = ranks_with({calls_of(5, 1200, 0, 10), calls_of(5, 1200, 0, 10)}, {900, 900});
    for (RankFileContent &rank : ranks) {
        mprof_off_cpu row{};
        row.in_use = 1;
        row.stretches = 10;
        row.blocked_ns = 800'000'000;
        rank.threads[0].off_cpu = {row};
    }
    const Report report = report_of(ranks);
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::blocked);
    const std::string words = "its other threads are in the driver of the GPU for 1.21 s, mostly "
                              "at app+0x40 after kernel stencil.";
    EXPECT_THAT(report.verdict.why, HasSubstr(words));
    ASSERT_FALSE(report.verdict.next.empty());
    EXPECT_THAT(report.verdict.next[0].action, HasSubstr(words));
}

// More than the computing: the error of a call that had begun.
TEST(Gpu, ItIsNeverMoreThanTheComputing)
{
    auto ranks = gpu_ranks();
    ranks[0].gpu = {calls_of(0, 1600, 200, 0)};
    const RankRow rank = report_of(ranks).ranks[0];
    EXPECT_NEAR(*rank.gpu->wait_s, 0.8, 1e-9);
    EXPECT_NEAR(*rank.gpu->copy_s, 0.1, 1e-9);
    EXPECT_NEAR(*rank.on_cpu_s, 0, 1e-9);
}

// ---- what CUPTI and NCCL tell -------------------------------------------------------------------

// A GPU of 1 s: 300 ms of kernels, 100 ms of NCCL's alone, 50 ms of copies; of the rest 200 ms
// while the rank was in MPI, 150 ms between launches, and the last part before the first and after
// the last.
mprof_gpu_activity activity_of_gpu()
{
    mprof_gpu_activity activity{};
    activity.in_use = 1;
    activity.source = MPROF_GPU_SOURCE_CUPTI;
    activity.devices = 1;
    activity.busy_ticks[MPROF_GPU_COMPUTES] = 300 * ms;
    activity.busy_ticks[MPROF_GPU_COMMUNICATES] = 400 * ms;
    activity.busy_ticks[MPROF_GPU_MOVES] = 450 * ms;
    activity.between_ticks = 350 * ms;
    activity.between_mpi_ticks = 200 * ms;
    activity.bin_ticks = 500 * ms;
    return activity;
}

mprof_gpu_work work_of(mprof_gpu_work_kind kind, const char *name, uint64_t count, uint64_t ticks)
{
    mprof_gpu_work work{};
    work.in_use = 1;
    work.kind = kind;
    work.count = count;
    work.ticks = ticks;
    work.most_ticks = ticks / count;
    snprintf(work.name, sizeof work.name, "%s", name);
    return work;
}

std::vector<RankFileContent> ranks_with_kernels()
{
    auto ranks = gpu_ranks();
    for (RankFileContent &rank : ranks) {
        rank.gpu_activity = {activity_of_gpu()};
        rank.gpu_work = {work_of(MPROF_GPU_COPY_TO, "", 4, 50 * ms),
                         work_of(MPROF_GPU_KERNEL, "_Z7stencilPd", 10, 250 * ms),
                         work_of(MPROF_GPU_KERNEL, "_Z7stencilPf", 10, 50 * ms),
                         work_of(MPROF_GPU_COMMUNICATION, "ncclDevKernel_Sum", 5, 100 * ms)};
        mprof_gpu_busy busy{};
        busy.in_use = 1;
        busy.index = 1;
        busy.busy_ticks[MPROF_GPU_COMPUTES] = 300 * ms;
        busy.busy_ticks[MPROF_GPU_COMMUNICATES] = 400 * ms;
        busy.busy_ticks[MPROF_GPU_MOVES] = 450 * ms;
        rank.gpu_busy = {busy};
    }
    return ranks;
}

TEST(Gpu, StatesOfTheGpuFillTheRun)
{
    const Report report = report_of(ranks_with_kernels());
    const RankRow &row = report.ranks[0];
    EXPECT_EQ(row.gpu->kernels, "recorded");
    EXPECT_NEAR(*row.gpu->computing_s, 0.3, 1e-9);
    EXPECT_NEAR(*row.gpu->communicating_s, 0.1, 1e-9);
    EXPECT_NEAR(*row.gpu->moving_s, 0.05, 1e-9);
    EXPECT_NEAR(*row.gpu->idle_s, 0.55, 1e-9);
    EXPECT_NEAR(*row.gpu->idle_mpi_s, 0.2, 1e-9);
    EXPECT_NEAR(*row.gpu->idle_between_s, 0.15, 1e-9);
    ASSERT_EQ(report.gpu_time.size(), 3U);
    EXPECT_NEAR(report.gpu_time[1].computing_percent, 60, 1e-6);
    EXPECT_NEAR(report.gpu_time[1].communicating_percent, 20, 1e-6);
    EXPECT_NEAR(report.gpu_time[0].computing_percent, 0, 1e-6);
    EXPECT_THAT(
        gpu_section(report, 300),
        HasSubstr("The GPUs run the program's kernels for 30% of the run, only NCCL's for 10%, "
                  "and copy for 5.0%. They are idle for 55%: 20% while ranks are in MPI, "
                  "15% between launches, and 20% before the first and after the last work."));
}

TEST(Gpu, KernelsAreAddedUpByNameWithoutArguments)
{
    const Report report = report_of(ranks_with_kernels());
    ASSERT_EQ(report.gpu_work.size(), 3U);
    EXPECT_EQ(report.gpu_work[0].kernel, "stencil");
    EXPECT_EQ(report.gpu_work[0].count, 40U);
    EXPECT_NEAR(report.gpu_work[0].time_s, 0.6, 1e-9);
    EXPECT_NEAR(report.gpu_work[0].percent, 100 * 300.0 / 450, 1e-6);
    EXPECT_EQ(report.gpu_work[1].use, GpuWork::nccl);
}

TEST(Gpu, WhyThereAreNoKernelsIsSaid)
{
    auto ranks = gpu_ranks();
    for (RankFileContent &rank : ranks) {
        rank.gpu_activity = {activity_of_gpu()};
        rank.gpu_activity[0].source = MPROF_GPU_SOURCE_TAKEN;
    }
    const Report report = report_of(ranks);
    EXPECT_FALSE(report.ranks[0].gpu->idle_s.has_value());
    EXPECT_THAT(gpu_section(report, 200),
                HasSubstr("Kernels are not recorded on 2 ranks: another tool has CUPTI."));
}

mprof_nccl_comm nccl_comm_of(uint32_t rank)
{
    mprof_nccl_comm comm{};
    comm.in_use = 1;
    comm.id = 0x3f2a;
    comm.ranks = 2;
    comm.rank = rank;
    return comm;
}

// Ten AllReduces from app+0x80, 60 ms apart, to which rank 1 comes 40 ms later. They end 2 ms
// after that. Each stands for one.
void add_nccl(std::vector<RankFileContent> &ranks)
{
    for (uint32_t r = 0; r < ranks.size(); r++) {
        mprof_nccl_call call{};
        call.in_use = 1;
        call.comm = 1;
        call.calls = call.ended = 10;
        call.bytes = 4096;
        call.callsite = 2;
        call.number = 7;
        snprintf(call.function, sizeof call.function, "AllReduce");
        ranks[r].nccl_comms = {nccl_comm_of(0), nccl_comm_of(r)};
        ranks[r].nccl_comms[0].id = 0;
        ranks[r].nccl_calls = {call};
        for (uint64_t i = 0; i < 10; i++) {
            mprof_nccl_time time{};
            time.in_use = 1;
            time.comm = 1;
            time.call = 7;
            time.stride = 1;
            time.number = i;
            time.start_ticks = ranks[r].clock.start.ticks_after + (60 * i + 40 * r) * ms;
            time.ticks = (r == 0 ? 42 : 2) * ms;
            ranks[r].nccl_times.push_back(time);
        }
    }
}

// Both wait 600 ms for their GPUs. Of those of rank 0, 400 ms are NCCL's, which waits for rank 1.
TEST(Nccl, AWaitForTheLastRankIsNoWorkOfTheGpu)
{
    auto ranks = ranks_with({calls_of(0, 600, 50, 10), calls_of(0, 600, 50, 10)}, {900, 900});
    for (RankFileContent &rank : ranks) {
        rank.gpu_kernels = {kernel_named("ncclDevKernel_Sum"), kernel_named("(graph)")};
        rank.gpu_work = {work_of(MPROF_GPU_COMMUNICATION, "ncclDevKernel_Sum", 10, 500 * ms),
                         work_of(MPROF_GPU_KERNEL, "_Z5innerPd", 10, 200 * ms)};
    }
    ranks[1].gpu_work.push_back(work_of(MPROF_GPU_KERNEL, "_Z7stencilPd", 10, 400 * ms));
    add_nccl(ranks);
    const Report report = report_of(ranks);
    EXPECT_NEAR(*report.ranks[0].gpu->nccl_wait_s, 0.4, 1e-9);
    EXPECT_NEAR(*report.ranks[0].gpu->wait_s, 0.6, 1e-9) << "it is what the CPU does";
    EXPECT_NEAR(*report.ranks[1].gpu->nccl_caused_s, 0.4, 1e-9);
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::gpu_imbalance_bound);
    EXPECT_THAT(report.verdict.headline,
                HasSubstr("Rank 1 waits 600 ms for its GPU at app+0x40, most in kernel stencil, "
                          "rank 0 200 ms; an even split would save 200 ms."));
    EXPECT_THAT(report.verdict.why,
                HasSubstr("in NCCL's AllReduce (4.0 KiB) at app+0x80: rank 1 came last in 100% of "
                          "the calls, and the others waited 400 ms for it."));
    EXPECT_THAT(report.verdict.next[0].action, HasSubstr("kernel stencil"));
}

// Rank 1 works 800 ms on its CPU, rank 0 400 ms; there is no GPU's work but NCCL's.
TEST(Nccl, ARankThatComputesLongerIsTheCause)
{
    auto ranks = ranks_with({calls_of(0, 500, 0, 0), calls_of(0, 100, 0, 0)}, {900, 900});
    add_nccl(ranks);
    const Report report = report_of(ranks);
    const AccountRow *row = account_of(report, AccountKind::uneven);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->rank, 1U);
    EXPECT_NEAR(row->gain_s, 0.2, 1e-6);
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::load_imbalance_bound);
}

// Clocks of nodes may be far apart: who is there for the shortest time came last.
TEST(Nccl, BetweenNodesTheShortestTimeTells)
{
    auto ranks = ranks_with({calls_of(0, 600, 0, 0), calls_of(0, 600, 0, 0)}, {900, 900});
    add_nccl(ranks);
    ranks[1].texts[1].second = "node01";  // its host
    for (mprof_nccl_time &time : ranks[1].nccl_times)
        time.start_ticks -= 50 * ms * (time.number > 0);
    const Report report = report_of(ranks);
    EXPECT_EQ(report.nccl_communicators[0].last_rank, 1U);
    EXPECT_NEAR(*report.nccl_communicators[0].waited_s, 0.4, 1e-9);
    EXPECT_NEAR(*report.nccl_communicators[0].waited_percent, 100 * 0.4 / 0.44, 1e-3);
}

// Rank 1 comes 10 ms late to each second one of the four; rank 0 5 ms late to the others. One in
// two is kept.
TEST(Nccl, WhoCameLast)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (size_t r = 0; r < ranks.size(); r++) {
        mprof_nccl_comm none{}, comm{};
        none.in_use = comm.in_use = 1;
        comm.id = 0x3f2a;
        comm.ranks = 2;
        comm.rank = static_cast<uint32_t>(r);
        mprof_nccl_call call{};
        call.in_use = 1;
        call.comm = 1;
        call.calls = call.ended = 8;
        call.bytes = 4096;
        call.ticks = 80 * ms;
        snprintf(call.function, sizeof call.function, "AllReduce");
        ranks[r].nccl_comms = {none, comm};
        ranks[r].nccl_calls = {call};
        for (uint64_t i = 0; i < 4; i++) {
            mprof_nccl_time time{};
            time.in_use = 1;
            time.comm = 1;
            time.stride = 2;
            time.number = 2 * i;
            const uint64_t late_ms = i % 2 == 0 ? (r == 1 ? 10 : 0) : (r == 0 ? 5 : 0);
            time.start_ticks = ranks[r].clock.start.ticks_after + (100 * i + late_ms) * ms;
            ranks[r].nccl_times.push_back(time);
        }
    }
    const Report report = report_of(ranks);
    ASSERT_EQ(report.nccl_communicators.size(), 1U);
    const NcclCommRow &row = report.nccl_communicators[0];
    EXPECT_EQ(row.id, "3f2a");
    EXPECT_EQ(row.bytes, 2U * 8 * 4096);
    EXPECT_EQ(row.compared, 4U);
    EXPECT_EQ(row.last_rank, 1U);
    EXPECT_NEAR(*row.waited_s, 2 * 0.030, 1e-6);
    EXPECT_NEAR(*row.last_percent, 100 * 20.0 / 30, 1e-3);
    EXPECT_NEAR(*row.last_calls_percent, 50, 1e-9);
    EXPECT_THAT(nccl_section(report, 200), HasSubstr("AllReduce 4.0 KiB"));
}

}  // namespace
