/* Programs that are coupled, for run_coupled.py: this source is built under the names ocean,
 * atmosphere and land, and mpirun starts some of them together:
 *
 *     mpirun -n 2 ocean FOLDER spin 150 0 4000,4000 : -n 2 atmosphere FOLDER spin 150 2 9000,9000
 *
 * The arguments are: how the work is done, the number of steps, the first rank of the program, and
 * how many us each of its ranks works in a step. `spin`: by computing until a point in time.
 * `sleep`: by sleeping until then, which a busy machine hardly disturbs. With one more argument,
 * "turns", the programs take turns: rank 0 works while rank 1 waits for it, and then rank 1 does.
 *
 * A step: compute; a reduction within the program; the first ranks of the programs meet; the first
 * rank passes on what it got to its own program. So the ranks of a program wait for its slowest
 * one, and then for the slowest program. Each rank leaves three files in FOLDER. arrivals-RANK and
 * departures-RANK say when it came to the reduction of each step and when it had what the others
 * sent, by the clock that all processes of a machine share. worked-RANK says how long it worked.
 * What all waited, and for whom, follows from these files alone. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_STEPS = 4096 };

static double arrivals[MOST_STEPS], departures[MOST_STEPS];
static double worked_s;
static int sleeps;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A few microseconds of arithmetic between two looks at the clock: else nearly all samples of the
 * computing would be in the kernel's code that reads it. Each value ends at 2 more than the one
 * before, so none overflows. */
__attribute__((noinline)) static void relax(void)
{
    enum { VALUES = 1024 };
    static _Thread_local double values[VALUES];
    for (int i = 1; i < VALUES; i++)
        values[i] = 0.5 * (values[i - 1] + values[i]) + 1;
}

static void work_us(long us)
{
    const double begin_s = now_s(), end_s = begin_s + (double)us * 1e-6;
    while (now_s() < end_s)
        if (sleeps) {
            const double left_s = end_s - now_s();
            const struct timespec left = {0, left_s > 0 ? (long)(left_s * 1e9) : 0};
            nanosleep(&left, NULL);
        } else {
            relax();
        }
    worked_s += now_s() - begin_s;
}

/* The n-th number of "4000,9000"; the last one of all that follow. */
static long nth_number(const char *list, int n)
{
    for (; n > 0 && strchr(list, ',') != NULL; n--)
        list = strchr(list, ',') + 1;
    return strtol(list, NULL, 10);
}

static void write_times(const char *folder, const char *name, int rank, const double *times,
                        size_t count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%d", folder, name, rank);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(times, sizeof *times, count, file) != count || fclose(file) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The first ranks of two programs exchange messages, those of more have a reduction. */
static void meet(MPI_Comm firsts, double *field)
{
    int count, place;
    double other[64];
    MPI_Comm_size(firsts, &count);
    MPI_Comm_rank(firsts, &place);
    if (count == 2)
        MPI_Sendrecv(field, 64, MPI_DOUBLE, 1 - place, 7, other, 64, MPI_DOUBLE, 1 - place, 7,
                     firsts, MPI_STATUS_IGNORE);
    else
        MPI_Allreduce(field, other, 64, MPI_DOUBLE, MPI_SUM, firsts);
    memcpy(field, other, sizeof other);
}

/* One after the other: rank 0 works, and then rank 1 with what it gave. */
static void take_turns(int rank, long us, size_t step)
{
    double value = 0;
    const int other = rank == 0 ? 1 : 0;
    if (rank > 1)
        return;
    if (rank == 0)
        work_us(us);
    arrivals[step] = now_s();
    if (rank == 0)
        MPI_Send(&value, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        work_us(us);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_DOUBLE, other, 2, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_DOUBLE, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, own_rank;
    double field[64] = {0}, sum;
    MPI_Comm own, firsts;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 6)
        MPI_Abort(MPI_COMM_WORLD, 2);
    sleeps = strcmp(argv[2], "sleep") == 0;
    const size_t steps = (size_t)strtol(argv[3], NULL, 10);
    const int first = (int)strtol(argv[4], NULL, 10);
    const long us = nth_number(argv[5], rank - first);
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &own);
    MPI_Comm_rank(own, &own_rank);
    MPI_Comm_split(MPI_COMM_WORLD, own_rank == 0 ? 0 : MPI_UNDEFINED, rank, &firsts);
    for (size_t step = 0; step < steps && step < MOST_STEPS; step++) {
        if (argc > 6) {
            take_turns(rank, us, step);
            continue;
        }
        work_us(us);
        arrivals[step] = now_s();
        MPI_Allreduce(&field[0], &sum, 1, MPI_DOUBLE, MPI_SUM, own);
        if (firsts != MPI_COMM_NULL)
            meet(firsts, field);
        MPI_Bcast(field, 64, MPI_DOUBLE, 0, own);
        departures[step] = now_s();
    }
    write_times(argv[1], "arrivals", rank, arrivals, steps);
    write_times(argv[1], "departures", rank, departures, steps);
    write_times(argv[1], "worked", rank, &worked_s, 1);
    if (firsts != MPI_COMM_NULL)
        MPI_Comm_free(&firsts);
    MPI_Comm_free(&own);
    MPI_Finalize();
    return 0;
}
