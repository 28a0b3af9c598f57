/* Planted causes of control groups: a CPU quota, and too little memory (run_limited.py makes the
 * group, and checks what the report says). In the mended form the same program has what it wants.
 *
 *     limited CASE planted|mended
 *
 * limited: steady quota all ranks at compute_step: even work, and a third of a CPU for all of it;
 *          without the quota the run is shorter by what the group's cpu.stat says, by CPU
 * limited: bursts quota all ranks at compute_step: work and sleep in turn, on average within the
 *          quota; mended likewise
 * limited: one_grows memory rank 1 at grow_table: it is killed; mended: it ends
 * limited: all_grow memory any rank at grow_table: each step keeps more; mended: it ends
 * limited: seldom healthy: sleeps most of the time, its quota is never used up
 * limited: full_table healthy: nearly all of the memory that the group has, and no more
 */
#define _GNU_SOURCE
#include "zoo/zoo.h"
#include <time.h>
#include <unistd.h>

enum { STEPS = 25, STEP_US = 20000, MIB = 1 << 20, TABLES = 512 };

PLACE compute_step(long us)
{
    compute_us(us);
}

static void sleep_us(long us)
{
    const struct timespec span = {0, us * 1000};
    nanosleep(&span, NULL);
}

static void steady(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_step(STEP_US * 2 / size);
        sum_of_all(1);
    }
}

/* Two ranks that work for 20 ms at once have used up 30 ms of each 100, though they sleep more than
 * they work. */
static void bursts(void)
{
    for (int step = 0; step < STEPS / 2; step++) {
        compute_step(STEP_US * 2 / size);
        sleep_us(130000);
        sum_of_all(1);
    }
}

static void seldom(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_step(STEP_US / 8);
        sleep_us(STEP_US);
        sum_of_all(1);
    }
}

/* Memory that is written to, in pieces that are never freed. */
PLACE grow_table(int mib)
{
    static char *tables[TABLES];
    static int used;
    for (int i = 0; i < mib && used < TABLES; i++) {
        tables[used] = malloc(MIB);
        if (tables[used] == NULL)
            MPI_Abort(MPI_COMM_WORLD, 1);
        memset(tables[used++], 1, MIB);
    }
}

static void grow(bool grows, int mib)
{
    for (int step = 0; step < STEPS; step++) {
        compute_step(STEP_US / 4);
        if (grows)
            grow_table(mib);
        sum_of_all(1);
    }
}

static void one_grows(void)
{
    grow(rank == 1, mended ? 1 : 20);
}

static void all_grow(void)
{
    grow(true, mended ? 1 : 20 / size + 1);
}

static void full_table(void)
{
    grow(rank == 0, 6);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"steady", steady},
                                            {"bursts", bursts},
                                            {"one_grows", one_grows},
                                            {"all_grow", all_grow},
                                            {"seldom", seldom},
                                            {"full_table", full_table},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
