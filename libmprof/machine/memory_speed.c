/* What the memory of a node gives to one rank, and to each of its ranks if all of them want it at
 * once (measure.h): the triad a = b + s * c over arrays that no cache holds.
 *
 * By CPU time, in which a rank that waits for memory is on its CPU: ranks that share one do not
 * look slow for that. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "base/clock.h"
#include "machine/measure.h"

enum { ARRAY_NUMBERS = 1 << 22, MOST_TURNS = 200 };
static const int64_t TRIAD_BYTES = 3 * (int64_t)ARRAY_NUMBERS * (int64_t)sizeof(double);
static const uint64_t TOGETHER_NS = 200000000; /* all of them are at it for so long */

static int64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void triad(double *a, const double *b, const double *c)
{
    for (int i = 0; i < ARRAY_NUMBERS; i++)
        a[i] = b[i] + 0.5 * c[i];
    __asm__ volatile("" : : "r"(a) : "memory");
}

static double *map_arrays(void)
{
    double *arrays =
        mmap(NULL, (size_t)TRIAD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (arrays == MAP_FAILED)
        return NULL;
    for (long i = 0; i < 3L * ARRAY_NUMBERS; i++)
        arrays[i] = 1;
    return arrays;
}

/* The average turn; the first one is not counted. */
static int64_t time_triad(double *arrays)
{
    const uint64_t end_ns = clock_monotonic_ns() + TOGETHER_NS;
    double *b = arrays + ARRAY_NUMBERS;
    double *c = b + ARRAY_NUMBERS;
    int turns = 0;
    triad(arrays, b, c);
    const int64_t begin_ns = cpu_ns();
    while (turns == 0 || (turns < MOST_TURNS && clock_monotonic_ns() < end_ns)) {
        triad(arrays, b, c);
        turns++;
    }
    return (cpu_ns() - begin_ns) / turns;
}

struct memory_answer {
    int64_t alone_ns, together_ns; /* 0 = not measured */
};

static void tell_memory(const struct node_table *table, const struct memory_answer *all, int size)
{
    for (int node = 0; node < table->count; node++) {
        int64_t sum_ns = 0;
        for (int rank = 0; rank < size; rank++) {
            if (table->node_of_rank[rank] == node && all[rank].together_ns == 0)
                return;
            if (table->node_of_rank[rank] == node)
                sum_ns += all[rank].together_ns;
        }
        answer_begin("memory");
        answer_number(node);
        answer_number(all[table->nodes[node].leader].alone_ns);
        answer_number(sum_ns / table->nodes[node].ranks);
        answer_number(TRIAD_BYTES);
        answer_end();
    }
}

void measure_memory(const struct machine_run *run, const struct node_table *table)
{
    int may_begin = clock_monotonic_ns() < run->deadline_ns;
    run->mpi->broadcast(&may_begin, sizeof may_begin, 0);
    struct memory_answer own = {0, 0};
    struct memory_answer *all = calloc((size_t)run->size, sizeof *all);
    if (may_begin == 0 || all == NULL) {
        free(all);
        return;
    }
    double *arrays = map_arrays();
    meet_quietly(run->mpi);
    if (arrays != NULL && table->nodes[table->own].leader == run->rank)
        own.alone_ns = time_triad(arrays);
    meet_quietly(run->mpi);
    if (arrays != NULL)
        own.together_ns = time_triad(arrays);
    run->mpi->gather_to_all(&own, sizeof own, all);
    if (arrays != NULL)
        munmap(arrays, (size_t)TRIAD_BYTES);
    if (run->rank == 0)
        tell_memory(table, all, run->size);
    free(all);
}
