/* From an MPI handle to what libmprof knows of it: requests, messages, communicators, windows,
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
#include <stdint.h>

#include "journals.h"

struct comm;

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
    struct comm *comm;    /* to translate the status' source; NULL = source is a world rank or not
                             known */
    uint64_t call_ticks;  /* duration of the call that started it */
    uint64_t stop_ticks;  /* when that call ended, or the last MPI_Start */
    uint64_t mpi_ticks;   /* of its thread until then (thread_state.mpi_ticks) */
    uint64_t bytes;       /* sends, collectives: payload of each start */
    const void *recorder; /* of the thread that started it */
    struct journal_place journal_place; /* nonblocking collective: where its duration belongs */
    uint32_t operation;                 /* persistent collective: for the journal */
    uint32_t callsite;
    uint32_t world_peer; /* sends and one-sided: partner's world rank; receives: not known before
                            they complete */
    uint16_t function;
    uint16_t region;
    uint16_t communicator; /* slot */
    uint8_t kind;          /* request_kind */
    uint8_t partner_kind;  /* mprof_partner_kind, if `partner` */
    bool persistent;
    bool active;
    bool partner;       /* a message to or from one rank (not a collective, not to MPI_PROC_NULL) */
    bool received_part; /* of a call that also sends: what arrives is MPROF_KIND_RECEIVED */
    bool collective;
};

union handle_payload {
    struct request request;
    struct comm *comm;
};

/* What handle_find() saw. */
struct handle {
    uint64_t *key; /* read and written atomically */
    uint64_t seen; /* 0 = not found */
    union handle_payload *payload;
};

/* Once, before the others. False without memory: then nothing is ever found. */
bool handles_open(void);

struct handle handle_find(enum handle_kind kind, uint64_t handle);

/* After MPI_Init without MPI_THREAD_MULTIPLE: calls do not overlap, so plain stores do instead of
 * atomic exchanges, which cost about 5 ns each. */
void handles_assume_one_at_a_time(void);
bool handles_are_one_at_a_time(void);

/* The payload to fill in for a new handle, in place of an old one of the same number; NULL when
 * there is no memory. */
union handle_payload *handle_enter(enum handle_kind kind, uint64_t handle);

/* False if the handle was entered anew since it was found. */
bool handle_remove(struct handle found);

#endif
