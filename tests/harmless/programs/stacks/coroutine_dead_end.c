/* MPI is called from coroutines whose stack ends in a word that is no return address. They run on
 * the first thread, or, with the argument `thread`, on another one. The stack is mapped, or, with
 * `inside`, it is a part of the thread's own. */
#include <pthread.h>

#include "coroutine.h"

enum { COROUTINES = 40, ROUNDS = 25, STACK_BYTES = 256 * 1024 };

static void *resumer, *coroutine[COROUTINES];
static int current, sum;

static void body(void)
{
    for (;;) {
        sum += pass_on(current);
        coroutine_switch(&coroutine[current], resumer);
    }
}

static void *run_all(void *inside)
{
    char part_of_own[STACK_BYTES];
    int coroutines = inside != NULL ? 1 : COROUTINES;
    for (int i = 0; i < coroutines; i++)
        coroutine[i] = coroutine_make(inside != NULL ? part_of_own : map_stack(NULL, STACK_BYTES),
                                      STACK_BYTES, body);
    for (int round = 0; round < ROUNDS; round++)
        for (current = 0; current < coroutines; current++)
            coroutine_switch(&resumer, coroutine[current]);
    printf("%d\n", sum);
    made("MPI_Sendrecv", ROUNDS * coroutines);
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    void *inside = argc > 1 && strcmp(argv[1], "inside") == 0 ? &level : NULL;
    pthread_t thread;
    if (argc > 1 && strcmp(argv[1], "thread") == 0) {
        REQUIRE(pthread_create(&thread, NULL, run_all, NULL) == 0);
        pthread_join(thread, NULL);
    } else {
        run_all(inside);
    }
    MPI_Finalize();
    return 0;
}
