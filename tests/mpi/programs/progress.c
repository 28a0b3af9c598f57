/* A program that dies in the middle, and leaves behind how far it came. Used by run_kill.py.
 *
 * progress MODE FILE: a ring of MPI_Sendrecv, each of 8 doubles. FILE is mapped and shared. Every
 * rank writes three numbers there: its process id, how many calls it has begun and how many it has
 * done. So after any death the number of calls is known within one per rank. MODE: a number of
 * calls, forever (until killed), or, on rank 1 after 300 calls, exit, _exit, abort or crash. */
#include "progress_map.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LENGTH = 8, DEATH = 300 };

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
    const long long most = strtoll(argv[1], NULL, 10);
    while (most == 0 || progress[rank].done < most) {
        progress[rank].begun++;
        MPI_Sendrecv(mine, LENGTH, MPI_DOUBLE, (rank + 1) % ranks, 0, other, LENGTH, MPI_DOUBLE,
                     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        progress[rank].done++;
        if (rank == 1 && progress[rank].done == DEATH)
            die(argv[1]);
    }
    MPI_Finalize();
    return 0;
}
