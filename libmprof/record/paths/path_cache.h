/* The paths that a thread knows, and the rows that each of them remembers.
 *
 * A table in memory of the thread's own, by the hash of return address and canonical frame address.
 * What is inline here is all that most calls do to find their path (calls/call.c); path_search()
 * goes on where several paths have one hash, and callsites.c makes paths and checks them. The rows
 * are forgotten when their table moves. All on the thread that owns the cache, but for the
 * generation, which any thread may raise.
 *
 * Paths of one hash are a ring, whose head is the one that was used last. Usually it has one or
 * two: two lines of one function call the same helper. A recursion that calls itself from two lines
 * has hundreds, all with one return address and frame. `likely` finds them by their words.
 */
#ifndef MPROF_PATH_CACHE_H
#define MPROF_PATH_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hot.h"
#include "record/state/recorder.h"
#include "record/state/running_call.h"

/* What tells a wrapper's frame on the stack from others, in the wrapper: its canonical frame
 * address, the stack pointer before the call. On ARM gcc and clang mean different things by that
 * (clang: the frame pointer), so there it is the frame pointer, which is in the frame at a place
 * that each wrapper has of its own. */
#if defined(__x86_64__)
#define path_wrapper_frame() __builtin_dwarf_cfa()
#else
#define path_wrapper_frame() __builtin_frame_address(0)
#endif

enum { CALLSITE_MAX_FRAMES = 24, CALLSITE_MPI_FRAMES = 4 };

/* A word of the stack that is a return address of the path. */
struct stack_word {
    int64_t offset; /* in bytes from the wrapper's frame */
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

/* A path as a thread found it, and the rows that its last call led to, so that the next one need
 * not search. The rows are forgotten when their table moves (paths_forget_rows). */
struct path {
    const void *return_address;   /* into the function that called MPI */
    const void *cfa;              /* path_wrapper_frame(); NULL = the path leads through a script */
    const struct stack_word *end; /* of `word` */
    struct path *next;            /* in the ring of the paths of the same hash */
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

enum { PATH_HEADS_BITS = 12 };

struct path_cache {
    uint64_t generation; /* as path_generation, or its paths must not be used any longer */
    uint32_t path_count;
    uint32_t calls_to_check;     /* calls until one is walked again, to check the cache */
    struct script_path *scripts; /* one per path; NULL = no path leads through a script */
    struct path *end;            /* of the paths: where the next one comes */
    struct walked *walked;       /* room for callsites.c */
    struct path *heads[1 << PATH_HEADS_BITS];     /* of rings; NULL = there is no path */
    struct path *likely[1 << PATH_HEADS_BITS];    /* by the words of the stack; NULL = none */
    uint8_t paths[] __attribute__((aligned(64))); /* of different length, see path_behind() */
};

/* thread_state.paths of a thread that has none yet. Its generation is 0, so the first look into it
 * finds nothing. */
extern HIDDEN struct path_cache callsites_no_cache;

/* The path of calls while nothing is known. Threads of one recorder share its last_..., which is
 * harmless. */
extern HIDDEN __thread struct path no_path __attribute__((tls_model("initial-exec")));

/* Of the caches, never 0; read and written atomically. */
extern HIDDEN uint64_t path_generation;

static HOT struct path **path_head(struct path_cache *cache, const void *return_address,
                                   const void *cfa)
{
    uint64_t hash =
        ((uint64_t)(uintptr_t)return_address + (uint64_t)(uintptr_t)cfa * 8) * 0x9e3779b97f4a7c15u;
    return &cache->heads[hash >> (64 - PATH_HEADS_BITS)];
}

static HOT bool path_same_word(const struct stack_word *word, const void *cfa)
{
    return *(const uintptr_t *)((const char *)cfa + word->offset) == word->value;
}

static HOT bool path_same_stack(const struct path *path, const void *cfa)
{
    for (const struct stack_word *word = path->word; word != path->end;
         word += STACK_WORDS_PER_TURN)
        if (!path_same_word(&word[0], cfa) || !path_same_word(&word[1], cfa) ||
            !path_same_word(&word[2], cfa) || !path_same_word(&word[3], cfa))
            return false;
    return true;
}
MPROF_STATIC_ASSERT(STACK_WORDS_PER_TURN == 4); /* path_same_stack() is written out for 4 */
/* Room to fill the words of a path up. */
MPROF_STATIC_ASSERT(PATH_MOST_WORDS % STACK_WORDS_PER_TURN == 0);

static HOT bool path_is(const struct path *path, const void *return_address, const void *cfa)
{
    return path->return_address == return_address && path->cfa == cfa && path_same_stack(path, cfa);
}

static inline void path_forget_rows(struct path *path)
{
    path->last_word = PATH_NO_ROW;
    path->last_before = PATH_NO_ROW;
}

static inline void path_forget_partners(struct path *path)
{
    for (int i = 0; i < PATH_PARTNERS; i++)
        path->partners[i].word = PATH_NO_ROW;
}

/* When the head of its ring is not the call's path: the one that is, which becomes the head. NULL =
 * the thread does not know it. */
struct path *path_search(const void *return_address, const void *cfa, struct path_cache *cache);

/* A new path becomes the head of its ring. */
void path_cache_enter(struct path_cache *cache, struct path *path, const void *return_address,
                      const void *cfa);

/* Where the path behind this one is. */
struct path *path_behind(struct path *path);

/* The entry or segment table of this thread's recorder has moved. */
void paths_forget_rows(void);

/* Its partner table has. */
void paths_forget_partners(void);

/* A new cache, whose heads are 0, and one whose paths are forgotten. */
void path_cache_begin(struct path_cache *cache);
void path_cache_empty(struct path_cache *cache);

#endif
