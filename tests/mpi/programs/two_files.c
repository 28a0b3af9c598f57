/* Files whose rows are known by arithmetic (run_files.py): one that all ranks write together, and
 * one after the other read, in other modes and on other communicators; and one of each rank alone.
 *
 *     two_files FOLDER
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1000, OPENS = 20, STEPS = 10 };

static char data[4 * BLOCK];
static int rank, ranks;
static char folder[2048];

static MPI_File open_file(MPI_Comm comm, const char *name, int mode)
{
    char path[4096];
    MPI_File file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (MPI_File_open(comm, path, mode, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
        fprintf(stderr, "cannot open %s\n", path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return file;
}

/* Of each rank: 10 x 1000 bytes collectively, 500 + 300 + 200 independently, 40 by two requests,
 * 70 by a split collective, 3 syncs. */
static void write_shared_file(void)
{
    MPI_File file = open_file(MPI_COMM_WORLD, "shared.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY);
    const MPI_Offset mine = (MPI_Offset)rank * 4 * BLOCK;
    MPI_Request requests[2];
    for (int step = 0; step < STEPS; step++)
        MPI_File_write_at_all(file, mine, data, BLOCK, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, mine, data, 500, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_seek(file, mine, MPI_SEEK_SET);
    MPI_File_write(file, data, 300, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_write_shared(file, data, 200, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_iwrite_at(file, mine, data, 30, MPI_CHAR, &requests[0]);
    MPI_File_iwrite_at(file, mine + 30, data, 10, MPI_CHAR, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_File_write_at_all_begin(file, mine, data, 70, MPI_CHAR);
    MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_close(&file);
}

/* The even ranks together: each reads 600 bytes collectively and 100 alone. */
static void read_on_some_ranks(void)
{
    MPI_Comm some;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 0 : MPI_UNDEFINED, 0, &some);
    if (some == MPI_COMM_NULL)
        return;
    MPI_File file = open_file(some, "shared.dat", MPI_MODE_RDONLY);
    MPI_File_read_at_all(file, 0, data, 600, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, data, 100, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Comm_free(&some);
}

/* Each rank alone, 20 times; and one that is only opened. */
static void open_again_and_again(void)
{
    char name[64];
    snprintf(name, sizeof name, "own-%c.dat", 'a' + rank);
    for (int i = 0; i < OPENS; i++) {
        MPI_File file = open_file(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR);
        MPI_File_write(file, data, 8, MPI_CHAR, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
    MPI_File file = open_file(MPI_COMM_WORLD, "far.dat",
                              MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE);
    MPI_File_close(&file);
}

/* One a step, as a program that writes snapshots. */
static void write_snapshots(void)
{
    for (int step = 0; step < STEPS; step++) {
        char name[64];
        snprintf(name, sizeof name, "snapshot-%02d.dat", step);
        MPI_File file = open_file(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY);
        MPI_File_write_ordered(file, data, BLOCK, MPI_CHAR, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
}

/* What fails to open, and what is asked of no file, is in no row. */
static void fail(void)
{
    MPI_File file;
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_File_open(MPI_COMM_SELF, "/nowhere/nothing", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    snprintf(folder, sizeof folder, "%s", argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    memset(data, 'a', sizeof data);
    write_shared_file();
    MPI_Barrier(MPI_COMM_WORLD);
    read_on_some_ranks();
    open_again_and_again();
    write_snapshots();
    fail();
    MPI_Finalize();
    return 0;
}
