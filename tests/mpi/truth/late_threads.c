/* Truth: threads that compute before their first MPI call. MPI_Init is made in a thread, after main
 * has called MPI. Then ten threads come and go. What a thread computed before its first call, and
 * what was before MPI_Init, is in no segment: sums.py compares them with the wall time. */
#include "truth.h"

#include <unistd.h>

enum { THREADS = 10 };

static pthread_barrier_t turn; /* of main and the thread of MPI_Init */

static void *exchange(void *none)
{
    int partner = truth_rank ^ 1, sent = truth_rank, came = -1;
    (void)none;
    usleep(20000);
    for (int i = 0; i < 2; i++) {
        MPI_Sendrecv(&sent, 1, MPI_INT, partner, 0, &came, 1, MPI_INT, partner, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        CHECK(came == partner);
        expect_send("MPI_Sendrecv", partner, sizeof(int));
        expect_received("MPI_Sendrecv", sizeof(int));
    }
    return NULL;
}

static void *begin_and_end(void *none)
{
    int level = -1;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    expect("MPI_Init_thread", 1, 0);
    truth_start();
    CHECK(level == MPI_THREAD_MULTIPLE);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, exchange, NULL) == 0);
        pthread_join(thread, NULL);
    }
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    truth_end();
    return none;
}

int main(void)
{
    pthread_t thread;
    int has_begun = -1;
    MPI_Initialized(&has_begun);
    expect("MPI_Initialized", 1, 0);
    CHECK(has_begun == 0);
    usleep(300000);
    CHECK(pthread_barrier_init(&turn, NULL, 2) == 0);
    CHECK(pthread_create(&thread, NULL, begin_and_end, NULL) == 0);
    pthread_barrier_wait(&turn);
    exchange(NULL);
    pthread_barrier_wait(&turn);
    pthread_join(thread, NULL);
    return truth_failures == 0 ? 0 : 1;
}
