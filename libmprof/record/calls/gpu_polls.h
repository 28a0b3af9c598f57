/* Polls of a GPU in a loop: cudaStreamQuery() or cudaEventQuery() until it says that work has
 * ended. Such a loop asks some hundred thousand times a second, so only a part of its polls read
 * the clock and look for their path (MPROF_SAMPLE=0: all do).
 *
 * A loop is polls from one place for work behind the same kernel, with no other call of the driver
 * and no MPI call in between. It is hot when GPU_POLLS_TO_BE_HOT of its polls were timed and one of
 * them takes, with the computing before it, less than the limit. Then polls without the clock
 * alternate with timed ones. What the former took together is known, because it lies between two
 * reads of the clock. It is divided among the polls and the computing between them in proportion to
 * what these took when they were timed. If a stretch is far longer than that, something else was
 * done in it, and polls get what is usual.
 *
 * Nothing here knows of threads or of the record: the caller has a loop for each recorder, and the
 * time. gpu_calls.c counts each poll when it is made. */
#ifndef MPROF_GPU_POLLS_H
#define MPROF_GPU_POLLS_H

#include <stdbool.h>
#include <stdint.h>

enum { GPU_POLLS_TO_BE_HOT = 32, GPU_POLLS_TIMED = 4, GPU_POLLS_UNTIMED = 60 };

/* Of one poll. */
struct gpu_poll {
    const void *return_address;
    const void *cfa;
    uint64_t mpi_ticks; /* both change with the thread's MPI calls */
    uint32_t mpi_polls;
    uint32_t kernel; /* before it */
};

/* Zeros: there was none. */
struct gpu_poll_loop {
    struct gpu_poll now; /* that begins or has ended; the caller's */
    struct gpu_poll last;
    bool is_broken;   /* something else came after the last poll */
    bool has_no_gap;  /* how long was computed before the next poll is not known */
    uint32_t timed;   /* one after another, soon */
    uint32_t slow;    /* or after long computing */
    uint32_t to_time; /* before some go without the clock */
    uint32_t left;    /* may go without it */
    uint32_t pending; /* went without it, and have no time yet */
    uint64_t timed_ticks, gap_ticks;
    uint64_t last_ticks; /* the end of the last timed poll, or of the last stretch */
    uint64_t busy_ticks; /* since then all polls, one after another, said that work has not ended;
                            0 = the last one did not. The caller's; likewise: */
    uint64_t polls_read; /* made until the CPU time was read */
    uint32_t callsite;   /* of the polls */
    uint32_t kernel_row;
};

/* The poll `now` needs no clock. */
bool gpu_polls_goes_untimed(struct gpu_poll_loop *loop);

/* It was timed. */
void gpu_polls_timed(struct gpu_poll_loop *loop, uint64_t start_ticks, uint64_t end_ticks,
                     uint64_t hot_ticks);

/* Returns what the pending polls took until now. BEFORE: the next poll of the loop begins now;
 * AFTER: the last one ends now; ELSEWHERE: another call begins now, some time after the last one.
 */
enum gpu_polls_end { GPU_POLLS_BEFORE, GPU_POLLS_AFTER, GPU_POLLS_ELSEWHERE };
uint64_t gpu_polls_settle(struct gpu_poll_loop *loop, uint64_t now_ticks, enum gpu_polls_end end);

/* Is `now` the next poll of the loop? */
bool gpu_polls_follows(const struct gpu_poll_loop *loop);

#endif
