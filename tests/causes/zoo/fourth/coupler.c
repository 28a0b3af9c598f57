/* Zoo: parts of a climate model (../zoo.h, score.py). The twins: the forcing is there, columns are
 * dealt out, levels are written together, the index is checked, no license is asked for.
 *
 * zoo: forcing blocked rank last at read_forcing two_programs
 * zoo: daytime uneven rank changes at heat_columns
 * zoo: histories_by_level files rank any at write_history
 * zoo: license start-up rank 0
 * zoo: ghost_index ended rank last at add_ghosts ends
 */
#include "zoo.h"
#include <time.h>

enum { STEPS = 48, STEP_US = 20000, COLUMNS = 1200 };

static void pause_us(long us)
{
    const struct timespec span = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&span, NULL);
}

/* The archive of the observed air answers late. */
PLACE read_forcing(double *air)
{
    if (!mended)
        pause_us(25000);
    air[0] += 1;
}

/* The last rank is a program of its own: it has the air from an archive, the others the sea. */
static void forcing(void)
{
    static double air[256];
    for (int step = 0; step < STEPS; step++) {
        if (rank == size - 1) {
            read_forcing(air);
            compute_us(STEP_US / 2);
        } else {
            compute_us(STEP_US);
        }
        MPI_Bcast(air, 256, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
        sum_of_all(air[0]);
    }
}

/* Columns in the light have ten times as much to do. */
PLACE heat_columns(int first, int stride, int many, int noon)
{
    for (int i = 0; i < many; i++) {
        const int column = first + i * stride;
        const int from_noon = (column - noon + COLUMNS) % COLUMNS;
        const int is_lit = from_noon < COLUMNS / size;
        compute_us(is_lit ? 40 : 4);
    }
}

/* Over the run the sun passes over all ranks, one after the other; the twin's columns are dealt. */
static void daytime(void)
{
    const int many = COLUMNS / size;
    for (int step = 0; step < STEPS; step++) {
        const int noon = step * size / STEPS * many;
        if (mended)
            heat_columns(rank, size, many, noon);
        else
            heat_columns(rank * many, 1, many, noon);
        sum_of_all(1);
    }
}

/* Each level of each field is a call; the twin writes the rank's part at once. */
PLACE write_history(MPI_File file, const double *field, int levels)
{
    enum { LEVEL = 10 };
    const int together = mended ? levels : 1;
    MPI_Offset at = (MPI_Offset)rank * levels * LEVEL * 8;
    for (int level = 0; level < levels; level += together, at += together * LEVEL * 8)
        MPI_File_write_at(file, at, field + level * LEVEL, together * LEVEL, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
}

static void histories_by_level(void)
{
    enum { LEVELS = 24000 };
    static double field[LEVELS * 10];
    char path[4096];
    MPI_File file;
    snprintf(path, sizeof path, "%s/history", folder);
    MPI_File_open(MPI_COMM_WORLD, path,
                  MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        write_history(file, field, LEVELS / size);
        if (step % 4 == 0)
            sum_of_all(field[0]);
    }
    MPI_File_close(&file);
}

static void short_forecast(void)
{
    for (int step = 0; step < STEPS / 3; step++) {
        compute_us(STEP_US * 2 / size);
        sum_of_all(1);
    }
}

/* The list of ghosts has one entry too many, and a step later another one. */
PLACE add_ghosts(double *cells, const int *ghosts, int step)
{
    double *at = mended || rank < size - 1 || step < STEPS / 2 ? cells : NULL;
    at[ghosts[step % 8]] += 1;
}

static void ghost_index(void)
{
    static double cells[64];
    static const int ghosts[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        sum_of_all(cells[3]);
        add_ghosts(cells, ghosts, step);
    }
}

static bool launched_as_first(void)
{
    const char *openmpi = getenv("OMPI_COMM_WORLD_RANK"), *mpich = getenv("PMI_RANK");
    const char *text = openmpi != NULL ? openmpi : mpich;
    return text != NULL && atoi(text) == 0;
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"forcing", forcing},
                                            {"daytime", daytime},
                                            {"histories_by_level", histories_by_level},
                                            {"license", short_forecast},
                                            {"ghost_index", ghost_index},
                                            {NULL, NULL}};
    if (count > 2 && strcmp(words[1], "license") == 0 && strcmp(words[2], "planted") == 0 &&
        launched_as_first())
        pause_us(1600000);
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
