/* The process that calls MPI_Init is a child of one that called MPI before. Argument 1 says how the
 * child is made, and what its parent did. The parent waits and ends with the child's status. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harmless.h"
#include "mprof/mprof.h"

extern char **environ;

enum { ROUNDS = 20, THREADS = 3 };

static const char *how;

static bool is(const char *name)
{
    return strcmp(how, name) == 0;
}

static int is_initialized(void)
{
    int flag = 0;
    MPI_Initialized(&flag);
    return flag;
}

/* The program proper: what is counted is what this process does. */
static int work(void)
{
    int rank = 0;
    int sum = 0;
    REQUIRE(!is_initialized());
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mprof_region_begin("the child's");
    for (int i = 0; i < ROUNDS; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("sum %d, initialized %d\n", sum, is_initialized());
    mprof_region_end("the child's");
    made("MPI_Initialized", 2);
    made("MPI_Allreduce", ROUNDS);
    made("MPI_Init", 1);
    MPI_Finalize();
    return 0;
}

static int status_of(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static pid_t make_child(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    if (is("_Fork"))
        return _Fork();
#endif
    if (is("clone"))
        return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    return fork();
}

/* As daemon() does it, but that the first process waits: the launcher would take its end for the
 * rank's. */
static int double_fork(void)
{
    pid_t child = fork();
    if (child != 0)
        return status_of(child);
    setsid();
    child = fork();
    exit(child != 0 ? status_of(child) : work());
}

static void *fork_here(void *status)
{
    pid_t child = fork();
    if (child == 0)
        exit(work());
    *(int *)status = status_of(child);
    return NULL;
}

static int fork_from_thread(void)
{
    pthread_t thread;
    int status = 1;
    REQUIRE(pthread_create(&thread, NULL, fork_here, &status) == 0);
    pthread_join(thread, NULL);
    return status;
}

static volatile bool stop;

static void *attach(void *nothing)
{
    is_initialized();
    return nothing;
}

/* Threads that make their first MPI call, and regions with new names, take locks of a profiler. */
static void *keep_locks_busy(void *nothing)
{
    char name[32];
    for (int i = 0; !stop; i++) {
        pthread_t thread;
        snprintf(name, sizeof name, "region %d", i);
        mprof_region_begin(name);
        mprof_region_end(name);
        if (pthread_create(&thread, NULL, attach, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return nothing;
}

static int fork_beside_threads(void)
{
    pthread_t threads[THREADS];
    int status = 0;
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, keep_locks_busy, NULL) == 0);
    for (int round = 0; status == 0 && round < 100; round++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            mprof_region_begin("in the child");
            _exit(is_initialized());
        }
        status = status_of(child);
    }
    stop = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    /* UCX, too, has locks that a child would find locked: MPI_Init comes without the threads. */
    pid_t child = status == 0 ? fork() : -1;
    if (child == 0)
        exit(work());
    return status != 0 ? status : status_of(child);
}

static int spawn(char *program)
{
    pid_t child = 0;
    char work_only[] = "work";
    char *arguments[] = {program, work_only, NULL};
    REQUIRE(posix_spawn(&child, program, NULL, NULL, arguments, environ) == 0);
    return status_of(child);
}

static int vfork_and_exec(char *program)
{
    pid_t child = vfork();
    if (child == 0) {
        execl(program, program, "work", (char *)NULL);
        _exit(1);
    }
    return status_of(child);
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "";
    if (is("work"))
        return work();
    REQUIRE(!is_initialized() && !is_initialized());
    if (is("regions")) {
        mprof_region_begin("the parent's");
        mprof_pause();
    }
    if (is("double"))
        return double_fork();
    if (is("thread"))
        return fork_from_thread();
    if (is("threads"))
        return fork_beside_threads();
    if (is("spawn"))
        return spawn(argv[0]);
    if (is("vfork"))
        return vfork_and_exec(argv[0]);
    pid_t child = make_child();
    REQUIRE(child >= 0);
    if (child == 0)
        exit(work());
    if (is("parent too"))
        REQUIRE(!is_initialized());
    return status_of(child);
}
