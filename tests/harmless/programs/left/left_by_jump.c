/* An error handler leaves calls by longjmp(), or by a C++ exception. These calls count. Those that
 * come after them count, too, also deeper on the stack. */
#include <setjmp.h>

#include "harmless.h"

#ifdef __cplusplus
static void leave()
{
    throw 1;
}
#define LEAVABLE(statement) \
    try {                   \
        statement;          \
    } catch (int) {         \
    }
#else
static jmp_buf place;
static void leave(void)
{
    longjmp(place, 1);
}
#define LEAVABLE(statement) \
    if (setjmp(place) == 0) \
    statement
#endif

static void handle(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    leave();
}

static __attribute__((noinline)) int deeper(void)
{
    volatile char space[16384];
    for (size_t i = 0; i < sizeof space; i++)
        space[i] = (char)i;
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum + space[256];
}

static volatile int total;

int main(int argc, char **argv)
{
    enum { TIMES = 10 };
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (volatile int i = 0; i < TIMES; i = i + 1) {
        int data = 0;
        LEAVABLE(MPI_Send(&data, 1, MPI_INT, 12345, 0, MPI_COMM_WORLD));
        total = total + deeper();
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    printf("%d\n", total);
    made("MPI_Send", TIMES);
    made("MPI_Allreduce", TIMES);
    MPI_Finalize();
    return 0;
}
