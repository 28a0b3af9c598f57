/* Time bins (time_bins.h): everything that is done once per bin, or less often. */
#define _GNU_SOURCE
#include "record/time/time_bins.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/energy.h"
#include "base/lock.h"
#include "base/own_file.h"
#include "base/own_work.h"
#include "record/calls/attach.h"
#include "record/state/record.h"
#include "record/time/journals.h"
#include "record/time/plain_files.h"
#include "store/arena.h"

enum {
    FEWEST = 64,        /* bins, however small the record is */
    PART_OF_RECORD = 16 /* what the bins may take of it */
};
#define NOT_YET_TICKS 100000    /* until somebody asks again whether bins can begin */
#define IO_INTERVAL_NS 10000000 /* between two looks at the memory, and read() and write() */

static struct {
    struct lock lock;
    struct mprof_time *time; /* in the arena, as the bins; NULL = there are none */
    struct mprof_time_bin *bins;
    uint32_t capacity;
    uint64_t first_ticks;   /* length of the first bins: TIME_BIN_FIRST_NS */
    uint64_t io_ticks;      /* when the bytes of read() and write() were looked at */
    struct system_io moved; /* then */
} all;

void time_bins_open(void)
{
    uint32_t index;
    uint32_t capacity = TIME_BINS_MOST;
    while (capacity > FEWEST &&
           capacity * sizeof *all.bins > arena_ceiling_bytes() / PART_OF_RECORD)
        capacity /= 2;
    struct mprof_time *time =
        arena_allocate(MPROF_SECTION_TIME, 0, sizeof *all.time, sizeof *all.time, false, &index);
    if (time == NULL)
        return;
    all.bins = arena_allocate(MPROF_SECTION_TIME_BINS, 0, capacity * sizeof *all.bins,
                              sizeof *all.bins, false, &index);
    all.capacity = capacity;
    all.moved = system_io(); /* before, there are no bins */
    all.time = all.bins == NULL ? NULL : time;
}

void time_bins_attach(struct recorder *recorder)
{
    recorder->bin.end_ticks = all.time == NULL ? UINT64_MAX : 0;
}

/* ---- with the lock held ---------------------------------------------------------------------- */

static uint32_t index_of(uint64_t ticks)
{
    uint64_t begin = all.time->begin_ticks;
    uint64_t index = ticks > begin ? (ticks - begin) / all.time->bin_ticks : 0;
    return index < all.capacity ? (uint32_t)index : all.capacity - 1;
}

static uint64_t end_of(uint32_t index)
{
    return all.time->begin_ticks + (index + 1ull) * all.time->bin_ticks;
}

/* Rounded up: a line of short calls must not look like none. */
static uint64_t kiloticks_of(uint64_t ticks)
{
    return ticks == 0 ? 1 : ticks / 1024 + (ticks % 1024 != 0);
}

static void note_site(struct mprof_time_bin *bin, uint64_t site, uint16_t region,
                      uint64_t kiloticks)
{
    uint32_t callsite = (uint32_t)site;
    uint16_t function = (uint16_t)(site >> 32);
    bin->region = region;
    if (bin->function == function && bin->callsite == callsite)
        kiloticks += bin->site_kiloticks;
    else if (bin->function != 0 && bin->site_kiloticks >= kiloticks)
        return;
    bin->callsite = callsite;
    bin->function = function;
    bin->site_kiloticks = kiloticks < UINT32_MAX ? (uint32_t)kiloticks : UINT32_MAX;
}

static void add_bin(struct mprof_time_bin *to, const struct mprof_time_bin *from)
{
    for (int i = 0; i < MPROF_TIME_CLASSES; i++)
        to->ticks[i] += from->ticks[i];
    to->calls += from->calls;
    to->bytes += from->bytes;
    to->queue_ns += from->queue_ns;
    to->blocked_ns += from->blocked_ns;
    for (int i = 0; i < MPROF_GPU_STATES; i++)
        to->gpu_ticks[i] += from->gpu_ticks[i];
    to->read_bytes += from->read_bytes;
    to->written_bytes += from->written_bytes;
    for (int i = 0; i < MPROF_TIME_JOURNALS; i++)
        if (from->instances[i] != 0)
            to->instances[i] = from->instances[i];
    uint16_t region = from->calls != 0 ? from->region : to->region;
    if (from->function != 0)
        note_site(to, from->callsite | (uint64_t)from->function << 32, region,
                  from->site_kiloticks);
}

/* Adds neighbours together. A reader of the live file sees no bins meanwhile, and after a kill. */
static void halve(void)
{
    uint32_t count = all.time->bins;
    __atomic_store_n(&all.time->bins, 0, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < count; i += 2) {
        struct mprof_time_bin sum = all.bins[i];
        if (i + 1 < count)
            add_bin(&sum, &all.bins[i + 1]);
        all.bins[i / 2] = sum;
    }
    uint32_t left = (count + 1) / 2;
    memset(&all.bins[left], 0, (count - left) * sizeof *all.bins);
    all.time->bin_ticks *= 2;
    __atomic_store_n(&all.time->bins, left, __ATOMIC_RELEASE);
}

/* The first bins can begin as soon as MPI has begun, and it is known what a tick is worth. */
static bool has_begun(uint64_t now_ticks)
{
    if (all.time->bin_ticks != 0)
        return true;
    const struct mprof_clock_pair *start = &record.clock->start;
    uint64_t ns = clock_monotonic_ns() - start->monotonic_ns;
    if (!record.begun || ns < TIME_BIN_FIRST_NS || now_ticks <= start->ticks_after)
        return false;
    uint64_t ticks = scale_uint64(TIME_BIN_FIRST_NS, clock_ticks() - start->ticks_after, ns);
    if (ticks == 0)
        return false;
    all.time->begin_ticks = all.io_ticks = start->ticks_after;
    all.first_ticks = ticks;
    __atomic_store_n(&all.time->bin_ticks, ticks, __ATOMIC_RELEASE);
    return true;
}

/* There are bins up to this time. */
static void extend_to(uint64_t ticks)
{
    while (ticks > all.time->begin_ticks &&
           (ticks - all.time->begin_ticks) / all.time->bin_ticks >= all.capacity)
        halve();
    uint32_t index = index_of(ticks);
    if (index >= all.time->bins)
        __atomic_store_n(&all.time->bins, index + 1, __ATOMIC_RELEASE);
}

/* Divides `amount` among the bins from one time to another, to the last unit. `column` is where the
 * field is in a bin. */
static void spread_over_bins(size_t column, uint64_t amount, uint64_t from_ticks, uint64_t to_ticks)
{
    uint64_t given = 0;
    for (uint32_t index = index_of(from_ticks); given < amount; index++) {
        uint64_t end = end_of(index);
        bool is_last = end >= to_ticks || index + 1 == all.capacity;
        uint64_t sum =
            is_last ? amount : scale_uint64(amount, end - from_ticks, to_ticks - from_ticks);
        *(uint64_t *)(void *)((char *)&all.bins[index] + column) += sum - given;
        given = sum;
    }
}

static void note_journals(struct mprof_time_bin *bin)
{
    for (uint32_t i = 0; i < MPROF_TIME_JOURNALS; i++)
        bin->instances[i] = (uint32_t)journal_of_time(i, &all.time->communicators[i]);
}

static uint64_t growth_of(uint64_t now, uint64_t *before)
{
    uint64_t growth = now > *before && now != UINT64_MAX ? now - *before : 0;
    *before = now;
    return growth;
}

/* A rank that is killed for its memory takes no further sample. */
static void note_memory(void)
{
    char text[128];
    system_file_read("/proc/self/statm", text, sizeof text);
    const char *resident = strchr(text, ' '); /* pages: of all memory, and then this */
    const uint64_t pages = resident != NULL ? strtoull(resident, NULL, 10) : 0;
    const uint64_t bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    if (bytes > losses->peak_memory_bytes)
        losses->peak_memory_bytes = bytes;
}

/* What MPI_Init reads, and other calls that start something up, is of no file of the program's. */
static void note_io(uint64_t now_ticks, bool after_start_up)
{
    uint64_t interval = scale_uint64(IO_INTERVAL_NS, all.first_ticks, TIME_BIN_FIRST_NS);
    if (now_ticks <= all.io_ticks || now_ticks - all.io_ticks < interval)
        return;
    struct own_work work;
    own_work_begin(&work);
    const struct system_io now = system_io();
    const struct system_io moved = {growth_of(now.read_bytes, &all.moved.read_bytes),
                                    growth_of(now.written_bytes, &all.moved.written_bytes),
                                    growth_of(now.read_calls, &all.moved.read_calls),
                                    growth_of(now.write_calls, &all.moved.write_calls)};
    spread_over_bins(offsetof(struct mprof_time_bin, read_bytes), moved.read_bytes, all.io_ticks,
                     now_ticks);
    spread_over_bins(offsetof(struct mprof_time_bin, written_bytes), moved.written_bytes,
                     all.io_ticks, now_ticks);
    if (!after_start_up)
        plain_files_look(
            &moved, scale_uint64(now_ticks - all.io_ticks, TIME_BIN_FIRST_NS, all.first_ticks));
    all.io_ticks = now_ticks;
    note_memory();
    energy_look();
    own_work_end(&work);
}

/* More than a bin holds are calls from before there were bins: right before they began. */
static void add_ticks(const struct bin_part *part, uint64_t before)
{
    uint64_t sum = 0;
    for (int i = 0; i < MPROF_TIME_CLASSES; i++)
        sum += part->ticks[i];
    const bool is_longer = sum > all.time->bin_ticks && before > sum;
    const uint64_t from = is_longer ? before - sum : before;
    for (int i = 0; i < MPROF_TIME_CLASSES; i++)
        spread_over_bins(offsetof(struct mprof_time_bin, ticks) + (size_t)i * sizeof(uint64_t),
                         part->ticks[i], from, before);
}

/* The thread's part goes to the bin that holds the time `before`, or the end of its own bin if that
 * is earlier. */
static void flush_part(struct recorder *recorder, uint64_t before)
{
    struct bin_part *part = &recorder->bin;
    if (part->end_ticks != 0 && part->end_ticks <= before)
        before = part->end_ticks - 1;
    struct mprof_time_bin *bin = &all.bins[index_of(before)];
    add_ticks(part, before);
    bin->calls += part->calls;
    bin->bytes += part->bytes;
    if (part->calls != 0)
        note_site(bin, part->site, thread_state.region, kiloticks_of(part->site_ticks));
    if (recorder->number == 0)
        note_journals(bin);
    uint64_t end_ticks = part->end_ticks;
    memset(part, 0, sizeof *part);
    part->end_ticks = end_ticks;
}

/* The thread's part is one of the bin of `now` from here on. */
static void begin_part(struct recorder *recorder, uint64_t now_ticks, bool after_start_up)
{
    recorder->bin.end_ticks = end_of(index_of(now_ticks));
    if (now_ticks > all.time->end_ticks)
        all.time->end_ticks = now_ticks;
    note_io(now_ticks, after_start_up);
}

/* The call's ticks in each bin, and whether it is what most of them went to. */
static void divide_call(const struct call *call, const struct call_marks *marks)
{
    uint64_t stop = call->start_ticks + call->ticks;
    size_t column = offsetof(struct mprof_time_bin, ticks) + marks->time_class * sizeof(uint64_t);
    spread_over_bins(column, call->ticks, call->start_ticks, stop);
    for (uint32_t i = index_of(call->start_ticks); i <= index_of(stop); i++) {
        uint64_t end = end_of(i) < stop ? end_of(i) : stop;
        uint64_t begin = end_of(i) - all.time->bin_ticks;
        if (begin < call->start_ticks)
            begin = call->start_ticks;
        note_site(&all.bins[i], marks->call, call_region(call),
                  kiloticks_of(end > begin ? end - begin : 0));
    }
}

/* ---- the lock -------------------------------------------------------------------------------- */

/* What it took on a CPU, billed to libmprof. */
static uint64_t own_ticks_since(uint64_t begin_cpu_ns)
{
    uint64_t ns = clock_thread_ns() - begin_cpu_ns;
    __atomic_fetch_add(&losses->own_ns, ns, __ATOMIC_RELAXED);
    return scale_uint64(ns, all.first_ticks, TIME_BIN_FIRST_NS);
}

uint64_t time_bins_before(struct recorder *recorder, uint64_t now_ticks)
{
    if (now_ticks < recorder->bin.end_ticks)
        return 0;
    int program_errno = errno;
    const uint64_t begin_cpu_ns = clock_thread_ns();
    const bool is_taken = lock_take(&all.lock);
    if (is_taken && has_begun(now_ticks)) {
        extend_to(now_ticks);
        flush_part(recorder, now_ticks - 1);
        begin_part(recorder, now_ticks, false);
    } else {
        recorder->bin.end_ticks = now_ticks + NOT_YET_TICKS;
    }
    uint64_t own_ticks = own_ticks_since(begin_cpu_ns);
    lock_give_if(&all.lock, is_taken);
    errno = program_errno;
    return own_ticks;
}

/* Apart from the part: the call began in a bin that has ended. */
static void end_long_call(const struct call *call, const struct call_marks *marks)
{
    struct recorder *recorder = call->recorder;
    uint64_t stop = call->start_ticks + call->ticks;
    extend_to(stop);
    flush_part(recorder, call->start_ticks);
    struct mprof_time_bin *first = &all.bins[index_of(call->start_ticks)];
    first->calls++;
    first->bytes += call->size;
    divide_call(call, marks);
    begin_part(recorder, stop, marks->time_class == MPROF_TIME_START_UP);
}

uint64_t time_bins_after(const struct call *call, const struct call_marks *marks)
{
    uint64_t stop = call->start_ticks + call->ticks;
    if (stop < call->recorder->bin.end_ticks) {
        bin_part_add(&call->recorder->bin, call->ticks, call->size, marks);
        return 0;
    }
    int program_errno = errno;
    const uint64_t begin_cpu_ns = clock_thread_ns();
    const bool is_taken = lock_take(&all.lock);
    if (is_taken && has_begun(stop)) {
        end_long_call(call, marks);
    } else {
        bin_part_add(&call->recorder->bin, call->ticks, call->size, marks);
        call->recorder->bin.end_ticks = stop + NOT_YET_TICKS;
    }
    uint64_t own_ticks = own_ticks_since(begin_cpu_ns);
    lock_give_if(&all.lock, is_taken);
    errno = program_errno;
    return own_ticks;
}

void time_bins_add_off_cpu(uint64_t from_ticks, uint64_t to_ticks, uint64_t queue_ns,
                           uint64_t blocked_ns)
{
    if (!lock_take(&all.lock))
        return;
    if (all.time != NULL && has_begun(to_ticks) && from_ticks < to_ticks) {
        extend_to(to_ticks);
        spread_over_bins(offsetof(struct mprof_time_bin, queue_ns), queue_ns, from_ticks, to_ticks);
        spread_over_bins(offsetof(struct mprof_time_bin, blocked_ns), blocked_ns, from_ticks,
                         to_ticks);
    }
    lock_give(&all.lock);
}

void time_bins_add_gpu(uint64_t from_ticks, uint64_t to_ticks,
                       const uint64_t ticks[MPROF_GPU_STATES])
{
    if (!lock_take(&all.lock))
        return;
    if (all.time != NULL && has_begun(to_ticks) && from_ticks < to_ticks) {
        extend_to(to_ticks);
        for (size_t i = 0; i < MPROF_GPU_STATES; i++)
            spread_over_bins(offsetof(struct mprof_time_bin, gpu_ticks) + i * sizeof(uint64_t),
                             ticks[i], from_ticks, to_ticks);
    }
    lock_give(&all.lock);
}

void time_bins_settle(struct recorder *recorder, uint64_t now_ticks)
{
    if (!lock_take(&all.lock))
        return;
    if (all.time != NULL && has_begun(now_ticks) && !recorder->shared) {
        extend_to(now_ticks);
        flush_part(recorder, now_ticks);
        if (now_ticks > all.time->end_ticks)
            all.time->end_ticks = now_ticks;
    }
    lock_give(&all.lock);
}

void time_bins_thin(uint32_t most)
{
    const bool is_taken = lock_take(&all.lock);
    while (all.time != NULL && all.time->bins > most)
        halve();
    lock_give_if(&all.lock, is_taken);
}

void time_bins_forget(void)
{
    plain_files_forget();
    memset(&all, 0, sizeof all);
    all.lock = (struct lock){0};
}
