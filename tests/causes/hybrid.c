/* Programs with OpenMP and a planted cause, for run_hybrid.py: hybrid CASE. All have two threads.
 * A comment "named: CASE" marks the line that the report must name. Prints how much of the run is
 * lost by the cause, in seconds. Work is arithmetic until a point in time. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

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

static void exchange(void)
{
    double x = 1;
    double sum;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
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

/* Of each step 40 ms are on one thread, 10 ms on both. */
static double serial_part(void)
{
    double lost_s = 0;
    for (int step = 0; step < STEPS; step++) {
        double begin_s = omp_get_wtime();
        compute(0.04);
        lost_s += (omp_get_wtime() - begin_s) / 2;
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
    if (argc > 1 && strcmp(argv[1], "openmp_imbalance") == 0)
        lost_s = openmp_imbalance();
    if (argc > 1 && strcmp(argv[1], "serial_part") == 0)
        lost_s = serial_part();
    if (argc > 1 && strcmp(argv[1], "healthy_hybrid") == 0)
        lost_s = healthy_hybrid();
    printf("lost %.3f\n", lost_s);
    MPI_Finalize();
    return 0;
}
