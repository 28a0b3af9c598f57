/* MPI is called in handlers of signals that the program raises, on a stack of sigaltstack() that is
 * unmapped and mapped again. */
#include <signal.h>

#include "coroutine.h"

enum { TIMES = 30, STACK_BYTES = 256 * 1024 };

static volatile int sum;

static void handle(int number)
{
    sum += pass_on(number);
}

static __attribute__((noinline)) void raise_deeper(int depth)
{
    if (depth > 0)
        raise_deeper(depth - 1);
    else
        raise(SIGUSR1);
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < TIMES; i++) {
        size_t bytes = STACK_BYTES + (size_t)i % 2 * STACK_BYTES;
        stack_t stack = {.ss_sp = map_stack(NULL, bytes), .ss_size = bytes};
        REQUIRE(sigaltstack(&stack, NULL) == 0);
        raise_deeper(i % 5);
        stack.ss_flags = SS_DISABLE;
        REQUIRE(sigaltstack(&stack, NULL) == 0);
        munmap(stack.ss_sp, bytes);
    }
    printf("%d\n", sum);
    made("MPI_Sendrecv", TIMES);
    MPI_Finalize();
    return 0;
}
