/* Zoo: what the kernel does for memory (../zoo.h, score.py).
 *
 * zoo: given_back kernel rank 0 at work_array
 * zoo: dropped kernel rank last at clear_cache
 * zoo: first_touch healthy
 * zoo: kept_arrays healthy
 *
 * What mending gains: given_back what 400,000 page faults cost on rank 0, dropped as many on the
 * last rank. The healthy ones have faults, too: at the begin only, or few.
 */
#include "zoo.h"
#include <sys/mman.h>

enum { STEPS = 40, STEP_US = 20000, PAGE = 4096, ARRAY = 40 << 20, SMALL = 64 << 10 };

static void touch(volatile char *array, long bytes)
{
    for (long i = 0; i < bytes; i += PAGE)
        array[i] = 1;
}

/* Rank 0 allocates an array in each step, and frees it: malloc() gives one of this size back to the
 * system. The twin keeps it. */
PLACE work_array(void)
{
    static char *kept_array;
    char *array = kept_array != NULL ? kept_array : malloc(ARRAY);
    if (array == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    touch(array, ARRAY);
    if (mended)
        kept_array = array;
    else
        free(array);
}

static void given_back(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (rank == 0)
            work_array();
        sum_of_all(1);
    }
}

/* The last rank gives the pages of its cache back by madvise(); the twin writes over them. */
PLACE clear_cache(char *cache)
{
    if (!mended && madvise(cache, ARRAY, MADV_DONTNEED) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    touch(cache, ARRAY);
}

static void dropped(void)
{
    char *cache = mmap(NULL, ARRAY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (cache == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (rank == size - 1)
            clear_cache(cache);
        sum_of_all(1);
    }
}

/* Each rank touches its memory once, and computes with it. */
static void first_touch(void)
{
    char *array = malloc(ARRAY);
    if (array == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < 2 * STEPS; step++) {
        touch(array, ARRAY);
        compute_us(STEP_US * 2 / size);
        sum_of_all(1);
    }
    free(array);
}

/* It allocates and frees in each step, so little that malloc() keeps the pages. */
static void kept_arrays(void)
{
    for (int step = 0; step < 2 * STEPS; step++) {
        for (int i = 0; i < 200; i++) {
            char *array = malloc(SMALL);
            if (array == NULL)
                MPI_Abort(MPI_COMM_WORLD, 1);
            touch(array, SMALL);
            free(array);
        }
        compute_us(STEP_US * 2 / size);
        sum_of_all(1);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"given_back", given_back},
                                            {"dropped", dropped},
                                            {"first_touch", first_touch},
                                            {"kept_arrays", kept_arrays},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
