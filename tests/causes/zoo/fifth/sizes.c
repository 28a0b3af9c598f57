/* Zoo: collectives to which one rank gives 100 times as much as the others (../zoo.h, score.py).
 * The twins: the same bytes in all, divided evenly.
 *
 * zoo: one_sender bandwidth rank 0 at exchange_particles|one_sender uneven_sizes
 * zoo: one_block bandwidth rank last at collect_blocks|one_block uneven_sizes
 *
 * Not to be called so: calls that are as long and even, and uneven ones that take next to no time.
 *
 * zoo: even_exchange bandwidth rank any at exchange_particles|even_exchange
 * zoo: small_uneven healthy rank any
 *
 * Gain: who sends most holds all up. Evenly divided it sends half of that (2 ranks), so half of the
 * time in the calls, as far as ranks copy at the same time.
 */
#include "zoo.h"

enum { STEPS = 40, STEP_US = 500, MOST = 4 << 20, MANY = 100 };

static int sent_counts[256], sent_at[256], got_counts[256], got_at[256];

static char *pages(size_t bytes)
{
    char *memory = malloc(bytes);
    memset(memory, 1, bytes);
    return memory;
}

/* In all, what one rank gives has MOST bytes for each other rank, and the others 1 % of it. */
static int share_of(int who, int heavy, bool even)
{
    const long all = MOST + (long)(size - 1) * (MOST / MANY);
    return even ? (int)(all / size) : who == heavy ? MOST : MOST / MANY;
}

static void divide(int heavy, bool even)
{
    int sent = 0, got = 0;
    for (int who = 0; who < size; who++) {
        sent_at[who] = sent;
        got_at[who] = got;
        sent += sent_counts[who] = share_of(rank, heavy, even);
        got += got_counts[who] = share_of(who, heavy, even);
    }
}

/* Particles leave the ranks' boxes: nearly all of them leave that of rank 0. */
PLACE exchange_particles(const char *from, char *to)
{
    MPI_Alltoallv(from, sent_counts, sent_at, MPI_CHAR, to, got_counts, got_at, MPI_CHAR,
                  MPI_COMM_WORLD);
}

static void step_with(void (*exchange)(const char *, char *), int steps, long us)
{
    char *from = pages((size_t)MOST * (size_t)size), *to = pages((size_t)MOST * (size_t)size);
    for (int step = 0; step < steps; step++) {
        compute_us(us);
        exchange(from, to);
    }
    free(from);
    free(to);
}

PLACE one_sender(void)
{
    divide(0, mended);
    step_with(exchange_particles, 15 * STEPS, STEP_US);
}

/* Each rank has its block of the field, and all want all of it: one block is nearly the field. */
PLACE collect_blocks(const char *from, char *to)
{
    MPI_Allgatherv(from, got_counts[rank], MPI_CHAR, to, got_counts, got_at, MPI_CHAR,
                   MPI_COMM_WORLD);
}

PLACE one_block(void)
{
    divide(size - 1, mended);
    step_with(collect_blocks, 15 * STEPS, STEP_US);
}

PLACE even_exchange(void)
{
    divide(0, true);
    if (mended)
        for (int who = 0; who < size; who++)
            sent_counts[who] = got_counts[who] = 1;
    step_with(exchange_particles, 15 * STEPS, STEP_US);
}

/* 100 times as much of hardly anything. */
static void small_uneven(void)
{
    divide(0, false);
    for (int who = 0; who < size; who++) {
        sent_counts[who] = (sent_counts[who] + 999) / 1000;
        got_counts[who] = (got_counts[who] + 999) / 1000;
    }
    step_with(exchange_particles, STEPS, 40 * STEP_US);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"one_sender", one_sender},
                                            {"one_block", one_block},
                                            {"even_exchange", even_exchange},
                                            {"small_uneven", small_uneven},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
