/* Where a thread's computing is: addresses that the kernel samples, without a signal.
 *
 * perf_event_open(2) with the software event task-clock: after each period on a CPU, such as 10 ms,
 * the kernel writes the thread's address into a ring of pages that it shares with the process. No
 * handler runs, no system call of the program is interrupted, and no thread or descriptor is added:
 * the event lives as long as its pages are mapped. Time inside the kernel is not sampled.
 *
 * A ring of stacks has samples with the thread's registers and a copy of the innermost part of its
 * stack (copied_stack.h), which are much larger: it is a ring of its own, at a lower rate.
 *
 * The pages are not copied to a child of fork(). So a ring is used by the process that opened it
 * only, and what a child inherits is to be forgotten, not closed.
 */
#ifndef MPROF_CPU_RING_H
#define MPROF_CPU_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu_ring {
    void *pages; /* of struct perf_event_mmap_page, and the data behind it; NULL = closed */
    size_t bytes;
    uint64_t tail; /* what was read so far */
    int process;
};

/* Of the thread that calls, with stacks if `registers` is not 0: these (copied_stack.h). Returns a
 * mprof_cpu_samples_state. */
uint32_t cpu_ring_open(struct cpu_ring *ring, uint64_t period_ns, uint64_t registers);

/* Nothing, if the ring is another process's. */
void cpu_ring_close(struct cpu_ring *ring);

/* What the kernel wrote from `tail` to `head`, into `size` bytes, a power of two. */
struct cpu_ring_data {
    const uint8_t *data;
    uint64_t size;
    uint64_t tail;
    uint64_t head;
};

/* A sample, and where in the ring the rest of it is. */
struct cpu_ring_sample {
    uint64_t address;
    const struct cpu_ring_data *ring;
    uint64_t rest;
    uint64_t rest_bytes;
};

/* Takes all samples out. `visit` is called for each, or not at all if it is NULL. Returns how many
 * the ring had no room for. */
typedef void cpu_ring_visit(const struct cpu_ring_sample *sample, void *context);
uint64_t cpu_ring_take(struct cpu_ring *ring, cpu_ring_visit *visit, void *context);

/* The same of these bytes. For the tests. */
uint64_t cpu_ring_read(const struct cpu_ring_data *ring, cpu_ring_visit *visit, void *context);

/* Is there anything to take out? */
bool cpu_ring_has_more(const struct cpu_ring *ring);

/* Bytes of a sample; they may go on at the ring's begin. */
void cpu_ring_copy(const struct cpu_ring_data *ring, uint64_t at, void *to, uint64_t bytes);

#endif
