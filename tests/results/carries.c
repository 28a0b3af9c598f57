/* A program that carries data in every way that libmprof hashes, for run_results.py.
 *
 *     carries STEPS INPUT MARK RANK STEP
 *
 * Each step makes the calls below once; a mark in a comment is at the line of a call. Before the
 * call of MARK, on RANK and in STEP (from 1), one bit of what it gives is flipped. MARK "inexact":
 * the reduction of that step adds up numbers whose sum depends on the order. All results go into
 * what is computed next. Holes of derived datatypes hold something else in each run.
 *
 * Prints for each step what this rank got from the reduction, as bits.
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VALUES = 64, WIDTH = 4 };

static int rank, ranks, step;
static const char *planted_mark;
static int planted_rank, planted_step;
static double values[VALUES];

static int is_planted(const char *mark)
{
    return rank == planted_rank && step == planted_step && strcmp(mark, planted_mark) == 0;
}

/* Flips the lowest bit of a number, if it is here. */
static void plant(const char *mark, double *number)
{
    uint64_t bits;
    if (!is_planted(mark))
        return;
    memcpy(&bits, number, sizeof bits);
    bits ^= 1;
    memcpy(number, &bits, sizeof bits);
}

/* Keeps numbers small and whole: a flipped bit stays, and sums are exact. */
static void compute(double with)
{
    for (int i = 0; i < VALUES; i++)
        values[i] = fmod(values[i] * 5 + i + rank + with, 1024);
}

static void read_input(const char *path)
{
    FILE *file = rank == 0 ? fopen(path, "r") : NULL;
    double first = 0;
    if (file != NULL && fscanf(file, "%lf", &first) != 1)
        first = -1;
    if (file != NULL)
        fclose(file);
    MPI_Bcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* @input */
    for (int i = 0; i < VALUES; i++)
        values[i] = fmod(first + i, 1024);
}

static void reduce(void)
{
    double given[VALUES];
    double sum[VALUES];
    const int inexact = step == planted_step && strcmp(planted_mark, "inexact") == 0;
    for (int i = 0; i < VALUES; i++)
        given[i] = inexact ? 1 / (values[i] + 3 + rank + i) : values[i];
    plant("reduce", &given[7]);
    MPI_Allreduce(given, sum, VALUES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* @reduce */
    uint64_t bits = 0;
    for (int i = 0; i < VALUES; i++) {
        uint64_t one;
        memcpy(&one, &sum[i], sizeof one);
        bits = bits * 31 + one;
    }
    printf("rank %d step %d reduced %016llx\n", rank, step, (unsigned long long)bits);
    compute(inexact ? 1 : sum[7]);
}

static void fill_holes(double *matrix)
{
    for (int i = 0; i < VALUES * WIDTH; i++)
        matrix[i] = (double)getpid() + i;
}

/* A column of a matrix is sent, numbers one after the other arrive. */
static void exchange_columns(void)
{
    double matrix[VALUES * WIDTH];
    double came[VALUES];
    MPI_Datatype column;
    MPI_Request requests[2];
    const int left = (rank + ranks - 1) % ranks;
    const int right = (rank + 1) % ranks;
    MPI_Type_vector(VALUES, 1, WIDTH, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    fill_holes(matrix);
    for (int i = 0; i < VALUES; i++)
        matrix[i * WIDTH] = values[i];
    plant("column", &matrix[3 * WIDTH]);
    MPI_Irecv(came, VALUES, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(matrix, 1, column, right, 5, MPI_COMM_WORLD, &requests[1]); /* @column */
    MPI_Type_free(&column);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    compute(came[3]);
}

/* Rank 0 sends to each in turn; what arrives may be altered on its way. */
static void receive(void)
{
    double data[VALUES];
    memcpy(data, values, sizeof data);
    if (rank == 0) {
        plant("send", &data[9]);
        for (int to = 1; to < ranks; to++)
            MPI_Send(data, VALUES, MPI_DOUBLE, to, 6, MPI_COMM_WORLD); /* @send */
    } else {
        MPI_Recv(data, VALUES, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* @recv */
    }
    compute(data[9]);
}

/* Two messages from any rank and of any tag, completed in the other order. */
static void receive_any(void)
{
    double given[2] = {values[0], values[1]};
    double came[2];
    MPI_Request requests[2];
    MPI_Request sends[2];
    const int right = (rank + 1) % ranks;
    plant("any", &given[1]);
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&came[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                  &requests[i]);
    MPI_Isend(&given[0], 1, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &sends[0]);
    MPI_Isend(&given[1], 1, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &sends[1]); /* @any */
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    compute(came[0] + 2 * came[1]);
}

/* On the communicator of even or odd ranks, in place. */
static void reduce_in_place(MPI_Comm half)
{
    double sum[VALUES];
    memcpy(sum, values, sizeof sum);
    plant("place", &sum[5]);
    MPI_Allreduce(MPI_IN_PLACE, sum, VALUES, MPI_DOUBLE, MPI_SUM, half); /* @place */
    compute(sum[5]);
}

static void replace(void)
{
    double data[VALUES];
    memcpy(data, values, sizeof data);
    plant("replace", &data[2]);
    MPI_Sendrecv_replace(data, VALUES, MPI_DOUBLE, (rank + 1) % ranks, 8, /* @replace */
                         (rank + ranks - 1) % ranks, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(data[2]);
}

static void reduce_later(void)
{
    double given[VALUES];
    double sum[VALUES];
    MPI_Request request;
    int done = 0;
    memcpy(given, values, sizeof given);
    plant("later", &given[1]);
    MPI_Iallreduce(given, sum, VALUES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request); /* @later */
    while (!done)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    compute(sum[1]);
}

static void give_to_all(void)
{
    double *data = calloc((size_t)ranks, sizeof *data);
    for (int i = 0; i < ranks; i++)
        data[i] = values[i];
    plant("alltoall", &data[ranks - 1]);
    MPI_Alltoall(MPI_IN_PLACE, 1, MPI_DOUBLE, data, 1, MPI_DOUBLE, MPI_COMM_WORLD); /* @alltoall */
    compute(data[0]);
    free(data);
}

/* Each gives as many as its rank, and one. */
static void gather(void)
{
    double given[VALUES];
    double *all = calloc((size_t)(ranks * VALUES), sizeof *all);
    int *counts = calloc((size_t)ranks, sizeof *counts);
    int *places = calloc((size_t)ranks, sizeof *places);
    const int root = ranks - 1;
    memcpy(given, values, sizeof given);
    for (int i = 0; i < ranks; i++) {
        counts[i] = i + 1;
        places[i] = i * VALUES;
    }
    for (int i = 0; i < ranks * VALUES; i++)
        all[i] = getpid();
    plant("gather", &given[0]);
    MPI_Gatherv(given, rank + 1, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, root, /* @gather */
                MPI_COMM_WORLD);
    compute(rank == root ? all[0] + all[(ranks - 1) * VALUES] : 0);
    free(all);
    free(counts);
    free(places);
}

static void match(void)
{
    double data[2] = {values[0], values[1]};
    double came = 0;
    MPI_Message first;
    MPI_Message second;
    MPI_Request requests[2];
    const int right = (rank + 1) % ranks;
    const int left = (rank + ranks - 1) % ranks;
    plant("match", &data[1]);
    MPI_Isend(&data[0], 1, MPI_DOUBLE, right, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&data[1], 1, MPI_DOUBLE, right, 9, MPI_COMM_WORLD, &requests[1]); /* @match */
    MPI_Mprobe(left, 9, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE);
    MPI_Mprobe(left, 9, MPI_COMM_WORLD, &second, MPI_STATUS_IGNORE);
    MPI_Mrecv(&came, 1, MPI_DOUBLE, &second, MPI_STATUS_IGNORE);
    compute(came);
    MPI_Mrecv(&came, 1, MPI_DOUBLE, &first, MPI_STATUS_IGNORE);
    compute(came);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 6)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const int steps = atoi(argv[1]);
    planted_mark = argv[3];
    planted_rank = atoi(argv[4]);
    planted_step = atoi(argv[5]);
    double sent[VALUES];
    double came[VALUES];
    MPI_Comm half;
    MPI_Request ring[2];
    read_input(argv[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    const int left = (rank + ranks - 1) % ranks;
    const int right = (rank + 1) % ranks;
    MPI_Recv_init(came, VALUES, MPI_DOUBLE, left, 4, MPI_COMM_WORLD, &ring[0]);
    MPI_Send_init(sent, VALUES, MPI_DOUBLE, right, 4, MPI_COMM_WORLD, &ring[1]); /* @ring */
    for (step = 1; step <= steps; step++) {
        reduce();
        exchange_columns();
        receive();
        receive_any();
        reduce_in_place(half);
        replace();
        reduce_later();
        give_to_all();
        gather();
        match();
        memcpy(sent, values, sizeof sent);
        plant("ring", &sent[4]);
        MPI_Startall(2, ring);
        MPI_Waitall(2, ring, MPI_STATUSES_IGNORE);
        compute(came[4]);
    }
    MPI_Request_free(&ring[0]);
    MPI_Request_free(&ring[1]);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
