/* Touches pages of memory for the first time between calls of MPI, 3 of 4 of them in fill_cells()
 * and the others with memset() for clear_edges(), and gives them back. For run_fault_places.py.
 *
 * touching STEPS PAGES: so many pages in each step. Each rank prints how many page faults it had.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { PAGE = 4096 };

__attribute__((noinline)) static void fill_cells(volatile char *cells, int pages)
{
    for (long i = 0; i < pages; i++)
        cells[i * PAGE] = 1;
}

__attribute__((noinline)) static int clear_edges(char *edges, int pages)
{
    memset(edges, 0, (size_t)pages * PAGE);
    return edges[pages] + 1; /* used, so that memset() is not left out */
}

static long page_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 100;
    const int pages = argc > 2 ? atoi(argv[2]) : 4000;
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const long before = page_faults();
    for (int step = 0; step < steps; step++) {
        char *memory = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED || madvise(memory, (size_t)pages * PAGE, MADV_NOHUGEPAGE) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        const int much = pages * 3 / 4;
        fill_cells(memory, much);
        sum += clear_edges(memory + (long)much * PAGE, pages - much);
        munmap(memory, (size_t)pages * PAGE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("rank %d faults %ld sum %d\n", rank, page_faults() - before, sum);
    MPI_Finalize();
}
