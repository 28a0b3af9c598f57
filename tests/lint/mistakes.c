/* A program with mistakes of many kinds, or its twin without them, for run_lint.py.
 *
 *     mistakes FOLDER wrong|right|hang|leave|steps
 *
 * A line that ends in "@ RULE" is the one that mprof lint must name for that rule. No other line
 * may be named. Two ranks. `right` does the same without the mistakes, also what looks like one:
 * requests that are freed, a communicator that is disconnected. `hang`: the ranks call different
 * collectives, and a signal ends them. `leave`: they exit without MPI_Finalize. `steps`: they make
 * a datatype again and again.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 100, MANY_STEPS = 30000, BLOCKS = 64, TAG = 5 };

static int rank, wrong;

static void *other_thread(void *unused)
{
    int flag, size;
    (void)unused;
    MPI_Initialized(&flag); /* any thread may */
    if (wrong)
        MPI_Comm_size(MPI_COMM_WORLD, &size); /* @ wrong-thread */
    return NULL;
}

static void call_from_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
}

static void nothing(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void make_objects(void)
{
    MPI_Datatype row, column;
    MPI_Group group;
    MPI_Op op;
    MPI_Info info;
    MPI_Errhandler handler;
    MPI_Type_contiguous(4, MPI_INT, &row);        /* @ datatype-not-freed */
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);   /* @ datatype-not-freed */
    MPI_Comm_group(MPI_COMM_WORLD, &group);       /* @ group-not-freed */
    MPI_Op_create(nothing, 1, &op);               /* @ operation-not-freed */
    MPI_Info_create(&info);                       /* @ info-not-freed */
    MPI_Comm_create_errhandler(handle, &handler); /* @ error-handler-not-freed */
    if (wrong)
        return;
    MPI_Type_free(&row);
    MPI_Type_free(&column);
    MPI_Group_free(&group);
    MPI_Op_free(&op);
    MPI_Info_free(&info);
    MPI_Errhandler_free(&handler);
}

static void make_communicators(void)
{
    MPI_Comm copy, part, last = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy); /* @ communicator-not-freed */
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &part);
    MPI_Comm_disconnect(&part);
    for (int step = 0; step < (wrong ? STEPS : 5); step++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &last); /* @ communicator-every-step */
        MPI_Comm_free(&last);
    }
    if (!wrong)
        MPI_Comm_free(&copy);
}

static void make_datatypes(int steps)
{
    MPI_Datatype type;
    int lengths[BLOCKS], places[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        lengths[i] = i % 3 + 1;
        places[i] = 5 * i;
    }
    for (int step = 0; step < steps; step++) {
        MPI_Type_indexed(BLOCKS, lengths, places, MPI_INT, &type); /* @ datatype-every-step */
        MPI_Type_free(&type);
    }
}

static void open_file(const char *folder)
{
    char name[4096];
    MPI_File file;
    snprintf(name, sizeof name, "%s/data", folder);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &file); /* @ file-not-closed */
    if (!wrong)
        MPI_File_close(&file);
}

static void make_window(void)
{
    MPI_Win win; /* without memory, or MPI_Finalize of MPICH aborts */
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win); /* @ window-not-freed */
    MPI_Win_lock_all(0, win);                                    /* @ epoch-not-ended */
    if (!wrong) {
        MPI_Win_unlock_all(win);
        MPI_Win_free(&win);
    }
}

static void send_messages(void)
{
    static int value, sent, kept;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request receive = MPI_REQUEST_NULL, send, persistent;
    const int other = 1 - rank;
    if (wrong && rank == 1)
        MPI_Irecv(&kept, 1, MPI_INT, 0, 77, world, &receive);         /* @ request-not-completed */
    MPI_Send_init(&sent, 1, MPI_INT, other, TAG, world, &persistent); /* @ request-not-freed */
    if (!wrong)
        MPI_Request_free(&persistent);
    MPI_Isend(&sent, 1, MPI_INT, other, TAG, world, &send); /* @ request-not-completed */
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, world, MPI_STATUS_IGNORE);
    if (!wrong)
        MPI_Request_free(&send); /* allowed: it completes by itself */
    if (wrong && rank == 0)
        for (int i = 0; i < 3; i++)
            MPI_Send(&value, 1, MPI_INT, 1, 6, world); /* @ message-not-received */
}

static void call_collectives(void)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int values[4] = {1, 2, 3, 4}, all[8] = {0};
    const int differs = wrong && rank == 1;
    MPI_Bcast(values, 2, MPI_INT, differs, world); /* @ collective-root */
    MPI_Barrier(world);
    MPI_Gather(values, 2 - differs, MPI_INT, all, 2, MPI_INT, 0, world); /* @ collective-size */
}

static void use_old_functions(void)
{
    void *value;
    int flag;
    if (wrong)
        MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag); /* @ deprecated-function */
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
}

static void hang(void)
{
    int value = 0, sum;
    MPI_Barrier(MPI_COMM_WORLD);
    alarm(1);
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* @ collective-order */
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int level;
    if (argc < 3)
        return 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[2], "hang") == 0)
        hang();
    if (strcmp(argv[2], "leave") == 0) {
        MPI_Barrier(MPI_COMM_WORLD); /* @ no-finalize */
        exit(0);
    }
    wrong = strcmp(argv[2], "wrong") == 0;
    call_from_thread();
    make_objects();
    make_communicators();
    make_datatypes(strcmp(argv[2], "steps") == 0 ? MANY_STEPS : wrong ? 0 : 5);
    open_file(argv[1]);
    make_window();
    send_messages();
    call_collectives();
    use_old_functions();
    MPI_Finalize();
    return 0;
}
