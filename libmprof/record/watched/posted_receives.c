/* The list of posted receives (posted_receives.h). Programs complete receives nearly in the order
 * of posting, so what lies before one in the list is little. */
#include "record/watched/posted_receives.h"

#include <stddef.h>

#include "base/private_memory.h"

/* A receive of any message that never completes would hold all that come later. */
enum { RECEIVES_PER_CHUNK = 512, MOST_HELD = 1 << 14 };

static struct {
    struct posted_receive *first;
    struct posted_receive *last;
    struct posted_receive *unused; /* by `after` */
    uint64_t held;                 /* arrived, and without a number yet */
} list;

static bool make_unused(void)
{
    struct posted_receive *chunk = map_private(RECEIVES_PER_CHUNK * sizeof *chunk);
    for (int i = 0; chunk != NULL && i < RECEIVES_PER_CHUNK; i++) {
        chunk[i].after = list.unused;
        list.unused = &chunk[i];
    }
    return chunk != NULL;
}

struct posted_receive *receive_post(const struct result_call *call, int32_t source, uint32_t tag)
{
    if (list.unused == NULL && !make_unused()) {
        results->not_followed++;
        return NULL;
    }
    struct posted_receive *receive = list.unused;
    list.unused = receive->after;
    *receive =
        (struct posted_receive){.before = list.last, .call = *call, .source = source, .tag = tag};
    if (list.last != NULL)
        list.last->after = receive;
    else
        list.first = receive;
    list.last = receive;
    return receive;
}

static void take_out(struct posted_receive *receive)
{
    *(receive->before != NULL ? &receive->before->after : &list.first) = receive->after;
    *(receive->after != NULL ? &receive->after->before : &list.last) = receive->before;
    receive->after = list.unused;
    list.unused = receive;
}

/* May `earlier` have taken, or still take, a message that was sent before the one of `receive`? */
static bool comes_before(const struct posted_receive *earlier, const struct posted_receive *receive)
{
    return earlier->call.communicator == receive->call.communicator &&
           (earlier->source == receive->source || earlier->source == MPROF_ANY_PEER) &&
           (earlier->tag == receive->tag || earlier->tag == MPROF_TAG_ANY);
}

static bool is_next(const struct posted_receive *receive)
{
    for (const struct posted_receive *earlier = receive->before; earlier != NULL;
         earlier = earlier->before)
        if (comes_before(earlier, receive))
            return false;
    return true;
}

static void number(struct posted_receive *receive)
{
    const struct result_channel channel = {MPROF_RESULT_ARRIVED, receive->world_source,
                                           receive->tag};
    results_note_message(&receive->call, &channel, &receive->result);
    take_out(receive);
}

/* Those that waited for a receive that is out of the list now. */
static void number_held(void)
{
    struct posted_receive *next;
    for (struct posted_receive *receive = list.first; list.held > 0 && receive != NULL;
         receive = next) {
        next = receive->after;
        if (receive->arrived && is_next(receive)) {
            list.held--;
            number(receive);
        }
    }
}

void receive_arrived(struct posted_receive *receive)
{
    receive->arrived = true;
    if (!is_next(receive) && list.held < MOST_HELD) {
        list.held++;
        return;
    }
    number(receive);
    number_held();
}

void receive_withdraw(struct posted_receive *receive)
{
    take_out(receive);
    number_held();
}

void posted_receives_forget(void)
{
    list.first = list.last = list.unused = NULL;
    list.held = 0;
}
