/* A library that uses OpenMP, for a program that does not (openmp_loader.c). */
#include <omp.h>

long sum_in_parallel(long items);

/* Needs the thread number that belongs to the region: of another OpenMP library it would be 0. */
long sum_in_parallel(long items)
{
    long parts[2] = {0, 0};
#pragma omp parallel num_threads(2)
    {
        int self = omp_get_thread_num();
#pragma omp for schedule(dynamic)
        for (long item = 0; item < items; item++)
            parts[self] += item;
#pragma omp barrier
#pragma omp single
        parts[0] += 1000000 * omp_get_num_threads();
    }
    return parts[0] + parts[1];
}
