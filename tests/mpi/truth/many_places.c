/* Truth: more places than a small record has rows for. 1,000 calls in the program make reductions
 * of 12 sizes on MPI_COMM_SELF, in a region. With MPROF_MEMORY=1M they lose place and size, but the
 * sums of the region and of the communicator stay exact (run_truth.py --calls). */
#include "truth.h"

enum { PLACES = 1000, SIZES = 12 };

static char sent[1 << SIZES], came[1 << SIZES];

#define CALL MPI_Allreduce(sent, came, size, MPI_CHAR, MPI_MAX, MPI_COMM_SELF);
#define TEN(X) X X X X X X X X X X

static void call_at_all_places(int size)
{
    TEN(TEN(TEN(CALL)))
    expect_size("MPI_Allreduce", size, PLACES);
}

int main(int argc, char **argv)
{
    truth_begin(&argc, &argv);
    MPI_Pcontrol(1, "part");
    for (int k = 0; k < SIZES; k++)
        call_at_all_places(1 << k);
    MPI_Pcontrol(-1, "part"); /* is in the region, too */
    expect("MPI_Pcontrol", 2, 0);
    return truth_end();
}
