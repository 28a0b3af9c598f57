/* Values as a program sees them: results of reductions to the last bit, statuses of every kind of
 * receive, attributes of communicators, datatypes and windows with their callbacks. See visible.h.
 */
#include "visible.h"

enum { MANY = 20000 };
struct pair {
    double value;
    int index;
};
static double in[MANY], result[MANY];

static void fill(void)
{
    for (int i = 0; i < MANY; i++)
        in[i] = (i % 17 - 8) * 0.1 * (me + 1) + (i % 5 == 0 ? 1e16 : 1e-3 * i);
}

/* With all its forms one after the other: separate buffers, then in place. */
static void show_reductions_by(const char *name, MPI_Op op, MPI_Datatype type, int count,
                               size_t size)
{
    char what[100];
    size_t bytes = count * size;
    MPI_Request request;
    int counts[2] = {count / 2, count - count / 2};
#define SHOW(function, start, call, extent)                            \
    snprintf(what, sizeof what, "%s %s of %d", function, name, count); \
    memset(result, 0, sizeof result);                                  \
    memcpy(result, start, bytes);                                      \
    if (call != MPI_SUCCESS)                                           \
        fprintf(out, "an error\n");                                    \
    show_bytes(what, result, extent)
    SHOW("Allreduce", in, MPI_Allreduce(in, result, count, type, op, world), bytes);
    SHOW("Allreduce in place", in, MPI_Allreduce(MPI_IN_PLACE, result, count, type, op, world),
         bytes);
    SHOW("Reduce", in, MPI_Reduce(in, result, count, type, op, 1, world), bytes);
    SHOW("Reduce in place", in,
         MPI_Reduce(me == 0 ? MPI_IN_PLACE : result, me == 0 ? result : NULL, count, type, op, 0,
                    world),
         me == 0 ? bytes : 0);
    SHOW("Scan", in, MPI_Scan(in, result, count, type, op, world), bytes);
    SHOW("Scan in place", in, MPI_Scan(MPI_IN_PLACE, result, count, type, op, world), bytes);
    SHOW("Exscan", in, MPI_Exscan(in, result, count, type, op, world), bytes);
    SHOW("Reduce_scatter", in, MPI_Reduce_scatter(in, result, counts, type, op, world),
         counts[me] * size);
    SHOW("Reduce_scatter in place", in,
         MPI_Reduce_scatter(MPI_IN_PLACE, result, counts, type, op, world), counts[me] * size);
    SHOW("Reduce_scatter_block", in,
         MPI_Reduce_scatter_block(in, result, count / 2, type, op, world), count / 2 * size);
    SHOW("Reduce_local", in, MPI_Reduce_local(in, result, count, type, op), bytes);
    SHOW("Iallreduce", in,
         MPI_Iallreduce(in, result, count, type, op, world, &request) ||
             MPI_Wait(&request, MPI_STATUS_IGNORE),
         bytes);
    SHOW("Iallreduce in place", in,
         MPI_Iallreduce(MPI_IN_PLACE, result, count, type, op, world, &request) ||
             MPI_Wait(&request, MPI_STATUS_IGNORE),
         bytes);
#undef SHOW
}

/* Products of 2 x 2 matrices do not commute. The calls are written: as many, of the same length. */
static int operations;

static void multiply(void *left, void *right, int *count, MPI_Datatype *type)
{
    int size = 0;
    MPI_Type_size(*type, &size); /* called from inside MPI */
    operations++;
    for (int i = 0; i < *count; i++) {
        const double *a = (const double *)left + 4 * i;
        double *b = (double *)right + 4 * i;
        double product[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                             a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
        memcpy(b, product, sizeof product);
    }
    fprintf(out, "multiply %d of size %d\n", *count, size);
}

static void bigger(void *left, void *right, int *count, MPI_Datatype *type)
{
    (void)type;
    operations++;
    for (int i = 0; i < *count; i++)
        if (((double *)left)[i] > ((double *)right)[i])
            ((double *)right)[i] = ((double *)left)[i];
}

static void show_reductions(void)
{
    static const int counts[] = {1, 2, 3, 100, MANY};
    MPI_Datatype matrix;
    MPI_Op product, maximum;
    int commutes = -1;
    MPI_Type_contiguous(4, MPI_DOUBLE, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(multiply, 0, &product);
    MPI_Op_create(bigger, 1, &maximum);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        fill();
        show_reductions_by("sum", MPI_SUM, MPI_DOUBLE, counts[i], sizeof(double));
        show_reductions_by("product", MPI_PROD, MPI_DOUBLE, counts[i], sizeof(double));
        show_reductions_by("maximum", MPI_MAX, MPI_DOUBLE, counts[i], sizeof(double));
        show_reductions_by("float sum", MPI_SUM, MPI_FLOAT, counts[i], sizeof(float));
        show_reductions_by("bits", MPI_BXOR, MPI_INT, counts[i], sizeof(int));
        show_reductions_by("all", MPI_LAND, MPI_INT, counts[i], sizeof(int));
        operations = 0;
        show_reductions_by("own maximum", maximum, MPI_DOUBLE, counts[i], sizeof(double));
        show_reductions_by("own product", product, matrix, counts[i] / 4, 4 * sizeof(double));
        fprintf(out, "%d operations\n", operations);
        struct pair *pairs = (struct pair *)in;
        for (int k = 0; k < counts[i] / 2; k++) {
            memset(&pairs[k], 0, sizeof pairs[k]);
            pairs[k].value = k % 3 * (me + 1);
            pairs[k].index = me;
        }
        show_reductions_by("where", MPI_MAXLOC, MPI_DOUBLE_INT, counts[i] / 2, sizeof(struct pair));
    }
    MPI_Op_commutative(product, &commutes);
    fprintf(out, "commutes %d\n", commutes);
    MPI_Op_free(&product);
    MPI_Op_free(&maximum);
    MPI_Type_free(&matrix);
}

/* Statuses: what they say by every function that reads them. `of_message` = 0 for those of which
 * MPI leaves all but the count open. */
static void show_status(const char *what, const MPI_Status *status, int of_message)
{
    int counts[3] = {-9, -9, -9}, cancelled = -1;
    MPI_Count large = -9;
    MPI_Get_count(status, MPI_BYTE, &counts[0]);
    MPI_Get_count(status, MPI_DOUBLE, &counts[1]);
    MPI_Get_elements(status, MPI_DOUBLE_INT, &counts[2]);
    MPI_Get_elements_x(status, MPI_INT, &large);
    if (of_message)
        MPI_Test_cancelled(status, &cancelled);
    fprintf(out, "%s: %d bytes, doubles %d (undefined %d), elements %d, ints %lld, cancelled %d\n",
            what, counts[0], counts[1] == MPI_UNDEFINED ? 0 : counts[1], counts[1] == MPI_UNDEFINED,
            counts[2] == MPI_UNDEFINED ? -1 : counts[2], (long long)large, cancelled);
    if (of_message)
        show_statuses(what, status, 1);
}

static void show_blocking_statuses(void)
{
    int values[40] = {me}, got[40], flag = 0;
    MPI_Status status;
    MPI_Message message;
    for (int count = 0; count < 8; count++) {
        MPI_Send(values, count, MPI_INT, other, 10 + count, world);
        prepare(&status, 1);
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
        show_status("Probe", &status, 1);
        for (flag = 0; !flag;) {
            prepare(&status, 1);
            MPI_Iprobe(other, MPI_ANY_TAG, world, &flag, &status);
        }
        show_status("Iprobe", &status, 1);
        prepare(&status, 1);
        MPI_Mprobe(MPI_ANY_SOURCE, 10 + count, world, &message, &status);
        show_status("Mprobe", &status, 1);
        prepare(&status, 1);
        MPI_Mrecv(got, 40, MPI_INT, &message, &status);
        show_status("Mrecv", &status, 1);
        prepare(&status, 1);
        MPI_Sendrecv(values, count, MPI_INT, other, 1, got, 40, MPI_INT, MPI_ANY_SOURCE,
                     MPI_ANY_TAG, world, &status);
        show_status("Sendrecv", &status, 1);
        prepare(&status, 1);
        MPI_Sendrecv_replace(values, count, MPI_INT, other, 2, MPI_ANY_SOURCE, 2, world, &status);
        show_status("Sendrecv_replace", &status, 1);
        MPI_Barrier(world);
    }
    prepare(&status, 1);
    MPI_Probe(MPI_PROC_NULL, 5, world, &status);
    show_status("Probe nobody", &status, 1);
    prepare(&status, 1);
    MPI_Mprobe(MPI_PROC_NULL, 5, world, &message, &status);
    fprintf(out, "no message: %d\n", message == MPI_MESSAGE_NO_PROC);
    show_status("Mprobe nobody", &status, 1);
    prepare(&status, 1);
    MPI_Mrecv(got, 40, MPI_INT, &message, &status);
    show_status("Mrecv nobody", &status, 1);
    prepare(&status, 1);
    MPI_Sendrecv(values, 1, MPI_INT, MPI_PROC_NULL, 0, got, 1, MPI_INT, MPI_PROC_NULL, 0, world,
                 &status);
    show_status("Sendrecv nobody", &status, 1);
    prepare(&status, 1);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &flag, &status);
    fprintf(out, "there is %d\n", flag);
    show_statuses("Iprobe in vain", &status, 1);
    MPI_Barrier(world); /* what the other rank sends next comes after that look */
}

static void show_nonblocking_statuses(void)
{
    double values[6] = {me}, got[6];
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int flag = 0, index = -1;
    MPI_Irecv(&got[0], 3, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &requests[0]);
    MPI_Irecv(&got[3], 1, MPI_DOUBLE_INT, MPI_PROC_NULL, 3, world, &requests[1]);
    MPI_Isend(values, 2, MPI_DOUBLE, other, 9, world, &requests[2]);
    requests[3] = MPI_REQUEST_NULL;
    while (!flag) {
        prepare(statuses, 1);
        MPI_Request_get_status(requests[0], &flag, statuses);
    }
    show_status("Request_get_status", statuses, 1);
    prepare(statuses, 4);
    show("Waitall", MPI_Waitall(4, requests, statuses));
    for (int i = 0; i < 4; i++)
        show_status("Waitall", &statuses[i], i != 2);

    /* Persistent: before the start, after it, after the end. */
    MPI_Recv_init(got, 6, MPI_DOUBLE, MPI_ANY_SOURCE, 8, world, &requests[0]);
    MPI_Send_init(values, 4, MPI_DOUBLE, other, 8, world, &requests[1]);
    prepare(statuses, 1);
    MPI_Wait(&requests[0], statuses);
    show_status("Wait, not started", statuses, 1);
    MPI_Startall(2, requests);
    prepare(statuses, 2);
    MPI_Waitall(2, requests, statuses);
    show_status("Waitall, persistent", &statuses[0], 1);
    prepare(statuses, 1);
    MPI_Test(&requests[0], &flag, statuses);
    fprintf(out, "done %d\n", flag);
    show_status("Test, not started again", statuses, 1);
    prepare(statuses, 1);
    MPI_Waitany(2, requests, &index, statuses);
    fprintf(out, "none active %d\n", index == MPI_UNDEFINED);
    show_status("Waitany, none active", statuses, 1);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    MPI_Iallreduce(values, got, 6, MPI_DOUBLE, MPI_SUM, world, &requests[0]);
    prepare(statuses, 1);
    show("Wait, collective", MPI_Wait(&requests[0], statuses));
    show_bytes("Iallreduce", got, sizeof got);
}

/* Receives that never get anything, ended by every kind of completion. */
static void show_cancelled(void)
{
    int value, flag = 0, index = -1, n = -1, indices[2] = {-1, -1};
    MPI_Request requests[2];
    MPI_Status statuses[2];
    for (int turn = 0; turn < 7; turn++) {
        for (int i = 0; i < 2; i++) {
            MPI_Irecv(&value, 1, MPI_INT, i == 0 ? other : MPI_ANY_SOURCE, 70 + i, world,
                      &requests[i]);
            MPI_Cancel(&requests[i]);
        }
        prepare(statuses, 2);
        flag = 0;
        if (turn == 0)
            MPI_Wait(&requests[0], statuses);
        while (turn == 1 && !flag)
            MPI_Test(&requests[0], &flag, statuses);
        if (turn == 2)
            MPI_Waitany(1, requests, &index, statuses);
        while (turn == 3 && !flag)
            MPI_Testany(1, requests, &index, &flag, statuses);
        if (turn == 4)
            MPI_Waitsome(1, requests, &n, indices, statuses);
        if (turn == 5)
            MPI_Waitall(2, requests, statuses);
        while (turn == 6 && !flag)
            MPI_Testall(2, requests, &flag, statuses);
        MPI_Test_cancelled(&statuses[0], &flag);
        fprintf(out, "turn %d: cancelled %d, null %d %d, index %d, n %d\n", turn, flag,
                requests[0] == MPI_REQUEST_NULL, requests[1] == MPI_REQUEST_NULL, index, n);
        if (turn >= 5)
            MPI_Test_cancelled(&statuses[1], &flag);
        fprintf(out, "the second: %d\n", flag);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void show_file_statuses(const char *folder)
{
    char path[5000];
    int values[10] = {1, 2, 3}, got[20];
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    snprintf(path, sizeof path, "%s/file-%d", folder, me);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    memset(&status, 0, sizeof status);
    show("write", MPI_File_write(file, values, 10, MPI_INT, &status));
    show_status("write", &status, 0);
    show("read", MPI_File_read_at(file, 12, got, 20, MPI_INT, &status)); /* 7 are there */
    show_status("read", &status, 0);
    show("read", MPI_File_read_at(file, 12, got, 20, MPI_INT, MPI_STATUS_IGNORE));
    show_bytes("read", got, 7 * sizeof(int));
    show("iread", MPI_File_iread_at(file, 4, got, 5, MPI_INT, &request));
    show("Wait", MPI_Wait(&request, &status));
    show_status("iread", &status, 0);
    MPI_File_read_at_all_begin(file, 0, got, 10, MPI_INT);
    show("read_at_all_end", MPI_File_read_at_all_end(file, got, &status));
    show_status("read_at_all_end", &status, 0);
    MPI_File_close(&file);
}

/* Attributes: what is copied and deleted, when, in what order. */

static int copy_attribute(const char *of, void *extra, void *value, void *copy, int *flag)
{
    fprintf(out, "%s: copy %s %s\n", of, (char *)extra, (char *)value);
    *(void **)copy = value;
    *flag = strcmp(value, "stays") != 0;
    return MPI_SUCCESS;
}

static int delete_attribute(const char *of, void *extra, void *value)
{
    fprintf(out, "%s: delete %s %s\n", of, (char *)extra, (char *)value);
    return MPI_SUCCESS;
}

#define CALLBACKS(name, type)                                                                     \
    static int copy_##name(type handle, int key, void *extra, void *value, void *copy, int *flag) \
    {                                                                                             \
        (void)handle, (void)key;                                                                  \
        return copy_attribute(#name, extra, value, copy, flag);                                   \
    }                                                                                             \
    static int delete_##name(type handle, int key, void *value, void *extra)                      \
    {                                                                                             \
        (void)handle, (void)key;                                                                  \
        return delete_attribute(#name, extra, value);                                             \
    }
CALLBACKS(comm, MPI_Comm)
CALLBACKS(type, MPI_Datatype)
CALLBACKS(win, MPI_Win)

static void show_attributes(void)
{
    MPI_Comm first, second;
    MPI_Datatype type, copy;
    MPI_Win window;
    int keys[3], plain, win_key, flag = -1, *number = NULL;
    char *value = NULL;
    MPI_Aint *size = NULL;
    MPI_Comm_dup(world, &first);
    MPI_Comm_create_keyval(copy_comm, delete_comm, &keys[0], "a");
    MPI_Comm_create_keyval(copy_comm, delete_comm, &keys[1], "b");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_comm, &keys[2], "c");
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL);
    MPI_Comm_set_attr(first, keys[1], "goes");
    MPI_Comm_set_attr(first, keys[0], "stays");
    MPI_Comm_set_attr(first, keys[2], "own");
    MPI_Comm_set_attr(first, plain, "plain");
    MPI_Comm_set_attr(first, keys[1], "goes now"); /* deletes the old one */
    MPI_Comm_dup(first, &second);
    for (int i = 0; i < 4; i++) {
        value = NULL;
        MPI_Comm_get_attr(second, i < 3 ? keys[i] : plain, &value, &flag);
        fprintf(out, "attribute %d: %d %s\n", i, flag, flag ? value : "");
    }
    MPI_Comm_free(&second);
    MPI_Comm_split(first, 0, me, &second); /* copies none */
    MPI_Comm_get_attr(second, keys[1], &value, &flag);
    fprintf(out, "after a split: %d\n", flag);
    MPI_Comm_free(&second);
    MPI_Comm_free(&first);
    MPI_Comm_get_attr(world, keys[0], &value, &flag);
    fprintf(out, "of the world: %d\n", flag);
    MPI_Comm_set_attr(world, keys[0], "of the world"); /* deleted in MPI_Finalize, if at all */
    MPI_Comm_set_attr(MPI_COMM_SELF, keys[0], "first");
    MPI_Comm_set_attr(MPI_COMM_SELF, keys[1], "second"); /* deleted before the first one */
    static const int predefined[] = {MPI_TAG_UB, MPI_WTIME_IS_GLOBAL, MPI_LASTUSEDCODE, MPI_APPNUM};
    for (int i = 0; i < 4; i++) {
        MPI_Comm_get_attr(world, predefined[i], &number, &flag);
        fprintf(out, "predefined %d: %d %d\n", i, flag, flag ? *number : 0);
    }

    MPI_Type_create_keyval(copy_type, delete_type, &keys[0], "t");
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_set_attr(type, keys[0], "of a type");
    MPI_Type_dup(type, &copy);
    MPI_Type_get_attr(copy, keys[0], &value, &flag);
    fprintf(out, "type: %d %s\n", flag, flag ? value : "");
    MPI_Type_free(&type);
    MPI_Type_free(&copy);
    MPI_Type_free_keyval(&keys[0]);

    MPI_Win_create_keyval(copy_win, delete_win, &win_key, "w");
    MPI_Win_create(in, sizeof in, 8, MPI_INFO_NULL, world, &window);
    MPI_Win_set_attr(window, win_key, "of a window");
    MPI_Win_get_attr(window, MPI_WIN_SIZE, &size, &flag);
    fprintf(out, "window of %lld bytes\n", flag ? (long long)*size : -1);
    MPI_Win_get_attr(window, win_key, &value, &flag);
    fprintf(out, "window: %d %s\n", flag, flag ? value : "");
    MPI_Win_free(&window);
    MPI_Win_free_keyval(&win_key);
}

/* Addresses that mean something: no weights, no neighbours. */
static void show_graphs(void)
{
    MPI_Comm graph;
    int neighbour = other, in_degree = -1, out_degree = -1, weighted = -1, sources[2], targets[2];
    int weight[1] = {7}, got_weights[2] = {-1, -1}, value = me, got[2] = {-1, -1};
    MPI_Dist_graph_create_adjacent(world, 1, &neighbour, MPI_UNWEIGHTED, 1, &neighbour,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in_degree, &out_degree, &weighted);
    MPI_Dist_graph_neighbors(graph, 1, sources, MPI_UNWEIGHTED, 1, targets, MPI_UNWEIGHTED);
    MPI_Neighbor_allgather(&value, 1, MPI_INT, got, 1, MPI_INT, graph);
    fprintf(out, "graph %d %d weighted %d: %d %d, got %d\n", in_degree, out_degree, weighted,
            sources[0], targets[0], got[0]);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create_adjacent(world, me, &neighbour, me == 0 ? MPI_WEIGHTS_EMPTY : weight,
                                   1 - me, &neighbour, me == 1 ? MPI_WEIGHTS_EMPTY : weight,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in_degree, &out_degree, &weighted);
    MPI_Dist_graph_neighbors(graph, in_degree, sources, got_weights, out_degree, targets,
                             got_weights + 1);
    fprintf(out, "graph %d %d weighted %d: %d %d\n", in_degree, out_degree, weighted,
            got_weights[0], got_weights[1]);
    MPI_Comm_free(&graph);
}

int main(int argc, char **argv)
{
    if (!begin(argc, argv))
        return 2;
    show_reductions();
    show_blocking_statuses();
    show_nonblocking_statuses();
    show_cancelled();
    show_file_statuses(argv[1]);
    show_attributes();
    show_graphs();
    return end();
}
