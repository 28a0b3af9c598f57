/* One line is reached by 4,096 paths. Ten of them have most of the calls. These come last, when all
 * paths have been seen, or ("first") before the others. The ten must be exact either way: each has
 * OFTEN + 2 calls. The first 3,000 paths are taken twice, in two orders. This makes more pairs of
 * calls that follow each other than calls. */
#include "harmless.h"

enum { DEPTH = 6, BRANCHES = 4, PATHS = 4096, TWICE = 3000, TEN = 10, OFTEN = 2000 };

static volatile int taken; /* after each call, another value: no call is a jump, no two are one */

static __attribute__((noinline)) void end_of_path(void)
{
    int size, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    taken = 5;
}

/* The digits of `path` say which of the four lines is taken at each depth. */
static __attribute__((noinline)) void go(int depth, int path)
{
    if (depth == 0) {
        end_of_path();
        taken = 4;
    } else if (path % BRANCHES == 0) {
        go(depth - 1, path / BRANCHES);
        taken = 0;
    } else if (path % BRANCHES == 1) {
        go(depth - 1, path / BRANCHES);
        taken = 1;
    } else if (path % BRANCHES == 2) {
        go(depth - 1, path / BRANCHES);
        taken = 2;
    } else {
        go(depth - 1, path / BRANCHES);
        taken = 3;
    }
}

static void go_the_ten(void)
{
    for (int i = 0; i < TEN; i++)
        for (int call = 0; call < OFTEN; call++)
            go(DEPTH, i * (TWICE / TEN));
}

int main(int argc, char **argv)
{
    int first = argc > 1 && strcmp(argv[1], "first") == 0;
    MPI_Init(&argc, &argv);
    if (first)
        go_the_ten();
    for (int path = 0; path < TWICE; path++)
        go(DEPTH, path);
    for (int i = 0; i < TWICE; i++)
        go(DEPTH, 7 * i % TWICE);
    for (int path = TWICE; path < PATHS; path++)
        go(DEPTH, path);
    if (!first)
        go_the_ten();
    made("MPI_Comm_size", PATHS + TWICE + TEN * OFTEN);
    made("MPI_Comm_rank", PATHS + TWICE + TEN * OFTEN);
    MPI_Finalize();
    return 0;
}
