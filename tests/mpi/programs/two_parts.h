/* A program that computes in two parts, by turns, between calls of MPI, and measures each by its
 * CPU time: hot_spots.c and sample_paths.c. A sampler has to find the same shares, and must not
 * interrupt a system call. */
#ifndef TWO_PARTS_H
#define TWO_PARTS_H

#include <mpi.h>
#include <time.h>

static double cpu_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct part {
    void (*compute)(int turns);
    int turns;
    double seconds;
};

/* Until rank 0 has computed for that long. It is a frame of its own in paths. */
__attribute__((noinline)) static void compute_in_turn(struct part *first, struct part *second,
                                                      double seconds)
{
    for (int done = 0; !done;) {
        double begin_s = cpu_s();
        first->compute(first->turns);
        double middle_s = cpu_s();
        second->compute(second->turns);
        second->seconds += cpu_s() - middle_s;
        first->seconds += middle_s - begin_s;
        done = first->seconds + second->seconds > seconds;
        MPI_Bcast(&done, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static int count_interrupted_pauses(void)
{
    int interrupted = 0;
    for (int i = 0; i < 10; i++) {
        struct timespec pause = {0, 20000000};
        interrupted += nanosleep(&pause, NULL) != 0;
    }
    return interrupted;
}

#endif
