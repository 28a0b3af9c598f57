/* Zoo: ranks that share the memory of a node (zoo.h, score.py). One run alone does not show it:
 * beside a run with fewer ranks (tests/sizes/run_memory.py) all ranks take longer for the same
 * work.
 *
 * zoo: sweep healthy rank any at sweep_arrays shared_memory
 * zoo: history healthy rank any at keep_state shared_memory
 * zoo: large_table healthy rank any at look_up
 * zoo: repeated healthy rank any at set_up
 *
 * What mending gains: sweep what its ranks together take longer than one, because the twin does the
 * same arithmetic in pieces that fit into the cache; history the same, because the twin keeps no
 * copy. The healthy ones look alike: large_table has as much memory and computes with little of it;
 * of repeated each rank takes longer than its part, too, because all of them do the same at first.
 * Each rank says "computed S" at the end: its own CPU time.
 */
#include "zoo.h"
#include <time.h>

enum { ARRAY = 1 << 23, SWEEPS = 24, PIECE = 1 << 9, STEPS = 24 };

static double *array_of(long numbers)
{
    double *array = malloc((size_t)numbers * sizeof *array);
    if (array == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (long i = 0; i < numbers; i++)
        array[i] = 1;
    return array;
}

static void add_arrays(double *a, const double *b, const double *c, long numbers)
{
    for (long i = 0; i < numbers; i++)
        a[i] = b[i] + 0.5 * c[i];
    __asm__ volatile("" : : "r"(a) : "memory");
}

/* All of the arrays in each turn; the twin does all turns of a piece, and then the next piece. */
PLACE sweep_arrays(double *a, double *b, double *c, long numbers, int turns)
{
    if (!mended)
        for (int turn = 0; turn < turns; turn++)
            add_arrays(a, b, c, numbers);
    else
        for (long piece = 0; piece < numbers; piece += PIECE)
            for (int turn = 0; turn < turns; turn++)
                add_arrays(a + piece, b + piece, c + piece, PIECE);
}

static void sweep(void)
{
    enum { PARTS = 4 };
    const long numbers = ARRAY / size / PIECE * PIECE;
    double *a = array_of(numbers), *b = array_of(numbers), *c = array_of(numbers);
    for (int part = 0; part < PARTS; part++) {
        sweep_arrays(a, b, c, numbers, SWEEPS);
        sum_of_all(a[numbers - 1]);
    }
    free(a);
    free(b);
    free(c);
}

/* A copy of the state of each step; the twin has two states, and fills them in turn. */
PLACE keep_state(double **old, double **now, long numbers)
{
    if (mended) {
        double *other = *old;
        *old = *now;
        *now = other;
    } else {
        for (int copy = 0; copy < 4; copy++)
            memcpy(*old, *now, (size_t)numbers * sizeof **now);
    }
    __asm__ volatile("" : : "r"(*old) : "memory");
}

static void history(void)
{
    const long numbers = 2L * ARRAY / size;
    double *old = array_of(numbers), *now = array_of(numbers);
    for (int step = 0; step < STEPS; step++) {
        compute_us(4000 / size);
        keep_state(&old, &now, numbers);
        sum_of_all(now[step]);
    }
    free(old);
    free(now);
}

/* A number here and there. */
PLACE look_up(const double *table, long numbers, int step)
{
    compute_us(30000 / size);
    kept += table[step * 4096L % numbers];
}

static void large_table(void)
{
    const long numbers = 3L * ARRAY / size;
    double *table = array_of(numbers);
    for (int step = 0; step < 2 * STEPS; step++) {
        look_up(table, numbers, step);
        sum_of_all(1);
    }
    free(table);
}

/* The same on every rank. */
PLACE set_up(void)
{
    compute_us(500000);
}

static void repeated(void)
{
    set_up();
    sum_of_all(1);
    for (int step = 0; step < STEPS; step++) {
        compute_us(24000 / size);
        sum_of_all(1);
    }
}

static void say_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    printf("computed %.3f\n", (double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
    fflush(stdout);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"sweep", sweep},
                                            {"history", history},
                                            {"large_table", large_table},
                                            {"repeated", repeated},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    const int status = run_case(count, words, cases);
    say_time();
    return status;
}
