/* Truth: MPI_THREAD_MULTIPLE. Four threads per rank send and receive at once, each with its own
 * tag. A receive that one thread posts is completed by another. */
#include "truth.h"

enum { THREADS = 4, TURNS = 100 };

static int partner;
static MPI_Request handed_over[THREADS];
static int handed_values[THREADS];

static void *talk(void *argument)
{
    int tag = (int)(long)argument, value = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        MPI_Request request;
        int ints[THREADS] = {turn}, came[THREADS] = {-1};
        MPI_Irecv(&value, 1, MPI_INT, partner, tag, MPI_COMM_WORLD, &request);
        MPI_Send(&turn, 1, MPI_INT, partner, tag, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(value == turn);
        /* thread t sends t + 1 ints */
        MPI_Sendrecv(ints, tag + 1, MPI_INT, partner, 10 + tag, came, THREADS, MPI_INT, partner,
                     10 + tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(came[0] == turn);
    }
    return NULL;
}

/* What all threads do in talk(). */
static void expect_talk(void)
{
    for (int t = 0; t < THREADS; t++) {
        long long size = (t + 1) * (long long)sizeof(int);
        expect_size("MPI_Irecv", sizeof(int), TURNS);
        expect_size("MPI_Send", sizeof(int), TURNS);
        expect("MPI_Wait", TURNS, 0);
        expect_message(truth_rank, partner, TURNS, TURNS * (long long)sizeof(int));
        expect_size("MPI_Sendrecv", size, TURNS);
        expect_received("MPI_Sendrecv", TURNS * size);
        expect_message(truth_rank, partner, TURNS, TURNS * size);
    }
}

static void *post(void *argument)
{
    int t = (int)(long)argument;
    MPI_Irecv(&handed_values[t], 1, MPI_INT, partner, 40 + t, MPI_COMM_WORLD, &handed_over[t]);
    return NULL;
}

static void run(void *(*body)(void *))
{
    pthread_t threads[THREADS];
    for (long t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, body, (void *)t) == 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
}

int main(int argc, char **argv)
{
    int level = -1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    expect("MPI_Init_thread", 1, 0);
    truth_start();
    CHECK(level == MPI_THREAD_MULTIPLE);
    partner = truth_rank ^ 1;
    run(talk);
    expect_talk();
    run(post);
    for (int t = THREADS - 1; t >= 0; t--) {
        MPI_Send(&truth_rank, 1, MPI_INT, partner, 40 + t, MPI_COMM_WORLD);
        expect_send("MPI_Send", partner, sizeof(int));
    }
    MPI_Waitall(THREADS, handed_over, MPI_STATUSES_IGNORE);
    expect("MPI_Waitall", 1, 0);
    expect_size("MPI_Irecv", sizeof(int), THREADS);
    for (int t = 0; t < THREADS; t++)
        CHECK(handed_values[t] == partner);
    return truth_end();
}
