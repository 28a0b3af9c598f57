/* Zoo: files that the program reads and writes itself, without MPI (../zoo.h, score.py).
 *
 * zoo: same_input kernel rank any at read_mesh
 * zoo: one_writer kernel rank 0 at write_state
 * zoo: reopened kernel rank last at look_up
 * zoo: own_output healthy
 * zoo: read_once healthy
 *
 * What mending gains: same_input what 1,000,000 reads of 64 B cost, divided by the ranks;
 * one_writer what 1,600,000 writes of 16 B cost on rank 0; reopened what 200,000 opens cost on the
 * last rank.
 */
#include "zoo.h"
#include <fcntl.h>
#include <unistd.h>

enum { STEPS = 40, STEP_US = 20000, RECORD = 64, RECORDS = 25000, TEXT = 16, TEXTS = 40000 };
enum { LOOK_UPS = 5000, BLOCK = 1 << 20, INPUT = 16 };

static int open_in_folder(const char *name, int number, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%d", folder, name, number);
    const int file = open(path, flags, 0600);
    if (file < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return file;
}

static void remove_from_folder(const char *name, int number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%d", folder, name, number);
    unlink(path);
}

static char buffer[BLOCK + RECORD * RECORDS];

/* Rank 0 makes an input of so many bytes, before any rank reads it. */
static void make_input(const char *name, size_t bytes)
{
    if (rank == 0) {
        const int file = open_in_folder(name, 0, O_CREAT | O_TRUNC | O_WRONLY);
        for (size_t at = 0; at < bytes; at += BLOCK)
            if (write(file, buffer, BLOCK) != BLOCK)
                MPI_Abort(MPI_COMM_WORLD, 1);
        close(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All ranks read the same file, record by record; the twin reads all records at once. */
PLACE read_mesh(int file, int records)
{
    lseek(file, 0, SEEK_SET);
    if (mended && read(file, buffer, (size_t)records * RECORD) != records * RECORD)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < records && !mended; i++)
        if (read(file, buffer + i * RECORD, RECORD) != RECORD)
            MPI_Abort(MPI_COMM_WORLD, 1);
}

static void same_input(void)
{
    make_input("mesh", RECORD * RECORDS);
    const int file = open_in_folder("mesh", 0, O_RDONLY);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        read_mesh(file, RECORDS * 2 / size);
        sum_of_all(1);
    }
    close(file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove_from_folder("mesh", 0);
}

/* Rank 0 writes the values of all ranks, one by one, while the others wait; in the twin each rank
 * writes its own in one piece. */
PLACE write_state(int file, int texts)
{
    if (mended && write(file, buffer, (size_t)texts * TEXT) != texts * TEXT)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < texts && !mended; i++)
        if (write(file, buffer + i * TEXT, TEXT) != TEXT)
            MPI_Abort(MPI_COMM_WORLD, 1);
}

static void one_writer(void)
{
    const int file = open_in_folder("state", rank, O_CREAT | O_TRUNC | O_WRONLY);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (mended)
            write_state(file, TEXTS / size);
        else if (rank == 0)
            write_state(file, TEXTS);
        sum_of_all(1);
    }
    close(file);
    remove_from_folder("state", rank);
}

/* The last rank opens a table for each value that it needs; the twin keeps it open. */
PLACE look_up(int *file, int values)
{
    for (int i = 0; i < values; i++) {
        if (*file < 0)
            *file = open_in_folder("table", 0, O_RDONLY);
        if (pread(*file, buffer, RECORD, i % 1000 * RECORD) != RECORD)
            MPI_Abort(MPI_COMM_WORLD, 1);
        if (!mended) {
            close(*file);
            *file = -1;
        }
    }
}

static void reopened(void)
{
    int file = -1;
    make_input("table", BLOCK);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (rank == size - 1)
            look_up(&file, LOOK_UPS);
        sum_of_all(1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove_from_folder("table", 0);
}

/* Each rank writes a file of its own, seldom and in large pieces: nothing to mend. */
PLACE save_block(int file)
{
    if (pwrite(file, buffer, BLOCK, 0) != BLOCK)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void own_output(void)
{
    const int file = open_in_folder("output", rank, O_CREAT | O_TRUNC | O_WRONLY);
    for (int step = 0; step < 2 * STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (step % 10 == 0)
            save_block(file);
        sum_of_all(1);
    }
    close(file);
    remove_from_folder("output", rank);
}

/* All ranks read the same input, once and in large pieces. */
PLACE load_input(int file)
{
    for (int i = 0; i < INPUT; i++)
        if (read(file, buffer, BLOCK) != BLOCK)
            MPI_Abort(MPI_COMM_WORLD, 1);
}

static void read_once(void)
{
    make_input("input", (size_t)INPUT * BLOCK);
    const int file = open_in_folder("input", 0, O_RDONLY);
    load_input(file);
    close(file);
    for (int step = 0; step < 2 * STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        sum_of_all(1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove_from_folder("input", 0);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"same_input", same_input}, {"one_writer", one_writer},
                                            {"reopened", reopened},     {"own_output", own_output},
                                            {"read_once", read_once},   {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
