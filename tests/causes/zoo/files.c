/* Zoo: files through MPI (zoo.h, score.py). The twin writes the same bytes in one collective call,
 * or syncs once.
 *
 * zoo: small_writes files rank any at write_cells
 * zoo: sync_each files rank any at save_step
 */
#include "zoo.h"

enum { STEPS = 50, STEP_US = 16000, CELLS = 8000 };

static MPI_File open_file(const char *name)
{
    char path[4096];
    MPI_File file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (MPI_File_open(MPI_COMM_WORLD, path,
                      MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return file;
}

/* The cells of a rank, one after the other; the twin writes its block at once. */
PLACE write_cells(MPI_File file, int cells, long step)
{
    static double values[CELLS];
    const MPI_Offset block = ((MPI_Offset)step * size + rank) * cells * 8;
    if (mended)
        MPI_File_write_at_all(file, block, values, cells, MPI_DOUBLE, MPI_STATUS_IGNORE);
    for (int cell = 0; cell < cells && !mended; cell++)
        MPI_File_write_at(file, block + cell * 8, values + cell, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
}

static void small_writes(void)
{
    MPI_File file = open_file("cells");
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        write_cells(file, CELLS * 2 / size, step);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
}

PLACE save_step(MPI_File file, int step)
{
    static double values[CELLS];
    MPI_File_write_at_all(file, ((MPI_Offset)step * size + rank) * CELLS * 8, values, CELLS,
                          MPI_DOUBLE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 16 && (!mended || (step == STEPS - 1 && i == 0)); i++)
        MPI_File_sync(file);
}

static void sync_each(void)
{
    MPI_File file = open_file("steps");
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        save_step(file, step);
    }
    MPI_File_close(&file);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"small_writes", small_writes}, {"sync_each", sync_each}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
