/* One rank ends the job, in several ways. Used by run_one_ends.py.
 *
 * one_ends MODE, on 3 ranks: rank 0 computes, rank 1 waits for it in a barrier, and rank 2 ends:
 *
 *   abort       MPI_Abort(MPI_COMM_WORLD, 3)
 *   abort_late  the same, from a thread, while its main thread is in the barrier for longer
 *   abort_all   the same on all ranks, rank 2 first
 *   exit        exit(4)
 *   fatal       it receives a message that is too long, which the MPI takes for fatal
 *   abrt        abort()
 *   claim       assert() of what is not so
 *   segv, kill  a signal ends it
 *   wait        nobody ends
 *
 * The lines that run_one_ends.py looks for end with a comment: the mode in brackets. */
#undef NDEBUG
#include <assert.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOON_US = 300000, LONG_S = 20 };

static void *abort_soon(void *unused)
{
    (void)unused;
    usleep(SOON_US);
    MPI_Abort(MPI_COMM_WORLD, 3); /* [abort_late] */
    return NULL;
}

/* Rank 1 has sent it, and waits for an answer. */
static void receive_too_much(void)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* [fatal] */
}

static void send_too_much(void)
{
    int values[2] = {0};
    MPI_Send(values, 2, MPI_INT, 2, 0, MPI_COMM_WORLD);
    MPI_Recv(values, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end(const char *mode)
{
    if (strcmp(mode, "abort_late") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, abort_soon, NULL);
        return;
    }
    usleep(SOON_US);
    if (strcmp(mode, "abort") == 0 || strcmp(mode, "abort_all") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3); /* [abort] [abort_all] */
    if (strcmp(mode, "fatal") == 0)
        receive_too_much();
    if (strcmp(mode, "exit") == 0)
        exit(4); /* [exit_call] */
    if (strcmp(mode, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(mode, "abrt") == 0)
        abort(); /* [abort_call] */
    if (strcmp(mode, "claim") == 0)
        assert(mode[0] == 0); /* [assert_call] */
    if (strcmp(mode, "kill") == 0)
        raise(SIGKILL);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int level, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double until = MPI_Wtime() + (strcmp(mode, "abort_all") == 0 ? 0.6 : LONG_S);
    MPI_Barrier(MPI_COMM_WORLD); /* [exit] [segv] [abrt] [claim] */
    if (rank == 2)
        end(mode);
    if (rank == 1 && strcmp(mode, "fatal") == 0)
        send_too_much();
    if (rank == 0)
        while (MPI_Wtime() < until)
            ;
    if (strcmp(mode, "abort_all") == 0) {
        sleep(1);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
