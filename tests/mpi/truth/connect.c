/* Truth: the lower and the upper half of the ranks meet once more by connect and accept. All of
 * them are of one MPI_COMM_WORLD, so every partner has a rank there.
 */
#include "truth.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, inter;
    truth_begin(&argc, &argv);
    int half_size = truth_ranks / 2, upper = truth_rank >= half_size;
    MPI_Comm_split(MPI_COMM_WORLD, upper, truth_rank, &half);
    expect("MPI_Comm_split", 1, 0);
    if (truth_rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        expect("MPI_Open_port", 1, 0);
    }
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    expect_size("MPI_Bcast", MPI_MAX_PORT_NAME, 1);
    if (upper) {
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
        expect("MPI_Comm_connect", 1, 0);
    } else {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
        expect("MPI_Comm_accept", 1, 0);
    }
    int rank = truth_rank % half_size, partner = (truth_rank + half_size) % truth_ranks;
    int out[2] = {truth_rank, 0}, in[2] = {-1};
    MPI_Sendrecv(out, 2, MPI_INT, rank, 1, in, 2, MPI_INT, MPI_ANY_SOURCE, 1, inter,
                 MPI_STATUS_IGNORE);
    expect_send("MPI_Sendrecv", partner, 2 * sizeof(int));
    expect_received("MPI_Sendrecv", 2 * sizeof(int));
    CHECK(in[0] == partner);
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_MAX, inter);
    expect_size("MPI_Allreduce", sizeof(int), 1);
    CHECK(in[0] == (upper ? half_size : truth_ranks) - 1);
    MPI_Comm_disconnect(&inter);
    expect("MPI_Comm_disconnect", 1, 0);
    if (truth_rank == 0) {
        MPI_Close_port(port);
        expect("MPI_Close_port", 1, 0);
    }
    MPI_Comm_free(&half);
    expect("MPI_Comm_free", 1, 0);
    return truth_end();
}
