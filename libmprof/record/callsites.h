/* Which line of the program makes this MPI call, and by which path it was reached.
 *
 * The stack is walked once per new path. At every other call the return addresses are compared
 * where they lie on the stack: by induction from the innermost frame outwards, the same return
 * address below means the same layout of the frame above, so equal words in equal places are the
 * same path. Measured: 6 to 7 ns a call against 31 to 50 for a walk, and never a wrong path in
 * 690,000 calls of six programs, while going by (return address, stack pointer) alone is wrong in
 * up to 90 % of the calls, because two lines of one function that call the same helper have the
 * same pair.
 *
 * callsite_find() is called by every wrapper before the clock is read. Each thread has its own
 * cache of paths, in private memory; the paths themselves are in the record (CALLSITES and MODULES
 * in mprof/format/format.h), shared by all threads, behind a lock that only new paths take. A full
 * cache is emptied. Its paths stay in the record.
 *
 * A path that leads through a script is told apart by the script's functions and instructions, too
 * (paths/scripts.h).
 *
 * Paths take at most 3/8 of the record. Beyond that, a new path keeps only a few frames
 * (MPROF_CALLSITE_SHORT), and at last only its line. One piece of the table is reserved for these.
 */
#ifndef MPROF_CALLSITES_H
#define MPROF_CALLSITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "record/modules.h"

enum { CALLSITE_MAX_FRAMES = 24, CALLSITE_MPI_FRAMES = 4 };

/* A word of the stack that is a return address of the path. */
struct stack_word {
    int64_t offset; /* in bytes from the wrapper's canonical frame address */
    uintptr_t value;
};

/* How many words are compared in one turn: with 4 a word costs 5 instructions instead of 7. */
enum { STACK_WORDS_PER_TURN = 4 };

/* The row of the partner of the path's last message in this direction. */
struct path_partner {
    uint64_t word; /* partner_word(); PATH_NO_ROW = none */
    struct mprof_partner *row;
};
enum { PATH_PARTNERS = 2 }; /* by mprof_partner_kind, modulo */

/* What is written down of each call of a path, put together once. */
struct call_marks {
    uint64_t call;       /* what thread_state.last_call becomes after it */
    uint64_t item;       /* callsite, function and communicator of its mprof_last_call */
    uint32_t item_bytes; /* of the same, which lies behind them there, too */
    uint32_t time_class; /* mprof_time_class */
};

/* A path as a thread found it, and the rows that its last call led to, so that the next one need
 * not search. The rows are forgotten when their table moves (callsites_forget_rows). */
struct path {
    const void *return_address; /* into the function that called MPI */
    const void *cfa; /* canonical frame address of the wrapper: stack pointer before the call; NULL
                        = the path leads through a script */
    const struct stack_word *end; /* of `word` */
    struct path *next;            /* the next path of the same hash; NULL = none */
    uint64_t last_size;           /* key of last_entry */
    uint64_t last_word;           /* key of last_entry; PATH_NO_ROW = there is none */
    struct mprof_entry *last_entry;
    uint64_t last_before; /* thread_state.last_call before last_segment; PATH_NO_ROW = none */
    struct mprof_segment *last_segment;
    struct call_marks marks; /* of the call that last_entry is of */
    uint32_t callsite;       /* slot in the record; 0 = none */
    uint32_t last_operation; /* slot */
    /* Of polls (polls.h): untimed polls since the last timed one; timed polls, their time, and the
     * time of computing before them. */
    uint32_t untimed;
    uint32_t timed;
    uint64_t timed_ticks;
    uint64_t timed_gap_ticks;
    bool hot;
    bool after_poll; /* of polls: so is the call before last_entry's */
    bool lost;       /* there is no room for the path: its calls are counted one by one */
    uint32_t number; /* in the cache, from 0 */
    struct path_partner partners[PATH_PARTNERS];
    /* A multiple of STACK_WORDS_PER_TURN: the first one is there again to fill up. A path takes
     * room for its own words only, because all paths of a thread are memory of its own. */
    struct stack_word word[];
} __attribute__((aligned(64)));
enum { PATH_MOST_WORDS = CALLSITE_MAX_FRAMES + CALLSITE_MPI_FRAMES };
#define PATH_NO_ROW UINT64_MAX

struct path_cache;

/* Before the first call: how many frames a path has at most; 0 = callsites are not recorded. */
void callsites_open(uint32_t frames);

/* thread_state.paths of a thread that has none yet. */
extern HIDDEN struct path_cache callsites_no_cache;

/* The path of the MPI call whose wrapper has this return address and canonical frame address. Never
 * NULL. It is valid until the next call of this function on this thread. */
struct path *callsite_find(const void *return_address, const void *cfa);

/* Does the wrapper's frame around `frame`, on the thread's own stack, still hold the path's return
 * address? Then it is not gone, as far as anybody can know. */
bool callsite_is_current(const struct path *path, const void *frame);

/* The slot of the path's innermost `frames` frames. It is made if needed. If the path has no more
 * frames, or if there is no room, it is the path's own slot. */
uint32_t callsite_shorten(uint32_t slot, uint32_t frames);

/* What an address belongs to (modules.h). */
struct place callsite_place(uintptr_t address);

/* The entry or segment table of this thread's recorder has moved. */
void callsites_forget_rows(void);

/* Its partner table has. */
void callsites_forget_partners(void);

/* After the program unloaded a library, its addresses may come to mean something else: the paths
 * are found anew. */
void callsites_forget(void);

/* When a thread ends. */
void callsites_leave(void);

#endif
