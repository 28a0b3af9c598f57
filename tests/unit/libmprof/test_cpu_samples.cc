// Samples of where the computing is: what is read out of the kernel's ring, whose row a sample is
// counted in, how rows are folded for the finished file, and a ring of the real kernel.
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "record_fixture.h"

extern "C" {
#include "file/live_file.h"
#include "record/cpu/copied_stack.h"
#include "record/cpu/cpu_ring.h"
#include "record/cpu/cpu_samples.h"
}

using namespace mprof_test;

namespace {

// A ring as the kernel writes it.
class Ring {
public:
    explicit Ring(uint64_t size, uint64_t begin) : bytes_(size), tail_(begin), head_(begin) {}

    void sample(uint64_t address) { append(PERF_RECORD_SAMPLE, {address}); }
    void lost(uint64_t count) { append(PERF_RECORD_LOST, {77, count}); }
    void append(uint32_t type, const std::vector<uint64_t> &values)
    {
        perf_event_header header = {};
        header.type = type;
        header.size = static_cast<uint16_t>(sizeof header + values.size() * 8);
        write(&header, sizeof header);
        for (const uint64_t value : values)
            write(&value, sizeof value);
    }
    uint64_t read(std::vector<uint64_t> &addresses) const
    {
        const cpu_ring_data ring = {bytes_.data(), bytes_.size(), tail_, head_};
        return cpu_ring_read(
            &ring,
            [](const cpu_ring_sample *sample, void *to) {
                static_cast<std::vector<uint64_t> *>(to)->push_back(sample->address);
            },
            &addresses);
    }
    void cut(uint64_t bytes) { head_ -= bytes; }

private:
    void write(const void *from, size_t bytes)
    {
        for (size_t i = 0; i < bytes; i++)
            bytes_[head_++ % bytes_.size()] = static_cast<const uint8_t *>(from)[i];
    }
    std::vector<uint8_t> bytes_;
    uint64_t tail_, head_;
};

TEST(CpuRing, GivesEverySampleOnceAlsoWhereTheRingEnds)
{
    for (uint64_t begin = 4096; begin < 4096 + 256; begin += 8) {
        Ring ring(256, begin);  // records lie across the end in half of these
        for (uint64_t i = 0; i < 13; i++)
            ring.sample(1000 + i);
        ring.lost(41);
        std::vector<uint64_t> addresses;
        EXPECT_EQ(ring.read(addresses), 41u);
        ASSERT_EQ(addresses.size(), 13u) << begin;
        for (uint64_t i = 0; i < 13; i++)
            EXPECT_EQ(addresses[i], 1000 + i) << begin;
    }
}

TEST(CpuRing, IgnoresOtherRecordsAndStopsAtABadOne)
{
    Ring ring(256, 0);
    std::vector<uint64_t> addresses;
    EXPECT_EQ(ring.read(addresses), 0u) << "empty";
    ring.append(PERF_RECORD_THROTTLE, {1, 2, 3});
    ring.sample(5);
    ring.append(PERF_RECORD_SAMPLE, {});
    ring.sample(6);
    EXPECT_EQ(ring.read(addresses), 0u);
    EXPECT_EQ(addresses, (std::vector<uint64_t>{5, 0, 6}));
    addresses.clear();
    ring.cut(8);  // the last record is not whole
    ring.read(addresses);
    EXPECT_EQ(addresses, (std::vector<uint64_t>{5, 0}));
}

uint64_t all_samples(const std::vector<mprof_cpu_sample> &rows)
{
    return std::accumulate(
        rows.begin(), rows.end(), uint64_t{0},
        [](uint64_t sum, const mprof_cpu_sample &row) { return sum + row.samples; });
}

struct place place_at(uint32_t module, uint64_t offset)
{
    struct place place = {};
    place.module = module;
    place.offset = offset;
    return place;
}

TEST(CpuSamples, AreCountedByAddressThenNearByThenBySegment)
{
    std::vector<mprof_cpu_sample> rows(CPU_SAMPLE_ROWS);
    const segment_key key = make_segment_key(3, 4, 5, 6);
    for (uint64_t i = 0; i < 1000; i++) {
        const struct place place = place_at(1, 0x1000 + i % 64 * 4);  // one block of 256 bytes
        cpu_samples_count(rows.data(), &key, &place);
    }
    EXPECT_EQ(all_samples(rows), 1000u);
    size_t used = 0;
    for (const mprof_cpu_sample &row : rows) {
        used += row.in_use;
        if (row.in_use == 0)
            continue;
        EXPECT_EQ(row.from_callsite, 3u);
        EXPECT_EQ(row.to_function, 6u);
        EXPECT_EQ(row.module, 1u);
        EXPECT_EQ(row.offset / 256, 0x1000u / 256);
    }
    EXPECT_EQ(used, size_t{CPU_SAMPLE_PROBES}) << "the others were added to the nearest ones";
}

TEST(CpuSamples, AreNeverLostWhenTheTableIsFull)
{
    std::vector<mprof_cpu_sample> rows(CPU_SAMPLE_ROWS + 1);
    for (uint32_t i = 0; i < 20000; i++) {
        const segment_key key = make_segment_key(i % 700, 1, i % 900, 2);
        const struct place place = place_at(1 + i % 3, i * 4096ull);
        cpu_samples_count(rows.data(), &key, &place);
    }
    EXPECT_EQ(all_samples(rows), 20000u);
    EXPECT_GT(rows[0].samples, 0u) << "the rest";
    EXPECT_EQ(rows.back().in_use, 0u) << "nothing behind the table";
}

TEST(CpuSamples, WithoutASegmentAreOfSegment0)
{
    std::vector<mprof_cpu_sample> rows(CPU_SAMPLE_ROWS);
    const struct place place = place_at(2, 0x40);
    cpu_samples_count(rows.data(), nullptr, &place);
    for (const mprof_cpu_sample &row : rows)
        if (row.in_use != 0) {
            EXPECT_EQ(row.to_function + row.from_function, 0);
            EXPECT_EQ(row.offset, 0x40u);
        }
    EXPECT_EQ(all_samples(rows), 1u);
}

mprof_cpu_sample row_of(uint32_t callsite, uint64_t offset, uint32_t samples)
{
    mprof_cpu_sample row = {};
    row.from_callsite = callsite;
    row.in_use = 1;
    row.module = 1;
    row.offset = offset;
    row.samples = samples;
    return row;
}

TEST(FoldSamples, FewRowsStayAsTheyAre)
{
    std::vector<mprof_cpu_sample> rows = {row_of(1, 0x20, 1), row_of(1, 0x10, 2)};
    ASSERT_EQ(fold_cpu_samples(rows.data(), 2, 2), 2u);
    EXPECT_EQ(rows[0].offset, 0x10u) << "sorted";
    EXPECT_EQ(rows[0].samples, 2u);
    EXPECT_EQ(fold_cpu_samples(rows.data(), 0, 2), 0u);
}

TEST(FoldSamples, NeighboursJoinTheHotterOneAndRareOnesLoseTheirAddress)
{
    std::vector<mprof_cpu_sample> rows = {row_of(1, 0x1000, 5), row_of(1, 0x1004, 90),
                                          row_of(1, 0x2000, 1), row_of(1, 0x3000, 2),
                                          row_of(2, 0x1004, 7), row_of(2, 0x5000, 1)};
    const uint32_t count = fold_cpu_samples(rows.data(), 6, 4);
    rows.resize(count);
    EXPECT_LE(count, 4u);
    EXPECT_EQ(all_samples(rows), 106u);
    EXPECT_EQ(rows[0].offset, 0u) << "of segment 1, without an address";
    EXPECT_EQ(rows[0].samples, 3u);
    EXPECT_EQ(rows[1].offset, 0x1004u);
    EXPECT_EQ(rows[1].samples, 95u);
}

double cpu_s()
{
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Keeps this thread busy. Returns how much work that was.
uint64_t compute(double seconds)
{
    volatile uint64_t turns = 0;
    for (const double end = cpu_s() + seconds; cpu_s() < end;)
        for (int i = 0; i < 10000; i++)
            turns = turns + 1;
    return turns;
}

TEST(CpuRing, OfTheKernelHasASampleInEachPeriod)
{
    cpu_ring ring = {};
    const uint32_t state = cpu_ring_open(&ring, CPU_RING_TIME, 4'000'000, 0);
    if (state != MPROF_CPU_SAMPLES_ON)
        GTEST_SKIP() << "the kernel refuses: state " << state;
    const auto count = [](const cpu_ring_sample *, void *samples) {
        ++*static_cast<uint64_t *>(samples);
    };
    for (int turn = 0; turn < 3; turn++) {
        uint64_t samples = 0;
        compute(0.5);
        EXPECT_EQ(cpu_ring_take(&ring, count, &samples), 0u);
        EXPECT_GE(samples, 100u);
        EXPECT_LE(samples, 138u);
    }
    const pid_t child = fork();
    if (child == 0) {  // the pages are not there
        const bool took = cpu_ring_take(&ring, count, nullptr) != 0;
        cpu_ring_close(&ring);
        _exit(took || ring.pages != nullptr ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    cpu_ring_close(&ring);
    EXPECT_EQ(ring.pages, nullptr);
    EXPECT_EQ(cpu_ring_take(&ring, count, nullptr), 0u);
}

// A hundred times as often as usual, so that it can be measured: what a sample takes of the CPU
// time, the kernel's part and ours, times 100 per second is below 0.5 %.
TEST(CpuRing, ASampleCostsLittle)
{
    constexpr double period_s = 100e-6;
    const auto count = [](const cpu_ring_sample *, void *samples) {
        ++*static_cast<uint64_t *>(samples);
    };
    double least_s = 1;
    for (int turn = 0; turn < 5; turn++) {
        cpu_ring ring = {};
        uint64_t samples = 0;
        const auto without = static_cast<double>(compute(0.1));
        const uint32_t state = cpu_ring_open(&ring, CPU_RING_TIME, 100'000, 0);
        if (state != MPROF_CPU_SAMPLES_ON)
            GTEST_SKIP() << "the kernel refuses: state " << state;
        auto with = static_cast<double>(compute(0.05));
        cpu_ring_take(&ring, count, &samples);
        with += static_cast<double>(compute(0.05));
        cpu_ring_take(&ring, count, &samples);
        cpu_ring_close(&ring);
        if (samples < 700)
            GTEST_SKIP() << "the kernel takes " << samples << " of 1000 samples";
        least_s = std::min(least_s, (1 - with / without) * period_s);
    }
    RecordProperty("nanoseconds", std::to_string(1e9 * least_s));
    EXPECT_LT(100 * least_s, 0.005) << 1e6 * least_s << " us";
}

mprof_sample_path path_of(uint64_t offset, uint64_t caller)
{
    mprof_sample_path path = {};
    path.sample = row_of(1, offset, 1);
    path.modules[0] = 1;
    path.offsets[0] = caller;
    return path;
}

TEST(SamplePaths, AreCountedByTheirCallersAndLeftOutOfAFullTable)
{
    std::vector<mprof_sample_path> rows(SAMPLE_PATH_ROWS + 1);
    for (uint64_t i = 0; i < 1000; i++) {
        const mprof_sample_path path = path_of(0x100, i % 4 == 0 ? 0x10 : 0x20);
        sample_paths_count(rows.data(), &path);
    }
    EXPECT_EQ(rows[0].sample.samples, 250U);
    EXPECT_EQ(rows[1].sample.samples, 750U);
    EXPECT_EQ(rows[2].sample.in_use, 0U);
    for (uint64_t i = 0; i < 2 * SAMPLE_PATH_ROWS; i++) {
        const mprof_sample_path path = path_of(0x1000 + i, 0x10);
        sample_paths_count(rows.data(), &path);
    }
    EXPECT_EQ(rows[SAMPLE_PATH_ROWS - 1].sample.in_use, 1U);
    EXPECT_EQ(rows.back().sample.in_use, 0U) << "nothing behind the table";
}

__attribute__((noinline)) uint64_t compute_for_caller(double seconds)
{
    const uint64_t turns = compute(seconds);
    return turns + 1;
}

// Walks the stack of a sample: does it lead to a function that begins at `begin`?
struct Walked {
    uintptr_t begin = 0;
    uint64_t samples = 0, in_caller = 0, longest = 0;
};

void walk_sample(const cpu_ring_sample *sample, void *context)
{
    auto *to = static_cast<Walked *>(context);
    copied_stack stack = {};
    uintptr_t addresses[32];
    to->samples++;
    if (!copied_stack_of(sample, &stack))
        return;
    const int count = copied_stack_walk(&stack, addresses, 32);
    for (int i = 0; i < count; i++)
        to->in_caller += addresses[i] > to->begin && addresses[i] - to->begin < 200 ? 1 : 0;
    to->longest = std::max<uint64_t>(to->longest, static_cast<uint64_t>(count));
}

// Stacks that the kernel copied: the samples in compute() lead back into its caller.
TEST(CopiedStack, LeadsToTheCaller)
{
    cpu_ring ring = {};
    if (copied_stack_registers == 0 ||
        cpu_ring_open(&ring, CPU_RING_TIME, 4'000'000, copied_stack_registers) !=
            MPROF_CPU_SAMPLES_ON)
        GTEST_SKIP() << "the kernel gives no stacks";
    Walked walked;
    walked.begin = reinterpret_cast<uintptr_t>(&compute_for_caller);
    for (int turn = 0; turn < 5; turn++) {
        compute_for_caller(0.02);
        cpu_ring_take(&ring, walk_sample, &walked);
    }
    cpu_ring_close(&ring);
    EXPECT_GE(walked.samples, 10U);
    EXPECT_GE(10 * walked.in_caller, 9 * walked.samples);
    EXPECT_GE(walked.longest, 5U) << "through the test's library, up to main()";
}

__attribute__((noinline)) void touch(volatile char *pages, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 4096)
        pages[i] = 1;
}

__attribute__((noinline)) size_t touch_for_caller(volatile char *pages, size_t bytes)
{
    touch(pages, bytes);
    return bytes + 1;
}

// A sample each so many page faults, whatever else the thread does: with the way to who touched the
// memory.
TEST(CopiedStack, OfPageFaultsLeadsToWhoTouchesTheMemory)
{
    constexpr size_t faults = 512, bytes = faults * 4096, turns = 5, period = 64;
    cpu_ring ring = {};
    if (copied_stack_registers == 0 || sysconf(_SC_PAGESIZE) != 4096 ||
        cpu_ring_open(&ring, CPU_RING_FAULTS, period, copied_stack_registers) !=
            MPROF_CPU_SAMPLES_ON)
        GTEST_SKIP() << "the kernel gives no stacks, or its pages have another size";
    Walked walked;
    walked.begin = reinterpret_cast<uintptr_t>(&touch_for_caller);
    for (size_t turn = 0; turn < turns; turn++) {
        void *pages =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(pages, MAP_FAILED);
        madvise(pages, bytes, MADV_NOHUGEPAGE);
        compute(0.02);
        touch_for_caller(static_cast<char *>(pages), bytes);
        cpu_ring_take(&ring, walk_sample, &walked);
        munmap(pages, bytes);
    }
    cpu_ring_close(&ring);
    EXPECT_GE(walked.samples, turns * faults / period);
    EXPECT_LE(walked.samples, turns * faults / period + turns);
    EXPECT_GE(10 * walked.in_caller, 9 * walked.samples);
}

// Whatever the kernel's record says of its length, nothing outside it is read.
TEST(CopiedStack, OfARecordThatIsNotWholeIsNone)
{
    std::vector<uint8_t> bytes(1024);
    for (uint64_t rest = 0; rest < 300; rest += 4)
        for (const uint64_t length : {0ULL, 8ULL, 100ULL, ~0ULL}) {
            const uint64_t abi = 2;
            std::memcpy(bytes.data(), &abi, sizeof abi);
            std::memcpy(bytes.data() + 8 + 17 * 8, &length, sizeof length);
            const cpu_ring_data ring = {bytes.data(), bytes.size(), 0, bytes.size()};
            const cpu_ring_sample sample = {0, &ring, 0, rest};
            copied_stack stack = {};
            if (copied_stack_of(&sample, &stack)) {
                EXPECT_LE(8 + 17 * 8 + 8 + length + 8, rest);
                uintptr_t addresses[4];
                EXPECT_EQ(copied_stack_walk(&stack, addresses, 4), 0) << "no code at 0";
            }
        }
}

TEST(CpuSamples, AreCostlyForAThreadThatOftenLeavesItsCpu)
{
    EXPECT_FALSE(cpu_samples_are_costly(200, 100'000'000));
    EXPECT_TRUE(cpu_samples_are_costly(201, 100'000'000));
    EXPECT_FALSE(cpu_samples_are_costly(20'000, 10'000'000'000)) << "while it computes long";
}

// The clock of the watch is the test's own; how often the thread leaves its CPU is the kernel's.
struct WatchedSamples : testing::Test {
    mprof_thread live = {};
    std::vector<mprof_cpu_sample> rows = std::vector<mprof_cpu_sample>(CPU_SAMPLE_ROWS);
    std::unique_ptr<struct recorder> recorder = std::make_unique<struct recorder>();
    cpu_watch *watch = &thread_state.cpu.watch;
    uint64_t now_ns = 1'000'000'000;

    void SetUp() override
    {
        recorder->live = &live;
        recorder->cpu_samples = rows.data();
        cpu_samples_expect_turns(false);
        cpu_samples_attach(recorder.get());
        if (live.cpu_samples_state != MPROF_CPU_SAMPLES_ON)
            GTEST_SKIP() << "the kernel refuses: state " << live.cpu_samples_state;
    }
    void TearDown() override
    {
        cpu_samples_expect_turns(false);
        cpu_samples_leave();
    }
    void pass(uint64_t ns, int sleeps)
    {
        const timespec shortest = {0, 1};
        for (int i = 0; i < sleeps; i++)
            nanosleep(&shortest, nullptr);
        cpu_samples_take(recorder.get(), CPU_SAMPLES_OF_ALL, nullptr, now_ns += ns);
    }
    // How much of `ns` is sampled, in 10 ms each with 25 switches, of which a part is computing?
    uint64_t sampled_of(uint64_t ns, uint64_t parts)
    {
        uint64_t sampled_ns = 0;
        for (const uint64_t end_ns = now_ns + ns; now_ns < end_ns; pass(10'000'000, 25)) {
            if (watch->is_paused && parts != 0)
                watch->computing_ns += 10'000'000 / parts;
            sampled_ns += watch->is_paused ? 0 : 10'000'000;
        }
        return sampled_ns;
    }
};

// A thread that leaves its CPU too often is not sampled while that lasts, and is sampled again when
// it no longer does. What it computes meanwhile is lost, and counted as that.
TEST_F(WatchedSamples, PauseWhileTheThreadOftenLeavesItsCpu)
{
    pass(0, 0);
    pass(10'000'000, 10);
    EXPECT_FALSE(watch->is_paused);
    pass(10'000'000, 200);
    EXPECT_TRUE(watch->is_paused);
    EXPECT_EQ(thread_state.cpu.ring.pages, nullptr);
    EXPECT_EQ(live.cpu_samples_state, MPROF_CPU_SAMPLES_ON) << "nothing was computed in the pause";
    watch->computing_ns = 3 * live.cpu_sample_period_ns + 1;
    pass(10'000'000, 200);
    EXPECT_EQ(live.cpu_samples_state, MPROF_CPU_SAMPLES_COSTLY);
    EXPECT_EQ(live.lost_cpu_samples, 3u);
    pass(10'000'000, 200);
    EXPECT_EQ(live.lost_cpu_samples, 3u) << "each counts once";
    pass(60'000'000, 0);
    EXPECT_FALSE(watch->is_paused);
    EXPECT_NE(thread_state.cpu.ring.pages, nullptr);
    EXPECT_EQ(live.cpu_samples_state, MPROF_CPU_SAMPLES_ON);
    pass(10'000'000, 200);
    pass(60'000'000, 0);
    EXPECT_TRUE(watch->is_paused) << "the second time it must be calm for longer";
    pass(60'000'000, 0);
    EXPECT_FALSE(watch->is_paused);
}

// A job with more ranks than CPUs never is calm. Where a thread computes much of the time, a tenth
// of it is sampled all the same: else the report could not say where. One that polls is not.
TEST_F(WatchedSamples, OfAThreadThatComputesAreNotAllLostInAPause)
{
    const uint64_t of_first_2_s = sampled_of(2'000'000'000, 4);
    EXPECT_GE(of_first_2_s, 200'000'000u);
    EXPECT_LE(of_first_2_s, 500'000'000u);
    const uint64_t of_4_s = sampled_of(4'000'000'000, 4);
    EXPECT_GE(of_4_s, 200'000'000u);
    EXPECT_LE(of_4_s, 600'000'000u);
    EXPECT_EQ(live.cpu_samples_state, MPROF_CPU_SAMPLES_COSTLY);
    sampled_of(2'000'000'000, 0);
    EXPECT_EQ(sampled_of(3'000'000'000, 0), 0u) << "it computes little";
}

// Where there are more ranks than CPUs, no thread is sampled before it has kept its CPU for a
// while, neither the one of MPI_Init nor one that comes later. Where there are not, all are, from
// MPI_Init on.
TEST_F(WatchedSamples, BeginWithAPauseWhereTurnsAreExpected)
{
    for (int thread = 0; thread < 2; thread++) {
        cpu_samples_leave();
        cpu_samples_expect_turns(true);
        cpu_samples_attach(recorder.get());
        EXPECT_TRUE(watch->is_paused) << thread;
        EXPECT_EQ(thread_state.cpu.ring.pages, nullptr);
        EXPECT_EQ(sampled_of(1'000'000'000, 0), 0u) << "it takes turns";
        pass(60'000'000, 0);
        EXPECT_FALSE(watch->is_paused) << "it has kept its CPU";
        EXPECT_NE(thread_state.cpu.ring.pages, nullptr);
    }
    EXPECT_GT(sampled_of(2'000'000'000, 4), 0u) << "a glimpse of what it computes";
}

TEST_F(WatchedSamples, BeginInMpiInitWhereNoTurnsAreExpected)
{
    cpu_samples_leave();
    cpu_samples_expect_turns(true);
    cpu_samples_attach(recorder.get());
    thread_state.recorder = recorder.get();
    cpu_samples_expect_turns(false);
    thread_state.recorder = nullptr;
    EXPECT_FALSE(watch->is_paused);
    EXPECT_EQ(watch->calm_needed, 0u) << "the first pause is as short as ever";
    EXPECT_NE(thread_state.cpu.ring.pages, nullptr);
    EXPECT_EQ(live.cpu_samples_state, MPROF_CPU_SAMPLES_ON);
}

}  // namespace
