/* Computes in hot() on behalf of often() and of rarely(), 3 parts to 1, by way of a shared library
 * (sample_paths_library.c), between calls of MPI. Each rank measures both by its CPU time and
 * prints them, for run_sample_paths.py, with what a sampler must not do: interrupt a system call,
 * or leave a descriptor. Built without frame pointers. */
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double apply(double (*work)(int), int turns);

static volatile double sum;

static double cpu_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

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

static int count_interruptions(void)
{
    int interrupted = 0;
    for (int i = 0; i < 10; i++) {
        struct timespec pause = {0, 20000000};
        interrupted += nanosleep(&pause, NULL) != 0;
    }
    return interrupted;
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
    double often_s = 0;
    double rarely_s = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int done = 0; !done;) {
        double begin_s = cpu_s();
        often(2000000);
        double middle_s = cpu_s();
        rarely(2000000);
        rarely_s += cpu_s() - middle_s;
        often_s += middle_s - begin_s;
        done = often_s + rarely_s > seconds;
        MPI_Bcast(&done, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    int interrupted = count_interruptions();
    int descriptors = count_descriptors_of_perf();
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d often %.3f rarely %.3f interrupted %d descriptors %d\n", rank, often_s,
           rarely_s, interrupted, descriptors);
    MPI_Finalize();
    return 0;
}
