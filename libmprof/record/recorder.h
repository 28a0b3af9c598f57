/* The recorder: what one thread writes down of its MPI calls. The hot path of libmprof.
 *
 * Each thread that calls MPI owns a recorder, reached by one initial-exec TLS access: tables in the
 * arena that only this thread writes, so no lock and no atomic operation is needed; the parser adds
 * the threads up. When a thread ends, its recorder waits for the next new thread. Only when the
 * arena has no room for another one do threads share the last one, behind a lock.
 *
 * Invariants: an entry is found by its key (size, function, region, communicator, kind, precision,
 * callsite); tables are at most 3/4 full; the sum of calls, bytes and ticks over all entries is
 * exact whatever detail was folded (format.h).
 */
#ifndef MPROF_RECORDER_H
#define MPROF_RECORDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "mprof/format.h"

struct comm;

enum { TRANSLATIONS = 256 };

/* A rank of a communicator and its world rank, as translated before. */
struct translation {
    uint32_t comm_serial; /* 0 = empty */
    int32_t rank;
    uint32_t world_rank;
};

struct recorder {
    struct mprof_thread *live; /* in the arena */
    struct mprof_entry *entries;
    uint32_t entry_mask; /* capacity - 1 */
    uint32_t entry_count;
    uint32_t entry_limit; /* grow when entry_count reaches it */
    uint32_t instance;
    struct mprof_partner *partners;
    uint32_t partner_mask;
    uint32_t partner_count;
    uint32_t partner_limit;
    uint8_t precision; /* mprof_precision of new entries */
    bool shared;       /* by several threads: take the lock */
    pthread_mutex_t lock;
    struct translation translations[TRANSLATIONS];
    struct recorder *next; /* while it waits for a thread */
};

/* What a thread needs at every call. `depth` is not 0 inside an MPI call of the program: what the
 * MPI library or a callback calls then is not the program's own call and is not recorded.
 * `outermost` is the address of that call's `struct call`, on the thread's stack: a call that finds
 * itself further out on the stack knows that the other one was left by longjmp() or by a C++
 * exception from an error handler, and never ended. */
struct thread_state {
    struct recorder *recorder; /* NULL = not attached yet, or nothing can be recorded */
    uint32_t depth;
    uint16_t region; /* slot */
    bool paused;
    uint32_t regions_not_kept; /* open regions for which there was no slot */
    const void *outermost;
    void *scratch; /* for completing calls with many requests */
    size_t scratch_bytes;
};
extern __thread struct thread_state thread_state __attribute__((tls_model("initial-exec")));

/* What an entry is found by. */
struct entry_key {
    uint64_t size;
    uint16_t function;
    uint16_t region;
    uint16_t communicator;
    uint8_t kind;
    uint32_t callsite;
};

/* One call that took `ticks`. */
void record_call(struct recorder *recorder, const struct entry_key *key, uint64_t ticks);

/* `messages` that carried `bytes` and no time of their own (kinds START and RECEIVED). */
void record_messages(struct recorder *recorder, const struct entry_key *key, uint64_t messages,
                     uint64_t bytes);

/* A call recorded as PENDING is now known to have moved `size` bytes. */
void record_completion(struct recorder *recorder, const struct entry_key *pending, uint64_t size,
                       uint64_t ticks);

void record_partner(struct recorder *recorder, enum mprof_partner_kind kind, uint32_t world_rank,
                    uint64_t bytes);

/* Memory of this thread of at least `bytes`, valid until the next call of this function; NULL =
 * none. */
void *thread_scratch(size_t bytes);

/* The recorder of this thread: made, taken over from a thread that ended, or the shared one. NULL =
 * nothing can be recorded. Called once per thread. */
struct recorder *recorder_attach(void);

/* Adds up everything recorded so far, over all threads: one item per function id, for the summary.
 * Ticks are net of the clock's own cost, `read_ticks` per call. Returns the MPI ticks of the thread
 * that has most. */
struct function_sum {
    uint64_t calls;
    uint64_t bytes;
    uint64_t ticks;
};
uint64_t recorders_sum(struct function_sum *sums, uint32_t functions, uint64_t read_ticks);

/* Median cost in ticks of recording one call, measured on a table of its own. */
uint64_t recorder_cost(void);

/* Calls `visit` for each recorder that was ever made. */
void recorders_visit(void (*visit)(struct recorder *recorder, void *context), void *context);

#endif
