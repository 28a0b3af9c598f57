/* Truth: one message of 3 GiB (more than 2^31 bytes) from rank 0 to rank 1. A derived type makes
 * its count small. The sender's pages are zero pages of the kernel. The receiver needs 3 GiB of
 * memory. */
#include "truth.h"
#include <sys/mman.h>

int main(int argc, char **argv)
{
    const size_t mebibyte = 1 << 20, blocks = 3 << 10;
    MPI_Datatype block;
    MPI_Status status;
    MPI_Count elements = 0;
    truth_begin(&argc, &argv);
    char *space = mmap(NULL, blocks * mebibyte, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(space != MAP_FAILED);
    MPI_Type_contiguous(mebibyte, MPI_CHAR, &block);
    expect("MPI_Type_contiguous", 1, 0);
    MPI_Type_commit(&block);
    expect("MPI_Type_commit", 1, 0);
    if (truth_rank == 0) {
        space[blocks * mebibyte - 1] = 'z';
        MPI_Send(space, blocks, block, 1, 0, MPI_COMM_WORLD);
        expect_send("MPI_Send", 1, 3LL << 30);
    } else if (truth_rank == 1) {
        MPI_Recv(space, blocks, block, 0, 0, MPI_COMM_WORLD, &status);
        expect_size("MPI_Recv", 3LL << 30, 1);
        MPI_Get_elements_x(&status, block, &elements);
        expect("MPI_Get_elements_x", 1, 0);
        CHECK(elements == 3LL << 30 && space[blocks * mebibyte - 1] == 'z');
    }
    MPI_Type_free(&block);
    expect("MPI_Type_free", 1, 0);
    munmap(space, blocks * mebibyte);
    return truth_end();
}
