/* Messages between two ranks (measure.h). The rank that leads sends an order in front of each
 * measurement, and the other one does what it says. So nobody but the leader decides how long a
 * measurement goes on.
 *
 * The eager limit is not read off the times, which are noisy: a message that is sent eagerly leaves
 * the sender although the receiver has not asked for it. So the receiver hesitates, and the sender
 * looks whether its request completes meanwhile. The receiver's MPI works all the same: shared
 * memory that a message is put into is free again only when the other side has looked at it. The
 * times just below and above the limit are the step in the curve. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "machine/measure.h"

enum what { PING, STREAM, EAGER, END };
struct order {
    int32_t what, bytes, repeats, hesitate_us;
};
enum { MOST_REPEATS = 1000, LEAST_REPEATS = 3, BATCHES = 3 };
enum { SMALLEST_STREAM = 1 << 10 };      /* of smaller messages the number counts, not the bytes */
static const int64_t SIZE_NS = 15000000; /* of one size */
static const int64_t ROUND_TRIP_NS = 250000000; /* no larger message than one that takes that */

static int64_t now_ns(void)
{
    return (int64_t)clock_monotonic_ns();
}

void wait_quietly(const struct mpi_layer *mpi, int slot)
{
    enum { FIRST_NS = 20000, LAST_NS = 1000000 };
    struct timespec pause = {0, FIRST_NS};
    while (!mpi->test(slot)) {
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < LAST_NS)
            pause.tv_nsec *= 2;
    }
}

void meet_quietly(const struct mpi_layer *mpi)
{
    mpi->start_barrier(0);
    wait_quietly(mpi, 0);
}

static void give_order(const struct machine_run *run, int partner, struct order order)
{
    run->mpi->send(&order, sizeof order, partner);
}

static int compare_times(const void *a, const void *b)
{
    const int64_t one = *(const int64_t *)a;
    const int64_t other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

/* ---- round trips ---- */

static void answer_pings(const struct machine_run *run, int partner, const struct order *order)
{
    for (int i = 0; i < order->repeats; i++) {
        run->mpi->receive(run->in, order->bytes, partner);
        run->mpi->send(run->out, order->bytes, partner);
    }
}

/* Returns the shortest of the round trips. */
static int64_t time_pings(const struct machine_run *run, int partner, int bytes, int64_t repeats,
                          int64_t *times)
{
    int64_t best_ns = INT64_MAX;
    give_order(run, partner, (struct order){PING, bytes, (int32_t)repeats, 0});
    for (int64_t i = 0; i < repeats; i++) {
        const int64_t begin_ns = now_ns();
        run->mpi->send(run->out, bytes, partner);
        run->mpi->receive(run->in, bytes, partner);
        times[i] = now_ns() - begin_ns;
        best_ns = times[i] < best_ns ? times[i] : best_ns;
    }
    return best_ns;
}

/* Half of a round trip: the lower quartile, because whatever else runs on the machine only adds.
 * The first two make connections and bring pages in, and tell how many more there is time for. */
struct point measure_size(const struct machine_run *run, int partner, int bytes, int64_t budget_ns)
{
    static int64_t times[MOST_REPEATS];
    const int64_t begin_ns = now_ns();
    int64_t best_ns = time_pings(run, partner, bytes, 2, times);
    int64_t count = 0;
    int64_t left_ns = budget_ns;
    while (count < LEAST_REPEATS || (left_ns > 0 && count < MOST_REPEATS)) {
        int64_t more = left_ns / (best_ns > 0 ? best_ns : 1);
        more = more > MOST_REPEATS - count ? MOST_REPEATS - count : more;
        more = more < LEAST_REPEATS && count < LEAST_REPEATS ? LEAST_REPEATS : more < 1 ? 1 : more;
        const int64_t new_ns = time_pings(run, partner, bytes, more, times + count);
        best_ns = new_ns < best_ns ? new_ns : best_ns;
        count += more;
        left_ns = budget_ns - (now_ns() - begin_ns);
    }
    qsort(times, (size_t)count, sizeof *times, compare_times);
    return (struct point){bytes, count, times[0] / 2, times[count / 4] / 2, 0};
}

/* ---- many messages that follow each other ---- */

static int stream_window(int bytes)
{
    const int fits = LARGEST_BYTES / bytes;
    return fits > SLOT_COUNT ? SLOT_COUNT : fits;
}

static void answer_stream(const struct machine_run *run, int partner, const struct order *order)
{
    const int window = stream_window(order->bytes);
    for (int batch = 0; batch < order->repeats; batch++) {
        for (int i = 0; i < window; i++)
            run->mpi->start_receive(i, run->in + (size_t)i * (size_t)order->bytes, order->bytes,
                                    partner);
        run->mpi->wait_all(window);
        run->mpi->send(run->out, 1, partner);
    }
}

static int64_t time_stream(const struct machine_run *run, int partner, int bytes)
{
    const int window = stream_window(bytes);
    int64_t best_ns = INT64_MAX;
    give_order(run, partner, (struct order){STREAM, bytes, BATCHES, 0});
    for (int batch = 0; batch < BATCHES; batch++) {
        const int64_t begin_ns = now_ns();
        for (int i = 0; i < window; i++)
            run->mpi->start_send(i, run->out, bytes, partner);
        run->mpi->wait_all(window);
        run->mpi->receive(run->in, 1, partner);
        const int64_t took_ns = now_ns() - begin_ns;
        best_ns = took_ns < best_ns ? took_ns : best_ns;
    }
    return best_ns / window;
}

int measure_curve(const struct machine_run *run, int partner, struct point points[MOST_POINTS])
{
    int count = 0;
    for (int bytes = 1; bytes <= LARGEST_BYTES && count < MOST_POINTS; bytes *= 2) {
        points[count] = measure_size(run, partner, bytes, SIZE_NS);
        const int64_t round_trip_ns = 2 * points[count].typical_ns;
        const int64_t stream_ns = points[count].typical_ns * stream_window(bytes) * BATCHES;
        if (bytes >= SMALLEST_STREAM && stream_ns < 4 * ROUND_TRIP_NS)
            points[count].stream_ns = time_stream(run, partner, bytes);
        count++;
        if (2 * round_trip_ns > ROUND_TRIP_NS || (uint64_t)now_ns() > run->deadline_ns)
            break;
    }
    return count;
}

/* ---- the eager limit ---- */

static void answer_eager(const struct machine_run *run, int partner, const struct order *order)
{
    const struct timespec pause = {0, 50000};
    run->mpi->send(run->out, 1, partner);
    const int64_t end_ns = now_ns() + order->hesitate_us * 1000L;
    while (now_ns() < end_ns) {
        run->mpi->progress(partner);
        nanosleep(&pause, NULL);
    }
    run->mpi->receive(run->in, order->bytes, partner);
    run->mpi->send(run->out, 1, partner); /* the next order finds a rank that does not hesitate */
}

enum vote { LEFT, STAYED, NO_VOTE };

/* Does the message leave while the receiver hesitates? It does so until `hesitate_us` after this
 * order at least, by the clock of this rank. What is seen later counts for nothing, because the
 * sender may have had no processor meanwhile. */
static enum vote try_to_leave(const struct machine_run *run, int partner, int bytes,
                              int hesitate_us)
{
    enum { LEAST_TESTS = 4 };
    const struct timespec pause = {0, 100000};
    const int64_t end_ns = now_ns() + hesitate_us * 1000L;
    give_order(run, partner, (struct order){EAGER, bytes, 1, hesitate_us});
    run->mpi->receive(run->in, 1, partner);
    run->mpi->start_send(0, run->out, bytes, partner);
    bool left = run->mpi->test(0);
    int64_t seen_ns = now_ns();
    int tests = 1;
    while (!left && seen_ns < end_ns - hesitate_us * 250L) {
        nanosleep(&pause, NULL);
        left = run->mpi->test(0);
        seen_ns = now_ns();
        tests++;
    }
    if (!left)
        run->mpi->wait_all(1);
    run->mpi->receive(run->in, 1, partner);
    if (seen_ns >= end_ns)
        return NO_VOTE;
    return left ? LEFT : tests >= LEAST_TESTS ? STAYED : NO_VOTE;
}

/* How long the receiver hesitates: it grows where it turns out to be too short. */
enum { LEAST_HESITATE_US = 6000, MOST_HESITATE_US = 400000 };

/* Two votes decide. Without any in time, the receiver has to hesitate longer from now on. */
static enum vote is_eager(const struct machine_run *run, int partner, int bytes, int64_t one_way_ns,
                          int *hesitate_us)
{
    enum { MOST_TRIES = 10 };
    const int64_t wanted_us = 4 * one_way_ns / 1000;
    int votes[NO_VOTE + 1] = {0};
    for (int i = 0; i < MOST_TRIES && votes[LEFT] < 2 && votes[STAYED] < 2; i++) {
        const int64_t us = wanted_us > *hesitate_us ? wanted_us : *hesitate_us;
        const enum vote vote = try_to_leave(run, partner, bytes, (int)us);
        votes[vote]++;
        if (vote == NO_VOTE && *hesitate_us < MOST_HESITATE_US)
            *hesitate_us *= 2;
    }
    return votes[LEFT] >= 2 ? LEFT : votes[STAYED] >= 2 ? STAYED : NO_VOTE;
}

static int64_t time_at(const struct point *points, int count, int64_t bytes)
{
    for (int i = 0; i < count; i++)
        if (points[i].bytes >= bytes)
            return points[i].typical_ns;
    return points[count - 1].typical_ns;
}

/* Between a size that is eager and one that is not; false = not known. */
static bool search_limit(const struct machine_run *run, int partner, const struct point *points,
                         int count, int64_t *eager, int64_t *above)
{
    static const int64_t most_one_way_ns = 25000000;
    static const int64_t most_ns = 20000000000; /* for all sizes; a busy machine takes long */
    const int64_t end_ns = now_ns() + most_ns;
    int hesitate_us = LEAST_HESITATE_US;
    enum vote vote = LEFT;
    for (int i = 0; i < count && vote == LEFT && points[i].typical_ns < most_one_way_ns; i++) {
        vote = is_eager(run, partner, (int)points[i].bytes, points[i].typical_ns, &hesitate_us);
        *(vote == LEFT ? eager : above) = points[i].bytes;
    }
    while (vote != NO_VOTE && *above - *eager > 1) {
        const int64_t bytes = (*eager + *above) / 2;
        vote = is_eager(run, partner, (int)bytes, time_at(points, count, bytes), &hesitate_us);
        *(vote == LEFT ? eager : above) = bytes;
        if (now_ns() > end_ns || (uint64_t)now_ns() > run->deadline_ns)
            return false;
    }
    return vote != NO_VOTE && *above > 0;
}

struct eager_limit measure_eager(const struct machine_run *run, int partner,
                                 const struct point *points, int count)
{
    struct eager_limit limit = {0, 0, 0, false};
    int64_t above = 0;
    limit.is_known = search_limit(run, partner, points, count, &limit.bytes, &above);
    if (limit.is_known && limit.bytes > 0) {
        limit.below_ns = measure_size(run, partner, (int)limit.bytes, SIZE_NS).typical_ns;
        limit.above_ns = measure_size(run, partner, (int)limit.bytes + 1, SIZE_NS).typical_ns;
    }
    return limit;
}

/* ---- the other side ---- */

void end_answers(const struct machine_run *run, int partner)
{
    give_order(run, partner, (struct order){END, 0, 0, 0});
}

void give_answers(const struct machine_run *run, int partner)
{
    struct order order;
    run->mpi->start_receive(0, &order, sizeof order, partner);
    wait_quietly(run->mpi, 0);
    while (order.what != END) {
        if (order.what == PING)
            answer_pings(run, partner, &order);
        else if (order.what == STREAM)
            answer_stream(run, partner, &order);
        else
            answer_eager(run, partner, &order);
        run->mpi->receive(&order, sizeof order, partner);
    }
}
