/* The counting library: functions that move no data of the program, which are only counted. Also
 * the beginning and the end. See counter.h. One line a function. */
#include "counter.h"
#include <stdarg.h>

#define COUNT(type, name, parameters, arguments) \
    type name(parameters)                        \
    {                                            \
        FUNCTION(name);                          \
        counter_call(self, 0);                   \
        return NEXT(name)(arguments);            \
    }

COUNT(int, MPI_Abort, LIST(MPI_Comm comm, int errorcode), LIST(comm, errorcode))
COUNT(int, MPI_Buffer_attach, LIST(void *buffer, int size), LIST(buffer, size))
COUNT(int, MPI_Buffer_detach, LIST(void *buffer_addr, int *size), LIST(buffer_addr, size))
COUNT(int, MPI_Cancel, LIST(MPI_Request *request), LIST(request))
COUNT(int, MPI_Probe, LIST(int source, int tag, MPI_Comm comm, MPI_Status *status),
      LIST(source, tag, comm, status))
COUNT(int, MPI_Iprobe, LIST(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
      LIST(source, tag, comm, flag, status))
COUNT(int, MPI_Mprobe,
      LIST(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
      LIST(source, tag, comm, message, status))
COUNT(int, MPI_Improbe,
      LIST(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
      LIST(source, tag, comm, flag, message, status))
COUNT(int, MPI_Request_get_status, LIST(MPI_Request request, int *flag, MPI_Status *status),
      LIST(request, flag, status))
COUNT(int, MPI_Test_cancelled, LIST(const MPI_Status *status, int *flag), LIST(status, flag))
COUNT(int, MPI_Get_count, LIST(const MPI_Status *status, MPI_Datatype datatype, int *count),
      LIST(status, datatype, count))
COUNT(int, MPI_Get_elements, LIST(const MPI_Status *status, MPI_Datatype datatype, int *count),
      LIST(status, datatype, count))
COUNT(int, MPI_Get_elements_x,
      LIST(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count),
      LIST(status, datatype, count))
COUNT(int, MPI_Get_address, LIST(const void *location, MPI_Aint *address), LIST(location, address))
COUNT(int, MPI_Get_library_version, LIST(char *version, int *resultlen), LIST(version, resultlen))
COUNT(int, MPI_Get_processor_name, LIST(char *name, int *resultlen), LIST(name, resultlen))
COUNT(int, MPI_Get_version, LIST(int *version, int *subversion), LIST(version, subversion))
COUNT(int, MPI_Finalized, LIST(int *flag), LIST(flag))
COUNT(int, MPI_Initialized, LIST(int *flag), LIST(flag))
COUNT(int, MPI_Is_thread_main, LIST(int *flag), LIST(flag))
COUNT(int, MPI_Query_thread, LIST(int *provided), LIST(provided))
COUNT(double, MPI_Wtime, LIST(void), LIST())
COUNT(double, MPI_Wtick, LIST(void), LIST())
COUNT(int, MPI_Error_string, LIST(int errorcode, char *string, int *resultlen),
      LIST(errorcode, string, resultlen))
COUNT(int, MPI_Error_class, LIST(int errorcode, int *errorclass), LIST(errorcode, errorclass))
COUNT(int, MPI_Cart_create,
      LIST(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
           MPI_Comm *comm_cart),
      LIST(comm_old, ndims, dims, periods, reorder, comm_cart))
COUNT(int, MPI_Cart_get, LIST(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]),
      LIST(comm, maxdims, dims, periods, coords))
COUNT(int, MPI_Cart_rank, LIST(MPI_Comm comm, const int coords[], int *rank),
      LIST(comm, coords, rank))
COUNT(int, MPI_Cart_shift,
      LIST(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest),
      LIST(comm, direction, disp, rank_source, rank_dest))
COUNT(int, MPI_Cart_sub, LIST(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm),
      LIST(comm, remain_dims, newcomm))
COUNT(int, MPI_Cart_coords, LIST(MPI_Comm comm, int rank, int maxdims, int coords[]),
      LIST(comm, rank, maxdims, coords))
COUNT(int, MPI_Cartdim_get, LIST(MPI_Comm comm, int *ndims), LIST(comm, ndims))
COUNT(int, MPI_Dims_create, LIST(int nnodes, int ndims, int dims[]), LIST(nnodes, ndims, dims))
COUNT(int, MPI_Graph_create,
      LIST(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder,
           MPI_Comm *comm_graph),
      LIST(comm_old, nnodes, indx, edges, reorder, comm_graph))
COUNT(int, MPI_Dist_graph_create_adjacent,
      LIST(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
           int outdegree, const int destinations[], const int destweights[], MPI_Info info,
           int reorder, MPI_Comm *comm_dist_graph),
      LIST(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
           reorder, comm_dist_graph))
COUNT(int, MPI_Dist_graph_create,
      LIST(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
           const int destinations[], const int weights[], MPI_Info info, int reorder,
           MPI_Comm *comm_dist_graph),
      LIST(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph))
COUNT(int, MPI_Comm_rank, LIST(MPI_Comm comm, int *rank), LIST(comm, rank))
COUNT(int, MPI_Comm_size, LIST(MPI_Comm comm, int *size), LIST(comm, size))
COUNT(int, MPI_Comm_dup, LIST(MPI_Comm comm, MPI_Comm *newcomm), LIST(comm, newcomm))
COUNT(int, MPI_Comm_dup_with_info, LIST(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm),
      LIST(comm, info, newcomm))
COUNT(int, MPI_Comm_idup, LIST(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request),
      LIST(comm, newcomm, request))
COUNT(int, MPI_Comm_free, LIST(MPI_Comm *comm), LIST(comm))
COUNT(int, MPI_Comm_split, LIST(MPI_Comm comm, int color, int key, MPI_Comm *newcomm),
      LIST(comm, color, key, newcomm))
COUNT(int, MPI_Comm_split_type,
      LIST(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm),
      LIST(comm, split_type, key, info, newcomm))
COUNT(int, MPI_Comm_create, LIST(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm),
      LIST(comm, group, newcomm))
COUNT(int, MPI_Comm_create_group, LIST(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm),
      LIST(comm, group, tag, newcomm))
COUNT(int, MPI_Comm_group, LIST(MPI_Comm comm, MPI_Group *group), LIST(comm, group))
COUNT(int, MPI_Comm_compare, LIST(MPI_Comm comm1, MPI_Comm comm2, int *result),
      LIST(comm1, comm2, result))
COUNT(int, MPI_Comm_remote_size, LIST(MPI_Comm comm, int *size), LIST(comm, size))
COUNT(int, MPI_Comm_test_inter, LIST(MPI_Comm comm, int *flag), LIST(comm, flag))
COUNT(int, MPI_Comm_set_name, LIST(MPI_Comm comm, const char *comm_name), LIST(comm, comm_name))
COUNT(int, MPI_Comm_get_name, LIST(MPI_Comm comm, char *comm_name, int *resultlen),
      LIST(comm, comm_name, resultlen))
COUNT(int, MPI_Comm_set_errhandler, LIST(MPI_Comm comm, MPI_Errhandler errhandler),
      LIST(comm, errhandler))
COUNT(int, MPI_Comm_get_attr, LIST(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag),
      LIST(comm, comm_keyval, attribute_val, flag))
COUNT(int, MPI_Comm_set_attr, LIST(MPI_Comm comm, int comm_keyval, void *attribute_val),
      LIST(comm, comm_keyval, attribute_val))
COUNT(int, MPI_Comm_create_keyval,
      LIST(MPI_Comm_copy_attr_function *comm_copy_attr_fn,
           MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval, void *extra_state),
      LIST(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state))
COUNT(int, MPI_Comm_free_keyval, LIST(int *comm_keyval), LIST(comm_keyval))
COUNT(int, MPI_Intercomm_create,
      LIST(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
           MPI_Comm *newintercomm),
      LIST(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm))
COUNT(int, MPI_Intercomm_merge, LIST(MPI_Comm intercomm, int high, MPI_Comm *newintracomm),
      LIST(intercomm, high, newintracomm))
COUNT(int, MPI_Group_incl, LIST(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup),
      LIST(group, n, ranks, newgroup))
COUNT(int, MPI_Group_excl, LIST(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup),
      LIST(group, n, ranks, newgroup))
COUNT(int, MPI_Group_free, LIST(MPI_Group *group), LIST(group))
COUNT(int, MPI_Group_rank, LIST(MPI_Group group, int *rank), LIST(group, rank))
COUNT(int, MPI_Group_size, LIST(MPI_Group group, int *size), LIST(group, size))
COUNT(int, MPI_Group_translate_ranks,
      LIST(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]),
      LIST(group1, n, ranks1, group2, ranks2))
COUNT(int, MPI_Group_range_incl, LIST(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup),
      LIST(group, n, ranges, newgroup))
COUNT(int, MPI_Group_union, LIST(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup),
      LIST(group1, group2, newgroup))
COUNT(int, MPI_Group_intersection, LIST(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup),
      LIST(group1, group2, newgroup))
COUNT(int, MPI_Group_difference, LIST(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup),
      LIST(group1, group2, newgroup))
COUNT(int, MPI_Group_compare, LIST(MPI_Group group1, MPI_Group group2, int *result),
      LIST(group1, group2, result))
COUNT(int, MPI_Type_commit, LIST(MPI_Datatype *datatype), LIST(datatype))
COUNT(int, MPI_Type_contiguous, LIST(int count, MPI_Datatype oldtype, MPI_Datatype *newtype),
      LIST(count, oldtype, newtype))
COUNT(int, MPI_Type_vector,
      LIST(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype),
      LIST(count, blocklength, stride, oldtype, newtype))
#if MPI_VERSION >= 4
COUNT(int, MPI_Type_vector_c,
      LIST(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
           MPI_Datatype *newtype),
      LIST(count, blocklength, stride, oldtype, newtype))
#endif
COUNT(int, MPI_Type_create_hvector,
      LIST(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
           MPI_Datatype *newtype),
      LIST(count, blocklength, stride, oldtype, newtype))
COUNT(int, MPI_Type_indexed,
      LIST(int count, const int array_of_blocklengths[], const int array_of_displacements[],
           MPI_Datatype oldtype, MPI_Datatype *newtype),
      LIST(count, array_of_blocklengths, array_of_displacements, oldtype, newtype))
COUNT(int, MPI_Type_create_hindexed,
      LIST(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
           MPI_Datatype oldtype, MPI_Datatype *newtype),
      LIST(count, array_of_blocklengths, array_of_displacements, oldtype, newtype))
COUNT(int, MPI_Type_create_indexed_block,
      LIST(int count, int blocklength, const int array_of_displacements[], MPI_Datatype oldtype,
           MPI_Datatype *newtype),
      LIST(count, blocklength, array_of_displacements, oldtype, newtype))
COUNT(int, MPI_Type_create_struct,
      LIST(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
           const MPI_Datatype array_of_types[], MPI_Datatype *newtype),
      LIST(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype))
COUNT(int, MPI_Type_create_resized,
      LIST(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype),
      LIST(oldtype, lb, extent, newtype))
COUNT(int, MPI_Type_create_subarray,
      LIST(int ndims, const int array_of_sizes[], const int array_of_subsizes[],
           const int array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype),
      LIST(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype))
COUNT(int, MPI_Type_dup, LIST(MPI_Datatype oldtype, MPI_Datatype *newtype), LIST(oldtype, newtype))
COUNT(int, MPI_Type_free, LIST(MPI_Datatype *datatype), LIST(datatype))
COUNT(int, MPI_Type_size, LIST(MPI_Datatype datatype, int *size), LIST(datatype, size))
COUNT(int, MPI_Type_size_x, LIST(MPI_Datatype datatype, MPI_Count *size), LIST(datatype, size))
COUNT(int, MPI_Type_get_extent, LIST(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent),
      LIST(datatype, lb, extent))
COUNT(int, MPI_Type_get_true_extent,
      LIST(MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent),
      LIST(datatype, true_lb, true_extent))
COUNT(int, MPI_Type_match_size, LIST(int typeclass, int size, MPI_Datatype *datatype),
      LIST(typeclass, size, datatype))
COUNT(int, MPI_Pack,
      LIST(const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize,
           int *position, MPI_Comm comm),
      LIST(inbuf, incount, datatype, outbuf, outsize, position, comm))
COUNT(int, MPI_Pack_size, LIST(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size),
      LIST(incount, datatype, comm, size))
COUNT(int, MPI_Unpack,
      LIST(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
           MPI_Datatype datatype, MPI_Comm comm),
      LIST(inbuf, insize, position, outbuf, outcount, datatype, comm))
COUNT(int, MPI_Op_create, LIST(MPI_User_function *user_fn, int commute, MPI_Op *op),
      LIST(user_fn, commute, op))
COUNT(int, MPI_Op_free, LIST(MPI_Op *op), LIST(op))
COUNT(int, MPI_Info_create, LIST(MPI_Info *info), LIST(info))
COUNT(int, MPI_Info_set, LIST(MPI_Info info, const char *key, const char *value),
      LIST(info, key, value))
COUNT(int, MPI_Info_free, LIST(MPI_Info *info), LIST(info))
COUNT(int, MPI_Win_allocate,
      LIST(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
      LIST(size, disp_unit, info, comm, baseptr, win))
COUNT(int, MPI_Win_get_group, LIST(MPI_Win win, MPI_Group *group), LIST(win, group))
COUNT(int, MPI_Win_create,
      LIST(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
      LIST(base, size, disp_unit, info, comm, win))
COUNT(int, MPI_Win_free, LIST(MPI_Win *win), LIST(win))
COUNT(int, MPI_Win_fence, LIST(int assert, MPI_Win win), LIST(assert, win))
COUNT(int, MPI_Win_lock, LIST(int lock_type, int rank, int assert, MPI_Win win),
      LIST(lock_type, rank, assert, win))
COUNT(int, MPI_Win_unlock, LIST(int rank, MPI_Win win), LIST(rank, win))
COUNT(int, MPI_Win_lock_all, LIST(int assert, MPI_Win win), LIST(assert, win))
COUNT(int, MPI_Win_unlock_all, LIST(MPI_Win win), LIST(win))
COUNT(int, MPI_Win_flush, LIST(int rank, MPI_Win win), LIST(rank, win))
COUNT(int, MPI_Win_flush_all, LIST(MPI_Win win), LIST(win))
COUNT(int, MPI_Win_post, LIST(MPI_Group group, int assert, MPI_Win win), LIST(group, assert, win))
COUNT(int, MPI_Win_start, LIST(MPI_Group group, int assert, MPI_Win win), LIST(group, assert, win))
COUNT(int, MPI_Win_complete, LIST(MPI_Win win), LIST(win))
COUNT(int, MPI_Win_wait, LIST(MPI_Win win), LIST(win))
COUNT(int, MPI_Alloc_mem, LIST(MPI_Aint size, MPI_Info info, void *baseptr),
      LIST(size, info, baseptr))
COUNT(int, MPI_Free_mem, LIST(void *base), LIST(base))
COUNT(int, MPI_File_open,
      LIST(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh),
      LIST(comm, filename, amode, info, fh))
COUNT(int, MPI_File_close, LIST(MPI_File *fh), LIST(fh))
COUNT(int, MPI_File_delete, LIST(const char *filename, MPI_Info info), LIST(filename, info))
COUNT(int, MPI_File_sync, LIST(MPI_File fh), LIST(fh))
COUNT(int, MPI_File_seek, LIST(MPI_File fh, MPI_Offset offset, int whence),
      LIST(fh, offset, whence))
COUNT(int, MPI_File_seek_shared, LIST(MPI_File fh, MPI_Offset offset, int whence),
      LIST(fh, offset, whence))
COUNT(int, MPI_File_get_size, LIST(MPI_File fh, MPI_Offset *size), LIST(fh, size))
COUNT(int, MPI_File_set_size, LIST(MPI_File fh, MPI_Offset size), LIST(fh, size))
COUNT(int, MPI_File_set_view,
      LIST(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
           const char *datarep, MPI_Info info),
      LIST(fh, disp, etype, filetype, datarep, info))
COUNT(int, MPI_File_get_position, LIST(MPI_File fh, MPI_Offset *offset), LIST(fh, offset))
COUNT(int, MPI_File_set_atomicity, LIST(MPI_File fh, int flag), LIST(fh, flag))
COUNT(int, MPI_File_preallocate, LIST(MPI_File fh, MPI_Offset size), LIST(fh, size))
#if MPI_VERSION >= 4
COUNT(int, MPI_Pready, LIST(int partition, MPI_Request request), LIST(partition, request))
COUNT(int, MPI_Parrived, LIST(MPI_Request request, int partition, int *flag),
      LIST(request, partition, flag))
COUNT(int, MPI_Get_count_c, LIST(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count),
      LIST(status, datatype, count))
#endif

COUNT(int, MPI_Init, LIST(int *argc, char ***argv), LIST(argc, argv))
COUNT(int, MPI_Init_thread, LIST(int *argc, char ***argv, int required, int *provided),
      LIST(argc, argv, required, provided))

int MPI_Pcontrol(const int level, ...)
{
    FUNCTION(MPI_Pcontrol);
    (void)level;
    counter_call(self, 0);
    return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
    FUNCTION(MPI_Finalize);
    counter_call(self, 0);
    counter_write();
    return NEXT(MPI_Finalize)();
}
