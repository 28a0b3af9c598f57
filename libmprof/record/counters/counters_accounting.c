/* Counters that the kernel keeps for every thread anyway (counter_events.h): page faults, context
 * switches and CPU time. They need no permission and no file descriptor, so they work in containers
 * and wherever perf_event_paranoid forbids perf_event_open(), and they are cheaper to read. */
#define _GNU_SOURCE
#include <time.h>

#include "base/own_work.h"
#include "record/counters/counter_events.h"

enum field { MINOR_FAULTS, MAJOR_FAULTS, FAULTS, SWITCHES, CPU_TIME };

static const struct counter_name names[] = {
    {"page-faults", FAULTS, ""},        {"faults", FAULTS, ""},
    {"minor-faults", MINOR_FAULTS, ""}, {"major-faults", MAJOR_FAULTS, ""},
    {"context-switches", SWITCHES, ""}, {"cs", SWITCHES, ""},
    {"task-clock", CPU_TIME, "ns"},     {"cpu-clock", CPU_TIME, "ns"},
};
enum { NAMES = sizeof names / sizeof names[0] };

static enum counter_answer find(const char *name, struct counter_event *event)
{
    return counter_find_name(names, NAMES, name, event);
}

static uint64_t thread_cpu_ns(void)
{
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t field_of(const struct kernel_counts *counts, uint64_t field)
{
    switch (field) {
    case MINOR_FAULTS:
        return counts->minor_faults;
    case MAJOR_FAULTS:
        return counts->major_faults;
    case FAULTS:
        return counts->minor_faults + counts->major_faults;
    default:
        return counts->voluntary_switches + counts->involuntary_switches;
    }
}

static bool read_values(const struct counter_event *events, uint32_t count,
                        struct counter_handles *handles, uint64_t *values)
{
    (void)handles;
    struct kernel_counts counts;
    bool asked = false; /* one system call for all of them */
    for (uint32_t i = 0; i < count; i++) {
        if (events[i].backend != &counters_accounting)
            continue;
        if (events[i].code == CPU_TIME) {
            values[i] = thread_cpu_ns();
            continue;
        }
        if (!asked)
            program_counts_of_thread(&counts, OWN_PAGES_NOW);
        asked = true;
        values[i] = field_of(&counts, events[i].code);
    }
    return true;
}

static void visit_names(counter_name_visit *visit, void *context)
{
    for (size_t i = 0; i < NAMES; i++)
        visit(names[i].name, context);
}

const struct counter_backend counters_accounting = {
    .source = MPROF_COUNTER_ACCOUNTING,
    .find = find,
    .read = read_values,
    .visit_names = visit_names,
};
