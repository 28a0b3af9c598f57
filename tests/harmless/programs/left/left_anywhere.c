/* MPI calls are left at any instruction, in libmprof's own ones, too: by siglongjmp() in a handler,
 * as a time limit around a loop does it ("jump"), where a library was just loaded or unloaded
 * ("jump_after_loads"), beside threads that make calls, too ("jump_among_threads"), or by
 * asynchronous cancellation of the thread ("cancel"). Only functions are called that can be left
 * natively. Each call comes from a path that may be new. How many calls were begun and completed
 * goes to standard error. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "harmless.h"

enum {
    TURNS = 1500,
    ROUNDS = 40,
    TURNS_OF_ROUND = 10,
    OTHERS = 2,
    THREADS = 200,
    DEEPEST = 10,
    SHORTEST_US = 20,
    SPREAD_US = 100,
    LOADS = 600,
    SPREAD_AFTER_LOADS_US = 40,
    DEEP_AFTER_LOADS = 16
};

static volatile long begun;
static volatile long completed;
static sigjmp_buf before;

static __attribute__((noinline)) void left(unsigned way, int depth);

/* By which functions it comes to MPI is in the bits of `way`. */
static __attribute__((noinline)) void right(unsigned way, int depth)
{
    if (depth == 0) {
        int size;
        __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        __atomic_fetch_add(&completed, 1, __ATOMIC_RELAXED);
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
        __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        __atomic_fetch_add(&completed, 1, __ATOMIC_RELAXED);
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

static void leave_by_jump(unsigned turns)
{
    signal(SIGALRM, late);
    for (volatile unsigned turn = 0; turn < turns; turn = turn + 1) {
        const struct itimerval limit = {{0, 0}, {0, SHORTEST_US + turn % SPREAD_US}};
        if (sigsetjmp(before, 1) == 0) {
            setitimer(ITIMER_REAL, &limit, NULL);
            for (unsigned way = turn * 7;; way++)
                left(way, (int)(way % DEEPEST));
        }
    }
}

static void load_or_unload(void)
{
    static void *library;
    if (library == NULL)
        REQUIRE((library = dlopen("libresolv.so.2", RTLD_NOW)) != NULL);
    else
        REQUIRE(dlclose(library) == 0 && (library = NULL) == NULL);
}

/* What libmprof keeps of the loaded libraries is old at the first call of each turn. */
static void leave_after_loads(void)
{
    signal(SIGALRM, late);
    for (volatile unsigned turn = 0; turn < LOADS; turn = turn + 1) {
        const struct itimerval limit = {{0, 0}, {0, 1 + turn % SPREAD_AFTER_LOADS_US}};
        load_or_unload();
        if (sigsetjmp(before, 1) == 0) {
            setitimer(ITIMER_REAL, &limit, NULL);
            for (unsigned way = turn * 64;; way++)
                left(way, DEEP_AFTER_LOADS);
        }
    }
}

/* Not MPI_Wtime(): libmprof would give back what was left. */
static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int is_over;

static void *call_until_over(void *unused)
{
    for (unsigned way = 3; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); way = way * 69069 + 1)
        left(way >> 8, (int)(way % DEEPEST));
    return unused;
}

/* The last jump may leave a lock of libmprof's. This thread then waits for the others. */
static double wait_after_jumps(void)
{
    pthread_t threads[OTHERS];
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL);
    __atomic_store_n(&is_over, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < OTHERS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, call_until_over, NULL) == 0);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    leave_by_jump(TURNS_OF_ROUND);
    const double begin_s = now_s();
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < OTHERS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    return now_s() - begin_s;
}

static void leave_among_threads(void)
{
    double longest_s = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double s = wait_after_jumps();
        longest_s = s > longest_s ? s : longest_s;
    }
    fprintf(stderr, "waited %.3f s for threads\n", longest_s);
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
    const char *way = argc > 1 ? argv[1] : "";
    const int jumps = strcmp(way, "jump") == 0 || strcmp(way, "jump_after_loads") == 0;
    MPI_Init_thread(&argc, &argv, jumps ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
    if (!jumps && level != MPI_THREAD_MULTIPLE)
        not_here("no MPI_THREAD_MULTIPLE");
    if (strcmp(way, "jump") == 0)
        leave_by_jump(TURNS);
    else if (jumps)
        leave_after_loads();
    else if (strcmp(way, "jump_among_threads") == 0)
        leave_among_threads();
    else
        leave_by_cancellation();
    MPI_Barrier(MPI_COMM_WORLD);
    made("MPI_Barrier", 1);
    fprintf(stderr, "MPI_Comm_size: %ld completed of %ld begun\n", completed, begun);
    MPI_Finalize();
    return 0;
}
