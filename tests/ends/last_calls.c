/* Calls that tell their number: the k-th one of a rank moves k modulo MODULUS bytes, or it is a run
 * of polls. Used by run_last_calls.py.
 *
 * last_calls FILE: the file is mapped and shared. Every rank writes its process id there, how many
 * calls it has begun and how many it has done. It ends when it is killed. */
#include "../mpi/programs/progress_map.h"
#include <mpi.h>

enum { MODULUS = 4096, POLLS_EVERY = 7, MOST_POLLS = 5 };

static char mine[MODULUS], others[MODULUS];

static void call(long long k, int rank, int ranks)
{
    int bytes = (int)(k % MODULUS);
    switch (k % 3) {
    case 0:
        MPI_Sendrecv(mine, bytes, MPI_BYTE, (rank + 1) % ranks, 0, others, bytes, MPI_BYTE,
                     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Allreduce(mine, others, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
        break;
    default:
        MPI_Bcast(mine, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
}

/* Nobody sends anything with that tag. */
static void poll(long long k)
{
    int is_there;
    for (long long i = 0; i < 1 + k % MOST_POLLS; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    if (argc != 2)
        return 2;
    struct progress *progress = map_progress(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    progress[rank].process_id = getpid();
    for (long long k = 0;; k++) {
        progress[rank].begun++;
        call(k, rank, ranks);
        progress[rank].done++;
        if (k % POLLS_EVERY == 0)
            poll(k);
    }
}
