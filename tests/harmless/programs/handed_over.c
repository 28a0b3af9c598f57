/* One thread starts a request and ends. After a pause another thread begins and completes the
 * request. It gets the recorder that the first thread wrote into. It computed nothing meanwhile. */
#include <pthread.h>
#include <unistd.h>

#include "harmless.h"

static MPI_Request request;
static int data, other;

static void *start(void *argument)
{
    MPI_Irecv(&data, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
    return argument;
}

static void *complete(void *argument)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return argument;
}

int main(int argc, char **argv)
{
    int level, rank;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int i = 0; i < 5; i++) {
        pthread_create(&thread, NULL, start, NULL);
        pthread_join(thread, NULL);
        usleep(100000);
        MPI_Send(&i, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        pthread_create(&thread, NULL, complete, NULL);
        pthread_join(thread, NULL);
    }
    printf("%d\n", data);
    made("MPI_Irecv", 5);
    made("MPI_Wait", 5);
    MPI_Finalize();
    return 0;
}
