/* abort() and assert() that do not end the program: a handler of SIGABRT leaves by a jump, from the
 * main thread and from another one, and a child of fork() dies of it. */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harmless.h"

enum { TIMES = 5 };

static _Thread_local sigjmp_buf back;

static void leave(int number)
{
    siglongjmp(back, number);
}

static int give_up(int deep)
{
    if (deep > 0)
        return give_up(deep - 1) + 1;
    assert(deep < 0);
    return 0;
}

static void *survive(void *unused)
{
    int sum = 0;
    for (volatile int i = 0; i < TIMES; i++) {
        if (sigsetjmp(back, 1) == 0)
            abort();
        if (sigsetjmp(back, 1) == 0)
            give_up(i);
        MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("%d\n", sum);
    return unused;
}

static void lose_a_child(pid_t child)
{
    int status = 0;
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    printf("signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    struct sigaction before, action = {.sa_handler = leave};
    sigaction(SIGABRT, &action, &before);
    survive(NULL);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, survive, NULL) == 0);
    pthread_join(thread, NULL);
    signal(SIGABRT, SIG_DFL);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        abort();
    lose_a_child(child);
    sigaction(SIGABRT, &before, NULL);
    made("MPI_Allreduce", 2 * TIMES);
    MPI_Finalize();
    return 0;
}
