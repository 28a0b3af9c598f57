/* Zoo: neutrons by Monte Carlo (../zoo.h, score.py).
 *
 * zoo: random_device kernel rank any at draw_number
 * "The best random numbers are the system's": each of 5 million numbers (all ranks) is a getrandom
 * of 8 bytes, as glibc 2.36's arc4random has it: some tenths of a us in the kernel, against some ns
 * of the twin's own generator, which the system seeds once.
 *
 * zoo: timed_shares blocked+uneven rank any at ask_server|follow_histories|timed_shares
 * The last rank asks a server for data of the next batch, which answers after 12 ms, in each of 80
 * batches. Histories were dealt out by the clock, so it has fewer: with two ranks some 2 ms of
 * work, the other 14 ms. Either alone gains nothing or little; in the twin nothing is asked and
 * histories are even, 8 ms each.
 *
 * zoo: whole_mesh bandwidth rank any at get_beside
 * After each batch a rank gets the whole mesh of the next rank, 64 MiB / size, out of its window,
 * and uses the one plane that touches its own; the twin gets that plane.
 */
#include "zoo.h"
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { GROUPS = 64, PLANE_CELLS = 2048 };

static double removal[GROUPS];
static unsigned long seed = 88172645463325252UL;
static int server = -1;

/* From 0 to 1, without 1. */
PLACE draw_number(double *number)
{
    unsigned long bits = 0;
    if (!mended) {
        if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
            MPI_Abort(MPI_COMM_WORLD, 1);
    } else {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        bits = seed;
    }
    *number = (double)(bits >> 11) * 0x1p-53;
}

/* How often it scatters until it is absorbed or slow: as many numbers for any history. */
static double scatter(double *tally)
{
    double weight = 1, number;
    for (int group = 0; group < GROUPS; group++) {
        draw_number(&number);
        double path = number;
        for (int term = 0; term < 12; term++)
            path = path * (1 - 0.1 * number) + removal[(group + term) % GROUPS];
        weight *= 1 - 0.01 * removal[group];
        tally[group] += weight * path;
    }
    return weight;
}

static void random_device(void)
{
    enum { NUMBERS = 5000000, BATCHES = 20 };
    double tally[GROUPS] = {0};
    if (mended && getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    seed |= 1;
    for (int batch = 0; batch < BATCHES; batch++) {
        double weight = 0;
        for (int history = 0; history < NUMBERS / GROUPS / BATCHES / size; history++)
            weight += scatter(tally);
        sum_of_all(weight);
    }
    MPI_Allreduce(MPI_IN_PLACE, tally, GROUPS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* So many histories of about 3 us each. */
PLACE follow_histories(long histories)
{
    for (long history = 0; history < histories; history++) {
        double weight = 1, path = 0.5;
        for (int step = 0; step < 1400; step++) {
            path = path * 0.9 + removal[step % GROUPS];
            weight *= 0.9995;
        }
        kept += weight * path;
    }
}

/* A process of its own, begun before MPI: it knows what is asked, after a while. */
static void start_server(void)
{
    const struct timespec while_it_looks = {0, 12000000};
    int ends[2];
    char batch;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        abort();
    if (fork() == 0) {
        close(ends[0]);
        while (read(ends[1], &batch, 1) == 1) {
            nanosleep(&while_it_looks, NULL);
            if (write(ends[1], &batch, 1) != 1)
                break;
        }
        _exit(0);
    }
    close(ends[1]);
    server = ends[0];
}

PLACE ask_server(int batch)
{
    char asked = (char)batch, answered;
    if (write(server, &asked, 1) != 1 || read(server, &answered, 1) != 1 || answered != asked)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

PLACE timed_shares(void)
{
    enum { HISTORIES = 5600 };
    const bool asks = rank == size - 1 && !mended;
    const long fewer = HISTORIES / size / 4;
    long mine = HISTORIES / size;
    if (!mended)
        mine = asks ? fewer : (HISTORIES - fewer) / (size - 1);
    for (int batch = 0; batch < 80; batch++) {
        if (asks)
            ask_server(batch);
        follow_histories(mine);
        sum_of_all(kept);
    }
    if (server >= 0)
        close(server);
}

PLACE get_beside(double *beside, int cells, MPI_Win window)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    const int count = mended ? PLANE_CELLS : cells;
    MPI_Get(beside, count, MPI_DOUBLE, (rank + 1) % size, 0, count, MPI_DOUBLE, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

/* What flies over the border is taken from the plane beside. */
static void whole_mesh(void)
{
    const int cells = (8 << 20) / size;
    double *mesh, *beside = calloc((size_t)cells, sizeof *beside);
    MPI_Win window;
    MPI_Win_allocate((MPI_Aint)8 * cells, sizeof *mesh, MPI_INFO_NULL, MPI_COMM_WORLD, &mesh,
                     &window);
    for (int cell = 0; cell < cells; cell++)
        mesh[cell] = beside[cell] = 1;
    for (int batch = 0; batch < 50; batch++) {
        follow_histories(4000 / size);
        mesh[batch] += kept * 1e-9;
        get_beside(beside, cells, window);
        mesh[cells - 1 - batch] += beside[batch];
    }
    sum_of_all(mesh[0]);
    MPI_Win_free(&window);
    free(beside);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"random_device", random_device},
                                            {"timed_shares", timed_shares},
                                            {"whole_mesh", whole_mesh},
                                            {NULL, NULL}};
    if (count > 2 && strcmp(words[1], "timed_shares") == 0 && strcmp(words[2], "mended") != 0)
        start_server();
    for (int group = 0; group < GROUPS; group++)
        removal[group] = 0.01 * (group % 9);
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
