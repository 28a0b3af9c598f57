/* Zoo: a weather model on a globe (../zoo.h, score.py).
 *
 * zoo: polar_rows uneven rank last at filter_rows
 * Rows in blocks: 60 of 240 rows cost five units instead of one and all lie with the last rank; of
 * two ranks it has 360 units where the mean is 240, so each step takes half as much again as with
 * the twin's rows dealt out in turn.
 *
 * zoo: wide_halo bandwidth rank any at share_edges
 * The whole tile goes to both neighbours, 16 MiB for each of two, where the next step reads 64 KiB
 * of it; the twin sends the 64 KiB: 2 * 16 MiB * 45 steps are 1.5 GB less for each of two ranks.
 *
 * zoo: dozing_coupler blocked rank any at await_ocean
 * Each look for the ocean's fields is after a sleep of 10 ms, 60 times, so at least 0.6 s of about
 * 1.8 s are slept; the twin waits in MPI_Waitall, for a message of a few us.
 *
 * zoo: day_and_night healthy
 * Ranks in daylight have four times the work of the others, but none waits before the day is over,
 * when each has had as many lit hours: there is nothing to be gained.
 */
#include "zoo.h"
#include <unistd.h>

enum { ROWS = 240, POLAR = 60, FORECASTS = 50 };

/* Convergence at the pole asks for more passes of the filter there. */
PLACE filter_rows(void)
{
    const int first = mended ? rank : rank * ROWS / size;
    const int end = mended ? ROWS : (rank + 1) * ROWS / size;
    const int stride = mended ? size : 1;
    for (int row = first; row < end; row += stride)
        compute_us(row >= ROWS - POLAR ? 5 * 100 : 100);
}

static void polar_rows(void)
{
    for (int step = 0; step < FORECASTS; step++) {
        filter_rows();
        sum_of_all(step);
    }
}

PLACE advect(long us)
{
    compute_us(us / size);
}

PLACE share_edges(MPI_Comm ring, const double *tile, double *beside, int values)
{
    const int count = mended ? 8192 : values;
    MPI_Request request;
    MPI_Ineighbor_allgather(tile, count, MPI_DOUBLE, beside, count, MPI_DOUBLE, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void wide_halo(void)
{
    const int values = (4 << 20) / size, round = 1;
    double *tile = malloc(8 * (size_t)values), *beside = malloc(16 * (size_t)values);
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &round, 0, &ring);
    for (int at = 0; at < values; at++)
        tile[at] = beside[at] = beside[values + at] = at;
    for (int step = 0; step < 45; step++) {
        advect(50000);
        share_edges(ring, tile, beside, values);
    }
    MPI_Comm_free(&ring);
    free(tile);
    free(beside);
}

/* "So as not to burn the CPU": but there is nothing else to be done with it. */
PLACE await_ocean(MPI_Request *requests)
{
    MPI_Status statuses[2];
    int arrived = 0;
    while (!mended && !arrived) {
        usleep(10000);
        MPI_Testall(2, requests, &arrived, statuses);
    }
    if (mended)
        MPI_Waitall(2, requests, statuses);
}

static void dozing_coupler(void)
{
    static double surface[500], ocean[500];
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int hour = 0; hour < 60; hour++) {
        MPI_Request requests[2];
        advect(34000);
        MPI_Irecv(ocean, 500, MPI_DOUBLE, from, hour, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(surface, 500, MPI_DOUBLE, to, hour, MPI_COMM_WORLD, &requests[1]);
        await_ocean(requests);
        surface[hour] = ocean[hour] + 1;
    }
}

/* The sun stands over one rank after another, each for as many hours. */
static void day_and_night(void)
{
    enum { DAYS = 5 };
    for (int day = 0; day < DAYS; day++) {
        for (int hour = 0; hour < 3 * size; hour++)
            advect(hour % size == rank ? 4 * 40000 : 40000);
        sum_of_all(day);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"polar_rows", polar_rows},
                                            {"wide_halo", wide_halo},
                                            {"dozing_coupler", dozing_coupler},
                                            {"day_and_night", day_and_night},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
