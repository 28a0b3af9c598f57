/* Zoo: a genome is put together out of reads (../zoo.h, score.py).
 *
 * zoo: sorted_reads uneven rank last at align_pair
 * Pairs of reads come sorted by their length, and each rank takes as many of them, one block after
 * the other: aligning costs the square of the length, so the last rank has 97 % of the work of two,
 * 80 % of four. The twin deals the pairs out one by one, and the run takes about half the time.
 *
 * zoo: edge_by_edge latency rank any at add_edge
 * Each edge of the graph, 1.4 million of all ranks, is added to a counter in its owner's window by
 * an MPI_Accumulate of 8 bytes with a flush of its own, some tenths of a us and more; the twin
 * sends the edges of 20000 places to their owners at once.
 */
#include "zoo.h"

enum { LONGEST = 640 };

static unsigned char first[LONGEST], second[LONGEST];

/* As Smith and Waterman do it, one row of scores at a time. */
PLACE align_pair(int length, int *best)
{
    static int row[LONGEST + 1];
    memset(row, 0, sizeof row);
    for (int i = 0; i < length; i++) {
        int diagonal = 0;
        for (int j = 0; j < length; j++) {
            int score = diagonal + (first[i] == second[j] ? 2 : -1);
            diagonal = row[j + 1];
            score = row[j] - 1 > score ? row[j] - 1 : score;
            score = diagonal - 1 > score ? diagonal - 1 : score;
            row[j + 1] = score > 0 ? score : 0;
            *best = row[j + 1] > *best ? row[j + 1] : *best;
        }
    }
}

/* Most are short, few are long. */
static int length_of(int pair, int pairs)
{
    const double place = (double)pair / pairs;
    return 40 + (int)(600 * place * place * place);
}

static void sorted_reads(void)
{
    enum { PAIRS = 960, LANES = 10 };
    for (int lane = 0; lane < LANES; lane++) {
        int best = 0;
        const int block = PAIRS / size;
        for (int at = 0; at < block; at++)
            align_pair(length_of(mended ? at * size + rank : rank * block + at, PAIRS), &best);
        MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        first[lane] = (unsigned char)(best % 4);
    }
}

enum { NODES = 1 << 16, PLACES = 1400000, TOGETHER = 20000 };

/* What follows at a place of the reads: a node, by a hash of the letters there. */
static inline unsigned node_at(int place)
{
    unsigned long key = (unsigned long)place * 2654435761UL + 1;
    for (int letter = 0; letter < 160; letter++)
        key = (key ^ key >> 29) * 0xbf58476d1ce4e5b9UL + (unsigned long)letter;
    return (unsigned)(key >> 40);
}

PLACE add_edge(unsigned node, MPI_Win window)
{
    static const long one = 1;
    const int owner = (int)(node % (unsigned)size);
    MPI_Accumulate(&one, 1, MPI_LONG, owner, node / (unsigned)size % NODES, 1, MPI_LONG, MPI_SUM,
                   window);
    MPI_Win_flush(owner, window);
}

/* Counts, then nodes; whoever gets them adds them to its own. */
PLACE add_edges(const unsigned *nodes, int count, long *edges)
{
    int *sent = calloc(4 * (size_t)size, sizeof *sent), *sent_at = sent + size,
        *got = sent_at + size, *got_at = got + size, all = 0;
    unsigned *sorted = malloc((size_t)count * sizeof *sorted);
    for (int at = 0; at < count; at++)
        sent[nodes[at] % (unsigned)size]++;
    for (int other = 1; other < size; other++)
        sent_at[other] = sent_at[other - 1] + sent[other - 1];
    for (int at = 0; at < count; at++)
        sorted[sent_at[nodes[at] % (unsigned)size]++] = nodes[at];
    MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
    for (int other = 0; other < size; other++) {
        sent_at[other] -= sent[other];
        got_at[other] = all;
        all += got[other];
    }
    unsigned *arrived = malloc((size_t)all * sizeof *arrived + 1);
    MPI_Alltoallv(sorted, sent, sent_at, MPI_UNSIGNED, arrived, got, got_at, MPI_UNSIGNED,
                  MPI_COMM_WORLD);
    for (int at = 0; at < all; at++)
        edges[arrived[at] / (unsigned)size % NODES]++;
    free(arrived);
    free(sorted);
    free(sent);
}

static void edge_by_edge(void)
{
    static unsigned nodes[TOGETHER];
    const int places = PLACES / size / TOGETHER * TOGETHER;
    long *edges;
    MPI_Win window;
    MPI_Win_allocate(NODES * sizeof *edges, sizeof *edges, MPI_INFO_NULL, MPI_COMM_WORLD, &edges,
                     &window);
    memset(edges, 0, NODES * sizeof *edges);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    for (int from = 0; from < places; from += TOGETHER) {
        for (int at = 0; at < TOGETHER; at++) {
            nodes[at] = node_at(rank * places + from + at);
            if (!mended)
                add_edge(nodes[at], window);
        }
        if (mended)
            add_edges(nodes, TOGETHER, edges);
    }
    MPI_Win_unlock_all(window);
    sum_of_all((double)edges[0]);
    MPI_Win_free(&window);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"sorted_reads", sorted_reads}, {"edge_by_edge", edge_by_edge}, {NULL, NULL}};
    for (int at = 0; at < LONGEST; at++) {
        first[at] = (unsigned char)(at * at % 7 % 4);
        second[at] = (unsigned char)(at * 3 % 11 % 4);
    }
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
