/* The counting library: Fortran entry points for Open MPI. Its mpi_send_ calls PMPI_Send and so
 * passes by the wrappers for C. (MPICH's calls MPI_Send: nothing to do.) See counter.h.
 *
 * Each is a Fortran binding of its own on top of the counting C function. It converts handles and
 * statuses, and the C function counts. Here are those that Quantum ESPRESSO's pw.x imports. */
#include "counter.h"

#ifdef OPEN_MPI
#include <stdlib.h>

/* Where Fortran's MPI_IN_PLACE and MPI_BOTTOM are. */
extern MPI_Fint mpi_fortran_in_place_, mpi_fortran_bottom_;

static void *buffer_of(void *buffer)
{
    return buffer == &mpi_fortran_in_place_ ? MPI_IN_PLACE
           : buffer == &mpi_fortran_bottom_ ? MPI_BOTTOM
                                            : buffer;
}

/* FORTRAN(name)(MPI_Fint *argument ..., MPI_Fint *error) */
#define FORTRAN(name) void name##_
#define IN(buffer) buffer_of(buffer)
#define TYPE(handle) MPI_Type_f2c(*(handle))
#define OP(handle) MPI_Op_f2c(*(handle))
#define COMM(handle) MPI_Comm_f2c(*(handle))
#define GROUP(handle) MPI_Group_f2c(*(handle))

/* Beginning and end, communicators, groups. */

FORTRAN(mpi_init)(MPI_Fint *error)
{
    *error = MPI_Init(NULL, NULL);
}

FORTRAN(mpi_init_thread)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error)
{
    *error = MPI_Init_thread(NULL, NULL, *required, provided);
}

FORTRAN(mpi_initialized)(MPI_Fint *flag, MPI_Fint *error)
{
    *error = MPI_Initialized(flag);
}

FORTRAN(mpi_finalize)(MPI_Fint *error)
{
    *error = MPI_Finalize();
}

FORTRAN(mpi_abort)(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *error)
{
    *error = MPI_Abort(COMM(comm), *code);
}

FORTRAN(mpi_comm_rank)(MPI_Fint *comm, MPI_Fint *rank, MPI_Fint *error)
{
    *error = MPI_Comm_rank(COMM(comm), rank);
}

FORTRAN(mpi_comm_size)(MPI_Fint *comm, MPI_Fint *size, MPI_Fint *error)
{
    *error = MPI_Comm_size(COMM(comm), size);
}

FORTRAN(mpi_comm_group)(MPI_Fint *comm, MPI_Fint *group, MPI_Fint *error)
{
    MPI_Group made;
    *error = MPI_Comm_group(COMM(comm), &made);
    *group = MPI_Group_c2f(made);
}

FORTRAN(mpi_comm_create)
(MPI_Fint *comm, MPI_Fint *group, MPI_Fint *new_comm, MPI_Fint *error)
{
    MPI_Comm made;
    *error = MPI_Comm_create(COMM(comm), GROUP(group), &made);
    *new_comm = MPI_Comm_c2f(made);
}

FORTRAN(mpi_comm_split)
(MPI_Fint *comm, MPI_Fint *colour, MPI_Fint *key, MPI_Fint *new_comm, MPI_Fint *error)
{
    MPI_Comm made;
    *error = MPI_Comm_split(COMM(comm), *colour, *key, &made);
    *new_comm = MPI_Comm_c2f(made);
}

FORTRAN(mpi_comm_free)(MPI_Fint *comm, MPI_Fint *error)
{
    MPI_Comm freed = COMM(comm);
    *error = MPI_Comm_free(&freed);
    *comm = MPI_Comm_c2f(freed);
}

FORTRAN(mpi_group_incl)
(MPI_Fint *group, MPI_Fint *n, MPI_Fint *ranks, MPI_Fint *new_group, MPI_Fint *error)
{
    MPI_Group made;
    *error = MPI_Group_incl(GROUP(group), *n, ranks, &made);
    *new_group = MPI_Group_c2f(made);
}

FORTRAN(mpi_group_free)(MPI_Fint *group, MPI_Fint *error)
{
    MPI_Group freed = GROUP(group);
    *error = MPI_Group_free(&freed);
    *group = MPI_Group_c2f(freed);
}

/* Fortran's strings have blanks at their end, and their length is a hidden argument. */
FORTRAN(mpi_get_processor_name)
(char *name, MPI_Fint *length, MPI_Fint *error, size_t capacity)
{
    char text[MPI_MAX_PROCESSOR_NAME];
    *error = MPI_Get_processor_name(text, length);
    for (size_t i = 0; i < capacity; i++)
        name[i] = i < (size_t)*length ? text[i] : ' ';
}

/* Collectives. */

FORTRAN(mpi_barrier)(MPI_Fint *comm, MPI_Fint *error)
{
    *error = MPI_Barrier(COMM(comm));
}

FORTRAN(mpi_bcast)
(void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *error)
{
    *error = MPI_Bcast(IN(buffer), *count, TYPE(type), *root, COMM(comm));
}

FORTRAN(mpi_reduce)
(void *in, void *out, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *root, MPI_Fint *comm,
 MPI_Fint *error)
{
    *error = MPI_Reduce(IN(in), IN(out), *count, TYPE(type), OP(op), *root, COMM(comm));
}

FORTRAN(mpi_allreduce)
(void *in, void *out, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm,
 MPI_Fint *error)
{
    *error = MPI_Allreduce(IN(in), IN(out), *count, TYPE(type), OP(op), COMM(comm));
}

FORTRAN(mpi_gather)
(void *in, MPI_Fint *count, MPI_Fint *type, void *out, MPI_Fint *out_count, MPI_Fint *out_type,
 MPI_Fint *root, MPI_Fint *comm, MPI_Fint *error)
{
    *error = MPI_Gather(IN(in), *count, TYPE(type), IN(out), *out_count, TYPE(out_type), *root,
                        COMM(comm));
}

FORTRAN(mpi_gatherv)
(void *in, MPI_Fint *count, MPI_Fint *type, void *out, MPI_Fint *out_counts,
 MPI_Fint *displacements, MPI_Fint *out_type, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *error)
{
    *error = MPI_Gatherv(IN(in), *count, TYPE(type), IN(out), out_counts, displacements,
                         TYPE(out_type), *root, COMM(comm));
}

FORTRAN(mpi_allgather)
(void *in, MPI_Fint *count, MPI_Fint *type, void *out, MPI_Fint *out_count, MPI_Fint *out_type,
 MPI_Fint *comm, MPI_Fint *error)
{
    *error =
        MPI_Allgather(IN(in), *count, TYPE(type), IN(out), *out_count, TYPE(out_type), COMM(comm));
}

FORTRAN(mpi_allgatherv)
(void *in, MPI_Fint *count, MPI_Fint *type, void *out, MPI_Fint *out_counts,
 MPI_Fint *displacements, MPI_Fint *out_type, MPI_Fint *comm, MPI_Fint *error)
{
    *error = MPI_Allgatherv(IN(in), *count, TYPE(type), IN(out), out_counts, displacements,
                            TYPE(out_type), COMM(comm));
}

FORTRAN(mpi_scatterv)
(void *in, MPI_Fint *counts, MPI_Fint *displacements, MPI_Fint *type, void *out,
 MPI_Fint *out_count, MPI_Fint *out_type, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *error)
{
    *error = MPI_Scatterv(IN(in), counts, displacements, TYPE(type), IN(out), *out_count,
                          TYPE(out_type), *root, COMM(comm));
}

FORTRAN(mpi_alltoall)
(void *in, MPI_Fint *count, MPI_Fint *type, void *out, MPI_Fint *out_count, MPI_Fint *out_type,
 MPI_Fint *comm, MPI_Fint *error)
{
    *error =
        MPI_Alltoall(IN(in), *count, TYPE(type), IN(out), *out_count, TYPE(out_type), COMM(comm));
}

FORTRAN(mpi_alltoallv)
(void *in, MPI_Fint *counts, MPI_Fint *displacements, MPI_Fint *type, void *out,
 MPI_Fint *out_counts, MPI_Fint *out_displacements, MPI_Fint *out_type, MPI_Fint *comm,
 MPI_Fint *error)
{
    *error = MPI_Alltoallv(IN(in), counts, displacements, TYPE(type), IN(out), out_counts,
                           out_displacements, TYPE(out_type), COMM(comm));
}

/* Point to point. What MPI says in a C status goes to Fortran's, unless that is to be ignored. */

static void give_status(const MPI_Status *status, MPI_Fint *fortran)
{
    if (fortran != MPI_F_STATUS_IGNORE)
        MPI_Status_c2f(status, fortran);
}

FORTRAN(mpi_send)
(void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *destination, MPI_Fint *tag,
 MPI_Fint *comm, MPI_Fint *error)
{
    *error = MPI_Send(IN(buffer), *count, TYPE(type), *destination, *tag, COMM(comm));
}

FORTRAN(mpi_recv)
(void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm,
 MPI_Fint *status, MPI_Fint *error)
{
    MPI_Status own = {0};
    *error = MPI_Recv(IN(buffer), *count, TYPE(type), *source, *tag, COMM(comm), &own);
    give_status(&own, status);
}

FORTRAN(mpi_isend)
(void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *destination, MPI_Fint *tag,
 MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error)
{
    MPI_Request made;
    *error = MPI_Isend(IN(buffer), *count, TYPE(type), *destination, *tag, COMM(comm), &made);
    *request = MPI_Request_c2f(made);
}

FORTRAN(mpi_irecv)
(void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm,
 MPI_Fint *request, MPI_Fint *error)
{
    MPI_Request made;
    *error = MPI_Irecv(IN(buffer), *count, TYPE(type), *source, *tag, COMM(comm), &made);
    *request = MPI_Request_c2f(made);
}

FORTRAN(mpi_sendrecv)
(void *send_buffer, MPI_Fint *send_count, MPI_Fint *send_type, MPI_Fint *destination,
 MPI_Fint *send_tag, void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag,
 MPI_Fint *comm, MPI_Fint *status, MPI_Fint *error)
{
    MPI_Status own = {0};
    *error = MPI_Sendrecv(IN(send_buffer), *send_count, TYPE(send_type), *destination, *send_tag,
                          IN(buffer), *count, TYPE(type), *source, *tag, COMM(comm), &own);
    give_status(&own, status);
}

FORTRAN(mpi_sendrecv_replace)
(void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *destination, MPI_Fint *send_tag,
 MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, MPI_Fint *status, MPI_Fint *error)
{
    MPI_Status own = {0};
    *error = MPI_Sendrecv_replace(IN(buffer), *count, TYPE(type), *destination, *send_tag, *source,
                                  *tag, COMM(comm), &own);
    give_status(&own, status);
}

FORTRAN(mpi_get_count)(MPI_Fint *status, MPI_Fint *type, MPI_Fint *count, MPI_Fint *error)
{
    MPI_Status own;
    MPI_Status_f2c(status, &own);
    *error = MPI_Get_count(&own, TYPE(type), count);
}

FORTRAN(mpi_wait)(MPI_Fint *request, MPI_Fint *status, MPI_Fint *error)
{
    MPI_Request own_request = MPI_Request_f2c(*request);
    MPI_Status own = {0};
    *error = MPI_Wait(&own_request, &own);
    *request = MPI_Request_c2f(own_request);
    give_status(&own, status);
}

/* All of them: arrays of the C handles and statuses, and back. */
struct completions {
    MPI_Request *requests;
    MPI_Status *statuses;
};

static struct completions begin_all(int count, const MPI_Fint *requests)
{
    struct completions all = {malloc((count + 1) * sizeof *all.requests),
                              calloc(count + 1, sizeof *all.statuses)};
    for (int i = 0; i < count; i++)
        all.requests[i] = MPI_Request_f2c(requests[i]);
    return all;
}

static void end_all(struct completions all, int count, int done, MPI_Fint *requests,
                    MPI_Fint *statuses)
{
    for (int i = 0; i < count && done; i++) {
        requests[i] = MPI_Request_c2f(all.requests[i]);
        if (statuses != MPI_F_STATUSES_IGNORE)
            MPI_Status_c2f(&all.statuses[i],
                           statuses + i * (sizeof(MPI_Status) / sizeof *statuses));
    }
    free(all.requests);
    free(all.statuses);
}

FORTRAN(mpi_waitall)(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *error)
{
    struct completions all = begin_all(*count, requests);
    *error = MPI_Waitall(*count, all.requests, all.statuses);
    end_all(all, *count, 1, requests, statuses);
}

FORTRAN(mpi_testall)
(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *done, MPI_Fint *statuses, MPI_Fint *error)
{
    struct completions all = begin_all(*count, requests);
    *error = MPI_Testall(*count, all.requests, done, all.statuses);
    end_all(all, *count, *done, requests, statuses);
}

/* Datatypes. */

FORTRAN(mpi_type_commit)(MPI_Fint *type, MPI_Fint *error)
{
    MPI_Datatype own = TYPE(type);
    *error = MPI_Type_commit(&own);
    *type = MPI_Type_c2f(own);
}

FORTRAN(mpi_type_free)(MPI_Fint *type, MPI_Fint *error)
{
    MPI_Datatype own = TYPE(type);
    *error = MPI_Type_free(&own);
    *type = MPI_Type_c2f(own);
}

FORTRAN(mpi_type_create_resized)
(MPI_Fint *type, MPI_Aint *lower_bound, MPI_Aint *extent, MPI_Fint *new_type, MPI_Fint *error)
{
    MPI_Datatype made;
    *error = MPI_Type_create_resized(TYPE(type), *lower_bound, *extent, &made);
    *new_type = MPI_Type_c2f(made);
}

FORTRAN(mpi_type_create_subarray)
(MPI_Fint *dimensions, MPI_Fint *sizes, MPI_Fint *part_sizes, MPI_Fint *starts, MPI_Fint *order,
 MPI_Fint *type, MPI_Fint *new_type, MPI_Fint *error)
{
    MPI_Datatype made;
    *error =
        MPI_Type_create_subarray(*dimensions, sizes, part_sizes, starts, *order, TYPE(type), &made);
    *new_type = MPI_Type_c2f(made);
}

FORTRAN(mpi_type_get_extent)
(MPI_Fint *type, MPI_Aint *lower_bound, MPI_Aint *extent, MPI_Fint *error)
{
    *error = MPI_Type_get_extent(TYPE(type), lower_bound, extent);
}
#endif
