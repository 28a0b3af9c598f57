// Polls, with the clock read at a part of them. Counts stay exact, no time gets lost, and each poll
// is given the time that it took. Time is the test's own: `now`, in ticks.
#include <cmath>
#include <random>

#include "record_fixture.h"

extern "C" {
#include "record/cpu/samples.h"
#include "record/time/polls.h"
#include "record/time/regions.h"
}

using namespace mprof_test;

namespace {

constexpr uint16_t test_function = 7, probe_function = 8, other_function = 9;
constexpr uint64_t read_ticks = 10;
constexpr uint64_t record_ticks = 2 * read_ticks;  // two reads, and recording takes no time

uint64_t now = 1'000'000;

// What a wrapper does, as generate.py writes it. The computing before the poll takes `gap`, the
// poll `took`; reading the clock takes its time, too.
struct Made {
    bool timed;
};
Made make_poll(call &call, uint64_t gap, uint64_t took)
{
    now += gap;
    const bool timed = !polls_goes_untimed(&call);
    if (!timed) {
        poll_start_untimed(&call);
    } else {
        call_start(&call, call_function(&call));
        call.start_ticks = now;
        took += read_ticks;
    }
    now += took;
    poll_stop(&call, timed);
    if (timed)
        call.ticks = took;
    poll_end(&call, timed);
    if (timed)
        now += read_ticks;  // the other half of the two reads is outside
    return {timed};
}

__attribute__((noinline)) bool test(uint64_t gap, uint64_t took)
{
    call call;
    EXPECT_TRUE(call_begin(&call, test_function));
    return make_poll(call, gap, took).timed;
}

__attribute__((noinline)) bool probe(uint64_t gap, uint64_t took)
{
    call call;
    EXPECT_TRUE(call_begin(&call, probe_function));
    return make_poll(call, gap, took).timed;
}

__attribute__((noinline)) void other_call(uint64_t gap, uint64_t took)
{
    call call;
    EXPECT_TRUE(call_begin(&call, other_function));
    now += gap;
    call_start(&call, other_function);
    call.start_ticks = now;
    now += took;
    call_stop(&call);
    call.ticks = took;
    call_end(&call);
}

struct Polls : testing::Test {
    recorder *record = nullptr;
    uint64_t begin = 0;

    void SetUp() override
    {
        use_fake_mpi();
        record = open_record(4 << 20);
        samples_deadline = UINT64_MAX;
        thread_state.recorder = record;
        thread_state.cpu.deadline = UINT64_MAX; /* the time of these tests is made up */
        other_call(5, 5);
        begin = now;
    }
    Sums of(uint16_t function) const
    {
        return sum_entries(record,
                           [=](const mprof_entry &entry) { return entry.function == function; });
    }
    // As the report takes the reads of the clock off.
    double net_ticks(uint16_t function) const
    {
        const Sums sums = of(function);
        return static_cast<double>(sums.ticks) - static_cast<double>(sums.calls * read_ticks);
    }
    uint64_t segment_ticks() const
    {
        uint64_t ticks = 0;
        for (uint32_t i = 0; i <= record->segment_mask; i++)
            ticks += record->segments[i].ticks;
        return ticks;
    }
    uint64_t segment_count() const
    {
        uint64_t count = 0;
        for (uint32_t i = 0; i <= record->segment_mask; i++)
            count += record->segments[i].count;
        return count;
    }
    double standard_error() const
    {
        const mprof_thread &live = *record->live;
        return static_cast<double>(live.untimed_ticks) /
               static_cast<double>(live.timed_poll_ticks) *
               std::sqrt(static_cast<double>(live.poll_error_squares));
    }
};

TEST_F(Polls, TwoKindsInTurnGetTheTimeThatTheyTook)
{
    polls_open(read_ticks, record_ticks);
    std::mt19937 random(1);
    const uint64_t rounds = 400'000;
    double took_test = 0;
    double took_probe = 0;
    uint64_t untimed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        // Some polls are slow, because the MPI makes progress in them: half of their time.
        const uint64_t slow = random() % 100 == 0 ? 3000U : 30U;
        const uint64_t usual = 90 + random() % 20;
        untimed += test(20, slow) ? 0U : 1U;
        untimed += probe(150, usual) ? 0U : 1U;
        took_test += static_cast<double>(slow);
        took_probe += static_cast<double>(usual);
    }
    other_call(20, 50);
    EXPECT_EQ(of(test_function).calls, rounds);
    EXPECT_EQ(of(probe_function).calls, rounds);
    EXPECT_EQ(segment_count(), 2 * rounds + 2) << "one before each call";
    EXPECT_GT(untimed, 2 * rounds * 9 / 10);
    EXPECT_EQ(record->live->untimed_calls, untimed);
    EXPECT_NEAR(net_ticks(test_function) / took_test, 1, 0.05);
    EXPECT_NEAR(net_ticks(probe_function) / took_probe, 1, 0.05);
    const double all = net_ticks(test_function) + net_ticks(probe_function);
    EXPECT_LT(std::abs(all - took_test - took_probe), 4 * standard_error());
    EXPECT_LT(standard_error(), 0.05 * all) << "and says something";
}

TEST_F(Polls, NoTimeGetsLost)
{
    polls_open(read_ticks, record_ticks);
    const uint64_t before = sum_entries(record).ticks + segment_ticks();
    for (uint64_t i = 0; i < 20'000; i++)
        test(20 + i % 7U, 30 + i % 5U);
    other_call(20, 50);
    const uint64_t untimed = record->live->untimed_calls;
    ASSERT_GT(untimed, 15'000u);
    const uint64_t kept = sum_entries(record).ticks + segment_ticks() - before;
    // The reads that did not happen are in the entries, to be taken off again; a tick is lost here
    // and there to rounding.
    EXPECT_NEAR(static_cast<double>(kept - untimed * read_ticks), static_cast<double>(now - begin),
                1000);
}

TEST_F(Polls, AllAreTimedUnlessAskedFor)
{
    for (uint64_t i = 0; i < 5000; i++)
        EXPECT_TRUE(test(20, 30));
}

TEST_F(Polls, SlowOnesAreTimed)
{
    polls_open(read_ticks, record_ticks);
    for (uint64_t i = 0; i < 5000; i++)
        EXPECT_TRUE(test(POLLS_HOT_READS * read_ticks, 30)) << "computing in between";
}

TEST_F(Polls, ALongWaitAmongThemIsNotMultiplied)
{
    polls_open(read_ticks, record_ticks);
    for (uint64_t i = 0; i < 10'000; i++)
        test(20, 30);
    const uint64_t long_wait = 1'000'000'000;
    test(20, long_wait);
    for (uint64_t i = 0; i < 10'000; i++)
        test(20, 30);
    other_call(20, 50);
    EXPECT_LE(sum_entries(record).ticks, now - begin + 20'000 * read_ticks + 100);
}

TEST_F(Polls, APauseIsNotTheirTime)
{
    polls_open(read_ticks, record_ticks);
    const uint64_t pause = 1'000'000'000;
    bool paused = false;
    for (int i = 0; i < 2000; i++) {
        if (test(20, 30) || paused)
            continue;
        region_pause(&thread_state);
        now += pause;
        region_resume(&thread_state);
        paused = true;
    }
    other_call(20, 50);
    ASSERT_TRUE(paused);
    EXPECT_LT(of(test_function).ticks, pause / 1000);
}

TEST_F(Polls, CountsAreThereBeforeTheTime)
{
    polls_open(read_ticks, record_ticks);
    uint64_t calls = 0;
    do
        calls++;
    while (test(20, 30));
    EXPECT_EQ(of(test_function).calls, calls) << "a kill now loses no call";
}

}  // namespace
