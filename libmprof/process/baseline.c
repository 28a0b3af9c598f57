/* The baseline (baseline.h). Without it a sender that is late every time would look like a slow
 * network: the run's own best case would be late, too.
 *
 * Rank 1 is most often on rank 0's node and the last rank on another one; the parser knows from
 * their hosts. Rank 0 decides how long it goes on: each message begins with its own length, which
 * the answer has, too, and 0 means that none follows. Half of the shortest round trip counts.
 *
 * No message is larger than what the program itself has sent or received: an MPI takes other ways
 * for large messages, and one that the kernel refuses (process_vm_readv in many containers) may end
 * the process. */
#include "baseline.h"

#include <string.h>

#include "arena.h"
#include "arrival.h"
#include "clock.h"
#include "mpi_services.h"
#include "recorder.h"

/* The buffer is part of what a rank's memory grows by: what a byte costs can be told from 256 KiB.
 */
enum { SIZES = 5, SMALLEST_BYTES = 8, LARGEST_BYTES = 1 << 18, MAX_REPEATS = 20 };
enum { SMALL_BYTES = 1 << 10 }; /* goes the same way in every MPI, and all send that little */
static const uint64_t BUDGET_NS = 1000000; /* of a pair */

static const struct {
    int bytes;
    int repeats;
} plan[SIZES] = {
    {SMALLEST_BYTES, MAX_REPEATS}, {1 << 10, 12}, {1 << 13, 8}, {1 << 16, 6}, {LARGEST_BYTES, 4}};

static bool is_open[SERVICE_PAIRS];

/* Rank 0's partner in this pair; 0 = there is none. */
static int partner_of(int pair, const struct identity *identity)
{
    int last = identity->ranks - 1;
    if (pair == 0)
        return last >= 1 ? 1 : 0;
    return last >= 2 ? last : 0;
}

void baseline_open(const struct identity *identity)
{
    for (int pair = 0; pair < SERVICE_PAIRS; pair++) {
        int partner = partner_of(pair, identity);
        if (partner != 0 && (identity->rank == 0 || identity->rank == partner))
            is_open[pair] = mpi_services->open_pair(pair, 0, partner);
    }
}

union message {
    int length; /* of this message, in bytes */
    uint8_t bytes[LARGEST_BYTES];
};

static bool send_message(int pair, const union message *message, int bytes)
{
    return arrival_wait_for_step(mpi_services->start_send_to_other(pair, message, bytes));
}

static bool receive_message(int pair, union message *message)
{
    return arrival_wait_for_step(
        mpi_services->start_receive_from_other(pair, message, sizeof *message));
}

/* Rank 0's side: one size. False = no answer. */
static bool time_size(int pair, union message *message, int bytes, int repeats, uint64_t end_ns,
                      struct mprof_baseline *result)
{
    uint64_t ticks[MAX_REPEATS];
    uint64_t count = 0;
    message->length = bytes;
    do {
        uint64_t begin = clock_ticks();
        if (!send_message(pair, message, bytes) || !receive_message(pair, message))
            return false;
        ticks[count++] = (clock_ticks() - begin) / 2;
    } while (count < (uint64_t)repeats && clock_monotonic_ns() < end_ns);
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

/* Of the messages of a line of the program and a partner, on the average: surely not too large. */
static int largest_message(void)
{
    uint64_t largest = SMALL_BYTES;
    recorders_visit(find_largest, &largest);
    return largest < LARGEST_BYTES ? (int)largest : LARGEST_BYTES;
}

/* False = no answer. */
static bool time_pair(int pair, union message *message, int partner, struct mprof_baseline *results)
{
    const int largest = largest_message();
    int bytes = 0;
    uint64_t end_ns = clock_monotonic_ns() + BUDGET_NS;
    struct mprof_baseline warm_up;
    if (!time_size(pair, message, SMALLEST_BYTES, 2, end_ns, &warm_up))
        return false;
    for (int i = 0; i < SIZES && bytes < largest && clock_monotonic_ns() < end_ns; i++) {
        bytes = plan[i].bytes < largest ? plan[i].bytes : largest;
        struct mprof_baseline result = {.partner = (uint32_t)partner};
        if (!time_size(pair, message, bytes, plan[i].repeats, end_ns, &result))
            return false;
        if (results != NULL)
            results[i] = result;
    }
    message->length = 0;
    return send_message(pair, message, SMALLEST_BYTES);
}

/* The other one's side. False = rank 0 does not go on. */
static bool answer(int pair, union message *message)
{
    while (receive_message(pair, message)) {
        if (message->length == 0)
            return true;
        if (!send_message(pair, message, message->length))
            return false;
    }
    return false;
}

static struct mprof_baseline *make_results(void)
{
    uint32_t index;
    struct mprof_baseline *results;
    return arena_allocate(MPROF_SECTION_BASELINE, 0, sizeof *results * SERVICE_PAIRS * SIZES,
                          sizeof *results, 0, &index);
}

bool baseline_measure(const struct identity *identity)
{
    static union message message;
    if (!is_open[0] && !is_open[1])
        return true;
    memset(&message, 1, sizeof message); /* its pages are new: nobody should time that */
    struct mprof_baseline *results = identity->rank == 0 ? make_results() : NULL;
    for (int pair = 0; pair < SERVICE_PAIRS; pair++) {
        if (!is_open[pair])
            continue;
        bool answered = identity->rank != 0
                            ? answer(pair, &message)
                            : time_pair(pair, &message, partner_of(pair, identity),
                                        results == NULL ? NULL : results + (size_t)pair * SIZES);
        if (!answered)
            return false;
        mpi_services->close_pair(pair);
        is_open[pair] = false;
    }
    return true;
}
