/* Zoo: cells of a brain that send spikes to each other (../zoo.h, score.py).
 *
 * zoo: hub_cells threads rank 0 at integrate_cell|integrate_cells threads
 * The first 400 of 4000 cells are hubs of 1000 synapses, the others have 40. Threads have as many
 * cells each, so the first of two has 46 of 54 parts of the work; the twin's threads take ten cells
 * at a time and have 27 each.
 *
 * zoo: trimmed_heap kernel rank any at record_spikes|forget_spikes
 * After each of 100 steps malloc_trim() gives all memory of the spikes back, 32 MiB of all ranks,
 * and in the next one the kernel has to find and to clear as many pages; the twin lets malloc keep
 * it.
 *
 * zoo: spike_tally healthy rank any threads
 * Threads tell their spikes to a list of all in a critical section, ten us after each 0.3 ms or
 * so: they seldom meet there.
 */
#include "zoo.h"
#include <malloc.h>

enum { CELLS = 4000, HUBS = 400, MANY = 1000, FEW = 40, SYNAPSES = 1024 };

static double weight[SYNAPSES], voltage[CELLS];

PLACE integrate_cell(int cell, int synapses)
{
    double current = 0;
    for (int synapse = 0; synapse < synapses; synapse++)
        current = 0.99 * current + weight[(cell + synapse) % SYNAPSES];
    voltage[cell] = current > 1 ? 0 : 0.9 * voltage[cell] + 0.1 * current;
}

static inline int synapses_of(int cell)
{
    return cell < HUBS ? MANY : FEW;
}

PLACE integrate_cells(void)
{
    if (mended) {
#pragma omp parallel for schedule(dynamic, 10)
        for (int cell = 0; cell < CELLS; cell++)
            integrate_cell(cell, synapses_of(cell));
    } else {
#pragma omp parallel for schedule(static)
        for (int cell = 0; cell < CELLS; cell++)
            integrate_cell(cell, synapses_of(cell));
    }
}

static void hub_cells(void)
{
    for (int step = 0; step < 2000; step++) {
        integrate_cells();
        sum_of_all(voltage[0]);
    }
}

/* Lists of spikes, one for each group of cells. */
enum { LISTS = 512, LIST = 64 << 10 };

static char *spikes[LISTS];

PLACE record_spikes(int lists)
{
    for (int list = 0; list < lists; list++) {
        spikes[list] = malloc(LIST);
        for (int at = 0; at < LIST; at += 64)
            spikes[list][at] = (char)(at + list);
    }
}

PLACE forget_spikes(int lists)
{
    for (int list = 0; list < lists; list++)
        free(spikes[list]);
    if (!mended)
        malloc_trim(0);
}

static void trimmed_heap(void)
{
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    for (int step = 0; step < 100; step++) {
        for (int cell = 0; cell < CELLS / size; cell++)
            integrate_cell(cell, MANY + MANY / 2);
        record_spikes(LISTS / size);
        voltage[step] += spikes[0][64];
        forget_spikes(LISTS / size);
        sum_of_all(voltage[0]);
    }
}

PLACE tell_spikes(double *list, int from, int count)
{
#pragma omp critical
    for (int pass = 0; pass < 16; pass++)
        for (int cell = from; cell < from + count; cell++)
            list[cell % SYNAPSES] = 0.99 * list[cell % SYNAPSES] + voltage[cell];
}

PLACE integrate_group(int from, int count)
{
    for (int cell = from; cell < from + count; cell++)
        integrate_cell(cell, MANY);
}

static void spike_tally(void)
{
    enum { GROUP = 200 };
    static double list[SYNAPSES];
    for (int step = 0; step < 300; step++) {
#pragma omp parallel for schedule(static, 1)
        for (int from = 0; from < CELLS; from += GROUP) {
            integrate_group(from, GROUP);
            tell_spikes(list, from, GROUP);
        }
        sum_of_all(list[0]);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"hub_cells", hub_cells},
                                            {"trimmed_heap", trimmed_heap},
                                            {"spike_tally", spike_tally},
                                            {NULL, NULL}};
    for (int synapse = 0; synapse < SYNAPSES; synapse++)
        weight[synapse] = 1e-3 * (synapse % 7);
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
