/* Ranks that speak with the ranks that PATTERN names: partners PATTERN. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, ranks;

static void exchange(int to, int from)
{
    int mine = rank;
    int theirs = -1;
    MPI_Sendrecv(&mine, 1, MPI_INT, to, 0, &theirs, 1, MPI_INT, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (theirs != from && from != MPI_PROC_NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What goes the way of long messages, with the rank half the job away. */
static void exchange_much(void)
{
    static char mine[96 << 10];
    static char theirs[sizeof mine];
    const int partner = (rank + ranks / 2) % ranks;
    MPI_Sendrecv(mine, sizeof mine, MPI_CHAR, partner, 0, theirs, sizeof theirs, MPI_CHAR, partner,
                 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const char *pattern = argc > 1 ? argv[1] : "nobody";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 20; i++) {
        int sum = 0;
        if (strcmp(pattern, "ring") == 0)
            exchange((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        if (strcmp(pattern, "far") == 0) /* those that no tree would connect */
            exchange(ranks - 1 - rank, ranks - 1 - rank);
        if (strcmp(pattern, "much") == 0)
            exchange_much();
        if (strcmp(pattern, "sum") == 0 || strcmp(pattern, "much") == 0)
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
