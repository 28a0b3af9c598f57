/* Zoo: computing that is mostly the kernel's work (zoo.h, score.py). The twin does without it.
 *
 * zoo: fresh_pages kernel rank 0 at scratch_array
 * zoo: one_byte kernel rank last at read_table
 * zoo: tiny_writes kernel rank any at log_values
 */
#include "zoo.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STEPS = 50, STEP_US = 20000, SCRATCH = 32 << 20 };

/* Rank 0 asks for new pages in each step, and touches each of them; the twin keeps the first ones.
 */
PLACE scratch_array(void)
{
    static char *pages;
    if (pages == NULL || !mended)
        pages = mmap(NULL, SCRATCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (long i = 0; i < SCRATCH; i += 4096)
        pages[i] = 1;
    if (!mended)
        munmap(pages, SCRATCH);
}

static void fresh_pages(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (rank == 0)
            scratch_array();
        sum_of_all(1);
    }
}

PLACE read_table(int file, int bytes)
{
    static char table[1 << 16];
    if (mended && read(file, table, (size_t)bytes) != bytes)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < bytes && !mended; i++)
        if (read(file, table + i, 1) != 1)
            MPI_Abort(MPI_COMM_WORLD, 1);
}

static void one_byte(void)
{
    const int file = open("/dev/zero", O_RDONLY);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (rank == size - 1)
            read_table(file, 1 << 15);
        sum_of_all(1);
    }
    close(file);
}

PLACE log_values(int file, int values)
{
    static char text[1 << 18];
    if (mended && write(file, text, (size_t)values * 8) != values * 8)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < values && !mended; i++)
        if (write(file, text, 8) != 8)
            MPI_Abort(MPI_COMM_WORLD, 1);
}

static void tiny_writes(void)
{
    const int file = open("/dev/null", O_WRONLY);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        log_values(file, 32000 * 2 / size);
        sum_of_all(1);
    }
    close(file);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"fresh_pages", fresh_pages},
                                            {"one_byte", one_byte},
                                            {"tiny_writes", tiny_writes},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
