/* Telling own work from the program's (own_work.h). What inner work has added meanwhile is no part
 * of the growth of the outer one. */
#define _GNU_SOURCE
#include "base/own_work.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

static __thread struct kernel_counts own_of_thread __attribute__((tls_model("initial-exec")));
/* Added to atomically: */
static struct kernel_counts own_of_process;
static struct own_moves moves;

enum { BLOCKS_PER_PAGE = 8 };
static struct {
    uint64_t (*count)(void); /* NULL: there is no file */
    bool are_major;
    uint64_t counted;
} pages;
static __thread uint64_t faults_seen __attribute__((tls_model("initial-exec")));
/* When they may be counted again: one part in so many of the process's time goes into it. */
enum { COUNTING_COSTS_AT_MOST = 100 };
static uint64_t next_counting_ns;

static uint64_t timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

static void count_usage(__rusage_who_t who, struct rusage *usage, struct kernel_counts *counts)
{
    if (getrusage(who, usage) != 0) {
        memset(counts, 0, sizeof *counts);
        return;
    }
    counts->minor_faults = (uint64_t)usage->ru_minflt;
    counts->major_faults = (uint64_t)usage->ru_majflt;
    counts->voluntary_switches = (uint64_t)usage->ru_nvcsw;
    counts->involuntary_switches = (uint64_t)usage->ru_nivcsw;
    counts->user_ns = timeval_ns(usage->ru_utime);
    counts->system_ns = timeval_ns(usage->ru_stime);
    counts->read_blocks = (uint64_t)usage->ru_inblock;
    counts->written_blocks = (uint64_t)usage->ru_oublock;
}

/* Not on the stack, which may be a small one of a handler. A handler that comes in between leaves
 * figures that are newer, and right as well. */
static void count_thread(struct kernel_counts *counts)
{
    static __thread struct rusage usage __attribute__((tls_model("initial-exec")));
    count_usage(RUSAGE_THREAD, &usage, counts);
}

enum { COUNTS = sizeof(struct kernel_counts) / sizeof(uint64_t) };

/* All fields are of one type, so that what is true of each is written once. */
static uint64_t *fields_of(struct kernel_counts *counts)
{
    return &counts->minor_faults;
}

static void take_out(struct kernel_counts *from, const struct kernel_counts *own)
{
    for (int i = 0; i < COUNTS; i++)
        fields_of(from)[i] = without_own(fields_of(from)[i], (&own->minor_faults)[i]);
}

static bool count_pages(uint64_t (*count)(void), enum own_pages which)
{
    const uint64_t begin_ns = clock_monotonic_ns();
    if (which == OWN_PAGES_LATELY &&
        begin_ns < __atomic_load_n(&next_counting_ns, __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&pages.counted, count(), __ATOMIC_RELAXED);
    const uint64_t end_ns = clock_monotonic_ns();
    __atomic_store_n(&next_counting_ns, end_ns + (end_ns - begin_ns) * COUNTING_COSTS_AT_MOST,
                     __ATOMIC_RELAXED);
    return true;
}

/* To count pages takes some microseconds, of a record of 64 MiB one millisecond: only where there
 * are more faults than the last time. On a disk a new page must also be written. */
static void take_out_pages(struct kernel_counts *from, enum own_pages which)
{
    uint64_t (*count)(void) = __atomic_load_n(&pages.count, __ATOMIC_ACQUIRE);
    if (count == NULL)
        return;
    uint64_t *faults = pages.are_major ? &from->major_faults : &from->minor_faults;
    if (*faults != faults_seen && count_pages(count, which))
        faults_seen = *faults;
    const uint64_t own = __atomic_load_n(&pages.counted, __ATOMIC_RELAXED);
    *faults = without_own(*faults, own);
    if (pages.are_major)
        from->written_blocks = without_own(from->written_blocks, own * BLOCKS_PER_PAGE);
}

static void add(struct kernel_counts amount)
{
    for (int i = 0; i < COUNTS; i++) {
        const uint64_t more = fields_of(&amount)[i];
        fields_of(&own_of_thread)[i] += more;
        if (more != 0)
            __atomic_fetch_add(&fields_of(&own_of_process)[i], more, __ATOMIC_RELAXED);
    }
}

void own_work_begin(struct own_work *work)
{
    count_thread(&work->kernel);
    work->own = own_of_thread;
}

struct own_work *own_work_begin_in_call(void)
{
    static __thread struct own_work work __attribute__((tls_model("initial-exec")));
    own_work_begin(&work);
    return &work;
}

void own_work_end(const struct own_work *work)
{
    struct kernel_counts growth;
    count_thread(&growth);
    struct kernel_counts inner = own_of_thread;
    take_out(&growth, &work->kernel);
    take_out(&inner, &work->own);
    take_out(&growth, &inner);
    add(growth);
}

void own_work_watch_pages(uint64_t (*count)(void), bool are_major)
{
    pages.are_major = are_major;
    __atomic_store_n(&pages.count, count, __ATOMIC_RELEASE);
}

void own_work_add_ns(uint64_t system_ns)
{
    add((struct kernel_counts){.system_ns = system_ns});
}

struct kernel_counts program_counts(void)
{
    struct kernel_counts counts;
    struct kernel_counts own;
    struct rusage usage;
    count_usage(RUSAGE_SELF, &usage, &counts);
    for (int i = 0; i < COUNTS; i++)
        fields_of(&own)[i] = __atomic_load_n(&fields_of(&own_of_process)[i], __ATOMIC_RELAXED);
    take_out_pages(&counts, OWN_PAGES_NOW);
    take_out(&counts, &own);
    return counts;
}

void program_counts_of_thread(struct kernel_counts *counts, enum own_pages which)
{
    count_thread(counts);
    take_out_pages(counts, which);
    take_out(counts, &own_of_thread);
}

uint64_t program_switches_of_thread(void)
{
    struct kernel_counts counts;
    count_thread(&counts);
    take_out(&counts, &own_of_thread);
    return counts.voluntary_switches + counts.involuntary_switches;
}

static ssize_t count_read(ssize_t bytes)
{
    if (bytes > 0)
        __atomic_fetch_add(&moves.read_bytes, (uint64_t)bytes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&moves.read_calls, 1, __ATOMIC_RELAXED);
    return bytes;
}

static ssize_t count_written(ssize_t bytes)
{
    if (bytes > 0)
        __atomic_fetch_add(&moves.written_bytes, (uint64_t)bytes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&moves.write_calls, 1, __ATOMIC_RELAXED);
    return bytes;
}

ssize_t own_read(int file, void *to, size_t bytes)
{
    return count_read(read(file, to, bytes));
}

ssize_t own_pread(int file, void *to, size_t bytes, off_t offset)
{
    return count_read(pread(file, to, bytes, offset));
}

ssize_t own_write(int file, const void *from, size_t bytes)
{
    return count_written(write(file, from, bytes));
}

ssize_t own_pwrite(int file, const void *from, size_t bytes, off_t offset)
{
    return count_written(pwrite(file, from, bytes, offset));
}

ssize_t own_send(int socket, const void *from, size_t bytes, int flags)
{
    return send(socket, from, bytes, flags); /* no bytes of write() to the kernel */
}

struct own_moves own_moves(void)
{
    return (struct own_moves){__atomic_load_n(&moves.read_bytes, __ATOMIC_RELAXED),
                              __atomic_load_n(&moves.written_bytes, __ATOMIC_RELAXED),
                              __atomic_load_n(&moves.read_calls, __ATOMIC_RELAXED),
                              __atomic_load_n(&moves.write_calls, __ATOMIC_RELAXED)};
}

void own_work_in_child(void)
{
    memset(&own_of_thread, 0, sizeof own_of_thread);
    memset(&own_of_process, 0, sizeof own_of_process);
    memset(&pages, 0, sizeof pages);
    faults_seen = 0;
    memset(&moves, 0, sizeof moves);
}
