// What of a thread's computing had a CPU: how an interval is divided, what the kernel's texts say,
// and that a sleep between two calls is found where it was.
#include <time.h>
#include <unistd.h>

#include "record_fixture.h"

extern "C" {
#include "record/cpu/cpu_time.h"
#include "record/cpu/samples.h"
}

using namespace mprof_test;

namespace {

TEST(CpuTime, OffTheCpuIsOfComputingWhereNearlyAllIsComputing)
{
    const auto off = [](uint64_t wall, uint64_t computing, uint64_t cpu) {
        const cpu_time_interval interval = {wall, computing, cpu};
        return cpu_time_off_of_computing(&interval);
    };
    EXPECT_EQ(off(1000, 1000, 400), 600u) << "all computing";
    EXPECT_EQ(off(1000, 900, 400), 600u);
    EXPECT_EQ(off(1000, 900, 0), 900u) << "at most what was computing";
    EXPECT_EQ(off(1000, 100, 400), 0u) << "all in MPI, which may block";
    EXPECT_EQ(off(1000, 500, 400), 300u) << "half of each: its share";
    EXPECT_EQ(off(1000, 1000, 1001), 0u) << "the two clocks differ by a little";
    EXPECT_EQ(off(0, 0, 0), 0u);
}

TEST(CpuTime, QueueIsTheSecondNumberOfSchedstat)
{
    uint64_t queue_ns = 7;
    EXPECT_TRUE(cpu_time_parse_queue("123456789 4242 17\n", &queue_ns));
    EXPECT_EQ(queue_ns, 4242u);
    for (const char *text : {"", "\n", "123", "words only"})
        EXPECT_FALSE(cpu_time_parse_queue(text, &queue_ns)) << text;
}

TEST(Conditions, TheSameWorkTakesAboutTheSameTime)
{
    const uint64_t first_ns = conditions_work_ns();
    const uint64_t second_ns = conditions_work_ns();
    EXPECT_GT(first_ns, 10000u) << "too short to be measured";
    EXPECT_LT(first_ns, 20000000u) << "it delays every program";
    EXPECT_LT(first_ns, 2 * second_ns);
    EXPECT_LT(second_ns, 2 * first_ns);
}

TEST(CpuTime, CountsThreadsThatLive)
{
    uint32_t threads = 0;
    cpu_time_queue_of_all_ns(&threads);
    EXPECT_GE(threads, 1u);
}

}  // namespace
