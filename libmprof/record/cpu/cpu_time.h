/* How long a thread's computing had a CPU, and for what it had none (mprof_off_cpu).
 *
 * Computing is the time between two MPI calls. A rank that the system keeps off its CPU, or that
 * sits in write(), looks the same on the clock as one that computes. The kernel knows: the CPU time
 * of a thread costs 0.2 us to read, its time in the run queue 3 us.
 *
 * CPU time is read where an MPI call begins or ends, when CPU_TIME_LEAST_NS have passed since the
 * last time. So every longer stretch of computing, and every longer call, has a reading at both
 * ends. The run queue is read only when time off the CPU has come together. Nothing stays open.
 *
 * call.h calls cpu_time_before() and cpu_time_after() on the thread that makes the call. Each
 * writes only this thread's record. Threads that share a recorder are not measured. Keeps errno.
 */
#ifndef MPROF_CPU_TIME_H
#define MPROF_CPU_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "record/state/recorder.h"
#include "record/tables/pair_tables.h"

#define CPU_TIME_LEAST_NS 200000ull

/* Rows of a thread's table, the first one for what is not kept apart: a power of two. */
enum { CPU_TIME_ROWS = 64 };

/* In a new recorder; without room there is no table. */
void cpu_time_open(struct recorder *recorder);

/* At the start of a call, `now_ticks` at or beyond thread_state.cpu.deadline. `key` is that of the
 * computing that ends here. Returns the time again. */
uint64_t cpu_time_before(const struct segment_key *key, uint64_t now_ticks);

/* At the end of a call, likewise; thread_state has left it. */
void cpu_time_after(void);

/* Where a call of a GPU's driver begins or ends, outside MPI calls, if it is time. What the
 * thread waits in between is not the program's computing. */
static inline bool cpu_time_is_due_around_gpu(uint64_t now_ticks)
{
    const struct recorder *recorder = thread_state.recorder;
    return recorder != NULL && !recorder->shared && recorder->off_cpu != NULL &&
           now_ticks - thread_state.cpu.last.ticks >= thread_state.cpu.least_ticks &&
           (thread_state.last_call & LAST_CALL_UNTIMED) == 0;
}
void cpu_time_around_gpu(void);
/* The same behind a poll of a GPU, which says that work has not ended, as one before the last
 * reading did and all since then. If the thread computed for less than `least_ns` meanwhile, it was
 * waiting for the GPU, also where it had no CPU. Returns how many ticks of computing these were. */
uint64_t cpu_time_between_polls(uint64_t least_ns);

/* After long work of libmprof itself, which is neither computing nor MPI. */
void cpu_time_skip(void);

/* What this thread's computing took so far was before the run. */
void cpu_time_forget(struct recorder *recorder);

/* Of computing, off the CPU: of the thread that has most. */
uint64_t recorders_off_cpu_ns(void);

/* The time in the run queue of all threads of this process that live now, and their number. */
uint64_t cpu_time_queue_of_all_ns(uint32_t *threads);

/* The second number of a text as /proc/.../schedstat has it, in ns; false if there is none. */
bool cpu_time_parse_queue(const char *text, uint64_t *queue_ns);

/* ---- of the tests ---------------------------------------------------------------------------- */

/* What is known of an interval between two readings. */
struct cpu_time_interval {
    uint64_t wall_ns;
    uint64_t computing_ns; /* of it; the rest is in MPI calls */
    uint64_t cpu_ns;
};

/* How much of the time off the CPU belongs to computing. All, where nearly all is computing; none,
 * where nearly all is MPI; else its share. */
uint64_t cpu_time_off_of_computing(const struct cpu_time_interval *interval);

#endif
