/* From an MPI handle to what libmprof knows about it: requests, messages, communicators, windows,
 * files.
 *
 * The wrappers look handles up at almost every call, from any thread, so there is no lock: a table
 * of buckets, each with eight keys in one cache line, and larger tables behind it for what does not
 * fit. MPI itself orders the uses of one handle (a request is completed once, a communicator is not
 * used while it is freed), but a library may give the number of a completed request out again, on
 * another thread, before the completing call has returned here. So a key carries a generation:
 * handle_remove() removes exactly what handle_find() saw, or nothing.
 *
 * Owners: requests are entered and removed by the interposition layer's request functions
 * (requests.h), the other kinds by communicators.h. The payload of a slot belongs to whoever owns
 * the handle.
 */
#ifndef MPROF_HANDLES_H
#define MPROF_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hot.h"
#include "record/time/journals.h"

struct comm;
struct mprof_file;
struct mprof_file_moves;
struct request_rows;

enum handle_kind {
    HANDLE_REQUEST = 1,
    HANDLE_MESSAGE = 2,
    HANDLE_COMM = 3,
    HANDLE_WIN = 4,
    HANDLE_FILE = 5
};

/* What a request will do when it completes. */
enum request_kind {
    REQUEST_OTHER = 0,   /* bytes were counted when it started, or it has none */
    REQUEST_RECEIVE = 1, /* bytes by the status */
    REQUEST_IO = 2       /* bytes by the status, no partner */
};

/* A request that was started, or a persistent one that can be. */
struct request {
    struct comm *comm;   /* to translate the status' source; NULL = source is a world rank or not
                            known */
    uint64_t call_ticks; /* duration of the call that started it */
    uint64_t stop_ticks; /* when that call ended, or the last MPI_Start */
    uint64_t mpi_ticks;  /* of its thread until then (thread_state.mpi_ticks) */
    union {
        uint64_t bytes;                 /* sends, collectives: payload of each start; receives: of
                                           what was `seen`, or of what was asked for */
        struct mprof_file_moves *moves; /* REQUEST_IO: of its file; NULL = not kept */
    };
    const void *recorder;              /* of the thread that started it */
    struct request_rows *request_rows; /* of that recorder: of the line that started it */
    uint64_t word;                     /* entry_word() of the call that started it */
    uint32_t callsite;
    uint32_t world_peer;  /* sends and one-sided: partner's world rank; receives: not known before
                             they complete */
    uint8_t kind;         /* request_kind */
    uint8_t partner_kind; /* mprof_partner_kind, if `partner` */
    bool persistent;
    bool active;
    bool partner;       /* a message to or from one rank (not a collective, not to MPI_PROC_NULL) */
    bool received_part; /* of a call that also sends: what arrives is MPROF_KIND_RECEIVED */
    bool collective;
    bool seen; /* a persistent receive whose message the program has asked about */
    union {
        struct journal_place journal_place; /* nonblocking collective: where its duration belongs */
        struct {
            int32_t source;
            uint32_t tag;
        } told; /* the same of receives */
    };
    uint32_t operation; /* persistent collective: for the journal */
    int32_t peer; /* the other two for mprof hang: rank in its communicator, as in struct call */
    uint32_t tag;
};

union handle_payload {
    struct request request;
    struct {
        struct comm *comm;
        struct mprof_file *file; /* of a file: its row (file_rows.h) */
    };
};

/* What handle_find() saw. */
struct handle {
    uint64_t *key; /* read and written atomically */
    uint64_t seen; /* 0 = not found */
    union handle_payload *payload;
};

/* Once, before the others: all tables together take no more than that, and no more than the handles
 * that are there at a time need. False without memory: then nothing can be recorded. */
bool handles_open(size_t ceiling_bytes);

/* After MPI_Init without MPI_THREAD_MULTIPLE: calls do not overlap, so plain stores do instead of
 * atomic exchanges, which cost about 5 ns each. A session may end that. */
void handles_assume_one_at_a_time(bool they_are);

/* ---- inline: a request is found twice, at its start and at its completion ----------------------
 */

enum {
    HANDLE_KEYS = 8,
    HANDLE_KEYS_BITS = 3,
    HANDLE_FIRST_BITS = 8, /* 256 buckets at first */
    HANDLE_NAME_BITS = 50
};

/* The first table: 2048 slots, of which eight in a row are a bucket with its keys in one cache
 * line. A key is 0 (never used) or removed << 63 | generation << 50 | name. */
extern HIDDEN uint64_t *handle_keys; /* read and written atomically */
extern HIDDEN union handle_payload *handle_payloads;
extern HIDDEN bool handles_are_one_at_a_time;
#define HANDLE_REMOVED (1ull << 63)

/* Handles are 32-bit numbers or addresses of user space, below 2^47, so a name has 50 bits. If a
 * program passes anything else, the functions out of line take 50 of its bits. */
static HOT uint64_t handle_name(enum handle_kind kind, uint64_t handle)
{
    return handle * 8 + (uint64_t)kind;
}

static HOT uint64_t handle_hash(uint64_t name)
{
    return name * 0x9e3779b97f4a7c15u;
}

struct handle handle_find_far(uint64_t wanted);
union handle_payload *handle_enter_far(uint64_t wanted);

/* Of the first table's slots, one is where a name is looked for first and so mostly is: then there
 * is one probe. */
static HOT struct handle handle_first_slot(uint64_t name)
{
    uint64_t slot = handle_hash(name) >> (64 - HANDLE_FIRST_BITS - HANDLE_KEYS_BITS);
    uint64_t *key = &handle_keys[slot];
    return (struct handle){key, __atomic_load_n(key, __ATOMIC_ACQUIRE), &handle_payloads[slot]};
}

/* Of this name, also when its handle was removed. */
static HOT bool handle_is_in_slot(struct handle found, uint64_t name)
{
    return __builtin_expect(((found.seen ^ name) << (64 - HANDLE_NAME_BITS)) == 0, 1);
}

/* The slot of this name, also when its handle was removed. */
static HOT struct handle handle_find_name(uint64_t name)
{
    struct handle found = handle_first_slot(name);
    return handle_is_in_slot(found, name) ? found : handle_find_far(name);
}

static HOT bool handle_replace_key(uint64_t *key, uint64_t seen, uint64_t wanted)
{
    if (__builtin_expect(!handles_are_one_at_a_time, 0))
        return __atomic_compare_exchange_n(key, &seen, wanted, false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_RELAXED);
    bool unchanged = *key == seen;
    if (unchanged)
        *key = wanted;
    return unchanged;
}

static HOT struct handle handle_find(enum handle_kind kind, uint64_t handle)
{
    struct handle found = handle_find_name(handle_name(kind, handle));
    if (__builtin_expect((found.seen & HANDLE_REMOVED) != 0, 0))
        found.seen = 0;
    return found;
}

/* The payload to fill in for a new handle, in place of an old one of the same number. MPI libraries
 * give the same few handles out again and again: mostly the slot is there, removed. False if it is
 * not in its first place: then handle_enter() finds or makes it. */
static HOT bool handle_enter_again(enum handle_kind kind, uint64_t handle,
                                   union handle_payload **payload)
{
    uint64_t name = handle_name(kind, handle);
    struct handle old = handle_first_slot(name);
    uint64_t next = (old.seen + (1ull << HANDLE_NAME_BITS)) & ~HANDLE_REMOVED;
    *payload = old.payload;
    if (!handle_is_in_slot(old, name))
        return false;
    if (__builtin_expect(!handles_are_one_at_a_time, 0))
        return handle_replace_key(old.key, old.seen, next);
    *old.key = next;
    return true;
}

/* NULL when there is no room: whoever enters it counts that. */
static HOT union handle_payload *handle_enter(enum handle_kind kind, uint64_t handle)
{
    uint64_t name = handle_name(kind, handle);
    struct handle old = handle_find_name(name);
    uint64_t next = (old.seen + (1ull << HANDLE_NAME_BITS)) & ~HANDLE_REMOVED;
    if (__builtin_expect(old.seen != 0 && handle_replace_key(old.key, old.seen, next), 1))
        return old.payload;
    return handle_enter_far(name);
}

/* False if the handle was entered anew since it was found. */
static HOT bool handle_remove_found(struct handle found)
{
    return handle_replace_key(found.key, found.seen, found.seen | HANDLE_REMOVED);
}

/* The same of one that may not have been found. */
static HOT bool handle_remove(struct handle found)
{
    return found.seen != 0 && handle_remove_found(found);
}

/* In a child with a record of its own (attach.c). */
void handles_forget(void);

#endif
