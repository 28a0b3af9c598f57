/* Zoo: particles that are pushed and change their rank (../zoo.h, score.py). The twins: particles
 * are dealt out evenly whatever their place, records travel without their history.
 *
 * zoo: gathering uneven rank last at push_particles
 * zoo: histories bandwidth rank any at move_records
 * zoo: tracers healthy
 */
#include "zoo.h"

enum { PARTICLES = 40000, MODES = 100, STEPS = 40 };

struct particle {
    double at, speed;
};

static struct particle mine[PARTICLES], arrived[PARTICLES];

/* All fall slowly towards the right end of the box, 0 to 1. */
PLACE push_particles(struct particle *all, int count)
{
    for (int i = 0; i < count; i++) {
        double field = 0;
        for (int mode = 0; mode < MODES; mode++)
            field = (field + all[i].at * mode) * 0.3;
        all[i].speed = 0.9 * all[i].speed + 1e-4 * field;
        all[i].at += 0.004 * (0.999 - all[i].at) + 1e-6 * all[i].speed;
    }
}

static int home_of(const struct particle *one)
{
    const int home = (int)(one->at * size);
    return mended ? rank : home < size - 1 ? home : size - 1;
}

/* To the right neighbour those that have left this rank's part. -> how many are here */
static int pass_on(int count)
{
    int leaving = 0, staying = 0, arriving = 0;
    static struct particle out[PARTICLES];
    const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    const int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < count; i++)
        if (home_of(&mine[i]) > rank)
            out[leaving++] = mine[i];
        else
            mine[staying++] = mine[i];
    MPI_Sendrecv(&leaving, 1, MPI_INT, right, 0, &arriving, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, leaving * 2, MPI_DOUBLE, right, 1, arrived, arriving * 2, MPI_DOUBLE, left, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(mine + staying, arrived, (size_t)arriving * sizeof *arrived);
    return staying + arriving;
}

static void gathering(void)
{
    int count = PARTICLES / size;
    for (int i = 0; i < count; i++)
        mine[i] = (struct particle){(rank + (double)i / count) / size, 0};
    for (int step = 0; step < 450; step++) {
        push_particles(mine, count);
        count = pass_on(count);
        if (step % 5 == 0)
            sum_of_all(count);
    }
}

/* Each record has all it ever was; the twin's have what the next step needs. */
PLACE move_records(const double *records, double *received)
{
    enum { COUNT = 12000, WHOLE = 1000, NEEDED = 8 };
    const int many = COUNT / size / size * (mended ? NEEDED : WHOLE);
    int *counts = malloc((size_t)size * sizeof(int)), *places = malloc((size_t)size * sizeof(int));
    for (int other = 0; other < size; other++) {
        counts[other] = other == rank ? 0 : many;
        places[other] = other * many;
    }
    MPI_Alltoallv(records, counts, places, MPI_DOUBLE, received, counts, places, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    free(counts);
    free(places);
}

static void histories(void)
{
    const size_t values = 12000 / (size_t)size * 1000;
    double *records = calloc(values, sizeof *records), *received = calloc(values, sizeof *records);
    memset(records, 1, values * sizeof *records);
    memset(received, 1, values * sizeof *records);
    for (int step = 0; step < STEPS; step++) {
        compute_us(30000 / size);
        move_records(records, received);
    }
    free(records);
    free(received);
}

/* Between two pieces of work it looks whether a neighbour's tracers came: nothing is to be gained.
 */
static void tracers(void)
{
    double tracer[16] = {0}, came[16];
    const int right = (rank + 1) % size;
    int seen = 0;
    MPI_Request sent = MPI_REQUEST_NULL;
    for (int step = 0; step < 400; step++) {
        for (int piece = 0; piece < 10; piece++) {
            int there;
            compute_us(640 / size);
            MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
            if (there) {
                MPI_Recv(came, 16, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                seen++;
            }
        }
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        MPI_Isend(tracer, 16, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &sent);
    }
    for (; seen < 400; seen++)
        MPI_Recv(came, 16, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"gathering", gathering}, {"histories", histories}, {"tracers", tracers}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
