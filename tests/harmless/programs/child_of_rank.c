/* A rank makes children. The children call the MPI functions that may be called there, or end an
 * MPI call in which they were made. Only the parent's calls are counted, and all of them. Argument
 * 1 says how the children are made. */
#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harmless.h"
#include "mprof/mprof.h"

enum { CHILDREN = 5, CALLS = 50 };

static const char *how;

static pid_t make_child(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    if (strcmp(how, "_Fork") == 0)
        return _Fork();
#endif
    if (strcmp(how, "clone") == 0)
        return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    return fork();
}

/* Local calls, which work in a child as they do in its parent. */
static int call_mpi(void)
{
    int flag = 0;
    int rank = -1;
    for (int i = 0; i < CALLS; i++) {
        MPI_Initialized(&flag);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    mprof_region_begin("in the child");
    mprof_region_end("in the child");
    return flag != 0 && rank >= 0 && MPI_Wtime() >= 0 ? 0 : 1;
}

static void expect_good_end(pid_t child)
{
    int status = 0;
    REQUIRE(child > 0);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static bool is_child;

static int fork_in_callback(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    pid_t child = fork();
    is_child = child == 0;
    if (!is_child)
        expect_good_end(child);
    return MPI_SUCCESS;
}

/* The child goes on from within the callback: it ends its parent's MPI_Attr_delete, too. */
static void delete_attribute(void)
{
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, fork_in_callback, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    if (is_child)
        _exit(call_mpi());
    MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv)
{
    int rank = 0;
    how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    for (int i = 0; i < CHILDREN; i++) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (strcmp(how, "callback") == 0) {
            delete_attribute();
            continue;
        }
        pid_t child = make_child();
        if (child == 0)
            _exit(call_mpi());
        expect_good_end(child);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    made("MPI_Comm_rank", CHILDREN);
    made("MPI_Barrier", 1);
    made("MPI_Comm_delete_attr", strcmp(how, "callback") == 0 ? CHILDREN : 0);
    made("MPI_Initialized", 0);
    MPI_Finalize();
    return 0;
}
