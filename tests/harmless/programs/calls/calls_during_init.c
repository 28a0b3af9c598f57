/* Threads that ask MPI something all the time while another one is in MPI_Init_thread. */
#include "harmless.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

/* In bursts, so that they are not through before MPI_Init_thread is. */
enum { THREADS = 3, CALLS = 2000000, BURST = 500, PAUSE_US = 1000 };

static atomic_bool has_begun;

static void *call(void *nothing)
{
    int flag;
    for (int i = 0; i < CALLS; i++) {
        MPI_Initialized(&flag);
        if (i % BURST == 0 && !has_begun)
            usleep(PAUSE_US);
    }
    return nothing;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int provided;
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, call, NULL) == 0);
    usleep(10000);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        not_here("no MPI_THREAD_MULTIPLE");
    has_begun = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    made("MPI_Initialized", (long)THREADS * CALLS);
    MPI_Finalize();
    return 0;
}
