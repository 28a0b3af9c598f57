/* Uses known amounts of what the kernel counts, each in a region of its own, for run_software.py
 * and run_memory.py. The argument says what it does:
 *
 *   software   regions "touch" (pages), "sleep" (context switches), "spin" (CPU time) and "hop"
 *              (migrations); prints what the kernel itself says that the thread used
 *   memory     touches 64 MiB between two MPI calls, and gives half of it back
 *   killed     touches 64 MiB, calls MPI for some seconds; then the last rank is killed
 *   bound      before MPI_Init every rank is bound to CPU 0, or to the first that there is
 */
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "mprof/mprof.h"

enum { PAGES = 2000, NAPS = 50, HOPS = 10, MEBIBYTES = 64 };
#define SPIN_S 0.2
#define CALLS_S 2.6

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Fresh pages, each of them a fault. */
static char *touch(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < bytes; at += page)
        memory[at] = 1;
    return memory;
}

static void bind_to(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        abort();
}

static int nth_cpu(int wanted)
{
    static cpu_set_t allowed;
    if (CPU_COUNT(&allowed) == 0 && sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        abort();
    wanted %= CPU_COUNT(&allowed);
    for (int cpu = 0;; cpu++)
        if (CPU_ISSET(cpu, &allowed) && wanted-- == 0)
            return cpu;
}

static void print_usage(const char *region, const struct rusage *before, double cpu_before)
{
    struct rusage now;
    getrusage(RUSAGE_THREAD, &now);
    printf("%s faults %ld switches %ld cpu_ns %.0f\n", region,
           now.ru_minflt + now.ru_majflt - before->ru_minflt - before->ru_majflt,
           now.ru_nvcsw + now.ru_nivcsw - before->ru_nvcsw - before->ru_nivcsw,
           1e9 * (seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_before));
}

static void touch_pages(void)
{
    touch((size_t)PAGES * (size_t)sysconf(_SC_PAGESIZE));
}

static void nap(void)
{
    struct timespec short_time = {0, 1000000};
    for (int i = 0; i < NAPS; i++)
        nanosleep(&short_time, NULL);
}

static void spin(void)
{
    double end = seconds(CLOCK_THREAD_CPUTIME_ID) + SPIN_S;
    while (seconds(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

static void hop(void)
{
    for (int i = 0; i < HOPS; i++)
        bind_to(nth_cpu(i));
}

static void use(const char *region, void (*what)(void))
{
    struct rusage before;
    getrusage(RUSAGE_THREAD, &before);
    double cpu_before = seconds(CLOCK_THREAD_CPUTIME_ID);
    mprof_region_begin(region);
    what();
    mprof_region_end(region);
    print_usage(region, &before, cpu_before);
}

static void call_for(double duration_s)
{
    double end = seconds(CLOCK_MONOTONIC) + duration_s;
    int flag;
    while (seconds(CLOCK_MONOTONIC) < end) {
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        usleep(1000);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int rank;
    int ranks;
    if (strcmp(what, "bound") == 0)
        bind_to(nth_cpu(0));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(what, "software") == 0) {
        nth_cpu(0);
        use("touch", touch_pages);
        use("sleep", nap);
        use("spin", spin);
        use("hop", hop);
        printf("cpus %d\n", nth_cpu(1) == nth_cpu(0) ? 1 : 2);
    } else if (strcmp(what, "memory") == 0) {
        char *memory = touch((size_t)MEBIBYTES << 20);
        MPI_Barrier(MPI_COMM_WORLD);
        munmap(memory, (size_t)(MEBIBYTES / 2) << 20);
    } else if (strcmp(what, "killed") == 0) {
        touch((size_t)MEBIBYTES << 20);
        call_for(CALLS_S);
        if (rank == ranks - 1)
            raise(SIGKILL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
