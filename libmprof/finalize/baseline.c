/* The baseline (finalize.h). Without it a sender that is late every time would look like a slow
 * network: the run's own best case would be late as well.
 *
 * Rank 0 decides how long it goes on: each message begins with its own length, and so does the
 * answer; 0 means that none follows. Half of the shortest round trip counts.
 *
 * One round trip that nobody disturbs is enough, so a few are always made of the small sizes, even
 * if the first ones take far too long: the partner may be asleep until the first message comes, or
 * one of the two may have no CPU just then. A rank without a CPU would measure the length of a time
 * slice. Of the larger sizes one is always made: on a slow network it alone tells the cost of a
 * byte.
 *
 * No message is larger than what the program itself has sent or received: an MPI takes other ways
 * for large messages, and one that the kernel refuses (process_vm_readv in many containers) may end
 * the process. */
#include "finalize/finalize.h"

#include <string.h>

#include "base/clock.h"
#include "base/hot.h"
#include "base/options.h"
#include "mpi/rank_tree.h"
#include "mpi/roster.h"
#include "record/state/recorder.h"
#include "store/arena.h"

/* The buffer adds to a rank's memory, and 256 KiB are enough to tell the cost of a byte.
 */
enum { SIZES = 5, SMALLEST_BYTES = 8, LARGEST_BYTES = 1 << 18, MAX_REPEATS = 20 };
enum { SMALL_BYTES = 1 << 10 }; /* goes the same way in every MPI, and all send that little */
enum { PARTNERS = 2, MIN_REPEATS = 5 };
static const uint64_t BUDGET_NS = 1000000; /* of a partner */
static const uint64_t MOST_NS = 100000000; /* of it, for the least of repeats */

static const struct {
    int bytes;
    int repeats;
} plan[SIZES] = {
    {SMALLEST_BYTES, MAX_REPEATS}, {1 << 10, 12}, {1 << 13, 8}, {1 << 16, 6}, {LARGEST_BYTES, 4}};

union message {
    struct head {
        int length;  /* of this message, in bytes */
        int largest; /* that any message has */
    } head;
    uint8_t bytes[LARGEST_BYTES];
};
_Static_assert(sizeof(struct head) <= SMALLEST_BYTES, "each message has it");

static bool send_message(int link, const union message *message, int bytes)
{
    return tree_send(link, TOPIC_BASELINE, message, bytes,
                     tree_deadline_ns(options_short_patience_s()));
}

static bool receive_message(int link, union message *message)
{
    return tree_receive(link, TOPIC_BASELINE, message, sizeof *message,
                        tree_deadline_ns(options_short_patience_s()));
}

/* No message is timed with a page fault. The pages behind the largest message stay untouched. */
static void touch_pages(union message *message)
{
    memset(message->bytes + sizeof message->head, 1,
           (size_t)message->head.largest - sizeof message->head);
}

struct budget {
    uint64_t end_ns;  /* no more than the least of repeats after it */
    uint64_t last_ns; /* nothing after it */
};

static bool may_repeat(uint64_t count, int bytes, int repeats, const struct budget *budget)
{
    const uint64_t now_ns = clock_monotonic_ns();
    const uint64_t least = bytes <= SMALL_BYTES ? MIN_REPEATS : 1;
    const bool needed = count < least && now_ns < budget->last_ns;
    return count < (uint64_t)repeats && (needed || now_ns < budget->end_ns);
}

/* Rank 0's side: one size. False = no answer. */
static bool time_size(int link, union message *message, int bytes, int repeats,
                      const struct budget *budget, struct mprof_baseline *result)
{
    uint64_t ticks[MAX_REPEATS];
    uint64_t count = 0;
    message->head.length = bytes;
    while (may_repeat(count, bytes, repeats, budget)) {
        uint64_t begin = clock_ticks();
        if (!send_message(link, message, bytes) || !receive_message(link, message))
            return false;
        ticks[count++] = (clock_ticks() - begin) / 2;
    }
    if (count == 0)
        return true;
    result->bytes = (uint64_t)bytes;
    result->repeats = count;
    result->median_ticks = clock_median(ticks, count);
    result->best_ticks = ticks[0]; /* they are sorted now */
    result->in_use = 1;
    return true;
}

static void find_largest(struct recorder *recorder, void *context)
{
    uint64_t *largest = context;
    for (uint32_t i = 0; i <= recorder->partner_mask; i++) {
        const struct mprof_partner *row = &recorder->partners[i];
        bool by_messages = row->kind == MPROF_PARTNER_SENT || row->kind == MPROF_PARTNER_RECEIVED;
        if (row->in_use != 0 && by_messages && row->messages > 0 &&
            row->bytes / row->messages > *largest)
            *largest = row->bytes / row->messages;
    }
}

/* The mean size for a line of the program and a partner: surely not too large. */
static int largest_message(void)
{
    uint64_t largest = SMALL_BYTES;
    recorders_visit(find_largest, &largest);
    return largest < LARGEST_BYTES ? (int)largest : LARGEST_BYTES;
}

/* False = no answer. */
static bool time_link(int link, union message *message, int partner, struct mprof_baseline *results)
{
    const int largest = message->head.largest;
    int bytes = 0;
    struct mprof_baseline ignored;
    const uint64_t now_ns = clock_monotonic_ns();
    struct budget budget = {now_ns, now_ns + MOST_NS};
    /* The first round trip takes as long as the partner sleeps. */
    if (!time_size(link, message, SMALLEST_BYTES, 2, &budget, &ignored))
        return false;
    budget.end_ns = clock_monotonic_ns() + BUDGET_NS;
    for (int i = 0; i < SIZES && bytes < largest; i++) {
        bytes = plan[i].bytes < largest ? plan[i].bytes : largest;
        struct mprof_baseline result = {.partner = (uint32_t)partner};
        if (!time_size(link, message, bytes, plan[i].repeats, &budget, &result))
            return false;
        if (results != NULL)
            results[i] = result;
    }
    message->head.length = 0;
    return send_message(link, message, SMALLEST_BYTES);
}

/* The other one's side. False = rank 0 does not go on. */
static bool answer(union message *message)
{
    for (bool is_first = true; receive_message(LINK_PARENT, message); is_first = false) {
        if (message->head.length == 0)
            return true;
        if (is_first)
            touch_pages(message);
        if (!send_message(LINK_PARENT, message, message->head.length))
            return false;
    }
    return false;
}

static struct mprof_baseline *make_results(void)
{
    uint32_t index;
    struct mprof_baseline *results;
    return arena_allocate(MPROF_SECTION_BASELINE, 0, sizeof *results * PARTNERS * SIZES,
                          sizeof *results, false, &index);
}

/* Rank 0's first and last child: rank 1, most often on its own node, and the largest power of two,
 * which is beyond the middle, most often on another one; if ranks are dealt out to the nodes in
 * turn, the other way round. The parser knows from their hosts. */
static bool ask_partners(union message *message)
{
    const int last = rank_tree.children - 1;
    struct mprof_baseline *results = make_results();
    message->head.largest = largest_message();
    touch_pages(message);
    for (int i = 0; i < PARTNERS && i <= last; i++) {
        const int child = i == 0 ? 0 : last;
        if (!time_link(LINK_CHILD + child, message, roster_rank(tree_child(child)),
                       results == NULL ? NULL : results + (size_t)i * SIZES))
            return false;
    }
    return true;
}

static bool is_partner(void)
{
    return rank_tree.parent == 0 &&
           (rank_tree.number == 1 || rank_tree.number * INT64_C(2) >= rank_tree.count);
}

bool baseline_measure(void)
{
    static SELDOM union message message;
    if (rank_tree.count == 1 || (!tree_is_first() && !is_partner()))
        return true;
    return tree_is_first() ? ask_partners(&message) : answer(&message);
}
