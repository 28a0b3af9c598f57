/* Zoo: one-sided calls that wait until the rank whose memory it is enters MPI (../zoo.h, score.py).
 * MPI need not make progress for a rank that computes (MPI standard, progress of one-sided
 * communication): MPICH and what is made of it does not, Open MPI reads and writes the memory of
 * ranks on the same node itself. The twins enter MPI ten times a millisecond while they compute.
 *
 * zoo: busy_owner in_turn rank 0 at add_counts absent_owner mpich
 * zoo: far_rows in_turn rank any at fetch_row absent_owner mpich
 *
 * Not to be called so: memory of a rank that waits in MPI anyway.
 *
 * zoo: idle_owner healthy mpich
 *
 * Gain: the others need not wait for each piece of rank 0's work; no rank waits for the work of its
 * neighbour.
 */
#include "zoo.h"

enum { STEPS = 60, PIECE_US = 10000, COUNTS = 64, ROW = 256 };

static double *memory;

static MPI_Win open_window(int values)
{
    MPI_Win window;
    MPI_Win_allocate(values * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &memory, &window);
    return window;
}

/* Work on the rank's own part; the twin lets MPI answer meanwhile. */
PLACE work_out(long us)
{
    int is_there;
    const long piece = mended ? 100 : us;
    for (long done = 0; done < us; done += piece) {
        compute_us(piece);
        if (mended)
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    }
}

/* Counts of this rank into those of rank 0. */
PLACE add_counts(MPI_Win window)
{
    double counts[COUNTS] = {1};
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Accumulate(counts, COUNTS, MPI_DOUBLE, 0, 0, COUNTS, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_unlock(0, window);
}

/* The owner works in long pieces; the others bring their counts after each short one. */
static void busy_owner(void)
{
    MPI_Win window = open_window(COUNTS);
    for (int step = 0; step < STEPS; step++) {
        for (int part = 0; part < 2; part++) {
            work_out(rank == 0 ? PIECE_US : PIECE_US / 2);
            if (rank != 0) {
                add_counts(window);
                work_out(PIECE_US / 2);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&window);
}

static void idle_owner(void)
{
    MPI_Win window = open_window(COUNTS);
    for (int step = 0; step < 2 * STEPS; step++) {
        compute_us(PIECE_US);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank != 0)
            add_counts(window);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&window);
}

/* A row of the next rank, which is in the middle of its work. */
PLACE fetch_row(MPI_Win window, int from)
{
    double row[ROW];
    MPI_Win_lock(MPI_LOCK_SHARED, from, 0, window);
    MPI_Get(row, ROW, MPI_DOUBLE, from, 0, ROW, MPI_DOUBLE, window);
    MPI_Win_unlock(from, window);
}

static void far_rows(void)
{
    MPI_Win window = open_window(ROW);
    for (int step = 0; step < STEPS; step++) {
        work_out(rank % 2 == 0 ? PIECE_US / 2 : PIECE_US);
        fetch_row(window, (rank + 1) % size);
        work_out(rank % 2 == 0 ? PIECE_US : PIECE_US / 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    const struct zoo_case cases[] = {{"busy_owner", busy_owner},
                                     {"idle_owner", idle_owner},
                                     {"far_rows", far_rows},
                                     {NULL, NULL}};
    return run_case(count, words, cases);
}
