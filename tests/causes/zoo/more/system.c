/* Zoo: what the system takes: blocked, or the kernel's work; files through MPI (../zoo.h,
 * score.py).
 *
 * zoo: server blocked rank last at ask_server|server
 * zoo: writer_thread blocked rank 0 at join_writer|writer_thread
 * zoo: guard_pages kernel rank last at protect_array
 * zoo: pieces kernel rank any at load_pieces
 * zoo: scan kernel rank 0 at scan_folder
 * zoo: small_reads files rank any at read_cells
 * zoo: shared_pointer files rank any at append_lines
 */
#include "zoo.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 40, STEP_US = 20000 };

/* A server that does not answer: the last rank waits for it until a time is over. */
PLACE ask_server(int pipe_end)
{
    struct pollfd one = {pipe_end, POLLIN, 0};
    poll(&one, 1, mended ? 0 : 18);
}

PLACE server(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (rank == size - 1)
            ask_server(ends[0]);
        sum_of_all(1);
    }
}

static void *write_slowly(void *unused)
{
    const struct timespec span = {0, 16000000};
    nanosleep(&span, NULL);
    return unused;
}

/* A thread that waits for a slow device; the twin does not wait for it before its next step. */
PLACE join_writer(pthread_t thread)
{
    pthread_join(thread, NULL);
}

PLACE writer_thread(void)
{
    for (int step = 0; step < STEPS; step++) {
        pthread_t thread;
        const bool writes = rank == 0;
        if (writes && mended)
            pthread_create(&thread, NULL, write_slowly, NULL);
        compute_us(STEP_US * 2 / size);
        if (writes && !mended)
            pthread_create(&thread, NULL, write_slowly, NULL);
        if (writes)
            join_writer(thread);
        sum_of_all(1);
    }
}

/* Pages are protected and opened again, one by one; the twin does it for all at once. */
PLACE protect_array(char *pages)
{
    enum { PAGES = 5000 };
    const long count = mended ? PAGES : 1;
    for (long page = 0; page < PAGES; page += count) {
        mprotect(pages + page * 4096, (size_t)count * 4096, PROT_READ);
        mprotect(pages + page * 4096, (size_t)count * 4096, PROT_READ | PROT_WRITE);
    }
}

static void guard_pages(void)
{
    char *pages =
        mmap(NULL, 5000 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (rank == size - 1)
            protect_array(pages);
        sum_of_all(1);
    }
}

static int make_file(const char *name, size_t bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%d", folder, name, rank);
    const int file = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
    unlink(path);
    char *zeros = calloc(1, bytes);
    if (file < 0 || write(file, zeros, bytes) != (ssize_t)bytes)
        MPI_Abort(MPI_COMM_WORLD, 1);
    free(zeros);
    return file;
}

/* All ranks read their file in pieces of 64 bytes; the twin's are large. */
PLACE load_pieces(int file, long bytes)
{
    static char data[1 << 20];
    const long piece = mended ? bytes : 64;
    for (long at = 0; at < bytes; at += piece)
        if (pread(file, data, (size_t)piece, at) != piece)
            MPI_Abort(MPI_COMM_WORLD, 1);
}

static void pieces(void)
{
    const int file = make_file("pieces", 1 << 20);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        for (int i = 0; i < 4 / size + 1; i++)
            load_pieces(file, 1 << 20);
        sum_of_all(1);
    }
}

/* Is there a new input? Rank 0 asks the file system thousands of times; the twin ten times. */
PLACE scan_folder(void)
{
    struct stat found;
    for (int i = 0; i < (mended ? 10 : 15000); i++)
        if (stat("/proc/self/no_such_file", &found) == 0)
            kept += 1;
}

static void scan(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (rank == 0)
            scan_folder();
        sum_of_all(1);
    }
}

static MPI_File open_file(const char *name)
{
    char path[4096];
    MPI_File file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    return file;
}

PLACE read_cells(MPI_File file, int cells)
{
    static double values[16000];
    const int count = mended ? cells : 1;
    for (int cell = 0; cell < cells; cell += count)
        MPI_File_read_at(file, (MPI_Offset)(rank * cells + cell) * 8, values + cell, count,
                         MPI_DOUBLE, MPI_STATUS_IGNORE);
}

static void small_reads(void)
{
    static double values[16000];
    MPI_File file = open_file("cells");
    MPI_File_write_at_all(file, (MPI_Offset)rank * sizeof values, values, 16000, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        read_cells(file, 24000 / size);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
}

/* All ranks append to one file, line by line; the twin's ranks write all lines at once. */
PLACE append_lines(MPI_File file, int lines)
{
    static char text[64 * 6000];
    const int count = mended ? lines : 1;
    for (int line = 0; line < lines; line += count)
        MPI_File_write_shared(file, text, 64 * count, MPI_CHAR, MPI_STATUS_IGNORE);
}

static void shared_pointer(void)
{
    MPI_File file = open_file("lines");
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        append_lines(file, 6000 / size);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"server", server},
                                            {"writer_thread", writer_thread},
                                            {"guard_pages", guard_pages},
                                            {"pieces", pieces},
                                            {"scan", scan},
                                            {"small_reads", small_reads},
                                            {"shared_pointer", shared_pointer},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
