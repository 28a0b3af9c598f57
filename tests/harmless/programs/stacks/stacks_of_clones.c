/* MPI is called from tasks that clone() made, which share the thread-local memory of the thread
 * that waits for them. */
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "coroutine.h"

enum { TIMES = 10, STACK_BYTES = 256 * 1024 };

static int sum;

static int task(void *number)
{
    for (int i = 0; i < 3; i++)
        sum += pass_on(*(int *)number);
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < TIMES; i++) {
        size_t bytes = (size_t)(1 + i % 2) * STACK_BYTES;
        char *stack = map_stack(NULL, bytes);
        int child = clone(task, stack + bytes,
                          CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_FS | SIGCHLD, &i);
        REQUIRE(child > 0);
        int status;
        while (waitpid(child, &status, 0) != child)
            ;
        REQUIRE(status == 0);
        munmap(stack, bytes);
        sum += pass_on(i);
    }
    printf("%d\n", sum);
    made("MPI_Sendrecv", 4 * TIMES);
    MPI_Finalize();
    return 0;
}
