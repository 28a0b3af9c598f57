/* MPI is called from contexts of ucontext.h, whose stacks are freed and allocated again. */
#include <ucontext.h>

#include "coroutine.h"

enum { CONTEXTS = 30, STACK_BYTES = 256 * 1024 };

static ucontext_t resumer, context;
static int sum;

static void body(int number)
{
    for (int i = 0; i < 3; i++) {
        sum += pass_on(number);
        swapcontext(&context, &resumer);
    }
    sum += pass_on(number);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < CONTEXTS; i++) {
        size_t bytes = STACK_BYTES + (size_t)i % 3 * STACK_BYTES;
        void *stack = map_stack(NULL, bytes);
        getcontext(&context);
        context.uc_stack.ss_sp = stack;
        context.uc_stack.ss_size = bytes;
        context.uc_link = &resumer;
        makecontext(&context, (void (*)(void))body, 1, i);
        for (int turn = 0; turn < 4; turn++)
            swapcontext(&resumer, &context);
        munmap(stack, bytes);
    }
    printf("%d\n", sum);
    made("MPI_Sendrecv", 4 * CONTEXTS);
    MPI_Finalize();
    return 0;
}
