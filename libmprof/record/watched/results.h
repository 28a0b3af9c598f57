/* The record of what calls carried: hashes (MPROF_RESULTS, mprof_result in mprof/format/format.h).
 *
 * wrap/results_watch.h hashes the data and tells here what they are: channels number them, lines
 * count their calls, and all goes into one table of fixed size. When the table is full, neighbours
 * in a channel are added together, as often as needed; with MPROF_RESULTS_FROM the detail of those
 * that came later is given up instead. How a table is folded follows from what it was told alone,
 * so two runs that do the same fold the same.
 *
 * All functions are called with the lock held, in which the caller also hashes: results are noted
 * one after the other. With several threads their order is that of the lock; the file says how
 * many threads there were.
 */
#ifndef MPROF_RECORD_RESULTS_H
#define MPROF_RECORD_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lock.h"
#include "mprof/format/format.h"

extern struct lock results_lock;

/* What results take of the arena, beside what the record may have without them. */
uint64_t results_arena_bytes(void);

/* With the arena open, if the user asks for results. Without room, or without a library to hash
 * with, there is a warning and nothing is noted. */
void results_open(void);
bool results_are_on(void);

/* The call that a hash belongs to. */
struct result_call {
    uint32_t callsite;
    uint32_t instance;
    uint16_t function; /* id */
    uint16_t communicator;
};

/* A call of a function that is watched, or a start of a persistent one: the next instance of its
 * function and callsite, which `call` has. `thread` identifies the thread. */
void results_count_call(struct result_call *call, const void *thread);

/* What a hash is of. */
struct result_channel {
    enum mprof_result_kind kind;
    uint32_t rank; /* in MPI_COMM_WORLD, of the other side of a message */
    uint32_t tag;  /* as mprof_thread.call_tag */
};

/* The place of the next hash in the order of the program. */
uint64_t results_next_place(void);

struct data_result {
    uint64_t hash;
    uint64_t place;
    uint16_t flags; /* mprof_result_flags */
};

/* A message; its number is the next one of its channel. */
void results_note_message(const struct result_call *call, const struct result_channel *channel,
                          const struct data_result *result);

/* A collective began: its number on the communicator. */
uint64_t results_next_collective(uint16_t communicator);
void results_note_collective(const struct result_call *call, enum mprof_result_kind kind,
                             uint64_t number, const struct data_result *result);

/* What the report bills, and what it has to say. NULL while nothing is noted. */
extern struct mprof_results *results;

/* For the finished file: how many are in the table. */
const struct mprof_result *results_table(uint32_t *count);

/* Grows when a child of fork() forgets its parent's record: what was kept elsewhere is stale then.
 */
extern uint64_t results_generation;

/* Memory of this thread for a watcher, from before a call to after it; NULL = none. */
void *results_scratch(size_t bytes);

/* In a child with a record of its own (attach.c). */
void results_forget(void);

/* ---- posted receives ------------------------------------------------------------------------- */

/* Receives in the order in which they were posted, for the numbers of messages.
 *
 * Both sides number the messages of a channel (communicator, sender, tag). MPI matches them in the
 * order of sending with receives in the order of posting, but a program may learn in any order
 * which ones have completed. So a message that arrived gets its number when no receive that was
 * posted before it could still take an earlier one. All with results_lock held. */

struct posted_receive {
    struct posted_receive *before;
    struct posted_receive *after;
    struct result_call call;
    int32_t source; /* rank in the communicator, or MPROF_ANY_PEER; once it arrived, the sender */
    uint32_t tag;   /* as mprof_thread.call_tag, likewise */
    uint32_t world_source; /* of what arrived */
    bool arrived;
    struct data_result result; /* of what arrived */
};

/* NULL = no memory: counted as not followed. */
struct posted_receive *receive_post(const struct result_call *call, int32_t source, uint32_t tag);

/* It completed, with `source`, `tag`, `world_source` and `result` filled in. It belongs to the
 * record from here on. */
void receive_arrived(struct posted_receive *receive);

/* It will bring nothing: cancelled, failed, or given up. */
void receive_withdraw(struct posted_receive *receive);

/* In a child with a record of its own (attach.c). */
void posted_receives_forget(void);

#endif
