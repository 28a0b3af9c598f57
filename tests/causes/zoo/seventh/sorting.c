/* Zoo: the output of a sequencer is sorted and packed by a team of threads (../zoo.h, score.py).
 *
 * zoo: final_merge threads rank 0 at merge_runs threads
 * All threads sort their short runs, but one merges them, in ten rounds: with two threads more
 * than half of the time. The twin's threads share each round: each merge is done from both ends at
 * once.
 *
 * zoo: kept_order threads rank 0 at pack_blocks threads
 * Blocks are packed within "ordered", so that they are written in their order: one thread works
 * and the others wait for their turn. The twin packs before "ordered" and writes in it, and with
 * two threads takes half the time.
 *
 * zoo: task_tree healthy rank any threads
 * Tasks that make tasks, down to 16 kB: long and short ones, but thousands, so all threads are at
 * work nearly to the end of each of 32 fields, and the team is even.
 */
#include "zoo.h"
#include <omp.h>

enum { KEYS = 1 << 20, RUN = KEYS >> 10, LANES = 18 };

static unsigned keys[KEYS], other[KEYS];

static void draw_keys(unsigned seed)
{
    for (int at = 0; at < KEYS; at++)
        keys[at] = seed = seed * 1664525 + 1013904223;
}

/* By insertion, of short runs, and merges within what the caches keep. */
static void sort_run(unsigned *run, int count)
{
    for (int gap = count / 3; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (int at = gap; at < count; at++) {
            const unsigned key = run[at];
            int to = at;
            for (; to >= gap && run[to - gap] > key; to -= gap)
                run[to] = run[to - gap];
            run[to] = key;
        }
}

/* The lower half of what two runs are together, from their begins. */
static inline void merge_from_below(const unsigned *from, unsigned *to, int run)
{
    const unsigned *a = from, *b = from + run;
    for (int at = 0; at < run; at++)
        to[at] = *a <= *b ? *a++ : *b++;
}

/* The upper half, from their ends. */
static inline void merge_from_above(const unsigned *from, unsigned *to, int run)
{
    const unsigned *a = from + run - 1, *b = from + 2 * run - 1;
    for (int at = 2 * run - 1; at >= run; at--)
        to[at] = *b >= *a ? *b-- : *a--;
}

/* All pairs of runs, each in two halves. One run more stands nowhere. */
PLACE merge_runs(const unsigned *from, unsigned *to, int run)
{
    const int halves = KEYS / run;
#pragma omp parallel for schedule(static) if (mended)
    for (int half = 0; half < halves; half++) {
        const int first = half / 2 * 2 * run;
        if (half % 2 == 0)
            merge_from_below(from + first, to + first, run);
        else
            merge_from_above(from + first, to + first, run);
    }
}

PLACE sort_runs(void)
{
#pragma omp parallel for schedule(static)
    for (int run = 0; run < KEYS / RUN; run++)
        sort_run(keys + (size_t)run * RUN, RUN);
}

static void final_merge(void)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned *from = keys, *to = other;
        draw_keys(lane);
        sort_runs();
        for (int run = RUN; run < KEYS; run *= 2) {
            merge_runs(from, to, run);
            unsigned *last = from;
            from = to;
            to = last;
        }
        sum_of_all(from[KEYS / 2]);
    }
}

/* Repeated pieces are looked for with a small table. */
static inline unsigned pack_block(const unsigned *block, int count)
{
    unsigned table[256] = {0}, length = 0;
    for (int round = 0; round < 30; round++)
        for (int at = 0; at < count; at++) {
            unsigned *seen = &table[(block[at] + (unsigned)round) * 2654435761U >> 24];
            length += *seen == block[at] ? 1 : 4;
            *seen = block[at];
        }
    return length;
}

PLACE pack_blocks(FILE *packed, int blocks)
{
#pragma omp parallel for ordered schedule(static, 1)
    for (int block = 0; block < blocks; block++) {
        unsigned length = 0;
        if (mended)
            length = pack_block(keys + (size_t)block * RUN, RUN);
#pragma omp ordered
        {
            if (!mended)
                length = pack_block(keys + (size_t)block * RUN, RUN);
            fprintf(packed, "%d %u\n", block, length);
        }
    }
}

static void kept_order(void)
{
    FILE *packed = fopen("/dev/null", "w");
    if (packed == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    draw_keys(1);
    for (int lane = 0; lane < 22; lane++) {
        pack_blocks(packed, KEYS / RUN);
        sum_of_all(lane);
    }
    fclose(packed);
}

/* Quicksort: the parts are of any length. */
PLACE sort_part(unsigned *part, long count)
{
    while (count > 4096) {
        const unsigned middle = part[count / 2];
        long low = 0, high = count - 1;
        while (low <= high) {
            while (part[low] < middle)
                low++;
            while (part[high] > middle)
                high--;
            if (low <= high) {
                const unsigned key = part[low];
                part[low++] = part[high];
                part[high--] = key;
            }
        }
#pragma omp task
        sort_part(part, high + 1);
        part += low;
        count -= low;
    }
    sort_run(part, (int)count);
}

static void task_tree(void)
{
    enum { FIELDS = 32, PARTS = 32 };
    for (unsigned field = 0; field < FIELDS; field++) {
#pragma omp parallel
        {
#pragma omp for schedule(dynamic)
            for (int part = 0; part < PARTS; part++) {
                unsigned seed = field * PARTS + (unsigned)part;
                for (int at = part * (KEYS / PARTS); at < (part + 1) * (KEYS / PARTS); at++)
                    keys[at] = seed = seed * 1664525 + 1013904223;
#pragma omp task
                sort_part(keys + part * (KEYS / PARTS), KEYS / PARTS);
            }
        }
        sum_of_all(keys[0]);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"final_merge", final_merge},
                                            {"kept_order", kept_order},
                                            {"task_tree", task_tree},
                                            {NULL, NULL}};
    int provided;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
    return run_case(count, words, cases);
}
