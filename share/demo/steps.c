/* Programs with one thing to improve each, as found and with that thing done: for share/demo/steps,
 * which compares what the report promises with what is gained.
 *
 *   steps CASE [done]
 *
 * Both forms do the same work and send the same data. Ranks compute on the CPU, so it takes a CPU
 * for each rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 1 << 19, PER_STEP = 2000 };

static int rank, size, done;
static double *large, *other;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A few microseconds of arithmetic between two looks at the clock: else nearly all samples of the
 * computing would be in the kernel's code that reads it. Each value ends at 2 more than the one
 * before, so none overflows. */
__attribute__((noinline)) static void relax(void)
{
    enum { VALUES = 1024 };
    static double values[VALUES];
    for (int i = 1; i < VALUES; i++)
        values[i] = 0.5 * (values[i - 1] + values[i]) + 1;
}

/* So much of the CPU, however long that takes. */
static void compute_ms(double ms)
{
    const double end_s = cpu_s() + ms * 1e-3;
    while (cpu_s() < end_s)
        relax();
}

static int partner(void)
{
    return rank ^ 1;
}

/* Rank 1 has three times as many rows as rank 0. */
static void uneven(void)
{
    double x = 1, sum;
    for (int step = 0; step < 400; step++) {
        compute_ms(done ? 8 : 4 + 8 * rank);
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void reductions(void)
{
    for (int step = 0; step < 800; step++) {
        compute_ms(3);
        for (int i = 0; i < PER_STEP && !done; i++)
            MPI_Allreduce(&large[i], &other[i], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (done)
            MPI_Allreduce(large, other, PER_STEP, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void messages(void)
{
    const int count = done ? PER_STEP : 1;
    for (int step = 0; step < 1000; step++) {
        compute_ms(2);
        for (int i = 0; i < PER_STEP; i += count) {
            if (rank % 2 == 0) {
                MPI_Send(&large[i], count, MPI_DOUBLE, partner(), 0, MPI_COMM_WORLD);
                MPI_Recv(&other[i], count, MPI_DOUBLE, partner(), 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(&other[i], count, MPI_DOUBLE, partner(), 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                MPI_Send(&large[i], count, MPI_DOUBLE, partner(), 0, MPI_COMM_WORLD);
            }
        }
    }
}

/* Each rank is late now and then, and they meet only every 20th step. */
static void barriers(void)
{
    double x = 1, sum;
    srand((unsigned)rank + 1);
    for (int step = 1; step <= 200; step++) {
        compute_ms(2 + rand() % 16);
        if (!done)
            MPI_Barrier(MPI_COMM_WORLD);
        if (step % 20 == 0)
            MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* The root makes the next input while the others could compute what does not need it. */
static void root(void)
{
    double x = 1, sum;
    for (int step = 0; step < 200; step++) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (done && rank != 0)
            MPI_Ibcast(large, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
        if (rank == 0)
            compute_ms(8);
        if (done && rank == 0)
            MPI_Ibcast(large, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
        if (!done)
            MPI_Bcast(large, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        compute_ms(rank == 0 ? 4 : 12);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* A pipeline: rank 0 makes what rank 1 goes on with, and the answer begins the next step. */
static void turns(void)
{
    const int pieces = done ? 10 : 1;
    for (int step = 0; step < 100; step++) {
        for (int i = 0; i < pieces; i++) {
            if (rank == 1)
                MPI_Recv(other, 1000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            compute_ms(12.0 / pieces);
            if (rank == 0)
                MPI_Send(large, 1000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        }
        if (rank == 1)
            MPI_Send(large, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Recv(other, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* It asks after each piece of work whether the message is there, or after every hundredth. */
static void polling(void)
{
    volatile double x = 1;
    for (int step = 0; step < 100; step++) {
        int come = 0;
        MPI_Request request;
        MPI_Irecv(other, 1, MPI_DOUBLE, partner(), 0, MPI_COMM_WORLD, &request);
        for (int piece = 0; piece < 300000; piece++) {
            for (int i = 0; i < 20; i++)
                x = x * 1.0000001;
            if (!come && (!done || piece % 100 == 0))
                MPI_Test(&request, &come, MPI_STATUS_IGNORE);
        }
        MPI_Send(large, 1, MPI_DOUBLE, partner(), 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void asking(void)
{
    double sum = 0;
    const int own = rank;
    for (long i = 0; i < 400000000; i++) {
        int me = own;
        if (!done)
            MPI_Comm_rank(MPI_COMM_WORLD, &me);
        sum += me;
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static MPI_File open_output(void)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "output.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                  &file);
    return file;
}

static void output(void)
{
    MPI_File file = open_output();
    for (int step = 0; step < 300; step++) {
        compute_ms(4);
        if (!done || step % 2 == 1)
            MPI_File_write_at_all(file, (MPI_Offset)rank * MANY * 8, large, MANY, MPI_DOUBLE,
                                  MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
}

static void syncs(void)
{
    MPI_File file = open_output();
    for (int step = 0; step < 200; step++) {
        compute_ms(2);
        MPI_File_write_at(file, (MPI_Offset)rank * 8000, large, 1000, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
        for (int i = 0; i < (done ? step == 199 : 40); i++)
            MPI_File_sync(file);
    }
    MPI_File_close(&file);
}

static void writes(void)
{
    MPI_File file = open_output();
    const int count = done ? 10000 : 1;
    for (int step = 0; step < 30; step++) {
        compute_ms(20);
        for (int i = 0; i < 10000; i += count)
            MPI_File_write_at(file, (MPI_Offset)(rank * 10000 + i) * 8, &large[i], count,
                              MPI_DOUBLE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
}

/* Each takes the other's block, and adds it up: by a message, or where it is. */
static void copies(void)
{
    enum { COUNT = 1 << 17 };
    MPI_Win window;
    double *own, *neighbours, sum = 0;
    MPI_Aint bytes;
    int unit;
    MPI_Win_allocate_shared(COUNT * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                            &own, &window);
    MPI_Win_shared_query(window, partner(), &bytes, &unit, &neighbours);
    MPI_Win_lock_all(0, window);
    for (int step = 0; step < 1500; step++) {
        for (int i = 0; i < COUNT; i++)
            own[i] = step + i;
        const double *block = other;
        if (done) {
            MPI_Win_sync(window);
            MPI_Sendrecv(NULL, 0, MPI_BYTE, partner(), 0, NULL, 0, MPI_BYTE, partner(), 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Win_sync(window);
            block = neighbours;
        } else {
            MPI_Sendrecv(own, COUNT, MPI_DOUBLE, partner(), 0, other, COUNT, MPI_DOUBLE, partner(),
                         0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < COUNT; i++)
            sum += block[i];
        if (done) /* the block is not written anew before it was read */
            MPI_Sendrecv(NULL, 0, MPI_BYTE, partner(), 0, NULL, 0, MPI_BYTE, partner(), 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(window);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_free(&window);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"uneven", uneven}, {"reductions", reductions}, {"messages", messages}, {"barriers", barriers},
    {"root", root},     {"turns", turns},           {"polling", polling},   {"asking", asking},
    {"output", output}, {"syncs", syncs},           {"writes", writes},     {"copies", copies}};

int main(int argc, char **argv)
{
    void (*run)(void) = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            run = cases[i].run;
    if (run == NULL) {
        fprintf(stderr, "usage: steps CASE [done]\n");
        return 2;
    }
    done = argc > 2 && strcmp(argv[2], "done") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    large = calloc(MANY, sizeof *large);
    other = calloc(MANY, sizeof *other);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin_s = now_s();
    run();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.3f s\n", now_s() - begin_s);
    MPI_Finalize();
    return 0;
}
