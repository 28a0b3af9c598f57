/* Calls the fake MPI and checks that every argument and result passes mprof unchanged. This
 * includes the very first call, which goes through the lazy stub. It prints "right" and exits with
 * 0. It includes no mpi.h, because the machine need not have one. */
#include <stdio.h>

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Send(const void *data, int count, int type, int dest, int tag, int comm);
int MPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const long sdispls[],
                           const int sendtypes[], void *recvbuf, const int recvcounts[],
                           const long rdispls[], const int recvtypes[], int comm);
int MPI_Pcontrol(const int level, ...);
double MPI_Wtime(void);

enum { WORLD = 0x44000000, DOUBLE = 0x4c00080b };

static int nine_arguments_are_right(void)
{
    const int one = 1, two = 2, three = 3, four = 4;
    const long five = 5, six = 6, hundred = 100;
    long sum = 0;
    MPI_Neighbor_alltoallw(&hundred, &one, &five, &two, &sum, &three, &six, &four, 7);
    return sum == 100 + 1 + 5 + 2 + 3 + 6 + 4 + 7;
}

static int first_call_was_right = 1;

#ifdef AS_LIBRARY
static __attribute__((constructor)) void first_call(void)
{
    first_call_was_right = nine_arguments_are_right();
}
#endif

int run(void);
int run(void)
{
    double data = 0;
    if (!first_call_was_right || MPI_Wtime() != 1234.5 || MPI_Init(NULL, NULL) != 0)
        return 1;
    if (!nine_arguments_are_right() || MPI_Wtime() != 1234.5 ||
        MPI_Pcontrol(1, "name", 2.5, 3.5) != 0 || MPI_Send(&data, 10, DOUBLE, 0, 0, WORLD) != 0)
        return 2;
    puts("right");
    return MPI_Finalize();
}

#ifndef AS_LIBRARY
int main(void)
{
    return run();
}
#endif
