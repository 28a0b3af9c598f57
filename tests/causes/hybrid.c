/* Programs with OpenMP and a planted cause, for run_hybrid.py: hybrid CASE. All have two threads.
 * A comment "named: CASE" marks the line that the report must name. Prints how much of the run is
 * lost by the cause, in seconds. Work is arithmetic until a point in time. Each thread keeps to a
 * CPU of its own: where another program has one of them, the kernel may let both share the other.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { STEPS = 40, THREADS = 2 };

/* A few microseconds of arithmetic between two looks at the clock: else nearly all samples of the
 * computing would be in the kernel's code that reads it. Each value ends at 2 more than the one
 * before, so none overflows. */
__attribute__((noinline)) static void relax(void)
{
    enum { VALUES = 1024 };
    static _Thread_local double values[VALUES];
    for (int i = 1; i < VALUES; i++)
        values[i] = 0.5 * (values[i - 1] + values[i]) + 1;
}

static void compute(double seconds)
{
    double end = omp_get_wtime() + seconds;
    while (omp_get_wtime() < end)
        relax();
}

static cpu_set_t allowed;

static void keep_to_cpu(int n)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    n %= CPU_COUNT(&allowed);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && n-- == 0)
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* In MPI the first thread is free: the profile says how many CPUs a rank has, by what it may use
 * there. */
static void exchange(void)
{
    double x = 1;
    double sum;
    sched_setaffinity(0, sizeof allowed, &allowed);
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    keep_to_cpu(0);
}

/* Of each step the first thread computes 50 ms, the second one 10 ms. */
static double openmp_imbalance(void)
{
    double lost_s = 0;
    for (int step = 0; step < STEPS; step++) {
        double busy_s[THREADS];
#pragma omp parallel num_threads(THREADS) /* named: openmp_imbalance */
        {
            int self = omp_get_thread_num();
            double begin_s = omp_get_wtime();
            compute(self == 0 ? 0.05 : 0.01);
            busy_s[self] = omp_get_wtime() - begin_s;
        }
        double longest_s = busy_s[0] > busy_s[1] ? busy_s[0] : busy_s[1];
        lost_s += longest_s - (busy_s[0] + busy_s[1]) / 2;
        exchange();
    }
    return lost_s;
}

static double thread_cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Of each step 40 ms are on one thread, 10 ms on both. Without a CPU it loses nothing by being one.
 */
static double serial_part(void)
{
    double lost_s = 0;
    for (int step = 0; step < STEPS; step++) {
        double begin_s = thread_cpu_s();
        compute(0.04);
        lost_s += (thread_cpu_s() - begin_s) / 2;
#pragma omp parallel num_threads(THREADS)
        compute(0.01);
        exchange();
    }
    return lost_s;
}

static double healthy_hybrid(void)
{
    for (int step = 0; step < 3 * STEPS; step++) {
        compute(0.001);
#pragma omp parallel num_threads(THREADS)
        compute(0.03);
        exchange();
    }
    return 0;
}

int main(int argc, char **argv)
{
    double lost_s = 0;
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    sched_getaffinity(0, sizeof allowed, &allowed);
#pragma omp parallel num_threads(THREADS)
    keep_to_cpu(omp_get_thread_num());
    if (argc > 1 && strcmp(argv[1], "openmp_imbalance") == 0)
        lost_s = openmp_imbalance();
    if (argc > 1 && strcmp(argv[1], "serial_part") == 0)
        lost_s = serial_part();
    if (argc > 1 && strcmp(argv[1], "healthy_hybrid") == 0)
        lost_s = healthy_hybrid();
    sched_setaffinity(0, sizeof allowed, &allowed);
    printf("lost %.3f\n", lost_s);
    MPI_Finalize();
    return 0;
}
