/* About 80 different MPI calls on 2 ranks, each with the truth beside it. All answers of MPI are in
 * the results. There is one source for every MPI. Compiled with the mpi.h in by_dlsym/ it is the
 * client that looks all functions up with dlsym(). It uses only what all builds have of MPI
 * 3.1. */
#include "calls.h"

enum { TAG = 7, SIZE = (int)sizeof(int), WIDE = (int)sizeof(double) };

static int me, other;

static void test_environment(void)
{
    int flag = 0, length = 0, version = 0, subversion = 0;
    char text[1024];
    MPI_Initialized(&flag);
    expect("MPI_Initialized", 1, 0);
    note("initialized", flag);
    MPI_Finalized(&flag);
    expect("MPI_Finalized", 1, 0);
    note("finalized", flag);
    MPI_Get_processor_name(text, &length);
    expect("MPI_Get_processor_name", 1, 0);
    fprintf(results, "processor %.*s\n", length, text);
    MPI_Get_version(&version, &subversion);
    expect("MPI_Get_version", 1, 0);
    note("version", version * 100 + subversion);
    double before = MPI_Wtime();
    CHECK(MPI_Wtime() >= before);
    expect("MPI_Wtime", 2, 0);
}

static void test_blocking(void)
{
    MPI_Status status;
    int values[20] = {0}, count = 0;
    for (int i = 0; i < 20; i++)
        values[i] = 100 * me + i;
    if (me == 0) {
        MPI_Send(values, 5, MPI_INT, other, TAG, MPI_COMM_WORLD);
        expect("MPI_Send", 1, 5 * SIZE);
        MPI_Ssend(values, 6, MPI_INT, other, TAG, MPI_COMM_WORLD);
        expect("MPI_Ssend", 1, 6 * SIZE);
        MPI_Send(values, 7, MPI_INT, other, TAG + 1, MPI_COMM_WORLD);
        expect("MPI_Send", 1, 7 * SIZE);
    } else {
        MPI_Recv(values, 20, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        expect("MPI_Recv", 1, 5 * SIZE);
        note_status("received", &status);
        MPI_Get_count(&status, MPI_INT, &count);
        expect("MPI_Get_count", 1, 0);
        note("count", count);
        MPI_Recv(values, 20, MPI_INT, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect("MPI_Recv", 1, 6 * SIZE);
        MPI_Probe(MPI_ANY_SOURCE, TAG + 1, MPI_COMM_WORLD, &status);
        expect("MPI_Probe", 1, 0);
        note_status("probed", &status);
        MPI_Recv(values, 20, MPI_INT, other, TAG + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect("MPI_Recv", 1, 7 * SIZE);
    }
    note_ints("blocking", values, 20);
    MPI_Sendrecv(&values[0], 1 + me, MPI_INT, other, TAG, &values[10], 4, MPI_INT, other, TAG,
                 MPI_COMM_WORLD, &status);
    expect("MPI_Sendrecv", 1, (1 + me) * SIZE);
    expect_received("MPI_Sendrecv", (1 + other) * SIZE);
    note_status("sendrecv", &status);
    MPI_Sendrecv_replace(values, 3, MPI_INT, other, TAG, other, TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    expect("MPI_Sendrecv_replace", 1, 3 * SIZE);
    expect_received("MPI_Sendrecv_replace", 3 * SIZE);
    MPI_Send(values, 3, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD);
    expect("MPI_Send", 1, 0);
    note_ints("exchanged", values, 20);
}

static void test_nonblocking(void)
{
    MPI_Request requests[4];
    MPI_Status statuses[2];
    int out[8] = {me, 1, 2, 3}, in[8] = {0};
    MPI_Irecv(in, 4, MPI_INT, other, TAG, MPI_COMM_WORLD, &requests[0]);
    expect("MPI_Irecv", 1, 3 * SIZE);
    MPI_Irecv(in + 4, 4, MPI_INT, MPI_ANY_SOURCE, TAG + 1, MPI_COMM_WORLD, &requests[1]);
    expect("MPI_Irecv", 1, 2 * SIZE);
    MPI_Isend(out, 3, MPI_INT, other, TAG, MPI_COMM_WORLD, &requests[2]);
    expect("MPI_Isend", 1, 3 * SIZE);
    MPI_Isend(out, 2, MPI_INT, other, TAG + 1, MPI_COMM_WORLD, &requests[3]);
    expect("MPI_Isend", 1, 2 * SIZE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    expect("MPI_Waitall", 1, 0);
    note_ints("nonblocking", in, 8);
    CHECK(requests[0] == MPI_REQUEST_NULL);

    MPI_Recv_init(in, 4, MPI_INT, other, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, 4, MPI_INT, other, TAG, MPI_COMM_WORLD, &requests[1]);
    expect("MPI_Recv_init", 1, 2 * 4 * SIZE);
    expect("MPI_Send_init", 1, 2 * 4 * SIZE);
    MPI_Startall(2, requests);
    expect("MPI_Startall", 1, 0);
    MPI_Waitall(2, requests, statuses);
    expect("MPI_Waitall", 1, 0);
    note_status("persistent", &statuses[0]);
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    expect("MPI_Start", 2, 0);
    MPI_Wait(&requests[0], &statuses[0]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    expect("MPI_Wait", 2, 0);
    note_status("persistent", &statuses[0]);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    expect("MPI_Request_free", 2, 0);
    note_ints("persistent", in, 8);
}

static void test_collectives(void)
{
    int values[4] = {me + 1, 2, 3, 4}, all[8] = {0};
    MPI_Barrier(MPI_COMM_WORLD);
    expect("MPI_Barrier", 1, 0);
    MPI_Bcast(values, 4, MPI_INT, 0, MPI_COMM_WORLD);
    expect("MPI_Bcast", 1, 4 * SIZE);
    values[1] = me + 5;
    MPI_Gather(values, 2, MPI_INT, all, 2, MPI_INT, 1, MPI_COMM_WORLD);
    expect("MPI_Gather", 1, 2 * SIZE);
    note_ints("gather", all, 8);
    MPI_Allgather(values, 3, MPI_INT, all, 3, MPI_INT, MPI_COMM_WORLD);
    expect("MPI_Allgather", 1, 3 * SIZE);
    note_ints("allgather", all, 8);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    expect("MPI_Allgather", 1, 2 * SIZE);
    note_ints("allgather in place", all, 8);
    MPI_Scatter(all, 2, MPI_INT, values, 2, MPI_INT, 0, MPI_COMM_WORLD);
    expect("MPI_Scatter", 1, me == 0 ? 2 * 2 * SIZE : 0);
    note_ints("scatter", values, 4);
    MPI_Alltoall(all, 1, MPI_INT, values, 1, MPI_INT, MPI_COMM_WORLD);
    expect("MPI_Alltoall", 1, 2 * SIZE);
    note_ints("alltoall", values, 4);
}

static void test_collectives_of_many_sizes(void)
{
    int out[8] = {me, 11, 12, 13, 14, 15, 16, 17}, in[8] = {0};
    int send_counts[2] = {1 + me, 3 - me}, receive_counts[2] = {me == 0 ? 1 : 3, 2};
    int offsets[2] = {0, 4}, byte_offsets[2] = {0, 4 * SIZE};
    int own_counts[2] = {1, 2};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Alltoallv(out, send_counts, offsets, MPI_INT, in, receive_counts, offsets, MPI_INT,
                  MPI_COMM_WORLD);
    expect("MPI_Alltoallv", 1, 4 * SIZE);
    note_ints("alltoallv", in, 8);
    MPI_Alltoallw(out, send_counts, byte_offsets, types, in, receive_counts, byte_offsets, types,
                  MPI_COMM_WORLD);
    expect("MPI_Alltoallw", 1, 4 * SIZE);
    note_ints("alltoallw", in, 8);
    MPI_Gatherv(out, own_counts[me], MPI_INT, in, own_counts, offsets, MPI_INT, 0, MPI_COMM_WORLD);
    expect("MPI_Gatherv", 1, own_counts[me] * SIZE);
    note_ints("gatherv", in, 8);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, in, own_counts, offsets, MPI_INT, MPI_COMM_WORLD);
    expect("MPI_Allgatherv", 1, own_counts[me] * SIZE);
    note_ints("allgatherv", in, 8);
    MPI_Scatterv(out, own_counts, offsets, MPI_INT, in, own_counts[me], MPI_INT, 0, MPI_COMM_WORLD);
    expect("MPI_Scatterv", 1, me == 0 ? 3 * SIZE : 0);
    note_ints("scatterv", in, 8);
    MPI_Reduce_scatter(out, in, own_counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect("MPI_Reduce_scatter", 1, 3 * SIZE);
    note_ints("reduce_scatter", in, 8);
}

/* Not commutative, and it calls MPI itself: that is not counted. */
static void multiply_and_add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    double *left = in, *right = inout;
    int size = 0;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *length; i++)
        right[i] = 2 * left[i] + right[i] + size;
}

static void test_reductions(void)
{
    double values[3] = {0.1 * (me + 1), 1e10 + me, -1.0 / (me + 3)}, sums[6] = {0};
    MPI_Request request;
    MPI_Op op;
    MPI_Allreduce(values, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect("MPI_Allreduce", 1, 3 * WIDE);
    note_doubles("allreduce", sums, 3);
    memcpy(sums, values, sizeof values);
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect("MPI_Allreduce", 1, 3 * WIDE);
    note_doubles("allreduce in place", sums, 3);
    memcpy(sums, values, sizeof values);
    if (me == 1)
        MPI_Reduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_MAX, 1, MPI_COMM_WORLD);
    else
        MPI_Reduce(sums, NULL, 2, MPI_DOUBLE, MPI_MAX, 1, MPI_COMM_WORLD);
    expect("MPI_Reduce", 1, 2 * WIDE);
    note_doubles("reduce in place", sums, 3);
    MPI_Scan(values, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect("MPI_Scan", 1, 3 * WIDE);
    note_doubles("scan", sums, 3);
    MPI_Exscan(values, sums, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect("MPI_Exscan", 1, WIDE);
    note_doubles("exscan", sums, 3);
    MPI_Reduce_scatter_block(values, sums, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect("MPI_Reduce_scatter_block", 1, 2 * WIDE);
    note_doubles("reduce_scatter_block", sums, 1);
    MPI_Op_create(multiply_and_add, 0, &op);
    expect("MPI_Op_create", 1, 0);
    MPI_Allreduce(values, sums, 3, MPI_DOUBLE, op, MPI_COMM_WORLD);
    expect("MPI_Allreduce", 1, 3 * WIDE);
    note_doubles("user operation", sums, 3);
    MPI_Op_free(&op);
    expect("MPI_Op_free", 1, 0);
    MPI_Iallreduce(values, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    expect("MPI_Iallreduce", 1, 2 * WIDE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    expect("MPI_Ibarrier", 1, 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_Wait", 2, 0);
    note_doubles("iallreduce", sums, 2);
}

static void test_communicators(void)
{
    MPI_Comm split, copy, cart;
    MPI_Group group;
    int values[2] = {me, 10 + me}, got[2] = {-1, -1}, periods[1] = {1}, sizes[1] = {2};
    int result = -1, size = 0, down = -1, up = -1, coordinates[1] = {-1};
    MPI_Comm_split(MPI_COMM_WORLD, 0, 1 - me, &split);
    expect("MPI_Comm_split", 1, 0);
    MPI_Comm_rank(split, &result);
    expect("MPI_Comm_rank", 1, 0);
    note("rank in split", result);
    MPI_Bcast(values, 1, MPI_INT, 0, split);
    expect("MPI_Bcast", 1, SIZE);
    MPI_Comm_dup(split, &copy);
    expect("MPI_Comm_dup", 1, 0);
    MPI_Comm_set_name(copy, "a copy");
    expect("MPI_Comm_set_name", 1, 0);
    MPI_Comm_compare(split, copy, &result);
    expect("MPI_Comm_compare", 1, 0);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_group(copy, &group);
    expect("MPI_Comm_group", 1, 0);
    MPI_Group_size(group, &size);
    expect("MPI_Group_size", 1, 0);
    MPI_Group_free(&group);
    expect("MPI_Group_free", 1, 0);
    note("size of group", size);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&split);
    expect("MPI_Comm_free", 2, 0);
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &cart);
    expect("MPI_Cart_create", 1, 0);
    MPI_Cart_coords(cart, me, 1, coordinates);
    expect("MPI_Cart_coords", 1, 0);
    MPI_Cart_shift(cart, 0, 1, &down, &up);
    expect("MPI_Cart_shift", 1, 0);
    note("coordinate", 100 * coordinates[0] + 10 * down + up);
    MPI_Neighbor_allgather(&me, 1, MPI_INT, got, 1, MPI_INT, cart);
    expect("MPI_Neighbor_allgather", 1, 2 * SIZE);
    note_ints("neighbours in cart", got, 2);
    MPI_Comm_free(&cart);
    expect("MPI_Comm_free", 1, 0);
}

static void test_graph(void)
{
    MPI_Comm graph;
    int values[2] = {me, 10 + me}, got[2] = {-1, -1}, in = -1, out = -1, weighted = -1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    expect("MPI_Dist_graph_create_adjacent", 1, 0);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    expect("MPI_Dist_graph_neighbors_count", 1, 0);
    note("graph", 100 * in + 10 * out + (weighted != 0));
    MPI_Neighbor_alltoall(values, 2, MPI_INT, got, 2, MPI_INT, graph);
    expect("MPI_Neighbor_alltoall", 1, 2 * SIZE);
    note_ints("neighbours in graph", got, 2);
    MPI_Comm_free(&graph);
    expect("MPI_Comm_free", 1, 0);
}

static void test_datatypes(void)
{
    MPI_Datatype row, spread, pair;
    MPI_Aint lower = -1, extent = -1, addresses[2];
    int values[12], size = -1, position = 0, lengths[2] = {1, 1}, number = 40 + me;
    double fraction = me + 0.5;
    char packed[64];
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    for (int i = 0; i < 12; i++)
        values[i] = 100 * me + i;
    MPI_Type_contiguous(3, MPI_INT, &row);
    expect("MPI_Type_contiguous", 1, 0);
    MPI_Type_vector(2, 2, 4, MPI_INT, &spread);
    expect("MPI_Type_vector", 1, 0);
    MPI_Type_commit(&row);
    MPI_Type_commit(&spread);
    expect("MPI_Type_commit", 2, 0);
    MPI_Type_size(spread, &size);
    expect("MPI_Type_size", 1, 0);
    MPI_Type_get_extent(spread, &lower, &extent);
    expect("MPI_Type_get_extent", 1, 0);
    note("size and extent", size * 1000 + extent + lower);
    MPI_Sendrecv_replace(values, 1, spread, other, TAG, other, TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    expect("MPI_Sendrecv_replace", 1, 4 * SIZE);
    expect_received("MPI_Sendrecv_replace", 4 * SIZE);
    MPI_Bcast(values, 2, row, 1, MPI_COMM_WORLD);
    expect("MPI_Bcast", 1, 6 * SIZE);
    note_ints("datatypes", values, 12);
    MPI_Get_address(&number, &addresses[0]);
    MPI_Get_address(&fraction, &addresses[1]);
    expect("MPI_Get_address", 2, 0);
    MPI_Type_create_struct(2, lengths, addresses, types, &pair);
    expect("MPI_Type_create_struct", 1, 0);
    MPI_Type_commit(&pair);
    expect("MPI_Type_commit", 1, 0);
    MPI_Bcast(MPI_BOTTOM, 1, pair, 0, MPI_COMM_WORLD);
    expect("MPI_Bcast", 1, SIZE + WIDE);
    note("bottom", number);
    note_doubles("bottom", &fraction, 1);
    MPI_Pack_size(3, MPI_INT, MPI_COMM_WORLD, &size);
    expect("MPI_Pack_size", 1, 0);
    MPI_Pack(values, 3, MPI_INT, packed, 64, &position, MPI_COMM_WORLD);
    expect("MPI_Pack", 1, 0);
    note("packed", position * 1000 + size);
    position = 0;
    MPI_Unpack(packed, 64, &position, values + 3, 3, MPI_INT, MPI_COMM_WORLD);
    expect("MPI_Unpack", 1, 0);
    note_ints("unpacked", values, 12);
    MPI_Type_free(&row);
    MPI_Type_free(&spread);
    MPI_Type_free(&pair);
    expect("MPI_Type_free", 3, 0);
}

static void test_windows(void)
{
    MPI_Win window;
    MPI_Aint bytes = 16 * SIZE, start = 0, middle = 8;
    int *memory = NULL, values[4] = {me + 1, me + 2, me + 3, me + 4}, got[4] = {0};
    MPI_Win_allocate(bytes, SIZE, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    expect("MPI_Win_allocate", 1, 0);
    for (int i = 0; i < 16; i++)
        memory[i] = 1000 * me + i;
    MPI_Win_fence(0, window);
    MPI_Put(values, 3, MPI_INT, other, start, 3, MPI_INT, window);
    expect("MPI_Put", 1, 3 * SIZE);
    MPI_Accumulate(values, 2, MPI_INT, other, middle, 2, MPI_INT, MPI_SUM, window);
    expect("MPI_Accumulate", 1, 2 * SIZE);
    MPI_Win_fence(0, window);
    MPI_Get(got, 4, MPI_INT, other, start, 4, MPI_INT, window);
    expect("MPI_Get", 1, 4 * SIZE);
    MPI_Win_fence(0, window);
    expect("MPI_Win_fence", 3, 0);
    note_ints("window", memory, 16);
    note_ints("got", got, 4);
    MPI_Barrier(MPI_COMM_WORLD); /* before the other rank changes what was noted here */
    expect("MPI_Barrier", 1, 0);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    expect("MPI_Win_lock", 1, 0);
    MPI_Fetch_and_op(values, got, MPI_INT, other, middle, MPI_SUM, window);
    expect("MPI_Fetch_and_op", 1, SIZE);
    MPI_Win_unlock(other, window);
    expect("MPI_Win_unlock", 1, 0);
    note_ints("fetched", got, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    expect("MPI_Barrier", 1, 0);
    MPI_Win_free(&window);
    expect("MPI_Win_free", 1, 0);
}

static void test_files(void)
{
    MPI_File file;
    MPI_Info info;
    MPI_Status status;
    MPI_Offset place = 8 * me, start = 0, size = -1;
    int count = -1;
    char path[4096], data[32] = "";
    snprintf(path, sizeof path, "%s/data", getenv("TRUTH_DIR"));
    MPI_Info_create(&info);
    expect("MPI_Info_create", 1, 0);
    MPI_Info_set(info, "cb_nodes", "1");
    expect("MPI_Info_set", 1, 0);
    int result = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    expect("MPI_File_open", 1, 0);
    CHECK(result == MPI_SUCCESS);
    MPI_Info_free(&info);
    expect("MPI_Info_free", 1, 0);
    MPI_File_write_at(file, place, me == 0 ? "zero rank" : "one rank", 8, MPI_BYTE, &status);
    expect("MPI_File_write_at", 1, 8);
    MPI_Get_count(&status, MPI_BYTE, &count);
    expect("MPI_Get_count", 1, 0);
    note("written", count);
    MPI_Barrier(MPI_COMM_WORLD);
    expect("MPI_Barrier", 1, 0);
    MPI_File_get_size(file, &size);
    expect("MPI_File_get_size", 1, 0);
    MPI_File_read_at_all(file, start, data, 16, MPI_BYTE, &status);
    expect("MPI_File_read_at_all", 1, 16);
    MPI_Get_count(&status, MPI_BYTE, &count);
    expect("MPI_Get_count", 1, 0);
    note("read", count * 1000 + size);
    fprintf(results, "data %s\n", data);
    MPI_File_close(&file);
    expect("MPI_File_close", 1, 0);
    if (me == 0) {
        MPI_File_delete(path, MPI_INFO_NULL);
        expect("MPI_File_delete", 1, 0);
    }
}

static int deleted, handled;

static int copy_attribute(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    int rank; /* this call is not counted: MPI is at work */
    (void)key;
    (void)value;
    MPI_Comm_rank(comm, &rank);
    *(int *)extra += 1 + rank;
    return MPI_SUCCESS;
}

static void handle_error(MPI_Comm *comm, int *code, ...)
{
    int class = -1;
    (void)comm;
    MPI_Error_class(*code, &class); /* not counted */
    handled += class;
}

static void test_attributes_and_errors(void)
{
    MPI_Comm copy, reversed;
    MPI_Errhandler handler;
    MPI_Status status;
    void *value = NULL;
    int key = MPI_KEYVAL_INVALID, flag = -1, class = -1, length = 0;
    char text[2048] = "";
    static char base[8];
    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, &deleted);
    expect("MPI_Comm_create_keyval", 1, 0);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, base);
    expect("MPI_Comm_set_attr", 1, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    expect("MPI_Comm_dup", 1, 0);
    MPI_Comm_get_attr(copy, key, &value, &flag);
    expect("MPI_Comm_get_attr", 1, 0);
    note("attribute", flag * 100 + ((char *)value - base));
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    expect("MPI_Comm_delete_attr", 1, 0);
    note("deleted", deleted);

    MPI_Comm_create_errhandler(handle_error, &handler);
    expect("MPI_Comm_create_errhandler", 1, 0);
    MPI_Comm_set_errhandler(copy, handler);
    expect("MPI_Comm_set_errhandler", 1, 0);
    /* No such rank. MPICH 5 calls the handler and returns MPI_SUCCESS, so bytes would count. */
    MPI_Send(&flag, 0, MPI_INT, 17, TAG, copy);
    expect("MPI_Send", 1, 0);
    note("handled", handled);
    memset(&status, 0x11, sizeof status); /* nobody writes it, and no tool may believe it */
    MPI_Recv(&flag, 1, MPI_INT, 17, TAG, copy, &status);
    MPI_Recv(&flag, 1, MPI_INT, 17, TAG, copy, MPI_STATUS_IGNORE);
    expect("MPI_Recv", 2, 0);
    note("handled", handled);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &reversed);
    expect("MPI_Comm_split", 1, 0);
    MPI_Comm_set_errhandler(reversed, handler); /* here a tool must translate the rank */
    expect("MPI_Comm_set_errhandler", 1, 0);
    MPI_Send(&flag, 0, MPI_INT, 17, TAG, reversed);
    expect("MPI_Send", 1, 0);
    note("handled", handled);
    MPI_Comm_free(&reversed);
    expect("MPI_Comm_free", 1, 0);
    MPI_Errhandler_free(&handler);
    expect("MPI_Errhandler_free", 1, 0);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    expect("MPI_Comm_set_errhandler", 1, 0);
    int code = MPI_Send(&flag, 1, MPI_INT, 18, TAG, copy);
    expect("MPI_Send", 1, 0);
    MPI_Error_class(code, &class);
    expect("MPI_Error_class", 1, 0);
    CHECK(class == MPI_ERR_RANK);
    MPI_Error_string(class, text, &length);
    expect("MPI_Error_string", 1, 0);
    fprintf(results, "error %.*s\n", length, text);
    MPI_Comm_free(&copy);
    expect("MPI_Comm_free", 1, 0);
    note("deleted", deleted);
    MPI_Comm_free_keyval(&key);
    expect("MPI_Comm_free_keyval", 1, 0);
}

int main(int argc, char **argv)
{
    truth_begin(&argc, &argv);
    me = truth_rank;
    other = 1 - me;
    results_begin();
    CHECK(truth_ranks == 2);
    test_environment();
    test_blocking();
    test_nonblocking();
    test_collectives();
    test_collectives_of_many_sizes();
    test_reductions();
    test_communicators();
    test_graph();
    test_datatypes();
    test_windows();
    test_files();
    test_attributes_and_errors();
    results_end();
    return truth_end();
}
