/* Zoo: particles on their way through a detector (../zoo.h, score.py).
 *
 * zoo: moving_cloud uneven rank changes at push_particles
 * 70 % of the particles are with one rank, another one every fourth step, the rest are shared; of
 * two ranks one has 85 % of a step's work, so a step takes 0.85 of it where the twin, whose
 * particles are dealt out anew, takes 0.5.
 *
 * zoo: one_by_one latency rank any at hand_over
 * A persistent request of 8 bytes for each of 8000 particles that leave, 40 times: 320000 messages
 * each way of some tenths of a us at both ends; the twin has one message of 64 kB, 40 in all.
 *
 * zoo: fresh_pages kernel rank any at sort_particles
 * Work space of 160 MiB (all ranks) comes from the system and goes back in each of 20 steps: with
 * two ranks 409600 page faults a rank, of 0.5 to 2 us with the clearing: 0.2 to 0.8 s of each
 * rank's 1.4 to 2 s; the twin keeps it.
 *
 * zoo: seed_chain in_turn rank any at track_batch
 * Random numbers go on where the rank before has stopped, so one rank tracks at a time; the twin
 * skips ahead in the sequence, and a step takes 1/size of the time.
 *
 * zoo: lost_energy ended rank last at check_energy ends
 * The last rank's sum comes out wrong at three quarters of the run, and its check aborts the job;
 * the twin's sum is right.
 */
#include "zoo.h"
#include <math.h>

enum { STEPS = 40, LEAVERS = 8000 };

PLACE push_particles(long us)
{
    compute_us(us);
}

static void moving_cloud(void)
{
    enum { ALL_US = 50000 };
    for (int step = 0; step < STEPS; step++) {
        const bool here = step / 4 % size == rank;
        const long shared = ALL_US * 3 / 10 / size, cloud = ALL_US * 7 / 10;
        push_particles(mended ? ALL_US / size : shared + (here ? cloud : 0));
        sum_of_all(step);
    }
}

PLACE hand_over(MPI_Request *requests, int count)
{
    enum { GROUP = 1000 };
    static MPI_Status statuses[GROUP];
    for (int first = 0; first < count; first += GROUP) {
        const int some = count - first < GROUP ? count - first : GROUP;
        MPI_Startall(some, requests + first);
        MPI_Waitall(some, requests + first, statuses);
    }
}

static void one_by_one(void)
{
    static double leave[LEAVERS], enter[LEAVERS];
    static MPI_Request requests[2 * LEAVERS];
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    const int messages = mended ? 1 : LEAVERS, length = LEAVERS / messages;
    for (int at = 0; at < messages; at++) {
        MPI_Recv_init(enter + at * length, length, MPI_DOUBLE, from, 7, MPI_COMM_WORLD,
                      &requests[2 * at]);
        MPI_Send_init(leave + at * length, length, MPI_DOUBLE, to, 7, MPI_COMM_WORLD,
                      &requests[2 * at + 1]);
    }
    for (int step = 0; step < STEPS; step++) {
        push_particles(50000 / size);
        hand_over(requests, 2 * messages);
    }
    for (int at = 0; at < 2 * messages; at++)
        MPI_Request_free(&requests[at]);
}

/* Counting sort into a second array. */
PLACE sort_particles(double **space, size_t values)
{
    double *sorted = mended && *space != NULL ? *space : malloc(values * 8);
    for (size_t at = 0; at < values; at += 256)
        sorted[at] = (double)at;
    *space = sorted;
    if (!mended) {
        free(sorted);
        *space = NULL;
    }
}

static void fresh_pages(void)
{
    double *space = NULL;
    for (int step = 0; step < STEPS / 2; step++) {
        push_particles(100000 / size);
        sort_particles(&space, ((size_t)20 << 20) / size);
        sum_of_all(step);
    }
    free(space);
}

PLACE track_batch(long us)
{
    static unsigned long seed = 1;
    if (!mended && rank > 0)
        MPI_Recv(&seed, 1, MPI_UNSIGNED_LONG, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute_us(us / size);
    seed = seed * 6364136223846793005 + 1;
    if (!mended && rank < size - 1)
        MPI_Send(&seed, 1, MPI_UNSIGNED_LONG, rank + 1, 0, MPI_COMM_WORLD);
}

static void seed_chain(void)
{
    for (int batch = 0; batch < STEPS; batch++) {
        track_batch(45000);
        sum_of_all(batch);
    }
}

/* Energy must be kept to some digits. */
PLACE check_energy(double before, double now)
{
    if (fabs(now - before) > 1e-6 * before) {
        fprintf(stderr, "rank %d: energy was %g, is %g\n", rank, before, now);
        abort();
    }
}

static void lost_energy(void)
{
    for (int step = 0; step < STEPS; step++) {
        push_particles(90000 / size);
        check_energy(100, !mended && rank == size - 1 && step == 30 ? 99 : 100);
        sum_of_all(100);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"moving_cloud", moving_cloud}, {"one_by_one", one_by_one},   {"fresh_pages", fresh_pages},
        {"seed_chain", seed_chain},     {"lost_energy", lost_energy}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
