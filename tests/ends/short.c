/* A program that computes something whose result is known, and calls MPI on the way. Used by
 * run_limits.py, which lets it run short of files, memory, stack or disk.
 *
 * short MODE: rank 0 prints the result. The program ends with status 3 when the other rank is gone.
 * MODE:
 *
 *   plain          nothing else
 *   wait           2 s before MPI_Finalize, after the line "waiting"
 *   threads        4 threads with stacks of 128 KiB call MPI
 *   many           messages of 20,000 sizes, so that the record grows
 *   many-limited   the same; after MPI_Init no file may grow beyond 600 KiB
 *   end-limited    before MPI_Finalize, no file may grow any more
 *   end-stranger   before MPI_Finalize, the process becomes another user's
 *   other          rank 0 starts this program as a job of its own, which it waits for
 *   peak           also prints the peak of the address space in KiB
 */
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, STACK_BYTES = 128 * 1024, MANY = 20000, NOBODY = 65534 };

static int rank, ranks;

static long exchange(int tag, int count)
{
    static const char mine[MANY];
    static __thread char other[MANY];
    int arrived;
    MPI_Status status;
    MPI_Sendrecv(mine, count, MPI_CHAR, (rank + 1) % ranks, tag, other, MANY, MPI_CHAR,
                 (rank + ranks - 1) % ranks, tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &arrived);
    return arrived;
}

static void *exchange_often(void *argument)
{
    long *sum = argument;
    const int tag = (int)*sum;
    *sum = 0;
    for (int i = 0; i < 200; i++)
        *sum += exchange(tag, i);
    return NULL;
}

static long run_threads(void)
{
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    long sums[THREADS], total = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (int i = 0; i < THREADS; i++) {
        sums[i] = i + 1;
        if (pthread_create(&threads[i], &attributes, exchange_often, &sums[i]) != 0)
            exit(4);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        total += sums[i];
    }
    return total;
}

static long peak_kib(void)
{
    char line[256];
    long peak = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "VmPeak:", 7) == 0)
            peak = atol(line + 7);
    if (status != NULL)
        fclose(status);
    return peak;
}

/* Also of a process that nobody has reaped yet; 10 s at most. */
static void wait_for_end_of(pid_t process)
{
    struct pollfd end = {pidfd_open(process, 0), POLLIN, 0};
    if (end.fd >= 0) /* or it is gone already */
        poll(&end, 1, 10000);
}

static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        exit(4);
}

/* It knows nothing of this job. */
static void start_other(char *program)
{
    static const char *const names[] = {"OMPI_", "PMI", "MPI_", "MPIR_", "HYDRA", "ORTE_", "OPAL_"};
    enum { MOST = 4096 };
    char *kept[MOST];
    char *words[] = {program, "plain", NULL};
    int count = 0;
    for (char **entry = environ; *entry != NULL && count < MOST - 1; entry++) {
        int is_of_job = 0;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            is_of_job |= strncmp(*entry, names[i], strlen(names[i])) == 0;
        if (!is_of_job)
            kept[count++] = *entry;
    }
    kept[count] = NULL;
    const pid_t child = fork();
    if (child == 0) {
        execve(program, words, kept);
        _exit(127);
    }
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    int level;
    long total = 0;
    if (argc != 2)
        return 2;
    const char *mode = argv[1];
    MPI_Init_thread(&argc, &argv,
                    strcmp(mode, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(mode, "many-limited") == 0) {
        total += exchange(0, MANY); /* what the MPI does at its first messages */
        limit_files(600 * 1024);
    }
    if (strcmp(mode, "threads") == 0)
        total = run_threads();
    else
        for (int i = 0; i < (strncmp(mode, "many", 4) == 0 ? MANY : 200); i++)
            total += exchange(0, i);
    long sum = 0;
    MPI_Reduce(&total, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %ld\n", sum);
    if (strcmp(mode, "wait") == 0) {
        if (rank == 0)
            fprintf(stderr, "waiting\n");
        sleep(2);
    }
    if (strcmp(mode, "other") == 0 && rank == 0)
        start_other(argv[0]);
    /* mpirun kills the others when one ends with a status other than 0: rank 0 does, after them. */
    int process = rank == 0 ? 0 : (int)getpid(), last = 0;
    MPI_Reduce(&process, &last, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (strcmp(mode, "end-limited") == 0)
        limit_files(0);
    if (strcmp(mode, "end-stranger") == 0 && seteuid(NOBODY) != 0)
        return 4;
    MPI_Finalize();
    if (rank == 0)
        wait_for_end_of(last);
    if (rank == 0 && strcmp(mode, "peak") == 0)
        printf("peak %ld\n", peak_kib());
    return rank == 0 ? 3 : 0;
}
