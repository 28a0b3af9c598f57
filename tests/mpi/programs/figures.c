/* Programs whose figures were once added up wrongly, for run_figures.py: figures CASE, on two
 * ranks, or three. Prints nothing. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, SLEPT_US = 300000, MEMORY = 100 << 20 };

static int rank;

static void start(int level)
{
    int provided;
    MPI_Init_thread(NULL, NULL, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < level)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *receive(void *argument)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, 0, (int)(long)argument, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static MPI_Request posted;
static int posted_value;

static void *post(void *argument)
{
    MPI_Irecv(&posted_value, 1, MPI_INT, 1 - rank, THREADS, MPI_COMM_WORLD, &posted);
    return argument;
}

/* Each thread of rank 1 waits for rank 0, which sleeps. Then a request is completed by another
 * thread than began it. */
static int threads(void)
{
    pthread_t all[THREADS];
    start(MPI_THREAD_MULTIPLE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        usleep(SLEPT_US);
    for (long tag = 0; tag < THREADS; tag++)
        if (rank == 1)
            pthread_create(&all[tag], NULL, receive, (void *)tag);
        else
            MPI_Send(&rank, 1, MPI_INT, 1, (int)tag, MPI_COMM_WORLD);
    for (int i = 0; rank == 1 && i < THREADS; i++)
        pthread_join(all[i], NULL);
    pthread_create(&all[0], NULL, post, NULL);
    pthread_join(all[0], NULL);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, THREADS, MPI_COMM_WORLD);
    MPI_Wait(&posted, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}

/* What the standard allows before MPI_Init may take longer than that. */
static int early(void)
{
    int level;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    start(MPI_THREAD_SINGLE);
    for (int i = 0; i < 100; i++)
        MPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_T_finalize(); /* Open MPI 4.1 dies of it after MPI_Finalize */
    return MPI_Finalize();
}

/* What a program does between calls that the standard allows before MPI_Init is not of the run. */
static int asked(void)
{
    int flag;
    for (int i = 0; i < 3; i++) {
        MPI_Initialized(&flag);
        usleep(300000);
        for (const clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;)
            ;
    }
    start(MPI_THREAD_SINGLE);
    usleep(100000);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}

/* Each waits for the other one, for ever. */
static int hang(void)
{
    start(MPI_THREAD_SINGLE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}

/* Killed as by the kernel that lacks memory: long before the first second is over. */
static int memory(void)
{
    start(MPI_THREAD_SINGLE);
    char *all = malloc(MEMORY);
    memset(all, 1, MEMORY);
    for (int i = 0; i < 60; i++) {
        usleep(1000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    raise(SIGKILL);
    return all[0];
}

/* libmprof asks the kernel when MPI_Finalize is over: on a crowded machine that takes long. */
static volatile int kernel_is_slow;

int getrusage(int who, void *usage)
{
    if (kernel_is_slow)
        usleep(SLEPT_US / 3);
    return (int)syscall(SYS_getrusage, who, usage);
}

static int slow_end(void)
{
    start(MPI_THREAD_SINGLE);
    kernel_is_slow = 1;
    MPI_Finalize();
    return 0;
}

/* mprof's patience is over when rank 1 comes. */
static int late(void)
{
    start(MPI_THREAD_SINGLE);
    if (rank == 1)
        sleep(3);
    return MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "threads") == 0)
        return threads();
    if (strcmp(name, "early") == 0)
        return early();
    if (strcmp(name, "asked") == 0)
        return asked();
    if (strcmp(name, "slow_end") == 0)
        return slow_end();
    if (strcmp(name, "late") == 0)
        return late();
    return strcmp(name, "memory") == 0 ? memory() : hang();
}
