/* Errors as a program sees them: codes of invalid calls, of receives that are too short in every
 * kind of completion, and of callbacks that fail. Also how often which error handler is called. See
 * visible.h. */
#include "visible.h"

static MPI_Comm comm;         /* the errors are made here */
static int on_comm, on_world; /* calls of own error handlers */
static int values[4], got[40];

/* SHOW(call) writes the call's code, and how often the handlers were called. */
#define SHOW(call)                                                                \
    do {                                                                          \
        int code_ = call;                                                         \
        show(#call, code_);                                                       \
        fprintf(out, "  handlers: %d of comm, %d of world\n", on_comm, on_world); \
        on_comm = on_world = 0;                                                   \
    } while (0)

static void count_comm(MPI_Comm *handle, int *code, ...)
{
    int class = -1, same = -1;
    MPI_Error_class(*code, &class);
    MPI_Comm_compare(*handle, comm, &same); /* called from inside MPI */
    fprintf(out, "  handler of comm: class %d, same %d\n", class, same == MPI_IDENT);
    on_comm++;
}

static void count_world(MPI_Comm *handle, int *code, ...)
{
    int class = -1;
    (void)handle;
    MPI_Error_class(*code, &class);
    fprintf(out, "  handler of world: class %d\n", class);
    on_world++;
}

static void show_invalid_messages(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    int flag = 0;
    SHOW(MPI_Send(values, 1, MPI_INT, 99, 0, comm));
    SHOW(MPI_Send(values, -1, MPI_INT, other, 0, comm));
    SHOW(MPI_Send(values, 1, MPI_INT, other, -5, comm));
    SHOW(MPI_Send(values, 1, MPI_DATATYPE_NULL, other, 0, comm));
    SHOW(MPI_Send(values, 1, MPI_INT, other, 0, MPI_COMM_NULL));
    SHOW(MPI_Bsend(values, 4, MPI_INT, other, 0, comm)); /* no buffer attached */
    SHOW(MPI_Recv(got, 1, MPI_INT, 99, 0, comm, MPI_STATUS_IGNORE));
    SHOW(MPI_Recv(got, -1, MPI_INT, other, 0, comm, &status));
    SHOW(MPI_Isend(values, 1, MPI_INT, -77, 0, comm, &request));
    SHOW(MPI_Irecv(got, 1, MPI_INT, 2, 0, comm, &request));
    SHOW(MPI_Irecv(got, 1, MPI_DATATYPE_NULL, other, 0, comm, &request));
    SHOW(MPI_Send_init(values, 1, MPI_INT, 5, 0, comm, &request));
    SHOW(MPI_Recv_init(got, -3, MPI_INT, other, 0, comm, &request));
    fprintf(out, "no request: %d\n", request == MPI_REQUEST_NULL);
    SHOW(MPI_Sendrecv(values, 1, MPI_INT, 99, 0, got, 1, MPI_INT, other, 0, comm, &status));
    SHOW(MPI_Sendrecv_replace(values, 1, MPI_INT, other, 0, -99, 0, comm, MPI_STATUS_IGNORE));
    SHOW(MPI_Probe(99, 0, comm, &status));
    SHOW(MPI_Iprobe(99, 0, comm, &flag, MPI_STATUS_IGNORE));
    SHOW(MPI_Improbe(99, 0, comm, &flag, &message, MPI_STATUS_IGNORE));
    SHOW(MPI_Request_free(&request));
    SHOW(MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE));
    SHOW(MPI_Start(&request));
}

static void show_invalid_collectives(void)
{
    double in[2] = {1, 2}, sum[2];
    int negative[2] = {-1, -1}, zero[2] = {0, 0};
    SHOW(MPI_Bcast(values, 1, MPI_INT, 7, comm));
    SHOW(MPI_Bcast(values, -1, MPI_INT, 0, comm));
    SHOW(MPI_Barrier(MPI_COMM_NULL));
    SHOW(MPI_Reduce(in, sum, 2, MPI_DOUBLE, MPI_SUM, -4, comm));
    SHOW(MPI_Allreduce(in, sum, 2, MPI_DOUBLE, MPI_OP_NULL, comm));
    SHOW(MPI_Allreduce(in, sum, 2, MPI_DOUBLE, MPI_BAND, comm)); /* no bits in a double */
    SHOW(MPI_Gather(in, -1, MPI_DOUBLE, sum, 1, MPI_DOUBLE, 0, comm));
    SHOW(MPI_Scatter(in, 1, MPI_DATATYPE_NULL, sum, 1, MPI_DATATYPE_NULL, 0, comm));
    SHOW(MPI_Alltoallv(values, negative, zero, MPI_INT, got, negative, zero, MPI_INT, comm));
    SHOW(MPI_Alltoall(values, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_NULL));
    SHOW(MPI_Scan(in, sum, 1, MPI_DOUBLE, MPI_OP_NULL, comm));
}

static void show_invalid_objects(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group all, some = MPI_GROUP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    int size = -1, flag = -1, outside[1] = {44}, dims[1] = {50}, periods[1] = {0};
    void *value = NULL;
    SHOW(MPI_Comm_rank(MPI_COMM_NULL, &size));
    SHOW(MPI_Comm_dup(MPI_COMM_NULL, &made));
    SHOW(MPI_Comm_split(comm, -6, 0, &made));
    SHOW(MPI_Comm_free(&made));
    SHOW(MPI_Comm_remote_size(comm, &size));
    SHOW(MPI_Comm_get_attr(comm, MPI_KEYVAL_INVALID, &value, &flag));
    MPI_Comm_group(comm, &all);
    SHOW(MPI_Group_incl(all, 1, outside, &some));
    MPI_Group_free(&all);
    SHOW(MPI_Group_free(&all));
    SHOW(MPI_Type_contiguous(-1, MPI_INT, &type));
    SHOW(MPI_Type_commit(&type));
    SHOW(MPI_Type_size(MPI_DATATYPE_NULL, &size));
    SHOW(MPI_Type_free(&type));
    SHOW(MPI_Op_free(&op));
    SHOW(MPI_Cart_create(comm, 1, dims, periods, 0, &made)); /* 50 ranks */
}

static void show_invalid_files(const char *folder)
{
    char path[5000];
    MPI_File file = MPI_FILE_NULL;
    MPI_Status status;
    snprintf(path, sizeof path, "%s/no-such-file", folder);
    SHOW(MPI_File_open(MPI_COMM_SELF, "/no-such-folder/file", MPI_MODE_RDONLY, MPI_INFO_NULL,
                       &file));
    MPI_File_delete(path, MPI_INFO_NULL);
    snprintf(path, sizeof path, "%s/file-%d", folder, me);
    int code =
        MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    show("open", code);
    SHOW(MPI_File_write(file, values, -1, MPI_INT, &status));
    SHOW(MPI_File_write_at(file, -8, values, 1, MPI_INT, &status));
    SHOW(MPI_File_read(file, got, 1, MPI_INT, MPI_STATUS_IGNORE)); /* it is open for writing */
    SHOW(MPI_File_set_size(file, -1));
    SHOW(MPI_File_close(&file));
}

static void show_invalid_windows(void)
{
    MPI_Win window;
    int memory[4] = {0};
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, comm, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    SHOW(MPI_Put(values, 1, MPI_INT, 99, 0, 1, MPI_INT, window));
    SHOW(MPI_Get(got, -1, MPI_INT, other, 0, 1, MPI_INT, window));
    SHOW(MPI_Accumulate(values, 1, MPI_DATATYPE_NULL, other, 0, 1, MPI_INT, MPI_SUM, window));
    MPI_Win_fence(0, window);
    SHOW(MPI_Win_lock(999, other, 0, window));
    MPI_Win_free(&window);
}

/* Receives that are too short. The messages are there before the receives are posted. */
enum { SHORT = 3 };
static MPI_Request requests[SHORT];
static MPI_Status statuses[SHORT];

/* Of three receives number 0 and 2 are too short. */
static void post(void)
{
    for (int k = 0; k < SHORT; k++)
        MPI_Send(values, 3, MPI_INT, other, k, comm);
    MPI_Barrier(world);
    for (int k = 0; k < SHORT; k++)
        MPI_Irecv(got + 10 * k, k == 1 ? 3 : 2, MPI_INT, other, k, comm, &requests[k]);
    prepare(statuses, SHORT);
}

static void drain(void)
{
    fprintf(out, "null: %d %d %d\n", requests[0] == MPI_REQUEST_NULL,
            requests[1] == MPI_REQUEST_NULL, requests[2] == MPI_REQUEST_NULL);
    for (int k = 0; k < SHORT; k++)
        if (requests[k] != MPI_REQUEST_NULL)
            show("left", MPI_Wait(&requests[k], MPI_STATUS_IGNORE));
    on_comm = on_world = 0;
}

static void show_errors_of(const char *what, int n)
{
    for (int i = 0; i < n; i++) {
        int class = -1;
        fprintf(out, "%s [%d] source %d tag %d ", what, i, statuses[i].MPI_SOURCE,
                statuses[i].MPI_TAG);
        if (statuses[i].MPI_ERROR != 0x5a5a5a5a)
            MPI_Error_class(statuses[i].MPI_ERROR, &class);
        fprintf(out, "error class %d\n", class);
    }
}

/* Some at a time: how many at once is left to chance, so what is written is sorted by index. */
static void show_some(const char *what, int test, int ignore)
{
    int classes[SHORT] = {-1, -1, -1}, indices[SHORT], n = 0, in_status = 0, others = 0;
    post();
    while (n != MPI_UNDEFINED) {
        MPI_Status *where = ignore ? MPI_STATUSES_IGNORE : statuses;
        int code = test ? MPI_Testsome(SHORT, requests, &n, indices, where)
                        : MPI_Waitsome(SHORT, requests, &n, indices, where);
        int class = -1;
        MPI_Error_class(code, &class);
        in_status += class == MPI_ERR_IN_STATUS;
        others += class != MPI_ERR_IN_STATUS && class != MPI_SUCCESS;
        if (n == MPI_UNDEFINED || (ignore && class != MPI_SUCCESS))
            break;
        for (int i = 0; i < n; i++)
            classes[indices[i]] = -2;
        for (int i = 0; i < n && !ignore && class == MPI_ERR_IN_STATUS; i++)
            MPI_Error_class(statuses[i].MPI_ERROR, &classes[indices[i]]);
        for (int i = 0; i < n; i++) /* MPI leaves those that failed: it says so once */
            if (requests[indices[i]] != MPI_REQUEST_NULL)
                n = MPI_UNDEFINED;
    }
    fprintf(out, "%s, ignore %d: in status %d, others %d, classes %d %d %d; handlers %d %d\n", what,
            ignore, in_status > 0, others, classes[0], classes[1], classes[2], on_comm > 0,
            on_world > 0);
    drain();
}

static void show_truncated(void)
{
    int index = -1, done = 0, code;
    for (int ignore = 0; ignore < 2; ignore++) {
        MPI_Status *one = ignore ? MPI_STATUS_IGNORE : &statuses[0];
        MPI_Status *all = ignore ? MPI_STATUSES_IGNORE : statuses;
        fprintf(out, "--- statuses ignored: %d\n", ignore);
        post();
        SHOW(MPI_Wait(&requests[0], one));
        show_errors_of("Wait", 1);
        prepare(statuses, 1);
        SHOW(MPI_Wait(&requests[1], one));
        show_errors_of("Wait", 1);
        drain();
        post();
        for (done = 0, code = MPI_SUCCESS; !done && code == MPI_SUCCESS;)
            code = MPI_Test(&requests[2], &done, one);
        show("Test", code);
        fprintf(out, "done %d, handlers %d %d\n", done, on_comm, on_world);
        show_errors_of("Test", 1);
        drain();
        post();
        SHOW(MPI_Waitany(1, &requests[2], &index, one));
        fprintf(out, "index %d\n", index);
        show_errors_of("Waitany", 1);
        drain();
        post();
        for (done = 0, code = MPI_SUCCESS; !done && code == MPI_SUCCESS;)
            code = MPI_Testany(1, &requests[0], &index, &done, one);
        show("Testany", code);
        fprintf(out, "done %d, index %d, handlers %d %d\n", done, index, on_comm, on_world);
        show_errors_of("Testany", 1);
        drain();
        post();
        SHOW(MPI_Waitall(SHORT, requests, all));
        show_errors_of("Waitall", SHORT);
        drain();
        post();
        for (done = 0, code = MPI_SUCCESS; !done && code == MPI_SUCCESS;)
            code = MPI_Testall(SHORT, requests, &done, all);
        show("Testall", code);
        fprintf(out, "done %d, handlers %d %d\n", done, on_comm, on_world);
        show_errors_of("Testall", SHORT);
        drain();
        show_some("Waitsome", 0, ignore);
        show_some("Testsome", 1, ignore);
        /* Blocking, and as part of a call that also sends. */
        MPI_Send(values, 3, MPI_INT, other, 8, comm);
        MPI_Barrier(world);
        prepare(statuses, 1);
        SHOW(MPI_Recv(got, 1, MPI_INT, other, 8, comm, one));
        show_errors_of("Recv", 1);
        prepare(statuses, 1);
        SHOW(MPI_Sendrecv(values, 3, MPI_INT, other, 9, got, 1, MPI_INT, other, 9, comm, one));
        show_errors_of("Sendrecv", 1);
        prepare(statuses, 1);
        SHOW(MPI_Sendrecv_replace(values, 1 + 2 * me, MPI_INT, other, 9, other, 9, comm, one));
        show_errors_of("Sendrecv_replace", 1);
    }
}

/* Callbacks that fail, with a code that the program made. */
static int own_code;

static int failing_copy(MPI_Comm old, int key, void *extra, void *in, void *copy, int *flag)
{
    (void)old, (void)key, (void)extra, (void)in, (void)copy, (void)flag;
    return own_code;
}

static int failing_delete(MPI_Comm old, int key, void *value, void *extra)
{
    (void)old, (void)key, (void)extra;
    return *(int *)value != 0 ? own_code : MPI_SUCCESS;
}

static int failing_query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return own_code;
}

static int good_free(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int good_cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void show_failing_callbacks(void)
{
    MPI_Comm first, second = MPI_COMM_NULL;
    MPI_Request request;
    MPI_Status status;
    int class, key = MPI_KEYVAL_INVALID, fail = 1;
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &own_code);
    MPI_Add_error_string(own_code, "an error of the program");
    MPI_Comm_create_keyval(failing_copy, failing_delete, &key, NULL);
    MPI_Comm_dup(comm, &first);
    MPI_Comm_set_attr(first, key, &fail);
    SHOW(MPI_Comm_dup(first, &second));
    fprintf(out, "no second: %d\n", second == MPI_COMM_NULL);
    SHOW(MPI_Comm_delete_attr(first, key));
    fail = 0;
    SHOW(MPI_Comm_delete_attr(first, key));
    SHOW(MPI_Comm_free(&first));
    MPI_Comm_free_keyval(&key);
    for (int ignore = 0; ignore < 2; ignore++) {
        MPI_Grequest_start(failing_query, good_free, good_cancel, NULL, &request);
        MPI_Grequest_complete(request);
        SHOW(MPI_Wait(&request, ignore ? MPI_STATUS_IGNORE : &status));
    }
    SHOW(MPI_Comm_call_errhandler(comm, own_code));
}

static void show_all(const char *folder)
{
    show_invalid_messages();
    show_invalid_collectives();
    show_invalid_objects();
    show_invalid_files(folder);
    show_invalid_windows();
    show_truncated();
    show_failing_callbacks();
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler, world_handler;
    if (!begin(argc, argv))
        return 2;
    MPI_Comm_dup(world, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    fprintf(out, "=== errors are returned\n");
    show_all(argv[1]);
    fprintf(out, "=== own handlers\n");
    MPI_Comm_create_errhandler(count_comm, &handler);
    MPI_Comm_create_errhandler(count_world, &world_handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_set_errhandler(world, world_handler);
    show_all(argv[1]);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    MPI_Errhandler_free(&world_handler);
    MPI_Comm_free(&comm);
    return end();
}
