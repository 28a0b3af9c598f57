/* The calls of one ABI family (mpi_layer.h). CMake compiles this file for each column of
 * api/abi_facts.txt, with
 *
 *   MPROF_LAYER       the object that this file defines: layer_openmpi, layer_mpich ...
 *   MPROF_ABI_HEADER  the generated header with the family's facts
 *
 * Functions are looked up by their ids, so that their names are in the tables of api/ alone. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prototypes of 700 functions, and functions that dlsym() gives as void *. */
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wint-to-pointer-cast"

#include MPROF_ABI_HEADER
#include "wrap/mpi_types.h"

#include "api/mpi_functions.h"
#include "api/mpi_prototypes.h"
#include "machine/mpi_layer.h"

static void *functions[MPI_FUNCTION_COUNT];
#define PMPI(name) ((type_##name *)functions[FN_##name])

enum { TAG = 7, UNUSED_TAG = 8, NAME_BYTES = 256, ABOUT_BYTES = 1024, VALUE_BYTES = 4096 };
static MPI_Request requests[SLOT_COUNT];
static MPI_Status statuses[SLOT_COUNT];

static bool has_functions(void)
{
    return PMPI(MPI_Init) && PMPI(MPI_Finalize) && PMPI(MPI_Comm_rank) && PMPI(MPI_Comm_size) &&
           PMPI(MPI_Send) && PMPI(MPI_Recv) && PMPI(MPI_Isend) && PMPI(MPI_Irecv) &&
           PMPI(MPI_Ibarrier) && PMPI(MPI_Test) && PMPI(MPI_Waitall) && PMPI(MPI_Iprobe) &&
           PMPI(MPI_Allgather) && PMPI(MPI_Bcast) && PMPI(MPI_Barrier) && PMPI(MPI_Reduce) &&
           PMPI(MPI_Allreduce) && PMPI(MPI_Alltoall);
}

static bool bind_layer(void *library)
{
    for (int i = 0; i < MPI_FUNCTION_COUNT; i++) {
        char name[NAME_BYTES]; /* that no other tool takes the calls */
        snprintf(name, sizeof name, "P%s", mpi_function_name(i));
        functions[i] = dlsym(library, name);
    }
    for (int i = 0; i < ABI_SYMBOL_COUNT; i++)
        if ((abi_symbols[i] = dlsym(library, abi_symbol_names[i])) == NULL)
            return false;
    return has_functions();
}

static bool begin(int *rank, int *size)
{
    return PMPI(MPI_Init)(NULL, NULL) == 0 && PMPI(MPI_Comm_rank)(MPI_COMM_WORLD, rank) == 0 &&
           PMPI(MPI_Comm_size)(MPI_COMM_WORLD, size) == 0;
}

static void end(void)
{
    PMPI(MPI_Finalize)();
}

static void version(char *text, size_t capacity)
{
    enum { MOST = 16384 }; /* of any MPI */
    static char all[MOST];
    int length = 0;
    if (PMPI(MPI_Get_library_version) != NULL)
        PMPI(MPI_Get_library_version)(all, &length);
    snprintf(text, capacity, "%s", all);
}

static void send(const void *data, int bytes, int to)
{
    PMPI(MPI_Send)(data, bytes, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

static void receive(void *data, int bytes, int from)
{
    PMPI(MPI_Recv)(data, bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &statuses[0]);
}

static void start_send(int slot, const void *data, int bytes, int to)
{
    PMPI(MPI_Isend)(data, bytes, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &requests[slot]);
}

static void start_receive(int slot, void *data, int bytes, int from)
{
    PMPI(MPI_Irecv)(data, bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &requests[slot]);
}

static void start_barrier(int slot)
{
    PMPI(MPI_Ibarrier)(MPI_COMM_WORLD, &requests[slot]);
}

static bool test(int slot)
{
    int done = 0;
    PMPI(MPI_Test)(&requests[slot], &done, &statuses[slot]);
    return done != 0;
}

static void wait_all(int count)
{
    PMPI(MPI_Waitall)(count, requests, statuses);
}

static void progress(int from)
{
    int is_there = 0;
    PMPI(MPI_Iprobe)(from, UNUSED_TAG, MPI_COMM_WORLD, &is_there, &statuses[0]);
}

static void gather_to_all(const void *own, int bytes, void *all)
{
    PMPI(MPI_Allgather)(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void broadcast(void *data, int bytes, int root)
{
    PMPI(MPI_Bcast)(data, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
}

static void collective(enum collective what, const void *give, void *take, int bytes)
{
    const int doubles = bytes / (int)sizeof(double);
    switch (what) {
    case COLLECTIVE_BCAST:
        PMPI(MPI_Bcast)(take, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        break;
    case COLLECTIVE_REDUCE:
        PMPI(MPI_Reduce)(give, take, doubles, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        break;
    case COLLECTIVE_ALLREDUCE:
        PMPI(MPI_Allreduce)(give, take, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        break;
    case COLLECTIVE_ALLGATHER:
        gather_to_all(give, bytes, take);
        break;
    case COLLECTIVE_ALLTOALL:
        PMPI(MPI_Alltoall)(give, bytes, MPI_BYTE, take, bytes, MPI_BYTE, MPI_COMM_WORLD);
        break;
    default:
        PMPI(MPI_Barrier)(MPI_COMM_WORLD);
    }
}

static const char *collective_name(enum collective what)
{
    static const int ids[COLLECTIVE_COUNT] = {FN_MPI_Barrier,   FN_MPI_Bcast,     FN_MPI_Reduce,
                                              FN_MPI_Allreduce, FN_MPI_Allgather, FN_MPI_Alltoall};
    return mpi_function_name(ids[what]);
}

/* ---- settings ---- */

/* The word that the MPI has for a number, if it has one. */
static void name_number(MPI_T_enum words, long long number, char *value, size_t capacity)
{
    int count = 0;
    int name_length = 0;
    if (words == NULL || PMPI(MPI_T_enum_get_info) == NULL ||
        PMPI(MPI_T_enum_get_info)(words, &count, NULL, &name_length) != 0)
        return;
    for (int i = 0; i < count; i++) {
        char name[NAME_BYTES];
        int length = sizeof name;
        int item = 0;
        if (PMPI(MPI_T_enum_get_item)(words, i, &item, name, &length) == 0 && item == number)
            snprintf(value, capacity, "%s", name);
    }
}

static bool read_value(int index, MPI_Datatype type, MPI_T_enum words, char value[VALUE_BYTES])
{
    MPI_T_cvar_handle handle;
    int count = 0;
    int size = 0;
    union {
        char text[VALUE_BYTES];
        int32_t narrow;
        int64_t wide;
        double real;
    } read = {.text = ""};
    if (PMPI(MPI_Type_size)(type, &size) != 0 ||
        PMPI(MPI_T_cvar_handle_alloc)(index, NULL, &handle, &count) != 0)
        return false;
    const bool fits = size == 1 ? count < VALUE_BYTES : count == 1 && (size == 4 || size == 8);
    const bool known = fits && PMPI(MPI_T_cvar_read)(handle, &read) == 0;
    PMPI(MPI_T_cvar_handle_free)(&handle);
    const long long number = size == 4 ? read.narrow : (long long)read.wide;
    if (size == 1)
        snprintf(value, VALUE_BYTES, "%s", read.text);
    else if (type == MPI_DOUBLE)
        snprintf(value, VALUE_BYTES, "%g", read.real);
    else {
        snprintf(value, VALUE_BYTES, "%lld", number);
        name_number(words, number, value, VALUE_BYTES);
    }
    return known;
}

static void read_setting(int index, take_setting *take)
{
    char name[NAME_BYTES];
    char about[ABOUT_BYTES];
    static char value[VALUE_BYTES];
    int name_length = sizeof name;
    int about_length = sizeof about;
    int verbosity;
    int bound_to = -1;
    int scope;
    MPI_Datatype type;
    MPI_T_enum words = NULL;
    /* Of a component that was closed again Open MPI says that there is no such variable. */
    if (PMPI(MPI_T_cvar_get_info)(index, name, &name_length, &verbosity, &type, &words, about,
                                  &about_length, &bound_to, &scope) != 0 ||
        bound_to != MPI_T_BIND_NO_OBJECT)
        return;
    if (read_value(index, type, words, value))
        take(name, value, about);
}

static bool has_settings(void)
{
    return PMPI(MPI_T_init_thread) && PMPI(MPI_T_finalize) && PMPI(MPI_T_cvar_get_num) &&
           PMPI(MPI_T_cvar_get_info) && PMPI(MPI_T_cvar_handle_alloc) &&
           PMPI(MPI_T_cvar_handle_free) && PMPI(MPI_T_cvar_read) && PMPI(MPI_Type_size);
}

static void each_setting(take_setting *take)
{
    int provided;
    int count = 0;
    if (!has_settings() || PMPI(MPI_T_init_thread)(MPI_THREAD_SINGLE, &provided) != 0)
        return;
    if (PMPI(MPI_T_cvar_get_num)(&count) == 0)
        for (int i = 0; i < count; i++)
            read_setting(i, take);
    PMPI(MPI_T_finalize)();
}

const struct mpi_layer MPROF_LAYER = {
    .bind = bind_layer,
    .begin = begin,
    .end = end,
    .version = version,
    .send = send,
    .receive = receive,
    .start_send = start_send,
    .start_receive = start_receive,
    .start_barrier = start_barrier,
    .test = test,
    .wait_all = wait_all,
    .progress = progress,
    .gather_to_all = gather_to_all,
    .broadcast = broadcast,
    .collective = collective,
    .collective_name = collective_name,
    .each_setting = each_setting,
};
