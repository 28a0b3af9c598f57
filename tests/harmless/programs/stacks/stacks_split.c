/* A program with split stacks: its frames lie on pieces that are allocated when they are needed. */
#include "coroutine.h"

static __attribute__((noinline)) int descend(int depth)
{
    volatile char space[3000];
    space[0] = (char)depth;
    int sum = depth > 0 ? descend(depth - 1) : 0;
    return sum + pass_on(depth) + space[0];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int sum = 0;
    for (int i = 0; i < 20; i++)
        sum += descend(i * 10);
    printf("%d\n", sum);
    made("MPI_Sendrecv", 20 * 95 + 20);
    MPI_Finalize();
    return 0;
}
