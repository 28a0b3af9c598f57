/* MPI calls are left at any instruction, in libmprof's own ones, too: by siglongjmp() in a handler,
 * as a time limit around a loop does it ("jump"), or by asynchronous cancellation of the thread
 * ("cancel"). Only functions are called that can be left natively. Each call comes from a path that
 * may be new. How many calls were begun and completed goes to standard error. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "harmless.h"

enum { TURNS = 1500, THREADS = 200, DEEPEST = 10, SHORTEST_US = 20, SPREAD_US = 100 };

static volatile long begun;
static volatile long completed;
static sigjmp_buf before;

static __attribute__((noinline)) void left(unsigned way, int depth);

/* By which functions it comes to MPI is in the bits of `way`. */
static __attribute__((noinline)) void right(unsigned way, int depth)
{
    if (depth == 0) {
        int size;
        begun++;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        completed++;
    } else if ((way & 1) != 0) {
        left(way / 2, depth - 1);
    } else {
        right(way / 2, depth - 1);
    }
    __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void left(unsigned way, int depth)
{
    if (depth == 0) {
        int size;
        begun++;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        completed++;
    } else if ((way & 1) != 0) {
        right(way / 2, depth - 1);
    } else {
        left(way / 2, depth - 1);
    }
    __asm__ volatile("" ::: "memory");
}

static void late(int number)
{
    (void)number;
    siglongjmp(before, 1);
}

static void leave_by_jump(void)
{
    signal(SIGALRM, late);
    for (volatile unsigned turn = 0; turn < TURNS; turn = turn + 1) {
        const struct itimerval limit = {{0, 0}, {0, SHORTEST_US + turn % SPREAD_US}};
        if (sigsetjmp(before, 1) == 0) {
            setitimer(ITIMER_REAL, &limit, NULL);
            for (unsigned way = turn * 7;; way++)
                left(way, (int)(way % DEEPEST));
        }
    }
}

static void *call_until_cancelled(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (unsigned way = (unsigned)completed;; way++)
        left(way, (int)(way % DEEPEST));
    return unused;
}

static void leave_by_cancellation(void)
{
    for (unsigned turn = 0; turn < THREADS; turn++) {
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, call_until_cancelled, NULL) == 0);
        usleep(SHORTEST_US + turn % SPREAD_US);
        pthread_cancel(thread);
        REQUIRE(pthread_join(thread, NULL) == 0);
        right(turn, DEEPEST);
    }
}

int main(int argc, char **argv)
{
    int level;
    const int jumps = argc > 1 && strcmp(argv[1], "jump") == 0;
    MPI_Init_thread(&argc, &argv, jumps ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
    if (!jumps && level != MPI_THREAD_MULTIPLE)
        not_here("no MPI_THREAD_MULTIPLE");
    if (jumps)
        leave_by_jump();
    else
        leave_by_cancellation();
    MPI_Barrier(MPI_COMM_WORLD);
    made("MPI_Barrier", 1);
    fprintf(stderr, "MPI_Comm_size: %ld completed of %ld begun\n", completed, begun);
    MPI_Finalize();
    return 0;
}
