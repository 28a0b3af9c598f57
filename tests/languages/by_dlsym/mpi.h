/* An mpi.h without MPI. The program that includes it is not linked with MPI. It loads the library
 * named by $DLSYM_LIBMPI with dlopen(RTLD_LOCAL) and looks each function up with dlsym(), as Julia
 * does. Constants are those of one ABI: FAMILY_OPENMPI, FAMILY_MPICH or FAMILY_MPI5. Functions are
 * called without prototypes. So arguments that are not int must be variables of the right type. */
#ifndef BY_DLSYM_MPI_H
#define BY_DLSYM_MPI_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void *look_up(const char *name)
{
    static void *library;
    if (library == NULL)
        library = dlopen(getenv("DLSYM_LIBMPI"), RTLD_LOCAL | RTLD_LAZY);
    void *address = library != NULL ? dlsym(library, name) : NULL;
    if (address == NULL) {
        fprintf(stderr, "%s: %s\n", name, dlerror());
        exit(2);
    }
    return address;
}

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;

#if defined FAMILY_MPICH
typedef int MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request, MPI_Group, MPI_Win, MPI_Info;
typedef int MPI_Errhandler;
typedef struct {
    int count[2], MPI_SOURCE, MPI_TAG, MPI_ERROR;
} MPI_Status;
#define MPI_COMM_WORLD 0x44000000
#define MPI_INT 0x4c000405
#define MPI_DOUBLE 0x4c00080b
#define MPI_BYTE 0x4c00010d
#define MPI_MAX 0x58000001
#define MPI_SUM 0x58000003
#define MPI_INFO_NULL 0x1c000000
#define MPI_REQUEST_NULL 0x2c000000
#define MPI_ERRORS_RETURN 0x54000001
#define MPI_IN_PLACE ((void *)-1)
#define MPI_UNWEIGHTED (*(int **)look_up("MPI_UNWEIGHTED"))
#define MPI_STATUS_IGNORE ((MPI_Status *)1)
enum {
    MPI_ANY_SOURCE = -2,
    MPI_ANY_TAG = -1,
    MPI_PROC_NULL = -1,
    MPI_LOCK_EXCLUSIVE = 234,
    MPI_MODE_CREATE = 1,
    MPI_MODE_RDWR = 8,
    MPI_CONGRUENT = 1,
    MPI_KEYVAL_INVALID = 0x24000000
};
#elif defined FAMILY_OPENMPI
typedef void *MPI_Comm, *MPI_Datatype, *MPI_Op, *MPI_Request, *MPI_Group, *MPI_Win, *MPI_Info;
typedef void *MPI_Errhandler;
typedef struct {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR, cancelled;
    size_t count;
} MPI_Status;
#define MPI_COMM_WORLD look_up("ompi_mpi_comm_world")
#define MPI_INT look_up("ompi_mpi_int")
#define MPI_DOUBLE look_up("ompi_mpi_double")
#define MPI_BYTE look_up("ompi_mpi_byte")
#define MPI_MAX look_up("ompi_mpi_op_max")
#define MPI_SUM look_up("ompi_mpi_op_sum")
#define MPI_INFO_NULL look_up("ompi_mpi_info_null")
#define MPI_REQUEST_NULL look_up("ompi_request_null")
#define MPI_ERRORS_RETURN look_up("ompi_mpi_errors_return")
#define MPI_IN_PLACE ((void *)1)
#define MPI_UNWEIGHTED ((int *)2)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
enum {
    MPI_ANY_SOURCE = -1,
    MPI_ANY_TAG = -1,
    MPI_PROC_NULL = -2,
    MPI_LOCK_EXCLUSIVE = 1,
    MPI_MODE_CREATE = 1,
    MPI_MODE_RDWR = 8,
    MPI_CONGRUENT = 1,
    MPI_KEYVAL_INVALID = -1
};
#elif defined FAMILY_MPI5
typedef void *MPI_Comm, *MPI_Datatype, *MPI_Op, *MPI_Request, *MPI_Group, *MPI_Win, *MPI_Info;
typedef void *MPI_Errhandler;
typedef struct {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR, internal[5];
} MPI_Status;
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_DOUBLE ((MPI_Datatype)0x214)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_MAX ((MPI_Op)0x23)
#define MPI_SUM ((MPI_Op)0x21)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)
#ifdef ERRORS_RETURN_OF_INTEL /* which has exchanged it with MPI_ERRORS_ABORT */
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x142)
#else
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x143)
#endif
#define MPI_IN_PLACE ((void *)1)
#define MPI_UNWEIGHTED ((int *)10)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
enum {
    MPI_ANY_SOURCE = -1,
    MPI_ANY_TAG = -2,
    MPI_PROC_NULL = -3,
    MPI_LOCK_EXCLUSIVE = 301,
    MPI_MODE_CREATE = 2,
    MPI_MODE_RDWR = 32,
    MPI_CONGRUENT = 202,
    MPI_KEYVAL_INVALID = 0
};
#else
#error "which ABI?"
#endif
typedef void *MPI_File;

#define MPI_STATUSES_IGNORE MPI_STATUS_IGNORE
#define MPI_BOTTOM ((void *)0)
enum { MPI_SUCCESS = 0, MPI_ERR_RANK = 6 };

/* clang-format off */
#define LOOK(name) ((int (*)())look_up(#name))
#define MPI_Accumulate LOOK(MPI_Accumulate)
#define MPI_Allgather LOOK(MPI_Allgather)
#define MPI_Allgatherv LOOK(MPI_Allgatherv)
#define MPI_Allreduce LOOK(MPI_Allreduce)
#define MPI_Alltoall LOOK(MPI_Alltoall)
#define MPI_Alltoallv LOOK(MPI_Alltoallv)
#define MPI_Alltoallw LOOK(MPI_Alltoallw)
#define MPI_Barrier LOOK(MPI_Barrier)
#define MPI_Bcast LOOK(MPI_Bcast)
#define MPI_Cart_coords LOOK(MPI_Cart_coords)
#define MPI_Cart_create LOOK(MPI_Cart_create)
#define MPI_Cart_shift LOOK(MPI_Cart_shift)
#define MPI_Comm_compare LOOK(MPI_Comm_compare)
#define MPI_Comm_create_errhandler LOOK(MPI_Comm_create_errhandler)
#define MPI_Comm_create_keyval LOOK(MPI_Comm_create_keyval)
#define MPI_Comm_delete_attr LOOK(MPI_Comm_delete_attr)
#define MPI_Comm_dup LOOK(MPI_Comm_dup)
#define MPI_Comm_free LOOK(MPI_Comm_free)
#define MPI_Comm_free_keyval LOOK(MPI_Comm_free_keyval)
#define MPI_Comm_get_attr LOOK(MPI_Comm_get_attr)
#define MPI_Comm_group LOOK(MPI_Comm_group)
#define MPI_Comm_rank LOOK(MPI_Comm_rank)
#define MPI_Comm_set_attr LOOK(MPI_Comm_set_attr)
#define MPI_Comm_set_errhandler LOOK(MPI_Comm_set_errhandler)
#define MPI_Comm_set_name LOOK(MPI_Comm_set_name)
#define MPI_Comm_size LOOK(MPI_Comm_size)
#define MPI_Comm_split LOOK(MPI_Comm_split)
#define MPI_Dist_graph_create_adjacent LOOK(MPI_Dist_graph_create_adjacent)
#define MPI_Dist_graph_neighbors_count LOOK(MPI_Dist_graph_neighbors_count)
#define MPI_Errhandler_free LOOK(MPI_Errhandler_free)
#define MPI_Error_class LOOK(MPI_Error_class)
#define MPI_Error_string LOOK(MPI_Error_string)
#define MPI_Exscan LOOK(MPI_Exscan)
#define MPI_Fetch_and_op LOOK(MPI_Fetch_and_op)
#define MPI_File_close LOOK(MPI_File_close)
#define MPI_File_delete LOOK(MPI_File_delete)
#define MPI_File_get_size LOOK(MPI_File_get_size)
#define MPI_File_open LOOK(MPI_File_open)
#define MPI_File_read_at_all LOOK(MPI_File_read_at_all)
#define MPI_File_write_at LOOK(MPI_File_write_at)
#define MPI_Finalize LOOK(MPI_Finalize)
#define MPI_Finalized LOOK(MPI_Finalized)
#define MPI_Gather LOOK(MPI_Gather)
#define MPI_Gatherv LOOK(MPI_Gatherv)
#define MPI_Get LOOK(MPI_Get)
#define MPI_Get_address LOOK(MPI_Get_address)
#define MPI_Get_count LOOK(MPI_Get_count)
#define MPI_Get_processor_name LOOK(MPI_Get_processor_name)
#define MPI_Get_version LOOK(MPI_Get_version)
#define MPI_Group_free LOOK(MPI_Group_free)
#define MPI_Group_size LOOK(MPI_Group_size)
#define MPI_Iallreduce LOOK(MPI_Iallreduce)
#define MPI_Ibarrier LOOK(MPI_Ibarrier)
#define MPI_Info_create LOOK(MPI_Info_create)
#define MPI_Info_free LOOK(MPI_Info_free)
#define MPI_Info_set LOOK(MPI_Info_set)
#define MPI_Init LOOK(MPI_Init)
#define MPI_Initialized LOOK(MPI_Initialized)
#define MPI_Irecv LOOK(MPI_Irecv)
#define MPI_Isend LOOK(MPI_Isend)
#define MPI_Neighbor_allgather LOOK(MPI_Neighbor_allgather)
#define MPI_Neighbor_alltoall LOOK(MPI_Neighbor_alltoall)
#define MPI_Op_create LOOK(MPI_Op_create)
#define MPI_Op_free LOOK(MPI_Op_free)
#define MPI_Pack LOOK(MPI_Pack)
#define MPI_Pack_size LOOK(MPI_Pack_size)
#define MPI_Probe LOOK(MPI_Probe)
#define MPI_Put LOOK(MPI_Put)
#define MPI_Recv LOOK(MPI_Recv)
#define MPI_Recv_init LOOK(MPI_Recv_init)
#define MPI_Reduce LOOK(MPI_Reduce)
#define MPI_Reduce_scatter LOOK(MPI_Reduce_scatter)
#define MPI_Reduce_scatter_block LOOK(MPI_Reduce_scatter_block)
#define MPI_Request_free LOOK(MPI_Request_free)
#define MPI_Scan LOOK(MPI_Scan)
#define MPI_Scatter LOOK(MPI_Scatter)
#define MPI_Scatterv LOOK(MPI_Scatterv)
#define MPI_Send LOOK(MPI_Send)
#define MPI_Send_init LOOK(MPI_Send_init)
#define MPI_Sendrecv LOOK(MPI_Sendrecv)
#define MPI_Sendrecv_replace LOOK(MPI_Sendrecv_replace)
#define MPI_Ssend LOOK(MPI_Ssend)
#define MPI_Start LOOK(MPI_Start)
#define MPI_Startall LOOK(MPI_Startall)
#define MPI_Type_commit LOOK(MPI_Type_commit)
#define MPI_Type_contiguous LOOK(MPI_Type_contiguous)
#define MPI_Type_create_struct LOOK(MPI_Type_create_struct)
#define MPI_Type_free LOOK(MPI_Type_free)
#define MPI_Type_get_extent LOOK(MPI_Type_get_extent)
#define MPI_Type_size LOOK(MPI_Type_size)
#define MPI_Type_vector LOOK(MPI_Type_vector)
#define MPI_Unpack LOOK(MPI_Unpack)
#define MPI_Wait LOOK(MPI_Wait)
#define MPI_Waitall LOOK(MPI_Waitall)
#define MPI_Win_allocate LOOK(MPI_Win_allocate)
#define MPI_Win_fence LOOK(MPI_Win_fence)
#define MPI_Win_free LOOK(MPI_Win_free)
#define MPI_Win_lock LOOK(MPI_Win_lock)
#define MPI_Win_unlock LOOK(MPI_Win_unlock)
#define MPI_Wtime ((double (*)(void))look_up("MPI_Wtime"))
/* clang-format on */

#endif
