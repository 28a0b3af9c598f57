/* Another tool that wraps MPI, as mpiP, Darshan or a site's own do. It counts calls and says at the
 * end how many it saw. So the run without mprof tells how many it must see.
 *
 *   TOOL          its name
 *   GOES_BY_NEXT  it passes calls on to the next MPI_X (RTLD_NEXT) instead of to PMPI_X
 *   GOES_BY_HAND  it looks PMPI_X up in the MPI library itself
 *   ASKS_BY_NAME  it asks MPI for more by MPI_ functions, not by PMPI_ ones
 *   FEW           it wraps MPI_Send and MPI_Finalize alone
 */
#include <dlfcn.h>
#include <stdarg.h>

#include "harmless.h"

#ifndef TOOL
#define TOOL "tool"
#endif

#ifdef ASKS_BY_NAME
#define ASK(name) MPI_##name
#else
#define ASK(name) PMPI_##name
#endif

static inline void *looked_up(const char *name)
{
#ifdef GOES_BY_HAND
    (void)name;
    void *address = dlsym(RTLD_DEFAULT, name);
#else
    void *address = dlsym(RTLD_NEXT, name + 1);
#endif
    REQUIRE(address != NULL);
    return address;
}

#if defined GOES_BY_NEXT || defined GOES_BY_HAND
#define NEXT(name) ((__typeof__(&PMPI_##name))looked_up("PMPI_" #name))
#else
#define NEXT(name) PMPI_##name
#endif

static struct {
    long init, rank, send, recv, isend, wait, allreduce, barrier, pcontrol, argument, is_reported;
} seen;

/* Two functions deep, as tools are. */
static int __attribute__((noinline)) own_size(void)
{
    int size = 0;
    ASK(Comm_size)(MPI_COMM_WORLD, &size);
    return size;
}

static void __attribute__((noinline)) report(void)
{
    long *counts = (long *)&seen;
    enum { COUNTS = sizeof seen / sizeof(long) };
    long sums[COUNTS];
    seen.is_reported = 1;
    int rank = 0;
    ASK(Comm_rank)(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(counts, sums, COUNTS, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return;
    /* In one piece, because MPICH makes stdout unbuffered, and the other rank writes, too. */
    char line[32 * COUNTS] = "";
    for (int i = 0; i < COUNTS; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " %ld", sums[i]);
    printf(TOOL " saw%s\n", line);
    fflush(stdout);
}

/* Where it does not see MPI_Finalize, as with a Fortran program on Open MPI. */
static void __attribute__((destructor)) report_what_is_left(void)
{
    if (seen.is_reported)
        return;
    printf(TOOL " saw %ld %ld %ld %ld\n", seen.send, seen.recv, seen.barrier, seen.allreduce);
    fflush(stdout);
}

#ifndef FEW
int MPI_Init(int *argc, char ***argv)
{
    seen.init++;
    return NEXT(Init)(argc, argv);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    seen.init++;
    return NEXT(Init_thread)(argc, argv, required, provided);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    seen.rank++;
    return NEXT(Comm_rank)(comm, rank);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    seen.recv++;
    return NEXT(Recv)(buffer, count, type, source, tag, comm, status);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    REQUIRE(own_size() > 0);
    seen.isend++;
    return NEXT(Isend)(buffer, count, type, dest, tag, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int result = NEXT(Wait)(request, status);
    seen.wait++;
    return result;
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    PMPI_Barrier(comm);
    int result = NEXT(Allreduce)(in, out, count, type, op, comm);
    seen.allreduce++;
    return result;
}

int MPI_Barrier(MPI_Comm comm)
{
    seen.barrier++;
    return NEXT(Barrier)(comm);
}

int MPI_Pcontrol(const int level, ...)
{
    va_list arguments;
    va_start(arguments, level);
    if (level == 7)
        seen.argument += va_arg(arguments, int);
    va_end(arguments);
    seen.pcontrol++;
    return NEXT(Pcontrol)(level);
}
#endif

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    REQUIRE(own_size() > 0);
    seen.send++;
    int result = NEXT(Send)(buffer, count, type, dest, tag, comm);
    REQUIRE(own_size() > 0);
    return result;
}

int MPI_Finalize(void)
{
    report();
    return NEXT(Finalize)();
}
