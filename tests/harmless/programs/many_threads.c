/* Threads that are there at the same time, so that no record can pass from one to the next. */
#include "harmless.h"

#include <pthread.h>

enum { THREADS = 200, CALLS = 1000 };

static pthread_barrier_t all_have_begun;

static void *call(void *nothing)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    pthread_barrier_wait(&all_have_begun);
    for (int i = 1; i < CALLS; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return nothing;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        not_here("no MPI_THREAD_MULTIPLE");
    pthread_barrier_init(&all_have_begun, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, call, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    made("MPI_Iprobe", THREADS * CALLS);
    MPI_Finalize();
    return 0;
}
