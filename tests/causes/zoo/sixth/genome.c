/* Zoo: a search for reads in a genome (../zoo.h, score.py).
 *
 * zoo: early_index start-up rank 0 at load_index
 * Rank 0 (by the launcher's word in the environment) builds the whole index, 1 s, before MPI_Init,
 * where the others wait for it; the twin's ranks build 1/size of it each, after MPI_Init.
 *
 * zoo: window_lock in_turn rank any at update_hits held_lock
 * Reads are aligned between MPI_Win_lock and MPI_Win_unlock of the one table, so one rank aligns at
 * a time; the twin holds the lock for the update alone, and the run takes 1/size of the time.
 *
 * zoo: watched_memory kernel rank any at align_read
 * A getrusage, some tenths of a us in the kernel, after each few cells of the matrix: 1.5 million
 * calls (all ranks) beside 1.5 s of arithmetic; the twin asks once for each read.
 *
 * zoo: claimed_chunks healthy
 * Chunks of different cost are claimed from a counter in a window: ranks get different numbers of
 * them and end within one chunk, 6 ms, of each other.
 */
#include "zoo.h"
#include <sys/resource.h>

enum { READS = 60 };

static double table[4096];

PLACE load_index(int parts)
{
    for (int block = 0; block < 100 / parts; block++) {
        compute_us(10000);
        for (int at = 0; at < 4096; at++)
            table[at] += at ^ block;
    }
}

/* As scripts for GPUs do it: the number of the rank from the launcher. */
static bool first_of_job(void)
{
    const char *number = getenv("OMPI_COMM_WORLD_RANK");
    if (number == NULL)
        number = getenv("PMI_RANK");
    return number == NULL || atoi(number) == 0;
}

static void early_index(void)
{
    if (mended)
        load_index(size);
    MPI_Bcast(table, 4096, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int read = 0; read < READS; read++)
        compute_us(25000 / size);
    sum_of_all(table[1]);
}

PLACE update_hits(MPI_Win window, long us)
{
    const double hit = 1;
    if (mended)
        compute_us(us);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (!mended)
        compute_us(us);
    MPI_Accumulate(&hit, 1, MPI_DOUBLE, 0, 5, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_unlock(0, window);
}

static void window_lock(void)
{
    double *hits;
    MPI_Win window;
    MPI_Win_allocate(1024 * sizeof *hits, sizeof *hits, MPI_INFO_NULL, MPI_COMM_WORLD, &hits,
                     &window);
    memset(hits, 0, 1024 * sizeof *hits);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int read = 0; read < READS; read++) {
        update_hits(window, 30000 / size);
        if (read % 2 == 1)
            sum_of_all(read);
    }
    MPI_Win_free(&window);
}

PLACE align_read(int cells, long us)
{
    struct rusage usage;
    long most = 0;
    for (int cell = 0; cell < cells; cell++) {
        compute_us(us);
        if (!mended || cell == 0) {
            getrusage(RUSAGE_SELF, &usage);
            most = usage.ru_maxrss > most ? usage.ru_maxrss : most;
        }
    }
    if (most > 8L << 20)
        fprintf(stderr, "rank %d: %ld KiB\n", rank, most);
}

static void watched_memory(void)
{
    for (int read = 0; read < READS; read++) {
        align_read(25000 / size, 1);
        if (read % 10 == 9)
            sum_of_all(read);
    }
}

PLACE search_chunk(int chunk)
{
    compute_us(2000 + chunk * 37 % 5 * 1000);
}

static void claimed_chunks(void)
{
    enum { CHUNKS = 700 };
    int *counter, chunk = 0;
    const int one = 1;
    MPI_Win window;
    MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
                     &window);
    *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (;;) {
        MPI_Fetch_and_op(&one, &chunk, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
        if (chunk >= CHUNKS)
            break;
        search_chunk(chunk);
    }
    MPI_Win_unlock_all(window);
    sum_of_all(chunk);
    MPI_Win_free(&window);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"early_index", early_index},
                                            {"window_lock", window_lock},
                                            {"watched_memory", watched_memory},
                                            {"claimed_chunks", claimed_chunks},
                                            {NULL, NULL}};
    if (count > 2 && strcmp(words[1], "early_index") == 0 && strcmp(words[2], "mended") != 0 &&
        first_of_job())
        load_index(1);
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
