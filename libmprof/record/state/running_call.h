/* An MPI call of the program while it runs, on the stack of its wrapper, and what is recorded of
 * it. calls/call.h begins and ends it; what a call touches on its way reads it here.
 */
#ifndef MPROF_RUNNING_CALL_H
#define MPROF_RUNNING_CALL_H

#include <stdint.h>

#include "base/hot.h"
#include "mprof/format/format.h"

struct comm;
struct path;
struct recorder;

/* An entry's function, region, communicator, kind and precision as one number. */
enum { REGION_SHIFT = 16, COMMUNICATOR_SHIFT = 32, KIND_SHIFT = 48, PRECISION_SHIFT = 56 };

/* Put together in a register: storing the parts and loading the whole would stall. */
static inline uint64_t entry_word(uint16_t function, uint16_t region, uint16_t communicator,
                                  uint8_t kind)
{
    return (uint64_t)function | (uint64_t)region << REGION_SHIFT |
           (uint64_t)communicator << COMMUNICATOR_SHIFT | (uint64_t)kind << KIND_SHIFT;
}

struct call {
    struct recorder *recorder;
    struct path *path; /* from where it is made */
    struct comm *comm; /* NULL = none, or not known */
    uint64_t start_ticks;
    uint64_t ticks;
    uint64_t size;        /* bytes of this call, by the glossary's definition for its family */
    uint64_t word;        /* entry_word(), without the communicator */
    int32_t peer;         /* rank in comm, MPROF_ANY_PEER or MPROF_NO_PEER */
    uint32_t world_peer;  /* rank in MPI_COMM_WORLD that a message went to, or MPROF_RANK_OTHER */
    uint8_t partner_kind; /* mprof_partner_kind of the message to world_peer */
};

static HOT uint16_t call_function(const struct call *call)
{
    return (uint16_t)call->word;
}

static HOT uint16_t call_region(const struct call *call)
{
    return (uint16_t)(call->word >> REGION_SHIFT);
}

/* What is written down of each call of a path, put together once. */
struct call_marks {
    uint64_t call;       /* what thread_state.last_call becomes after it */
    uint64_t item;       /* callsite, function and communicator of its mprof_last_call */
    uint32_t item_bytes; /* of the same, which is also behind them there */
    uint32_t time_class; /* mprof_time_class */
};

/* Adds a message. With `messages` 0 it adds time to a message that was recorded before. */
struct exchange {
    enum mprof_partner_kind kind;
    uint32_t world_rank;
    uint32_t callsite;
    uint32_t messages;
    uint64_t bytes;
    uint64_t ticks;
};

#endif
