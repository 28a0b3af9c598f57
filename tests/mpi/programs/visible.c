/* Whatever a program can see of MPI: return codes, statuses to the last byte, callbacks and their
 * order, attributes, results of reductions. See visible.h. visible_errors.c and visible_values.c
 * have more of this. */
#include "visible.h"

static void show_receives(void)
{
    int values[40] = {me}, got[40];
    MPI_Status status;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    prepare(&status, 1);
    show("Sendrecv",
         MPI_Sendrecv(values, 3, MPI_INT, other, 4, got, 40, MPI_INT, other, 4, world, &status));
    show_statuses("Sendrecv", &status, 1);
    prepare(&status, 1);
    show("Recv from nobody", MPI_Recv(got, 1, MPI_INT, MPI_PROC_NULL, 1, world, &status));
    show_statuses("Recv from nobody", &status, 1);
    for (int k = 0; k < 3; k++)
        MPI_Irecv(got + 10 * k, 10, MPI_INT, MPI_ANY_SOURCE, k, world, &requests[k]);
    for (int k = 0; k < 3; k++)
        MPI_Send(values, k + 1, MPI_INT, other, k, world);
    prepare(&status, 1);
    show("Wait", MPI_Wait(&requests[1], &status));
    show_statuses("Wait", &status, 1);
    prepare(statuses, 3);
    show("Waitall", MPI_Waitall(3, requests, statuses));
    show_statuses("Waitall", statuses, 3);
    prepare(statuses, 3);
    int index = -9, flag = -9, count = -9, indices[3] = {-9, -9, -9};
    show("Waitany of none", MPI_Waitany(3, requests, &index, statuses));
    show("Testany of none", MPI_Testany(3, requests, &index, &flag, statuses));
    show_statuses("none", statuses, 1);
    show("Waitsome of none", MPI_Waitsome(3, requests, &count, indices, statuses));
    show("Testall of none", MPI_Testall(3, requests, &flag, statuses));
    show("Waitall of 0", MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
    fprintf(out, "index %d flag %d count %d indices %d %d\n", index == MPI_UNDEFINED, flag,
            count == MPI_UNDEFINED, indices[0], indices[1]);
    show_statuses("none", statuses, 3);
}

static void show_cancelled(void)
{
    MPI_Request request;
    MPI_Status status;
    int value = 0, flag = -1;
    MPI_Irecv(&value, 1, MPI_INT, other, 77, world, &request);
    MPI_Cancel(&request);
    prepare(&status, 1);
    show("Wait for a cancelled one", MPI_Wait(&request, &status));
    MPI_Test_cancelled(&status, &flag);
    fprintf(out, "cancelled %d, null %d\n", flag, request == MPI_REQUEST_NULL);
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    int rank = -1;
    MPI_Comm_rank(*comm, &rank); /* called from inside MPI */
    fprintf(out, "error handler, rank %d: ", rank);
    show("", *code);
}

static void show_errors(void)
{
    MPI_Comm comm;
    MPI_Errhandler handler;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int values[4] = {0}, got[4];
    MPI_Comm_dup(world, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN); /* MPICH gives a request's errors to this one
                                                        */
    show("Send to rank 99", MPI_Send(values, 1, MPI_INT, 99, 0, comm));
    show("Send with a negative count", MPI_Send(values, -1, MPI_INT, other, 0, comm));
    show("Send with a negative tag", MPI_Send(values, 1, MPI_INT, other, -5, comm));
    show("Bcast from rank 7", MPI_Bcast(values, 1, MPI_INT, 7, comm));
    show("Send without a type", MPI_Send(values, 1, MPI_DATATYPE_NULL, other, 0, comm));

    /* Too long for the receiver: alone, and as one of two. */
    MPI_Irecv(got, 1, MPI_INT, other, 1, comm, &requests[0]);
    MPI_Send(values, 4, MPI_INT, other, 1, comm);
    show("Wait, truncated", MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    for (int ignore = 0; ignore < 2; ignore++) {
        MPI_Irecv(got, 1, MPI_INT, other, 2, comm, &requests[0]);
        MPI_Irecv(got + 1, 3, MPI_INT, other, 3, comm, &requests[1]);
        MPI_Send(values, 4, MPI_INT, other, 2, comm);
        MPI_Send(values, 2, MPI_INT, other, 3, comm);
        prepare(statuses, 2);
        int code = MPI_Waitall(2, requests, ignore ? MPI_STATUSES_IGNORE : statuses);
        show("Waitall, one truncated", code);
        if (!ignore)
            show("first", statuses[0].MPI_ERROR);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* the second may have been pending, or not
                                                        */
    }
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    show("Send, own handler", MPI_Send(values, 1, MPI_INT, 99, 0, comm));
    MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&comm);
}

static int on_copy(MPI_Comm comm, int key, void *extra, void *in, void *copied, int *flag)
{
    (void)comm, (void)key;
    fprintf(out, "attribute copied: %s %s\n", (char *)extra, (char *)in);
    *(void **)copied = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    int rank = -1;
    (void)key;
    MPI_Comm_rank(comm, &rank);
    fprintf(out, "attribute deleted: %s %s, rank %d\n", (char *)extra, (char *)value, rank);
    return MPI_SUCCESS;
}

static void show_attributes(void)
{
    MPI_Comm first, second;
    int key = MPI_KEYVAL_INVALID, flag = 0, *tag_limit = NULL, length = 0;
    char *value = NULL, name[MPI_MAX_OBJECT_NAME] = "";
    MPI_Comm_create_keyval(on_copy, on_delete, &key, "extra");
    MPI_Comm_dup(world, &first);
    MPI_Comm_get_name(first, name, &length);
    fprintf(out, "name '%s'\n", name);
    MPI_Comm_set_name(first, "first");
    MPI_Comm_set_attr(first, key, "value");
    MPI_Comm_dup(first, &second);
    MPI_Comm_get_attr(second, key, &value, &flag);
    MPI_Comm_get_name(second, name, &length);
    fprintf(out, "attribute %d %s, name '%s'\n", flag, flag ? value : "", name);
    MPI_Comm_set_attr(second, key, "other");
    MPI_Comm_free(&second);
    MPI_Comm_delete_attr(first, key);
    MPI_Comm_free(&first);
    MPI_Comm_get_attr(world, MPI_TAG_UB, &tag_limit, &flag);
    fprintf(out, "tag limit %d %d\n", flag, flag ? *tag_limit : 0);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, "at the end"); /* deleted first thing in MPI_Finalize */
    MPI_Comm_free_keyval(&key);
}

static void first_of_pair(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int size = 0;
    (void)in, (void)inout;
    MPI_Type_size(*type, &size); /* called from inside MPI */
    fprintf(out, "operation on %d of size %d\n", *count, size);
}

static void show_reductions(void)
{
    double values[3] = {0.1 * (me + 1), 1e300 * (me + 1), -0.0}, sums[3], all[3];
    MPI_Op op;
    memcpy(all, values, sizeof all);
    MPI_Allreduce(values, sums, 3, MPI_DOUBLE, MPI_SUM, world);
    MPI_Allreduce(MPI_IN_PLACE, all, 3, MPI_DOUBLE, MPI_SUM, world);
    fprintf(out, "sums %a %a %a, in place %a %a %a\n", sums[0], sums[1], sums[2], all[0], all[1],
            all[2]);
    MPI_Op_create(first_of_pair, 0, &op);
    MPI_Allreduce(values, sums, 1, MPI_DOUBLE, op, world);
    MPI_Op_free(&op);
}

/* Absolute addresses: the buffer is MPI_BOTTOM. */
static void show_bottom(void)
{
    int value = me, got = -1;
    MPI_Aint address;
    MPI_Datatype at_value, at_got;
    int one = 1;
    MPI_Get_address(&value, &address);
    MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &at_value);
    MPI_Type_commit(&at_value);
    MPI_Get_address(&got, &address);
    MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &at_got);
    MPI_Type_commit(&at_got);
    MPI_Sendrecv(MPI_BOTTOM, 1, at_value, other, 5, MPI_BOTTOM, 1, at_got, other, 5, world,
                 MPI_STATUS_IGNORE);
    fprintf(out, "by absolute address: %d\n", got);
    MPI_Type_free(&at_value);
    MPI_Type_free(&at_got);
}

static int on_query(void *extra, MPI_Status *status)
{
    fprintf(out, "request asked: %s\n", (char *)extra);
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 1;
    status->MPI_TAG = 2;
    return MPI_SUCCESS;
}

static int on_free(void *extra)
{
    fprintf(out, "request freed: %s\n", (char *)extra);
    return MPI_SUCCESS;
}

static int on_cancel(void *extra, int complete)
{
    fprintf(out, "request cancelled: %s %d\n", (char *)extra, complete);
    return MPI_SUCCESS;
}

static void show_generalized_request(void)
{
    for (int turn = 0; turn < 2; turn++) {
        MPI_Request request;
        MPI_Status status;
        int count = -1, done = -1;
        MPI_Grequest_start(on_query, on_free, on_cancel, "own", &request);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        fprintf(out, "done %d\n", done);
        if (turn == 1)
            MPI_Cancel(&request);
        MPI_Grequest_complete(request);
        show("Wait for an own request",
             MPI_Wait(&request, turn == 0 ? &status : MPI_STATUS_IGNORE));
        if (turn == 0) {
            MPI_Get_count(&status, MPI_INT, &count);
            fprintf(out, "count %d source %d tag %d\n", count, status.MPI_SOURCE, status.MPI_TAG);
        }
    }
}

static void show_groups(void)
{
    MPI_Group all, some;
    MPI_Comm comm;
    int result = -1, same = -1, rank = other;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, &rank, &some);
    MPI_Group_compare(all, some, &result);
    MPI_Comm_dup(world, &comm);
    MPI_Comm_compare(world, comm, &same);
    fprintf(out, "groups unequal %d, communicators congruent %d\n", result == MPI_UNEQUAL,
            same == MPI_CONGRUENT);
    MPI_Comm_free(&comm);
    fprintf(out, "freed is null: %d\n", comm == MPI_COMM_NULL);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
}

int main(int argc, char **argv)
{
    if (!begin(argc, argv))
        return 2;
    show_receives();
    show_cancelled();
    show_errors();
    show_attributes();
    show_reductions();
    show_bottom();
    show_generalized_request();
    show_groups();
    return end();
}
