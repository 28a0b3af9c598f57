/* Threads on stacks of their own (pthread_attr_setstack). The stacks have several sizes at one
 * address, one after another. A coroutine runs in each thread. */
#include <pthread.h>

#include "coroutine.h"

enum { THREADS = 20, STACK_BYTES = 1 << 20 };

static void *resumer, *coroutine;
static int sum;

static void body(void)
{
    for (;;) {
        sum += pass_on(2);
        coroutine_switch(&coroutine, resumer);
    }
}

static __attribute__((noinline)) void call_deeper(int depth)
{
    if (depth > 0)
        call_deeper(depth - 1);
    else
        sum += pass_on(3);
    __asm__ volatile("" ::: "memory");
}

static void *run(void *coroutine_stack)
{
    coroutine = coroutine_make(coroutine_stack, STACK_BYTES, body);
    for (int i = 0; i < 10; i++) {
        call_deeper(i);
        coroutine_switch(&resumer, coroutine);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    char *stacks = map_stack(NULL, 4 * STACK_BYTES); /* without a gap between them */
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        size_t bytes = (size_t)(1 + i % 2) * STACK_BYTES;
        REQUIRE(pthread_attr_setstack(&attributes, stacks + STACK_BYTES, bytes) == 0);
        REQUIRE(pthread_create(&thread, &attributes, run,
                               i % 4 < 2 ? stacks : stacks + 3 * STACK_BYTES) == 0);
        pthread_join(thread, NULL);
        pthread_attr_destroy(&attributes);
    }
    printf("%d\n", sum);
    made("MPI_Sendrecv", 20 * THREADS);
    MPI_Finalize();
    return 0;
}
