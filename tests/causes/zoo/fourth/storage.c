/* Zoo: memory, semaphores and small files (../zoo.h, score.py). The twins: tiles stay mapped, work
 * space is kept, the device is not asked, a file stays open, both halves of the hidden pair go.
 *
 * zoo: tiles kernel rank last at map_tile
 * zoo: work_space kernel rank any at smooth_field
 * zoo: one_license blocked rank any at enter_library
 * zoo: many_files files rank any at read_tile
 * zoo: stage_in blocked+uneven rank any at read_stage|assemble_rows
 */
#include "zoo.h"
#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 40, STEP_US = 20000, TILE = 64 << 10 };

static void pause_us(long us)
{
    const struct timespec span = {0, us * 1000};
    nanosleep(&span, NULL);
}

/* A tile of a file is mapped, looked at and given back. */
PLACE map_tile(int file, double *sum)
{
    const char *tile = mmap(NULL, TILE, PROT_READ, MAP_PRIVATE, file, 0);
    if (tile == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int at = 0; at < TILE; at += 4096)
        *sum += tile[at];
    munmap((void *)tile, TILE);
}

static void tiles(void)
{
    char path[4096];
    double sum = 0;
    snprintf(path, sizeof path, "%s/tiles-%d", folder, rank);
    const int file = open(path, O_CREAT | O_RDWR, 0600);
    if (file < 0 || ftruncate(file, TILE) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        for (int i = 0; rank == size - 1 && i < (mended ? 5 : 1500); i++)
            map_tile(file, &sum);
        sum_of_all(sum);
    }
    close(file);
    unlink(path);
}

/* Each call has fresh work space; the twin's is made once. */
PLACE smooth_field(size_t bytes, double *kept_space)
{
    double *space = mended ? kept_space : malloc(bytes);
    if (space == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < bytes / sizeof *space; i += 512)
        space[i] = (double)i;
    kept += space[512];
    if (!mended)
        free(space);
}

static void work_space(void)
{
    const size_t bytes = (size_t)(96 << 20) / (size_t)size;
    double *space = malloc(bytes);
    memset(space, 0, bytes);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        smooth_field(bytes, space);
        sum_of_all(1);
    }
    free(space);
}

/* All ranks of the node share one license of a library that talks to a slow device. */
PLACE enter_library(sem_t *license)
{
    if (mended)
        return;
    while (sem_wait(license) != 0)
        ;
    pause_us(8000);
    sem_post(license);
}

static void one_license(void)
{
    MPI_Win window;
    void *memory = NULL;
    MPI_Aint bytes;
    int unit;
    MPI_Win_allocate_shared(rank == 0 ? 4096 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                            &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &memory);
    if (rank == 0)
        sem_init(memory, 1, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        enter_library(memory);
        sum_of_all(1);
    }
    MPI_Win_free(&window);
}

/* Opened, read and closed for each tile. */
PLACE read_tile(MPI_File *file, const char *path, char *tile)
{
    if (!mended)
        MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, file);
    MPI_File_read_at(*file, 0, tile, 512, MPI_BYTE, MPI_STATUS_IGNORE);
    if (!mended)
        MPI_File_close(file);
}

static void many_files(void)
{
    char path[4096], tile[512] = {0};
    MPI_File file;
    snprintf(path, sizeof path, "%s/tile-%d", folder, rank);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write(file, tile, 512, MPI_BYTE, MPI_STATUS_IGNORE);
    if (!mended)
        MPI_File_close(&file);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        for (int i = 0; i < 800 / size; i++)
            read_tile(&file, path, tile);
        sum_of_all(tile[0]);
    }
    if (mended)
        MPI_File_close(&file);
    unlink(path);
}

PLACE read_stage(void)
{
    if (!mended)
        pause_us(24000);
}

PLACE assemble_rows(long us)
{
    compute_us(us);
}

/* The first rank waits for its input while the last one has more rows: each hides the other. */
static void stage_in(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US / 2 * 2 / size);
        if (rank == 0)
            read_stage();
        assemble_rows(mended ? 26000 / size : rank == size - 1 ? 26000 : 0);
        sum_of_all(1);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"tiles", tiles},           {"work_space", work_space}, {"one_license", one_license},
        {"many_files", many_files}, {"stage_in", stage_in},     {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
