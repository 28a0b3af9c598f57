// Polls of a GPU, of which a part reads the clock. Time is the test's own, in ticks.
#include <gtest/gtest.h>

#include <cstdint>

extern "C" {
#include "record/calls/gpu_polls.h"
}

namespace {

constexpr uint64_t hot_ticks = 10'000;

struct GpuPolls : testing::Test {
    gpu_poll_loop loop{};
    uint64_t now = 1'000'000, polls = 0, settled = 0, timed_ticks = 0, untimed = 0;

    void SetUp() override { loop.now = {&loop, this, 7, 0, 3}; }

    // What gpu_calls.c does around a poll, and behind one that says that work has ended.
    bool ask(uint64_t gap, uint64_t took, bool is_ready = false)
    {
        now += gap;
        polls++;
        const bool goes_untimed = gpu_polls_goes_untimed(&loop);
        const uint64_t start = now;
        if (!goes_untimed && loop.pending != 0)
            settle(gpu_polls_follows(&loop) ? GPU_POLLS_BEFORE : GPU_POLLS_ELSEWHERE);
        now += took;
        untimed += goes_untimed ? 1 : 0;
        if (!goes_untimed) {
            timed_ticks += took;
            gpu_polls_timed(&loop, start, now, hot_ticks);
        } else if (is_ready) {
            settle(GPU_POLLS_AFTER);
        }
        return goes_untimed;
    }
    void settle(gpu_polls_end end) { settled += gpu_polls_settle(&loop, now, end); }
    // Another call of the driver.
    void other_call()
    {
        settle(GPU_POLLS_ELSEWHERE);
        loop.is_broken = true;
        now += 5000;
    }
    [[nodiscard]] double all_ticks() const { return static_cast<double>(settled + timed_ticks); }
};

TEST_F(GpuPolls, OfALoopGetWhatTheyTake)
{
    for (int i = 0; i < 9'999; i++)
        ask(500, 2000);
    ask(500, 2000, true);
    EXPECT_GT(untimed, 9'000u);
    EXPECT_EQ(loop.pending, 0u);
    EXPECT_NEAR(all_ticks(), 10'000 * 2000.0, 300);
}

TEST_F(GpuPolls, AreTimedUntilTheyAreHot)
{
    for (int i = 0; i <= GPU_POLLS_TO_BE_HOT; i++)
        EXPECT_FALSE(ask(500, 2000));
    for (int i = 0; i < 2 * GPU_POLLS_TIMED; i++)
        ask(500, 2000);
    EXPECT_GT(untimed, 0u);
}

TEST_F(GpuPolls, ThatAreSlowReadTheClock)
{
    for (int i = 0; i < 1'000; i++)
        EXPECT_FALSE(ask(9000, 2000));
    EXPECT_EQ(timed_ticks, 2'000'000u);
}

// One in ten comes after computing, others take longer: both are in the stretches.
TEST_F(GpuPolls, OfChangingLengthGetTheirShare)
{
    uint64_t truth = 0;
    for (int i = 0; i < 20'000; i++) {
        const uint64_t took = i % 7 == 0 ? 5000 : 1500;
        ask(i % 10 == 0 ? 3000 : 100, took);
        truth += took;
    }
    other_call();
    EXPECT_GT(untimed, 18'000u);
    EXPECT_NEAR(all_ticks(), static_cast<double>(truth), 0.03 * static_cast<double>(truth));
}

// A loop in which something else is done for long now and then: that is no waiting.
TEST_F(GpuPolls, DoNotGetWhatElseIsDone)
{
    for (int i = 0; i < 20'000; i++)
        ask(i % 500 == 499 ? 3'000'000 : 100, 2000);
    other_call();
    EXPECT_GT(untimed, 18'000u);
    EXPECT_NEAR(all_ticks(), 20'000 * 2000.0, 0.01 * 20'000 * 2000.0);
}

// Behind other calls and MPI calls, and at another place or for another kernel, a loop begins anew;
// what is pending gets what is usual.
TEST_F(GpuPolls, EndWithTheLoop)
{
    for (int i = 0; i < 200; i++)
        ask(100, 2000);
    for (int i = 0; i < 20 || loop.pending == 0; i++)
        ask(100, 2000);
    const double before = all_ticks();
    const double pending = loop.pending;
    now += 1'000'000;
    other_call();
    EXPECT_NEAR(all_ticks() - before, pending * 2000, 1);
    EXPECT_FALSE(ask(100, 2000));
    for (int i = 0; i < 200; i++)
        ask(100, 2000);
    const gpu_poll next = loop.now;
    EXPECT_TRUE(gpu_polls_follows(&loop));
    loop.now.mpi_ticks++;
    EXPECT_FALSE(gpu_polls_follows(&loop));
    loop.now = next;
    loop.now.mpi_polls++;
    EXPECT_FALSE(gpu_polls_follows(&loop));
    loop.now = next;
    loop.now.kernel++;
    EXPECT_FALSE(gpu_polls_follows(&loop));
    loop.now = next;
    loop.now.cfa = nullptr;
    EXPECT_FALSE(gpu_polls_follows(&loop));
}

// The same loop again, behind a launch: what was learned is still known, and its first poll has no
// computing before it.
TEST_F(GpuPolls, AreHotAgainAtOnce)
{
    for (int i = 0; i < 200; i++)
        ask(100, 2000);
    other_call();
    now += 50'000'000;
    const uint64_t before = untimed;
    for (int i = 0; i < GPU_POLLS_TO_BE_HOT; i++)
        ask(100, 2000);
    EXPECT_GT(untimed, before);
    other_call();
    EXPECT_NEAR(all_ticks(), static_cast<double>(polls) * 2000, 300);
}

}  // namespace
