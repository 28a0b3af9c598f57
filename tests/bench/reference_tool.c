/* The tools that mprof is measured against. They are ordinary PMPI wrappers that do nothing. With
 * -DREAD_CLOCK they read the clock before and after the call and add up the difference. This is the
 * least that any profiler must do. */
#include <mpi.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <time.h>
#endif

static volatile unsigned long long total_ticks;

static inline unsigned long long read_clock(void)
{
#ifndef READ_CLOCK
    return 0;
#elif defined(__x86_64__)
    return __rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
#endif
}

#ifdef READ_CLOCK
#define WRAP(name, parameters, arguments)        \
    int MPI_##name parameters                    \
    {                                            \
        unsigned long long begin = read_clock(); \
        int result = PMPI_##name arguments;      \
        total_ticks += read_clock() - begin;     \
        return result;                           \
    }
#else
#define WRAP(name, parameters, arguments) \
    int MPI_##name parameters             \
    {                                     \
        return PMPI_##name arguments;     \
    }
#endif

WRAP(Comm_rank, (MPI_Comm comm, int *rank), (comm, rank))
WRAP(Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
     (source, tag, comm, flag, status))
WRAP(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status))
WRAP(Send, (const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm),
     (data, count, type, dest, tag, comm))
WRAP(Allreduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, count, type, op, comm))
WRAP(Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm),
     (data, count, type, root, comm))
WRAP(Irecv,
     (void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
      MPI_Request *request),
     (data, count, type, source, tag, comm, request))
WRAP(Isend,
     (const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (data, count, type, dest, tag, comm, request))
WRAP(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]),
     (count, requests, statuses))
