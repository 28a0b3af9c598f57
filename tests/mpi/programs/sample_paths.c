/* Computes in hot() on behalf of often() and of rarely(), 3 parts to 1, by way of a shared library
 * (sample_paths_library.c), between calls of MPI. Each rank measures both by its CPU time and
 * prints them, for run_sample_paths.py, with what a sampler must not do: interrupt a system call,
 * or leave a descriptor. Built without frame pointers. */
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "two_parts.h"

double apply(double (*work)(int), int turns);

static volatile double sum;

__attribute__((noinline)) static double hot(int turns)
{
    double all = 0;
    for (int i = 0; i < turns; i++)
        all += 1.0 / (i + 1);
    return all;
}

__attribute__((noinline)) static void often(int turns)
{
    sum += apply(hot, 3 * turns);
}

__attribute__((noinline)) static void rarely(int turns)
{
    sum -= apply(hot, turns);
}

static int count_descriptors_of_perf(void)
{
    int found = 0;
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char path[300];
        char target[200] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        ssize_t length = readlink(path, target, sizeof target - 1);
        found += length > 0 && strstr(target, "perf_event") != NULL;
    }
    if (folder != NULL)
        closedir(folder);
    return found;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    struct part with_often = {often, 2000000, 0};
    struct part with_rarely = {rarely, 2000000, 0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    compute_in_turn(&with_often, &with_rarely, seconds);
    int interrupted = count_interrupted_pauses();
    int descriptors = count_descriptors_of_perf();
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d often %.3f rarely %.3f interrupted %d descriptors %d\n", rank,
           with_often.seconds, with_rarely.seconds, interrupted, descriptors);
    MPI_Finalize();
    return 0;
}
