// Truth: a C++ program. With Open MPI 4 each process asks MPI_Initialized twice more, from the
// constructors of libmpi_cxx, if the program is linked with it (mpicxx does so).

#include "truth.h"
#include <numeric>
#include <vector>

int main(int argc, char **argv)
{
    truth_begin(&argc, &argv);
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
    expect("MPI_Initialized", 2, 0);
#endif
    std::vector<double> mine(17), sum(17);
    std::iota(mine.begin(), mine.end(), truth_rank);
    MPI_Allreduce(mine.data(), sum.data(), 17, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect_size("MPI_Allreduce", 17 * sizeof(double), 1);
    CHECK(sum[1] == truth_ranks + truth_ranks * (truth_ranks - 1) / 2);
    std::vector<long> numbers(5, truth_rank);
    if (truth_rank == 0) {
        MPI_Send(numbers.data(), 5, MPI_LONG, 1, 0, MPI_COMM_WORLD);
        expect_send("MPI_Send", 1, 5 * sizeof(long));
    } else if (truth_rank == 1) {
        MPI_Recv(numbers.data(), 5, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect_size("MPI_Recv", 5 * sizeof(long), 1);
        CHECK(numbers[4] == 0);
    }
    return truth_end();
}
