/* The run over time: what a thread did in MPI, bin by bin (mprof_time_bin).
 *
 * Each thread adds its calls up in its recorder (struct bin_part), which costs some additions.
 * Where a bin ends, the part goes to the process's bins. So those change once per bin and thread. A
 * call that covers several bins is divided among them exactly. Calls and bytes count in the bin in
 * which the call began. When the bins are full, neighbours are added together and their length
 * doubles.
 *
 * The law, when no call is being recorded: the sum over all bins and all threads' parts of ticks,
 * calls and bytes is that of the entries, but for threads that share a recorder.
 *
 * call.c adds and asks on the thread that makes the call. The bins themselves are behind a lock.
 * The end of a bin is never later than thread_state.cpu.deadline, so the hot path asks for both at
 * once. No bin begins before MPI does. Keeps errno.
 */
#ifndef MPROF_TIME_BINS_H
#define MPROF_TIME_BINS_H

#include <stdint.h>

#include "base/hot.h"
#include "record/paths/path_cache.h"
#include "record/state/recorder.h"
#include "record/state/running_call.h"

/* In the finished file fewer, and fewer still where more than MANY_RANKS files are read at once. */
enum { TIME_BINS_MOST = 512, TIME_BINS_FINISHED = 256, TIME_BINS_OF_MANY = 128, MANY_RANKS = 1024 };
#define TIME_BIN_FIRST_NS 1000000ull

/* With the arena open; without room there are no bins. */
void time_bins_open(void);

/* A new recorder. */
void time_bins_attach(struct recorder *recorder);

/* The line with most of the ticks, by the vote of R. Boyer and J Moore, 1981. */
static HOT void bin_part_vote(struct bin_part *part, uint64_t site, uint64_t ticks)
{
    READ_ANEW(part->site_ticks);
    if (part->site_ticks > ticks) {
        part->site_ticks -= ticks;
    } else {
        part->site_ticks = ticks - part->site_ticks;
        part->site = site;
    }
}

/* A call of this length and size is added to the thread's part. */
static HOT void bin_part_add(struct bin_part *part, uint64_t ticks, uint64_t size,
                             const struct call_marks *marks)
{
    const uint64_t site = marks->call;
    part->ticks[marks->time_class] += ticks;
    part->calls++;
    part->bytes += size;
    if (__builtin_expect(part->site == site, 1))
        part->site_ticks += ticks;
    else
        bin_part_vote(part, site, ticks);
}

/* Where computing ends: the part goes to its bin if that has ended at `now_ticks`. Returns in ticks
 * what that took. */
uint64_t time_bins_before(struct recorder *recorder, uint64_t now_ticks);

/* In place of bin_part_add(), at the end of a call that may reach into other bins. Returns in ticks
 * what that took. */
uint64_t time_bins_after(const struct call *call, const struct call_marks *marks);

/* Computing from one tick to another that had no CPU. */
void time_bins_add_off_cpu(uint64_t from_ticks, uint64_t to_ticks, uint64_t queue_ns,
                           uint64_t blocked_ns);

/* Computing from one tick to another in a GPU's driver: ticks by gpu_state. */
void time_bins_add_gpu(uint64_t from_ticks, uint64_t to_ticks,
                       const uint64_t ticks[MPROF_GPU_STATES]);

/* The thread's part goes to its bin whether that has ended or not: the thread ends, or MPI does. */
void time_bins_settle(struct recorder *recorder, uint64_t now_ticks);

/* For the finished file: at most so many bins. */
void time_bins_thin(uint32_t most);

/* In a child with a record of its own (attach.c). */
void time_bins_forget(void);

#endif
