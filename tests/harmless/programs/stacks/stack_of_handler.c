/* A signal handler on a small stack of its own (sigaltstack) calls MPI. How much of that stack is
 * used is seen by what is left of a pattern. MPI_X may take a little more of it than PMPI_X, which
 * is the same natively. */
#include <signal.h>
#include <stdbool.h>
#include <sys/auxv.h>

#include "harmless.h"

enum { TIMES = 3000, MOST_BYTES = 512, ROOM_BYTES = 16384, PATTERN = 0x5a };

static char *stack;
static size_t stack_bytes;
static volatile bool by_pmpi;
static volatile bool is_deep; /* another path, which is new */

static __attribute__((noinline)) void call(void)
{
    int number = 0;
    int flag = 0;
    if (by_pmpi) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &number);
        PMPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        PMPI_Send(&number, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    } else {
        MPI_Comm_rank(MPI_COMM_WORLD, &number);
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Send(&number, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    }
}

static __attribute__((noinline)) void deeper(void)
{
    call();
    __asm__ volatile("" ::: "memory");
}

static void handle(int number)
{
    (void)number;
    if (is_deep)
        deeper();
    else
        call();
}

static size_t used_by_signal(void)
{
    memset(stack, PATTERN, stack_bytes);
    raise(SIGUSR1);
    size_t untouched = 0;
    while (untouched < stack_bytes && stack[untouched] == PATTERN)
        untouched++;
    return stack_bytes - untouched;
}

static size_t most_used(bool pmpi)
{
    size_t most = 0;
    by_pmpi = pmpi;
    for (int i = 0; i < TIMES; i++) {
        is_deep = i % 2 != 0;
        const size_t used = used_by_signal();
        most = used > most ? used : most;
    }
    return most;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    stack_bytes = getauxval(AT_MINSIGSTKSZ) + ROOM_BYTES;
    stack = malloc(stack_bytes);
    REQUIRE(sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = stack_bytes}, NULL) == 0);
    REQUIRE(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handle, .sa_flags = SA_ONSTACK},
                      NULL) == 0);
    const size_t without = most_used(true);
    const size_t with = most_used(false);
    fprintf(stderr, "%zu bytes, and %zu by PMPI\n", with, without);
    if (with > without + MOST_BYTES)
        printf("the handler takes %zu bytes of stack, and %zu by PMPI\n", with, without);
    made("MPI_Iprobe", TIMES);
    made("MPI_Comm_rank", TIMES);
    made("MPI_Send", TIMES);
    MPI_Finalize();
    return 0;
}
