/* A program that dies in the middle, and leaves behind how far it came. Used by run_kill.py.
 *
 * progress MODE FILE: a ring of MPI_Sendrecv, each of 8 doubles. FILE is mapped and shared; every
 * rank writes its process id there, how many calls it has begun and how many it has done, so that
 * after any death the number of calls is known within one per rank. MODE: forever (until killed);
 * or, on rank 1 after 300 calls, exit, _exit, abort or crash.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_RANKS = 16, LENGTH = 8, DEATH = 300 };

struct progress { /* read by run_kill.py: three 64-bit numbers per rank */
    volatile long long process_id, begun, done;
};

static struct progress *map_progress(const char *path)
{
    size_t size = MOST_RANKS * sizeof(struct progress);
    int file = open(path, O_RDWR);
    if (file < 0) {
        perror(path);
        exit(2);
    }
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (map == MAP_FAILED) {
        perror(path);
        exit(2);
    }
    return map;
}

static void die(const char *mode)
{
    if (strcmp(mode, "exit") == 0)
        exit(5);
    if (strcmp(mode, "_exit") == 0)
        _exit(6);
    if (strcmp(mode, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(mode, "crash") == 0)
        *(volatile int *)NULL = 0;
}

int main(int argc, char **argv)
{
    double mine[LENGTH] = {0}, other[LENGTH];
    int rank, ranks;
    if (argc != 3)
        return 2;
    struct progress *progress = map_progress(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    progress[rank].process_id = getpid();
    for (;;) {
        progress[rank].begun++;
        MPI_Sendrecv(mine, LENGTH, MPI_DOUBLE, (rank + 1) % ranks, 0, other, LENGTH, MPI_DOUBLE,
                     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        progress[rank].done++;
        if (rank == 1 && progress[rank].done == DEATH)
            die(argv[1]);
    }
}
