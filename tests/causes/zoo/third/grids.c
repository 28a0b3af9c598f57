/* Zoo: fields on grids (../zoo.h, score.py). The twins: one layer of ghosts, buffers that are kept,
 * a file that is written in one piece.
 *
 * zoo: deep_ghosts bandwidth rank any at exchange_faces
 * zoo: given_back kernel rank last at refill_buffers
 * zoo: row_records files rank any at write_checkpoint
 * zoo: two_models healthy
 */
#include "zoo.h"
#include <sys/mman.h>

enum { STEPS = 40, STEP_US = 20000 };

/* 64 layers of ghosts travel in each step; the next step needs one. */
PLACE exchange_faces(double *field, double *ghosts, int layer)
{
    const int count = mended ? layer : 64 * layer;
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Sendrecv(field, count, MPI_DOUBLE, left, 0, ghosts, count, MPI_DOUBLE, right, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(field, count, MPI_DOUBLE, right, 1, ghosts, count, MPI_DOUBLE, left, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void deep_ghosts(void)
{
    const int layer = 80000 / size;
    double *field = malloc(64 * (size_t)layer * 8), *ghosts = malloc(64 * (size_t)layer * 8);
    memset(field, 1, 64 * (size_t)layer * 8);
    memset(ghosts, 1, 64 * (size_t)layer * 8);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        exchange_faces(field, ghosts, layer);
    }
    free(field);
    free(ghosts);
}

/* Work space goes back to the system after each field, and is filled again. */
PLACE refill_buffers(char *space, size_t bytes)
{
    for (int number = 0; number < 3; number++) {
        for (size_t at = 0; at < bytes; at += 4096)
            space[at] = (char)number;
        if (!mended)
            madvise(space, bytes, MADV_DONTNEED);
    }
}

static void given_back(void)
{
    const size_t bytes = 16 << 20;
    char *space = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (space == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    madvise(space, bytes, MADV_NOHUGEPAGE);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (rank == size - 1)
            refill_buffers(space, bytes);
        sum_of_all(1);
    }
    munmap(space, bytes);
}

/* A call for each short row of the field; the twin has one for all rows. */
PLACE write_checkpoint(MPI_File file, const double *field, int rows)
{
    enum { ROW = 12 };
    const int count = mended ? rows : 1;
    MPI_File_seek(file, (MPI_Offset)rank * rows * ROW * 8, MPI_SEEK_SET);
    for (int row = 0; row < rows; row += count)
        MPI_File_write(file, field + row * ROW, count * ROW, MPI_DOUBLE, MPI_STATUS_IGNORE);
}

static void row_records(void)
{
    static double field[12 * 20000];
    char path[4096];
    MPI_File file;
    snprintf(path, sizeof path, "%s/checkpoint", folder);
    MPI_File_open(MPI_COMM_WORLD, path,
                  MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        sum_of_all(1);
        write_checkpoint(file, field, 20000 / size);
    }
    MPI_File_close(&file);
}

/* Two models with a communicator each, which meet now and then: nothing is to be gained. */
static void two_models(void)
{
    MPI_Comm model;
    double one = 1, all = 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &model);
    for (int step = 0; step < STEPS; step++) {
        for (int part = 0; part < 3; part++) {
            compute_us(STEP_US / 2 * 2 / size);
            MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, model);
        }
        if (step % 10 == 9)
            sum_of_all(all);
    }
    MPI_Comm_free(&model);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"deep_ghosts", deep_ghosts},
                                            {"given_back", given_back},
                                            {"row_records", row_records},
                                            {"two_models", two_models},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
