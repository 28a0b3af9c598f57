/* Parallel regions whose number, threads and busy time are known, for run_openmp.py. Built with GCC
 * and with Clang. Each rank prints a line per place with regions that count: its line, how many
 * ran, the threads, and how long the threads were busy by their own clocks, in ms. Regions before
 * MPI_Init, after MPI_Finalize, in other regions and of other threads do not count. A wrong result
 * ends the program with status 1. */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TURNS = 25, THREADS = 2, ITEMS = 12 };

static double busy_ms[16]; /* of the place that is run, by thread */

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void spin(double ms)
{
    double begin = now_ms();
    while (now_ms() - begin < ms)
        continue;
    busy_ms[omp_get_ancestor_thread_num(1)] += now_ms() - begin;
}

static void print_place(const char *kind, int line, int regions, int threads)
{
    double sum = 0;
    for (int i = 0; i < 16; i++) {
        sum += busy_ms[i];
        busy_ms[i] = 0;
    }
    printf("%s %d regions %d threads %d busy %.3f\n", kind, line, regions, threads, sum);
}

static void expect(long value, long expected, const char *what)
{
    if (value == expected)
        return;
    printf("WRONG %s: %ld instead of %ld\n", what, value, expected);
    exit(1);
}

/* One thread has twice as much to do, twice: it waits in a barrier only at the end. */
static void run_uneven(void)
{
    double longest_ms = 0;
    double sum_ms = 0;
    double shown_ms[THREADS] = {0, 0};
    int line = __LINE__ + 2;
    for (int i = 0; i < TURNS; i++) {
#pragma omp parallel num_threads(THREADS)
        {
            spin(omp_get_thread_num() == 0 ? 2 : 1);
#pragma omp barrier
            spin(omp_get_thread_num() == 0 ? 2 : 1);
        }
        double first_ms = busy_ms[0] - shown_ms[0];
        double second_ms = busy_ms[1] - shown_ms[1];
        longest_ms += first_ms > second_ms ? first_ms : second_ms;
        sum_ms += first_ms + second_ms;
        shown_ms[0] = busy_ms[0];
        shown_ms[1] = busy_ms[1];
    }
    printf("balance %.3f\n", sum_ms / THREADS / longest_ms);
    print_place("place", line, TURNS, THREADS);
}

/* In a critical section, with a name or without, one thread works while the other waits. */
static void run_locked(void)
{
    int line = __LINE__ + 2;
    for (int i = 0; i < TURNS; i++) {
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp critical
            spin(1);
#pragma omp critical(named)
            spin(1);
        }
    }
    print_place("place", line, TURNS, THREADS);
}

/* Every schedule, each with a function of libgomp of its own. */
static void run_loops(void)
{
    long sum = 0;
    int line = __LINE__ + 2;
    for (int i = 0; i < TURNS; i++) {
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp for schedule(dynamic) reduction(+ : sum)
            for (long item = 0; item < ITEMS; item++) {
                spin(0.2);
                sum += item;
            }
#pragma omp for schedule(static) reduction(+ : sum)
            for (long item = 0; item < ITEMS; item++)
                sum += item;
#pragma omp sections
            {
#pragma omp section
                spin(0.5);
#pragma omp section
                spin(0.1);
            }
        }
    }
    expect(sum, 2L * TURNS * ITEMS * (ITEMS - 1) / 2, "sum of loops");
    print_place("place", line, TURNS, THREADS);
    sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum) num_threads(THREADS)
    for (long item = 0; item < ITEMS; item++)
        sum += item;
#pragma omp parallel for schedule(guided, 2) reduction(+ : sum) num_threads(THREADS)
    for (long item = 0; item < ITEMS; item++)
        sum += item;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(THREADS)
    for (long item = 0; item < ITEMS; item++)
        sum += item;
#pragma omp parallel for schedule(static, 1) reduction(+ : sum) num_threads(THREADS)
    for (long item = 0; item < ITEMS; item++)
        sum += item;
#pragma omp parallel sections reduction(+ : sum) num_threads(THREADS)
    {
#pragma omp section
        sum += 3;
#pragma omp section
        sum += 4;
    }
    expect(sum, 4L * ITEMS * (ITEMS - 1) / 2 + 7, "sum of parallel loops");
}

/* The inner regions do not count. */
static void run_nested(void)
{
    int inner = 0;
    omp_set_max_active_levels(2);
    int line = __LINE__ + 2;
    for (int i = 0; i < TURNS; i++) {
#pragma omp parallel num_threads(THREADS)
        {
            spin(1);
#pragma omp parallel num_threads(2)
#pragma omp atomic
            inner++;
        }
    }
    expect(inner, TURNS * THREADS * 2, "inner threads");
    print_place("nested", line, TURNS, THREADS);
}

/* While the first thread is in MPI, the others wait. */
static void run_mpi(void)
{
    int line = __LINE__ + 2;
    for (int i = 0; i < TURNS; i++) {
#pragma omp parallel num_threads(THREADS)
        {
            spin(0.5);
#pragma omp master
            MPI_Barrier(MPI_COMM_WORLD);
#pragma omp barrier
        }
    }
    print_place("place", line, TURNS, THREADS);
}

static void *run_elsewhere(void *argument)
{
    int *threads = argument;
#pragma omp parallel num_threads(THREADS) reduction(+ : threads[0])
    threads[0]++;
    return NULL;
}

static void run_uncounted(void)
{
    int threads = 0;
    run_elsewhere(&threads);
    expect(threads, THREADS, "threads of a region");
}

int main(int argc, char **argv)
{
    int level;
    int threads = 0;
    pthread_t other;
    run_uncounted();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    run_uneven();
    run_locked();
    run_loops();
    run_nested();
    run_mpi();
    pthread_create(&other, NULL, run_elsewhere, &threads);
    pthread_join(other, NULL);
    expect(threads, THREADS, "threads of a region on another thread");
    fflush(stdout);
    MPI_Finalize();
    run_uncounted();
    return 0;
}
