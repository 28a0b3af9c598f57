/* Computes in hot() and in cold(), 7 parts to 3, between calls of MPI. Each rank measures both by
 * its CPU time and prints them, for run_hot_spots.py, with what a sampler must not do: interrupt a
 * system call, or break a child of fork(). hot_spots SECONDS [refuse]: with the second argument the
 * kernel seems to forbid perf_event_open(). Link with -rdynamic, so that all use this syscall(). */
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "two_parts.h"

static int refuses;

long syscall(long number, ...)
{
    long words[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    if (refuses && number == SYS_perf_event_open) {
        errno = EACCES;
        return -1;
    }
    long (*real)(long, ...);
    void *found = dlsym(RTLD_NEXT, "syscall");
    memcpy(&real, &found, sizeof real);
    return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

static volatile double sum;

__attribute__((noinline)) static void hot(int turns)
{
    for (int i = 0; i < turns; i++)
        sum += 1.0 / (i + 1);
}

__attribute__((noinline)) static void cold(int turns)
{
    for (int i = 0; i < turns; i++)
        sum -= 1.0 / (i + 2);
}

/* Asleep and in read(), while samples are taken and after. */
static int count_interruptions(void)
{
    int ends[2];
    int interrupted = 0;
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) { /* goes on, computes, and ends as usual */
        struct timespec pause = {0, 100000000};
        nanosleep(&pause, NULL);
        hot(10000000);
        int written = write(ends[1], "x", 1) == 1;
        _exit(written ? 0 : 1);
    }
    char byte;
    while (read(ends[0], &byte, 1) != 1)
        interrupted++;
    interrupted += count_interrupted_pauses();
    int status = -1;
    waitpid(child, &status, 0);
    close(ends[0]);
    close(ends[1]);
    return status == 0 ? interrupted : -1;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    struct part in_hot = {hot, 7000000, 0};
    struct part in_cold = {cold, 3000000, 0};
    int rank;
    refuses = argc > 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    compute_in_turn(&in_hot, &in_cold, seconds);
    int interrupted = count_interruptions();
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d hot %.3f cold %.3f interrupted %d\n", rank, in_hot.seconds, in_cold.seconds,
           interrupted);
    MPI_Finalize();
    return 0;
}
