/* Receives in the order in which they were posted, for the numbers of messages.
 *
 * Both sides number the messages of a channel (communicator, sender, tag). MPI matches them in the
 * order of sending with receives in the order of posting, but a program may learn in any order
 * which ones have completed. So a message that arrived gets its number when no receive that was
 * posted before it could still take an earlier one. All with results_lock held. */
#ifndef MPROF_POSTED_RECEIVES_H
#define MPROF_POSTED_RECEIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/watched/results.h"

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
