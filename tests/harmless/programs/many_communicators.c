/* Each communicator has a journal of its collectives in the record, until the record's directory is
 * full. A thread that begins then needs a place for its own record, too. */
#include "harmless.h"

#include <pthread.h>

enum { COMMUNICATORS = 1200, CALLS = 4000 };

static void *call(void *nothing)
{
    int flag;
    for (int i = 0; i < CALLS; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return nothing;
}

int main(int argc, char **argv)
{
    static MPI_Comm comms[COMMUNICATORS];
    int provided, rank, one = 1, sum = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        not_here("no MPI_THREAD_MULTIPLE");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < COMMUNICATORS; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comms[i]);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comms[i]);
    }
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, call, NULL) == 0);
    pthread_join(thread, NULL);
    for (int i = 0; i < COMMUNICATORS; i++)
        MPI_Comm_free(&comms[i]);
    printf("%d\n", sum);
    made("MPI_Comm_split", COMMUNICATORS);
    made("MPI_Allreduce", COMMUNICATORS);
    made("MPI_Iprobe", CALLS);
    MPI_Finalize();
    return 0;
}
