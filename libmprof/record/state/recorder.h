/* The recorder: what one thread writes down of its MPI calls. The hot path of libmprof.
 *
 * Each thread that calls MPI owns a recorder, reached by one initial-exec TLS access: tables in the
 * arena that only this thread writes, so no lock and no atomic operation is needed; the parser adds
 * the threads up. When a thread ends, its recorder waits for the next new thread. Only when the
 * arena has no room for another one do threads share one, behind a lock, which the arena's reserve
 * is there for.
 *
 * The law of the calls, at any moment when no call is being recorded, over one rank's record:
 *
 *     calls made = sum of `calls` over all entries of kind CALL and PENDING, of all threads
 *                  + sum of mprof_thread.lost_calls + mprof_run.lost_calls
 *     calls without a path, for lack of room = sum of mprof_thread.folded_callsites
 *     calls with a shorter path = the part in entries whose path is MPROF_CALLSITE_SHORT
 *     mprof_thread.binned_calls = the part in its entries of MPROF_PRECISION_BIN
 *     mprof_thread.folded_calls = the part in its entries of MPROF_PRECISION_FUNCTION
 *
 * Invariants: an entry is found by its key (size, function, region, communicator, kind, precision,
 * callsite); tables are at most 3/4 full; the sum of calls, bytes and ticks over all entries is
 * exact whatever detail was folded (format.h).
 */
#ifndef MPROF_RECORDER_H
#define MPROF_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/hot.h"
#include "base/lock.h"
#include "base/own_work.h"
#include "mprof/format/format.h"
#include "record/calls/gpu_calls.h"
#include "record/calls/gpu_polls.h"
#include "record/cpu/cpu_ring.h"

struct comm;
struct path;
struct path_cache;

enum { MAX_RECORDERS = 256, TRANSLATIONS = 256, POLLS_PATHS = 8 };
#define LAST_CALL_UNTIMED (1ull << 63)

/* A rank of a communicator and its world rank, as translated before. */
struct translation {
    uint32_t comm_serial; /* 0 = empty */
    int32_t rank;
    uint32_t world_rank;
};

/* Where the rows of a line's requests were found last. The pointers are valid while `word` and
 * `callsite` are those of the request, which is compared, and while the table does not move
 * (entry_rows_forget). An unknown row is a row that no key equals. */
struct request_rows {
    uint64_t word; /* entry_word() of the call that starts the requests */
    uint32_t callsite;
    uint32_t partner; /* offset in bytes in the partner table; its row's key is compared */
    struct mprof_entry *pending;
    struct mprof_entry *arrived;
    struct mprof_entry *completed;
};
enum { REQUEST_ROWS = 256 };
#define REQUEST_ROWS_UNKNOWN UINT64_MAX

/* Whom the last epochs of windows were with (wrap/epochs.h). */
enum { EPOCH_RANKS = 8 };
enum { EPOCHS = 8, EPOCH_NONE = 0, EPOCH_ACCESS = 1, EPOCH_EXPOSURE = 2 };
struct epoch_partner {
    uint64_t window; /* handle */
    uint32_t kind;   /* EPOCH_... */
    uint32_t ranks;  /* how many; 0 = none, or not known */
    uint32_t world_ranks[EPOCH_RANKS];
};

/* What a thread did in the time bin that is under way (time/time_bins.h). */
struct bin_part {
    uint64_t ticks[MPROF_TIME_CLASSES];
    uint64_t calls;
    uint64_t bytes;
    uint64_t site;       /* of the line with most of the ticks, as thread_state.last_call */
    uint64_t site_ticks; /* of it, at least */
    uint64_t end_ticks;  /* of the bin; 0 = none began, UINT64_MAX = there are no bins */
};

struct recorder {
    struct mprof_thread *live; /* in the arena */
    struct mprof_entry *entries;
    uint32_t entry_mask; /* capacity - 1 */
    uint32_t entry_count;
    uint32_t entry_limit; /* grow when entry_count reaches it */
    uint32_t number;
    struct mprof_partner *partners;
    uint32_t partner_mask;
    uint32_t partner_count;
    uint32_t partner_limit;
    struct mprof_segment *segments;
    uint32_t segment_mask;
    uint32_t segment_count;
    uint32_t segment_limit;
    struct mprof_off_cpu *off_cpu;          /* CPU_TIME_ROWS of them, or NULL (cpu_time.h) */
    struct mprof_cpu_sample *cpu_samples;   /* CPU_SAMPLE_ROWS, or NULL (cpu_samples.h) */
    struct mprof_sample_path *sample_paths; /* SAMPLE_PATH_ROWS, or NULL (cpu_samples.h) */
    struct mprof_sample_path *fault_paths;  /* the same of page faults */
    struct mprof_sample_path *early_paths;  /* the same before MPI_Init (early_samples.h) */
    struct fault_watch faults;              /* these come from there */
    uint8_t precision;   /* of new entries: MPROF_PRECISION_EXACT or, at last, _FUNCTION */
    bool function_alone; /* of new entries with precision _FUNCTION, not region and communicator */
    bool shared;         /* by several threads: take the lock */
    bool careful;        /* shared, or counters are read: calls do not go the short way */
    bool plain;          /* not shared, entries exact: nor do completed requests otherwise */
    struct bin_part bin;
    struct mprof_last_call *last_calls; /* a ring (time/last_calls.h) */
    struct mprof_last_call *last_calls_end;
    struct mprof_last_call *last_call; /* the item that comes next */
    struct mprof_last_call no_last_calls;
    struct lock lock;
    struct request_rows request_rows[REQUEST_ROWS]; /* by callsite and function, modulo */
    struct translation translations[TRANSLATIONS];
    struct epoch_partner epochs[EPOCHS];
    uint32_t next_epoch;        /* to be overwritten */
    struct recorder *next;      /* while it waits for a thread */
    struct thread_state *owner; /* the thread that has it now; NULL = none, or not known */
    /* Left by the last thread of this recorder. Requests that it started may complete on the next
     * thread. That thread counts on from here, as if the time between the two were MPI time. */
    uint64_t left_ticks;
    uint64_t left_mpi_ticks;
    /* Single calls (time/events.h). */
    struct mprof_last_call *other_calls[3]; /* the ring that is not in use: as the three above */
    struct {
        struct mprof_last_call *in_use[3];
        struct mprof_last_call *other[3];
        bool in_events;
        bool is_under_way;
    } exchange;            /* of the two, until it is done */
    bool has_events;       /* the events' ring is one of the two */
    bool in_events;        /* it is the one in use */
    bool keeps_messages;   /* no message takes the short way */
    struct mprof_gpu *gpu; /* in the arena; NULL = no call of a GPU's driver yet (gpu_calls.h) */
    struct mprof_gpu_site *gpu_sites; /* GPU_SITE_ROWS of them, or NULL */
    struct gpu_poll_loop gpu_polls;   /* of the thread that has it now */
};

/* What a thread needs at every call. `depth` is not 0 inside an MPI call of the program: what the
 * MPI library or a callback calls then is not the program's own call and is not recorded.
 * `outermost` is the address of that call's `struct call`, which is on the thread's stack. If a new
 * call is further out on the stack, the old one was left by longjmp() or by a C++ exception from an
 * error handler. */
struct thread_state {
    struct recorder *recorder; /* NULL = not attached yet, or nothing can be recorded */
    uint32_t depth;
    uint16_t region; /* slot */
    bool paused;
    uint32_t regions_not_kept; /* open regions for which there was no slot */
    uint32_t waits_for; /* number of the hold that it waits for the end of (recorders_hold) */
    const void *outermost;
    struct path_cache *paths; /* path_cache.h; never NULL */
    uint64_t last_stop_ticks; /* when the last MPI call ended; 0 = there was none */
    uint64_t last_call;       /* callsite | (1 + function id) << 32 of that call; 0 = begin of the
                                 recording; LAST_CALL_UNTIMED if it was an untimed poll */
    uint64_t mpi_ticks;       /* of all calls that ended on this thread */
    struct thread_cpu cpu;
    bool own_work;       /* after it a call ends: the CPU is not looked at */
    bool polls_ended;    /* the last poll, or one before it: a request, so that a new wait begins */
    uint32_t polls_left; /* of this untimed stretch (polls.h); 0 = polls are timed */
    uint32_t polls_to_time; /* before the next one */
    uint32_t polls_random;
    uint32_t polls_pending;          /* in use in `polls` */
    struct path *polls[POLLS_PATHS]; /* with untimed polls */
    double polls_timed_ticks;        /* of this timed stretch, and how wrong the rule was there */
    double polls_error;
    struct thread_gpu gpu;
    void *scratch; /* for completing calls with many requests */
    size_t scratch_bytes;
};
extern __thread struct thread_state thread_state __attribute__((tls_model("initial-exec")));

/* Since the last call ended so many ticks were not computing, at most all of them: some are
 * estimated, and two parts of mprof may have billed the same ones. Before a thread's first call
 * there is nothing that they could be taken from. */
static inline void thread_was_not_computing(uint64_t ticks)
{
    const uint64_t last_stop_ticks = thread_state.last_stop_ticks;
    const uint64_t now = clock_ticks();
    if (last_stop_ticks == 0 || now <= last_stop_ticks)
        return;
    const uint64_t passed = now - last_stop_ticks;
    thread_state.last_stop_ticks = last_stop_ticks + (ticks < passed ? ticks : passed);
}

/* Around what writes to its tables, and what reads more than one of a recorder's fields. False: the
 * lock cannot be had, and what would be recorded is lost. */
static inline bool recorder_lock(struct recorder *recorder)
{
    return __builtin_expect(!recorder->shared, 1) || lock_take(&recorder->lock);
}

static inline void recorder_unlock(struct recorder *recorder)
{
    if (__builtin_expect(recorder->shared, 0))
        lock_give(&recorder->lock);
}

/* Fields of a row as one number; both machines are little-endian. */
static HOT uint64_t word_at(const void *field)
{
    uint64_t word;
    memcpy(&word, field, sizeof word);
    return word;
}

/* One probe for the tables of a recorder: the row for which `is_it` holds, that of the key or an
 * empty one. Tables are at most 3/4 full. Inline, so that the comparison is. */
enum { LOAD_NUMERATOR = 3, LOAD_DENOMINATOR = 4 };
typedef bool is_row(const void *row, const void *key);

static HOT void *row_probe(void *rows, size_t row_bytes, uint32_t mask, uint32_t hash,
                           is_row *is_it, const void *key)
{
    char *first = (char *)rows; /* the tests read this as C++ */
    for (uint32_t at = hash & mask;; at = (at + 1) & mask)
        if (is_it(first + at * row_bytes, key))
            return first + at * row_bytes;
}

/* Memory of this thread of at least `bytes`, valid until the next call of this function; NULL =
 * none. */
void *thread_scratch(size_t bytes);
void thread_drop_scratch(void);

/* Adds up everything recorded so far, over all threads: one item per function id, for the summary.
 * Ticks are net of the clock's own cost, `read_ticks` per call. Returns what the thread has that is
 * in MPI for the longest time. */
struct function_sum {
    uint64_t calls;
    uint64_t bytes;
    uint64_t ticks;
};
struct busiest_thread {
    uint64_t mpi_ticks;
    uint64_t gpu_ticks; /* in a GPU's driver, outside MPI */
};
struct busiest_thread recorders_sum(struct function_sum *sums, uint32_t functions,
                                    uint64_t read_ticks);

/* Counts the holds of calls/attach.h; odd = one is under way. */
extern HIDDEN uint32_t recorders_hold_number;

static inline uint32_t recorders_hold_now(void)
{
    return __atomic_load_n(&recorders_hold_number, __ATOMIC_ACQUIRE);
}

/* The beginning of a call, where a thread looks for its path. Waits while the record moves. */
void recorder_wait_for_release(void);

/* All recorders that were ever made, at most MAX_RECORDERS, and those that wait for a thread.
 * Whoever changes it holds `lock`. calls/attach.c makes them and hands them out. */
extern HIDDEN struct recorder_pool {
    struct lock lock;
    struct recorder *all[MAX_RECORDERS];
    uint32_t count;
    struct recorder *idle;
    struct recorder *shared; /* when there is no room for more */
} recorder_pool;

/* Sleeps a little, for what all threads must see: no cancellation point, as usleep() is. */
void recorders_pause(void);

/* Calls `visit` for each recorder that was ever made. */
void recorders_visit(void (*visit)(struct recorder *recorder, void *context), void *context);

/* At fork(): no lock stays locked in the child. */
void recorders_unlock_in_child(void);

/* In a child with a record of its own (attach.c). */
void recorders_forget(void);

#endif
