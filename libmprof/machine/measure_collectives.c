/* Collectives of all ranks by size (measure.h). Rank 0 decides how often a call is repeated. The
 * time of a call is the mean over ranks of a loop of them, as IMB and OSU have it; of three loops
 * the shortest counts. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "machine/measure.h"

enum { SMALLEST = 8, LARGEST = 1 << 20, MOST_REPEATS = 1000, LOOPS = 3 };
static const int64_t LOOP_NS = 5000000;
static const int64_t CALL_NS = 50000000;        /* no larger size than one that takes that */
static const uint64_t FUNCTION_NS = 1500000000; /* of all its sizes */

struct times {
    int64_t mean_ns, most_ns;
};

static struct times time_loop(const struct machine_run *run, enum collective what, int bytes,
                              int repeats, int64_t *all)
{
    const struct mpi_layer *mpi = run->mpi;
    mpi->collective(COLLECTIVE_BARRIER, NULL, NULL, 0);
    const uint64_t begin_ns = clock_monotonic_ns();
    for (int i = 0; i < repeats; i++)
        mpi->collective(what, run->out, run->in, bytes);
    const int64_t own_ns = (int64_t)(clock_monotonic_ns() - begin_ns) / repeats;
    mpi->gather_to_all(&own_ns, sizeof own_ns, all);
    struct times times = {0, 0};
    for (int r = 0; r < run->size; r++) {
        times.mean_ns += all[r] / run->size;
        times.most_ns = all[r] > times.most_ns ? all[r] : times.most_ns;
    }
    return times;
}

/* All ranks come to the same answer, because they have the same times. */
static int64_t measure_one(const struct machine_run *run, enum collective what, int bytes,
                           int64_t *all)
{
    time_loop(run, what, bytes, 1, all);
    const struct times first = time_loop(run, what, bytes, 1, all);
    int64_t repeats = LOOP_NS / (first.most_ns > 0 ? first.most_ns : 1);
    repeats = repeats < 1 ? 1 : repeats > MOST_REPEATS ? MOST_REPEATS : repeats;
    struct times best = time_loop(run, what, bytes, (int)repeats, all);
    for (int loop = 1; loop < LOOPS && first.most_ns < LOOP_NS; loop++) {
        const struct times times = time_loop(run, what, bytes, (int)repeats, all);
        if (times.mean_ns < best.mean_ns)
            best = times;
    }
    if (run->rank == 0) {
        /* What libmprof calls the bytes of a call: all that this rank gives. */
        const long long given = what == COLLECTIVE_ALLTOALL ? (long long)bytes * run->size : bytes;
        answer_begin("collective");
        answer_text(run->mpi->collective_name(what));
        answer_number(run->size);
        answer_number(given);
        answer_number(best.mean_ns);
        answer_number(best.most_ns);
        answer_number(repeats);
        answer_end();
    }
    return best.most_ns;
}

/* Room for what a call gives and takes. */
static int64_t most_bytes(const struct machine_run *run, enum collective what)
{
    const bool from_all = what == COLLECTIVE_ALLGATHER || what == COLLECTIVE_ALLTOALL;
    const int64_t fits = from_all ? LARGEST_BYTES / run->size : LARGEST_BYTES;
    return fits < LARGEST ? fits : LARGEST;
}

/* The next size, or 0. Where a size takes long, the next one is much larger, so that there is time
 * for large ones as well. */
static int next_size(const struct machine_run *run, int bytes, uint64_t begin_ns, uint64_t size_ns)
{
    enum { USUAL_STEP = 2, LONG_STEP = 8 };
    static const uint64_t long_ns = 60000000;
    const uint64_t now_ns = clock_monotonic_ns();
    const bool has_time = now_ns < run->deadline_ns && now_ns - begin_ns < FUNCTION_NS;
    int32_t next = bytes * (size_ns > long_ns ? LONG_STEP : USUAL_STEP);
    next = has_time ? next : 0;
    run->mpi->broadcast(&next, sizeof next, 0);
    return next;
}

static void measure_function(const struct machine_run *run, enum collective what, int64_t *all)
{
    const uint64_t begin_ns = clock_monotonic_ns();
    if (what == COLLECTIVE_BARRIER) {
        measure_one(run, what, 0, all);
        return;
    }
    const int64_t most = most_bytes(run, what);
    int bytes = SMALLEST;
    while (bytes > 0 && bytes <= most) {
        const uint64_t size_begin_ns = clock_monotonic_ns();
        if (measure_one(run, what, bytes, all) > CALL_NS)
            return;
        bytes = next_size(run, bytes, begin_ns, clock_monotonic_ns() - size_begin_ns);
    }
}

void measure_collectives(const struct machine_run *run)
{
    int64_t *all = calloc((size_t)run->size, sizeof *all);
    if (all == NULL)
        abort();
    memset(run->out, 0, LARGEST_BYTES);
    for (int what = 0; what < COLLECTIVE_COUNT && run->size > 1; what++)
        measure_function(run, (enum collective)what, all);
    free(all);
}
