/* Mistakes that only a run with MPROF_LINT tells, or the twin without them, for run_lint.py.
 *
 *     recorded FOLDER wrong|right|threads|errors
 *
 * A line that ends in "@ RULE" is the one that mprof lint must name for that rule; two rules stand
 * behind each other. No other line may be named. Three ranks. `right` does the same without the
 * mistakes, also
 * what looks like one. `threads`: two threads are in MPI at once, with MPI_THREAD_SERIALIZED.
 * `errors`: calls fail, and nobody looks.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

enum { TAG = 5, ROUNDS = 3 };

static int rank, size, wrong;

/* Ranks 0 and 1 send to each other first. Small messages are buffered, so it ends. */
static void exchange(void)
{
    int mine = rank, theirs;
    const int other = 1 - rank;
    MPI_Request request;
    if (rank > 1)
        return;
    for (int round = 0; wrong && round < ROUNDS; round++) {
        MPI_Send(&mine, 1, MPI_INT, other, TAG, WORLD); /* @ send-cycle */
        MPI_Recv(&theirs, 1, MPI_INT, other, TAG, WORLD, IGNORE);
    }
    if (wrong)
        return;
    MPI_Sendrecv(&mine, 1, MPI_INT, other, TAG, &theirs, 1, MPI_INT, other, TAG, WORLD, IGNORE);
    MPI_Irecv(&theirs, 1, MPI_INT, other, TAG, WORLD, &request);
    MPI_Send(&mine, 1, MPI_INT, other, TAG, WORLD);
    MPI_Wait(&request, IGNORE);
    if (rank == 0)
        MPI_Send(&mine, 1, MPI_INT, other, TAG, WORLD);
    MPI_Recv(&theirs, 1, MPI_INT, other, TAG, WORLD, IGNORE);
    if (rank == 1)
        MPI_Send(&mine, 1, MPI_INT, other, TAG, WORLD);
}

/* Two receives into the same memory; a receive into what is still being sent. Columns of a matrix
 * lie between each other and share nothing. */
static void use_buffers(void)
{
    int buffer[4] = {0}, matrix[4] = {0}, value = 1;
    MPI_Datatype column;
    MPI_Request requests[3];
    int *const second = wrong ? buffer + 1 : buffer + 2;
    const int before = (rank + size - 1) % size, after = (rank + 1) % size;
    MPI_Irecv(buffer, 2, MPI_INT, before, 1, WORLD, &requests[0]);
    MPI_Irecv(second, 2, MPI_INT, before, 2, WORLD, &requests[1]); /* @ buffer-overlap */
    MPI_Send(matrix, 2, MPI_INT, after, 1, WORLD);
    MPI_Send(matrix, 2, MPI_INT, after, 2, WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Isend(&value, 1, MPI_INT, after, 3, WORLD, &requests[0]);
    MPI_Recv(wrong ? &value : buffer, 1, MPI_INT, before, 3, WORLD, IGNORE); /* @ buffer-overlap */
    MPI_Wait(&requests[0], IGNORE);
    MPI_Type_vector(2, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Irecv(matrix, 1, column, before, 1, WORLD, &requests[0]);
    MPI_Irecv(matrix + 1, 1, column, before, 2, WORLD, &requests[1]);
    MPI_Isend(buffer, 2, MPI_INT, after, 1, WORLD, &requests[2]);
    MPI_Send(buffer, 2, MPI_INT, after, 2, WORLD); /* two may read the same */
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&column);
}

static void send_with_tag(void)
{
    int v = 0;
    MPI_Request request;
    if (rank == 1) {
        const int tag = wrong ? 8 : 7;
        for (int i = 0; i < (wrong ? 9 : 1); i++)    /* most of its messages to rank 2 */
            MPI_Send(&v, 1, MPI_INT, 2, tag, WORLD); /* @ tag-not-received message-not-received */
        MPI_Send(&v, 1, MPI_INT, 2, 7, WORLD);
    } else if (rank == 2) {
        MPI_Recv(&v, 1, MPI_INT, 1, 7, WORLD, IGNORE);
        if (!wrong)
            MPI_Recv(&v, 1, MPI_INT, 1, MPI_ANY_TAG, WORLD, IGNORE);
    } else {
        MPI_Isend(&v, 1, MPI_INT, MPI_PROC_NULL, 9, WORLD, &request);
        MPI_Wait(&request, IGNORE);
    }
}

/* Ranks 1 and 2 send at the same time, or one after the other. */
static void receive_from_any(void)
{
    const int any = MPI_ANY_SOURCE;
    int value = rank;
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, any, 4, WORLD, IGNORE); /* @ receive-order */
    if (rank == 1 || (rank == 2 && wrong))
        MPI_Send(&value, 1, MPI_INT, 0, 4, WORLD);
    if (!wrong)
        MPI_Barrier(WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, any, 4, WORLD, IGNORE);
    if (rank == 2 && !wrong)
        MPI_Send(&value, 1, MPI_INT, 0, 4, WORLD);
}

static void call_collectives(void)
{
    int value = 1, sum, values[4] = {0};
    MPI_Datatype four;
    const int differs = wrong && rank == 2;
    const MPI_Op op = differs ? MPI_MAX : MPI_SUM;
    const MPI_Datatype type = differs ? MPI_FLOAT : MPI_INT;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, op, WORLD); /* @ collective-operation */
    MPI_Bcast(&value, 1, type, 0, WORLD);               /* @ collective-type */
    MPI_Type_contiguous(4, MPI_INT, &four);
    MPI_Type_commit(&four);
    MPI_Bcast(values, rank == 0 ? 4 : 1, rank == 0 ? MPI_INT : four, 0, WORLD);
    MPI_Type_free(&four);
}

static void fail(int asks)
{
    int value = 0, error, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    error = MPI_Send(&value, 1, MPI_INT, size, TAG, WORLD); /* @ error-not-looked-at */
    if (asks)
        MPI_Error_string(error, text, &length);
    MPI_Barrier(WORLD);
}

/* MPI_Test of no request does nothing, so two threads may do it without harm. */
static void *other_thread(void *unused)
{
    MPI_Request none = MPI_REQUEST_NULL;
    int flag;
    (void)unused;
    usleep(500000);
    MPI_Test(&none, &flag, IGNORE); /* @ calls-at-once */
    return NULL;
}

static void call_from_threads(int at_once)
{
    pthread_t thread;
    MPI_Barrier(WORLD);
    if (rank == 0)
        pthread_create(&thread, NULL, other_thread, NULL);
    else
        sleep(2);
    if (rank == 0 && !at_once)
        pthread_join(thread, NULL);
    MPI_Barrier(WORLD);
    if (rank == 0 && at_once)
        pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    int level;
    if (argc < 3)
        return 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    const int right = strcmp(argv[2], "right") == 0;
    wrong = strcmp(argv[2], "wrong") == 0;
    if (wrong || right) {
        exchange();
        use_buffers();
        send_with_tag();
        receive_from_any();
        call_collectives();
    }
    if (right || strcmp(argv[2], "threads") == 0)
        call_from_threads(!right);
    if (right || strcmp(argv[2], "errors") == 0)
        fail(right);
    MPI_Finalize();
    return 0;
}
