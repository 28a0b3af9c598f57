/* Noting the conditions (conditions.h).
 *
 * The arithmetic is a chain in which each step needs the one before. So it takes a fixed number of
 * cycles on a kind of CPU, whatever memory, caches and the other hardware thread of the core do,
 * and only the clock of the CPU changes its time. The least of four turns of 33 us is as steady as
 * that of four turns of 130 us (both +3 % at most in 99 of 100 cases), because fewer turns are
 * disturbed. What is reported is the time of the longer work, as in files of earlier versions.
 */
#define _GNU_SOURCE
#include "record/cpu/conditions.h"

#include <stdbool.h>
#include <time.h>

#include "base/own_file.h"
#include "base/topology.h"
#include "store/arena.h"

enum { AT_BEGIN, AT_END, CONDITIONS, WORK_TURNS = 4, WORK_STEPS = 25000 };
enum { RUNNING_TURNS = 2, RUNNING_STEPS = 5000, REPORTED_STEPS = 100000 };

static struct mprof_condition *conditions; /* in the arena */
static bool has_begun;

void conditions_open(void)
{
    uint32_t index;
    conditions = arena_allocate(MPROF_SECTION_CONDITIONS, 0, CONDITIONS * sizeof *conditions,
                                sizeof *conditions, false, &index);
}

void conditions_forget(void)
{
    conditions = NULL;
    has_begun = false;
}

static uint64_t cpu_ns(void)
{
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t least_work_ns(int turns, int steps)
{
    static volatile uint64_t result; /* or the compiler would leave the work out */
    uint64_t least = 0;
    for (int turn = 0; turn < turns; turn++) {
        uint64_t value = result;
        uint64_t begin = cpu_ns();
        for (int i = 0; i < steps; i++)
            value = value * 6364136223846793005u + 1442695040888963407u;
        result = value;
        uint64_t took = cpu_ns() - begin;
        if (turn == 0 || took < least)
            least = took;
    }
    return least * (uint64_t)(REPORTED_STEPS / steps);
}

uint64_t conditions_work_ns(void)
{
    return least_work_ns(WORK_TURNS, WORK_STEPS);
}

uint64_t conditions_running_work_ns(void)
{
    return least_work_ns(RUNNING_TURNS, RUNNING_STEPS);
}

void conditions_note(enum mprof_sample_moment moment)
{
    bool is_end = moment == MPROF_SAMPLE_FINALIZE_ENTERED;
    if (conditions == NULL || (!is_end && __atomic_exchange_n(&has_begun, true, __ATOMIC_RELAXED)))
        return;
    struct mprof_condition *condition = &conditions[is_end ? AT_END : AT_BEGIN];
    const struct system_io moved = system_io();
    condition->read_bytes = moved.read_bytes;
    condition->written_bytes = moved.written_bytes;
    condition->read_calls = moved.read_calls;
    condition->write_calls = moved.write_calls;
    const struct group_limits limits = topology_group_limits();
    condition->throttled_ns = limits.throttled_ns;
    condition->throttles = limits.throttles;
    condition->memory_highs = limits.memory_highs;
    condition->oom_kills = limits.oom_kills;
    condition->work_ns = conditions_work_ns();
    /* The moment last: a reader of the live file sees a whole record or none. */
    __atomic_store_n(&condition->moment, moment, __ATOMIC_RELEASE);
}
