/* Zoo: many antennas that are one telescope (../zoo.h, score.py).
 *
 * zoo: lost_wakeup blocked rank last at await_samples|lost_wakeup
 * A thread of the last rank takes samples while that rank correlates others, and tells it when it
 * has them. But the rank waits for that without a look whether it has happened long since, so in
 * each of 60 steps it sleeps until the time limit of 12 ms, 0.7 s in all, while all others wait for
 * it; the twin looks first.
 *
 * zoo: grid_each_time bandwidth rank any at add_grids
 * The grids of all ranks, 16 MiB each, are summed up after each of 60 chunks of data, and only the
 * last sum is used; the twin sums them up once, at the end.
 *
 * zoo: one_scan in_turn rank any at pass_scan|one_scan pipeline
 * Each rank has one stage of what is done to a scan, and the next scan is begun when the last stage
 * has told that the one before is stored: one rank works at a time. The twin's first stage does not
 * wait for that, so all stages work, each on another scan.
 */
#include "zoo.h"
#include <pthread.h>
#include <time.h>

enum { SAMPLES = 4096, SIDE = 1024, TAPS = 6 };

static double samples[SAMPLES];

/* Each sample with those before it. */
PLACE correlate(double *values, int passes)
{
    for (int pass = 0; pass < passes; pass++)
        for (int at = 1; at < SAMPLES; at++)
            values[at] = 0.6 * values[at] + 0.3 * values[at - 1] + 0.1;
}

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wanted, taken;
    int steps, asked, received;
    double newest[SAMPLES];
} dish = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .wanted = PTHREAD_COND_INITIALIZER,
          .taken = PTHREAD_COND_INITIALIZER};

static void *take_samples(void *unused)
{
    pthread_mutex_lock(&dish.lock);
    while (dish.received < dish.steps) {
        while (dish.asked == dish.received)
            pthread_cond_wait(&dish.wanted, &dish.lock);
        for (int at = 0; at < SAMPLES; at++)
            dish.newest[at] = at % 7;
        dish.received++;
        pthread_cond_signal(&dish.taken);
    }
    pthread_mutex_unlock(&dish.lock);
    return unused;
}

PLACE ask_samples(void)
{
    pthread_mutex_lock(&dish.lock);
    dish.asked++;
    pthread_cond_signal(&dish.wanted);
    pthread_mutex_unlock(&dish.lock);
}

PLACE await_samples(void)
{
    enum { LIMIT_NS = 12000000, SECOND_NS = 1000000000 };
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LIMIT_NS;
    until.tv_sec += until.tv_nsec / SECOND_NS;
    until.tv_nsec %= SECOND_NS;
    pthread_mutex_lock(&dish.lock);
    if (!mended)
        pthread_cond_timedwait(&dish.taken, &dish.lock, &until);
    while (dish.received < dish.asked)
        pthread_cond_wait(&dish.taken, &dish.lock);
    memcpy(samples, dish.newest, sizeof samples);
    pthread_mutex_unlock(&dish.lock);
}

PLACE lost_wakeup(void)
{
    enum { STEPS = 60 };
    const bool has_dish = rank == size - 1;
    pthread_t thread;
    dish.steps = STEPS;
    if (has_dish && pthread_create(&thread, NULL, take_samples, NULL) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < STEPS; step++) {
        if (has_dish)
            ask_samples();
        correlate(samples, 1200 / size);
        if (has_dish)
            await_samples();
        sum_of_all(samples[step]);
    }
    if (has_dish)
        pthread_join(thread, NULL);
}

/* Each is spread over the grid's points around it. */
PLACE grid_visibilities(double *grid, int count, unsigned *state)
{
    static const double tap[TAPS] = {0.05, 0.2, 0.25, 0.25, 0.2, 0.05};
    for (int number = 0; number < count; number++) {
        *state = *state * 1664525 + 1013904223;
        double *first = grid + (size_t)(*state >> 6) % (2 * SIDE * (SIDE - TAPS) - 2 * TAPS);
        for (int row = 0; row < TAPS; row++)
            for (int column = 0; column < TAPS; column++)
                first[2 * (SIDE * row + column)] += tap[row] * tap[column];
    }
}

PLACE add_grids(const double *grid, double *sum)
{
    MPI_Allreduce(grid, sum, 2 * SIDE * SIDE, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void grid_each_time(void)
{
    enum { CHUNKS = 60, VISIBILITIES = 150000 };
    const size_t bytes = 2 * SIDE * SIDE * sizeof(double);
    double *grid = malloc(bytes), *sum = malloc(bytes);
    unsigned state = 88172645U + (unsigned)rank * 7919;
    if (grid == NULL || sum == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(grid, 0, bytes);
    memset(sum, 0, bytes);
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        grid_visibilities(grid, VISIBILITIES / size, &state);
        if (!mended || chunk == CHUNKS - 1)
            add_grids(grid, sum);
    }
    kept = sum[SIDE];
    free(grid);
    free(sum);
}

PLACE pass_scan(double *scan, int passes)
{
    if (rank > 0)
        MPI_Recv(scan, SAMPLES, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    correlate(scan, passes);
    if (rank < size - 1)
        MPI_Send(scan, SAMPLES, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
}

PLACE one_scan(void)
{
    const bool is_first = rank == 0, is_last = rank == size - 1;
    for (int scan = 0; scan < 60; scan++) {
        pass_scan(samples, 1200 / size);
        if (mended || size == 1)
            continue;
        if (is_last)
            MPI_Send(NULL, 0, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        if (is_first)
            MPI_Recv(NULL, 0, MPI_DOUBLE, size - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"lost_wakeup", lost_wakeup},
                                            {"grid_each_time", grid_each_time},
                                            {"one_scan", one_scan},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
