/* Where a thread's computing is: addresses that the kernel samples, without a signal.
 *
 * perf_event_open(2) with the software event task-clock: after each period on a CPU, such as 10 ms,
 * the kernel writes the thread's address into a ring of pages that it shares with the process. No
 * handler runs, no system call of the program is interrupted, and no thread or descriptor is added:
 * the event lives as long as its pages are mapped. Time inside the kernel is not sampled.
 *
 * A ring of stacks has samples with the thread's registers and a copy of the innermost part of its
 * stack (copied_stack.h), which are much larger: it is a ring of its own, at a lower rate. Another
 * ring of stacks has one sample for so many page faults: where the program touches memory for which
 * the kernel then has to find pages. Those of the time before MPI_Init nobody can read until then,
 * so they have less of the stack.
 *
 * The pages are not copied to a child of fork(). So a ring is used by the process that opened it
 * only, and what a child inherits is to be forgotten, not closed.
 */
#ifndef MPROF_CPU_RING_H
#define MPROF_CPU_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/own_work.h"
#include "mprof/format/format.h"

struct cpu_ring {
    void *pages; /* of struct perf_event_mmap_page, and the data behind it; NULL = closed */
    size_t bytes;
    uint64_t tail; /* what was read so far */
    int process;
};

/* Of the thread that calls, a sample each so many ns on a CPU, or page faults. With stacks if
 * `registers` is not 0: these (copied_stack.h). Returns a mprof_cpu_samples_state. */
enum cpu_ring_event { CPU_RING_TIME, CPU_RING_FAULTS, CPU_RING_EARLY };
uint32_t cpu_ring_open(struct cpu_ring *ring, enum cpu_ring_event of, uint64_t period,
                       uint64_t registers);

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

/* Bytes of a sample; they may go on at the start of the ring. */
void cpu_ring_copy(const struct cpu_ring_data *ring, uint64_t at, void *to, uint64_t bytes);

/* ---- what a thread keeps of its CPU time ------------------------------------------------------
 */

/* Declared here and not where it is used (cpu_time.h), because it is a part of thread_state
 * (recorder.h), which these headers need. */

/* One look at a thread's CPU time. */
struct cpu_time_reading {
    uint64_t ticks; /* 0 = none yet */
    uint64_t wall_ns;
    uint64_t cpu_ns;
    uint64_t mpi_ticks; /* thread_state.mpi_ticks then */
    uint64_t gpu_ticks; /* thread_state.gpu.ticks then */
};

/* How often a thread leaves its CPU, in windows (cpu_samples.c). */
struct cpu_watch {
    uint64_t begin_ns; /* of the window; 0 = none has begun */
    uint64_t look_ns;  /* when it was looked at last */
    uint64_t switches; /* when the window began */
    bool is_paused;    /* no samples are taken for now */
    uint32_t calm_windows;
    uint32_t calm_needed;     /* in a row, before samples are taken again */
    uint64_t computing_ns;    /* on a CPU, in the pause */
    uint64_t lost;            /* samples of that, which were counted as lost */
    uint64_t pause_ns;        /* when the pause began */
    uint64_t pause_most_ns;   /* before there is a glimpse */
    uint64_t glimpse_ends_ns; /* 0 = there is none */
};

/* The ring of a thread's page faults (cpu_samples.c), in its recorder. */
struct fault_watch {
    struct cpu_ring ring; /* with stacks */
    uint32_t faults_per_sample;
    bool is_refused;   /* by the kernel, or for lack of memory */
    uint64_t begin_ns; /* since when it is open */
    uint64_t next_ns;  /* when it may be opened again */
};

/* What cpu_time.c knows of a thread. */
struct thread_cpu {
    uint64_t deadline;    /* in ticks: of the next reading, and of a sample */
    uint64_t least_ticks; /* between two readings; 0 = not known yet */
    struct cpu_time_reading last;
    uint64_t cost_ns;          /* the least that one reading took */
    uint64_t off_ns;           /* off the CPU since the run queue was read */
    uint64_t off_computing_ns; /* of it, in computing */
    uint64_t off_from_ticks;   /* when that began to come together */
    uint64_t queue_ns;         /* in the run queue by the last division */
    uint64_t queue_read_ns;    /* when the kernel was asked */
    uint64_t sleeps;           /* how often the thread had given up its CPU by then */
    bool has_queue;            /* the kernel tells the time in the run queue */
    uint64_t usage_ns;         /* when the next was read */
    struct kernel_counts usage;
    struct cpu_watch watch;
    struct cpu_ring ring;      /* of samples; the process's own only */
    struct cpu_ring path_ring; /* of those with stacks */
    uint64_t path_begin_ns;    /* since when there are such */
    uint64_t path_ns;          /* spent on walking their stacks */
    uint64_t path_reading_ns;  /* of it, and on opening rings, by the reading under way */
    uint64_t path_unloads;     /* how often libraries had been unloaded by then */
    struct mprof_off_cpu held; /* in the first row until it is known of which segment it is */
};

#endif
