/* Two threads make communicators at the same time. Each makes them from a parent of its own, in
 * another order on each rank. Then one rank is always late for a barrier of the first communicator,
 * and the other rank is late for one of the second.
 *
 *   communicators_at_once dup|idup|split|create_group
 */
#include <pthread.h>
#include <unistd.h>

#include "harmless.h"

enum { COMMS = 4, TURNS = 5, LATE_US = 60000 };

static int rank;
static const char *way;
static MPI_Comm parents[2];
static MPI_Comm comms[2][COMMS];
static MPI_Group group;
static pthread_barrier_t steps;

static void make(int thread, int number)
{
    MPI_Comm *comm = &comms[thread][number];
    MPI_Request request;
    if (strcmp(way, "dup") == 0)
        MPI_Comm_dup(parents[thread], comm);
    if (strcmp(way, "split") == 0)
        MPI_Comm_split(parents[thread], 0, 0, comm);
    if (strcmp(way, "create_group") == 0)
        MPI_Comm_create_group(parents[thread], group, thread, comm);
    if (strcmp(way, "idup") != 0)
        return;
    /* Which of the two is promised first is not the same on the two ranks. */
    if (thread == rank)
        pthread_barrier_wait(&steps);
    MPI_Comm_idup(parents[thread], comm, &request);
    if (thread != rank)
        pthread_barrier_wait(&steps);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void *work(void *is_second)
{
    const int thread = is_second != NULL;
    for (int i = 0; i < COMMS; i++)
        make(thread, i);
    for (int turn = 0; turn < TURNS; turn++) {
        if (rank == thread)
            usleep(LATE_US);
        MPI_Barrier(comms[thread][COMMS - 1]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t other;
    int level;
    way = argc > 1 ? argv[1] : "dup";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level < MPI_THREAD_MULTIPLE)
        not_here("no MPI_THREAD_MULTIPLE");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
    pthread_barrier_init(&steps, NULL, 2);
    pthread_create(&other, NULL, work, parents);
    work(NULL);
    pthread_join(other, NULL);
    for (int i = 0; i < 2 * COMMS; i++)
        MPI_Comm_free(&comms[i / COMMS][i % COMMS]);
    MPI_Group_free(&group);
    made("MPI_Barrier", 2 * TURNS);
    made("MPI_Comm_free", 2 * COMMS);
    MPI_Finalize();
    return 0;
}
