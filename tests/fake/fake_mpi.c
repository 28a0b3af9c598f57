/* A fake MPI of one rank in MPICH's ABI. It has what libmprof needs, for machines that have no MPI
 * (another architecture under an emulator). It exports functions as real libraries do: MPI_X is a
 * weak alias of PMPI_X.
 *
 * The results are sums of all arguments. If an argument is lost on its way through a trampoline,
 * the sum changes. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED(result, name, parameters)                                 \
    result P##name parameters;                                             \
    extern __typeof(P##name) name __attribute__((weak, alias("P" #name))); \
    result P##name parameters

enum { SUCCESS = 0, UNDEFINED = -32766, IDENT = 0 };

EXPORTED(int, MPI_Init, (int *argc, char ***argv))
{
    return argc == NULL && argv == NULL ? SUCCESS : SUCCESS;
}
EXPORTED(int, MPI_Finalize, (void))
{
    const char *error = getenv("FAKE_FINALIZE_ERROR");
    return error == NULL ? SUCCESS : atoi(error);
}
EXPORTED(int, MPI_Finalized, (int *flag))
{
    *flag = 0;
    return SUCCESS;
}
EXPORTED(int, MPI_Comm_rank, (int comm, int *rank))
{
    *rank = comm & 0;
    return SUCCESS;
}
EXPORTED(int, MPI_Comm_size, (int comm, int *size))
{
    *size = 1 | (comm & 0);
    return SUCCESS;
}
EXPORTED(int, MPI_Comm_test_inter, (int comm, int *flag))
{
    *flag = comm & 0;
    return SUCCESS;
}
EXPORTED(int, MPI_Comm_group, (int comm, int *group))
{
    *group = comm;
    return SUCCESS;
}
EXPORTED(int, MPI_Group_free, (int *group))
{
    *group = 0x08000000;
    return SUCCESS;
}
EXPORTED(int, MPI_Group_compare, (int a, int b, int *result))
{
    *result = (a | b) & IDENT;
    return SUCCESS;
}
EXPORTED(int, MPI_Topo_test, (int comm, int *status))
{
    *status = comm != 0 ? UNDEFINED : 0;
    return SUCCESS;
}
EXPORTED(int, MPI_Comm_get_parent, (int *parent))
{
    *parent = 0x04000000;
    return SUCCESS;
}
EXPORTED(int, MPI_Comm_get_errhandler, (int comm, int *handler))
{
    *handler = comm & 0;
    return SUCCESS;
}
EXPORTED(int, MPI_Comm_set_errhandler, (int comm, int handler))
{
    return (comm & handler) * 0;
}
EXPORTED(int, MPI_Comm_create_errhandler, (void (*function)(void), int *handler))
{
    *handler = function == NULL;
    return SUCCESS;
}

EXPORTED(int, MPI_Errhandler_free, (int *handler))
{
    *handler = 0x14000000;
    return SUCCESS;
}
EXPORTED(int, MPI_Bcast, (void *data, int count, int type, int root, int comm))
{
    (void)data;
    return (count | type | root | comm) * 0;
}
EXPORTED(int, MPI_Ibarrier, (int comm, int *request))
{
    *request = comm & 0;
    return SUCCESS;
}
EXPORTED(int, MPI_Ireduce,
         (const void *in, void *out, int count, int type, int op, int root, int comm, int *request))
{
    memcpy(out, in, (size_t)count * (type == (int)0x8c000001 ? 16 : 8)); /* MPI_DOUBLE_INT,
                                                                            MPI_DOUBLE */
    *request = (op | root | comm) & 0;
    return SUCCESS;
}
EXPORTED(int, MPI_Test, (int *request, int *flag, void *status))
{
    *flag = 1;
    *request = 0x2c000000;
    return status == NULL ? SUCCESS : SUCCESS;
}
EXPORTED(int, MPI_Type_size, (int type, int *size))
{
    *size = type >> 8 & 0xff;
    return SUCCESS;
}
EXPORTED(int, MPI_Get_library_version, (char *version, int *length))
{
    *length = (int)strlen(strcpy(version, "Fake MPI 1.0"));
    return SUCCESS;
}

/* Nine arguments: on every architecture some are on the stack. The sum goes into the first element
 * received. */
EXPORTED(int, MPI_Neighbor_alltoallw,
         (const void *sendbuf, const int sendcounts[], const long sdispls[], const int sendtypes[],
          void *recvbuf, const int recvcounts[], const long rdispls[], const int recvtypes[],
          int comm))
{
    *(long *)recvbuf = *(const long *)sendbuf + sendcounts[0] + sdispls[0] + sendtypes[0] +
                       recvcounts[0] + rdispls[0] + recvtypes[0] + comm;
    return SUCCESS;
}
EXPORTED(int, MPI_Send, (const void *data, int count, int type, int dest, int tag, int comm))
{
    return data != NULL && count + type + dest + tag + comm != 0 ? SUCCESS : 1;
}
EXPORTED(double, MPI_Wtime, (void))
{
    return 1234.5;
}

/* Variable arguments, some of them floating point. */
EXPORTED(int, MPI_Pcontrol, (const int level, ...))
{
    return level * 0;
}
