/* Counters by perf_event_open(2) (counter_events.h): what the processor counts, and the kernel's
 * software events that counters_accounting.c has not.
 *
 * The events of a thread are one group, so that one read() gives values of the same moment. Where
 * the kernel only lets programs count themselves, events of the processor are counted outside the
 * kernel (MPROF_COUNTER_USER_ONLY); the kernel's own would show 0 then and are refused. When other
 * tools also use the processor's counters, the kernel takes turns: then values are scaled up by the
 * time that was counted. The descriptors are moved to high numbers, because programs close low
 * numbers or rely on them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own_work.h"
#include "record/counters/counter_events.h"

/* Codes are type and config of perf_event_attr; of the caches config is the cache, the operation
 * and the result. */
#define CODE(type, config) ((uint64_t)(type) << 32 | (uint64_t)(config))
#define SOFTWARE(event) CODE(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event)
#define HARDWARE(event) CODE(PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event)
#define READS(cache, result)                                                                  \
    CODE(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
                                 PERF_COUNT_HW_CACHE_RESULT_##result << 16)
#define MISSES(cache) READS(cache, MISS)
#define LOADS(cache) READS(cache, ACCESS)

/* The names that `perf list` shows. */
static const struct counter_name names[] = {
    {"cpu-migrations", SOFTWARE(CPU_MIGRATIONS), ""},
    {"migrations", SOFTWARE(CPU_MIGRATIONS), ""},
    {"alignment-faults", SOFTWARE(ALIGNMENT_FAULTS), ""},
    {"emulation-faults", SOFTWARE(EMULATION_FAULTS), ""},
    {"cycles", HARDWARE(CPU_CYCLES), ""},
    {"cpu-cycles", HARDWARE(CPU_CYCLES), ""},
    {"ref-cycles", HARDWARE(REF_CPU_CYCLES), ""},
    {"bus-cycles", HARDWARE(BUS_CYCLES), ""},
    {"instructions", HARDWARE(INSTRUCTIONS), ""},
    {"branches", HARDWARE(BRANCH_INSTRUCTIONS), ""},
    {"branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS), ""},
    {"branch-misses", HARDWARE(BRANCH_MISSES), ""},
    {"cache-references", HARDWARE(CACHE_REFERENCES), ""},
    {"cache-misses", HARDWARE(CACHE_MISSES), ""},
    {"stalled-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND), ""},
    {"stalled-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND), ""},
    {"L1-dcache-loads", LOADS(L1D), ""},
    {"L1-dcache-load-misses", MISSES(L1D), ""},
    {"LLC-loads", LOADS(LL), ""},
    {"LLC-load-misses", MISSES(LL), ""},
    {"dTLB-loads", LOADS(DTLB), ""},
    {"dTLB-load-misses", MISSES(DTLB), ""},
    {"node-loads", LOADS(NODE), ""},
    {"node-load-misses", MISSES(NODE), ""},
};
enum { NAMES = sizeof names / sizeof names[0] };

static enum counter_answer find(const char *name, struct counter_event *event)
{
    return counter_find_name(names, NAMES, name, event);
}

/* A high number for `file`; the old one if there is none. */
static int move_up(int file)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < 256)
        return file;
    int floor = limit.rlim_cur < 65536 ? (int)limit.rlim_cur / 4 * 3 : 49152;
    int moved = fcntl(file, F_DUPFD_CLOEXEC, floor);
    if (moved >= 0)
        close(file);
    return moved >= 0 ? moved : file;
}

/* -1 with errno. Counts from here on. */
static int open_counter(uint64_t code, int leader, bool user_only)
{
    struct perf_event_attr attributes = {
        .type = (uint32_t)(code >> 32),
        .size = sizeof attributes,
        .config = (uint32_t)code,
        .read_format =
            PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .exclude_kernel = user_only,
        .exclude_hv = 1,
    };
    long file = syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    return file < 0 ? -1 : move_up((int)file);
}

static int paranoid_level(void)
{
    char text[16] = "";
    int file = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : own_read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    return length > 0 ? (int)strtol(text, NULL, 10) : 0;
}

static void explain(int error, bool kernel_event, bool first, char *reason)
{
    if (error == EACCES || error == EPERM)
        snprintf(reason, COUNTER_REASON_BYTES,
                 "the kernel forbids it: kernel.perf_event_paranoid is %d, set it to %d",
                 paranoid_level(), kernel_event ? 1 : 2);
    else if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
        snprintf(reason, COUNTER_REASON_BYTES, "this machine has no such event");
    else if (error == EINVAL && !first)
        snprintf(reason, COUNTER_REASON_BYTES, "the processor has no counter left for it");
    else
        snprintf(reason, COUNTER_REASON_BYTES, "perf_event_open: %s", strerror(error));
}

static bool open_event(struct counter_event *event, struct counter_handles *handles)
{
    int leader = handles->perf_count == 0 ? -1 : handles->perf_files[0];
    bool kernel_event = event->code >> 32 == PERF_TYPE_SOFTWARE;
    bool user_only = (event->flags & MPROF_COUNTER_USER_ONLY) != 0;
    int file = open_counter(event->code, leader, user_only);
    if (file < 0 && (errno == EACCES || errno == EPERM) && !kernel_event && !user_only) {
        user_only = true;
        file = open_counter(event->code, leader, user_only);
    }
    if (file < 0) {
        explain(errno, kernel_event, leader < 0, event->reason);
        return false;
    }
    event->flags |= user_only ? (uint32_t)MPROF_COUNTER_USER_ONLY : 0;
    handles->perf_files[handles->perf_count++] = file;
    return true;
}

/* What the kernel gives for a group with this read_format. */
struct group_values {
    uint64_t count, enabled_ns, running_ns;
    uint64_t values[MPROF_MAX_COUNTERS];
};

/* False when the program closed our descriptor, or put a file of its own in its place. */
static bool read_group(const struct counter_handles *handles, struct group_values *group)
{
    size_t expected = sizeof(uint64_t) * (3 + (size_t)handles->perf_count);
    ssize_t bytes = own_read(handles->perf_files[0], group, sizeof *group);
    return bytes == (ssize_t)expected && group->count == (uint64_t)handles->perf_count;
}

/* A group that the processor cannot count would show 0 forever. */
static bool start(const struct counter_event *events, uint32_t count,
                  struct counter_handles *handles)
{
    (void)events;
    (void)count;
    struct group_values group;
    return handles->perf_count == 0 ||
           (read_group(handles, &group) && (group.running_ns > 0 || group.enabled_ns == 0));
}

static uint64_t scaled(uint64_t value, const struct group_values *group)
{
    return scale_uint64(value, group->enabled_ns, group->running_ns);
}

static bool read_values(const struct counter_event *events, uint32_t count,
                        struct counter_handles *handles, uint64_t *values)
{
    struct group_values group;
    if (handles->perf_count == 0)
        return true;
    if (!read_group(handles, &group))
        return false;
    bool whole = group.running_ns == group.enabled_ns || group.running_ns == 0;
    if (!whole)
        handles->perf_scaled = true;
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++)
        if (events[i].backend == &counters_perf) {
            values[i] = whole ? group.values[at] : scaled(group.values[at], &group);
            at++;
        }
    return true;
}

/* Still ours? The program may have closed it and got its number for a file of its own. */
static bool is_counter(int file)
{
    char link[32];
    char name[32] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return readlink(link, name, sizeof name - 1) > 0 && strstr(name, "perf_event") != NULL;
}

static void close_events(struct counter_handles *handles)
{
    while (handles->perf_count > 0) {
        int file = handles->perf_files[--handles->perf_count];
        if (is_counter(file))
            close(file);
    }
}

static void visit_names(counter_name_visit *visit, void *context)
{
    for (size_t i = 0; i < NAMES; i++)
        visit(names[i].name, context);
}

const struct counter_backend counters_perf = {
    .source = MPROF_COUNTER_PERF,
    .find = find,
    .open = open_event,
    .start = start,
    .read = read_values,
    .close = close_events,
    .visit_names = visit_names,
};
