/* A program that ends in every way there is, and leaves behind how far it came. Used by
 * run_ends.py.
 *
 * ending MODE FILE: a ring of MPI_Sendrecv. FILE is mapped and shared. Every rank writes three
 * numbers there: its process id, how many calls it has begun and how many it has done. So after any
 * end the number of calls is known within one per rank. MODE:
 *
 *   forever    until it is killed
 *   deaf       the same, and SIGTERM is ignored
 *
 * After 300 calls:
 *
 *   finalize   all ranks call MPI_Finalize
 *   late       rank 1 calls MPI_Finalize 2 s later
 *   never      rank 1 dies instead
 *   met        rank 1 dies when mprof has met all others in MPI_Finalize
 *   return     all ranks return from main() without MPI_Finalize
 *
 * After 300 calls, on rank 1 alone: exit, _exit, abort, crash, assert (SIGABRT), or eat (memory,
 * until it is killed). */
#include "../mpi/programs/progress_map.h"
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LENGTH = 8, LAST = 300, PIECE_BYTES = 1 << 20 };

/* mprof calls this, too: the third time in MPI_Finalize is when all ranks have come. */
static int usages_until_death;

int getrusage(__rusage_who_t who, struct rusage *usage)
{
    if (usages_until_death > 0 && --usages_until_death == 0)
        _exit(3);
    return (int)syscall(SYS_getrusage, who, usage);
}

static int end(const char *mode, int rank)
{
    if (strcmp(mode, "met") == 0 && rank == 1)
        usages_until_death = 3;
    if (strcmp(mode, "return") == 0)
        return 5;
    if (strcmp(mode, "never") == 0 && rank == 1) {
        sleep(1);
        _exit(3);
    }
    if (strcmp(mode, "late") == 0 && rank == 1)
        sleep(2);
    MPI_Finalize();
    return 0;
}

static void eat_memory(void)
{
    for (;;) {
        char *piece = malloc(PIECE_BYTES);
        if (piece != NULL)
            memset(piece, 1, PIECE_BYTES);
    }
}

int main(int argc, char **argv)
{
    double mine[LENGTH] = {0}, other[LENGTH];
    int rank, ranks;
    if (argc != 3)
        return 2;
    const char *mode = argv[1];
    int forever = strcmp(mode, "forever") == 0 || strcmp(mode, "deaf") == 0;
    if (strcmp(mode, "deaf") == 0)
        signal(SIGTERM, SIG_IGN);
    struct progress *progress = map_progress(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    progress[rank].process_id = getpid();
    while (forever || progress[rank].done < LAST) {
        progress[rank].begun++;
        MPI_Sendrecv(mine, LENGTH, MPI_DOUBLE, (rank + 1) % ranks, 0, other, LENGTH, MPI_DOUBLE,
                     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        progress[rank].done++;
    }
    if (rank == 1 && strcmp(mode, "eat") == 0)
        eat_memory();
    if (rank == 1)
        die(mode);
    return end(mode, rank);
}
