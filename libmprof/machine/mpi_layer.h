/* The MPI as the measurements see it: no handle, no type of an mpi.h. mpi_layer.c fills one such
 * struct per ABI family.
 *
 * What holds: one thread. All calls are on MPI_COMM_WORLD. The MPI ends the job itself when a call
 * fails, so nothing is returned. A slot is the place of a request: 0 to SLOT_COUNT - 1. */
#ifndef MPROF_MPI_LAYER_H
#define MPROF_MPI_LAYER_H

#include <stdbool.h>
#include <stddef.h>

enum { SLOT_COUNT = 64 };

enum collective {
    COLLECTIVE_BARRIER,
    COLLECTIVE_BCAST,
    COLLECTIVE_REDUCE,
    COLLECTIVE_ALLREDUCE,
    COLLECTIVE_ALLGATHER,
    COLLECTIVE_ALLTOALL,
    COLLECTIVE_COUNT
};

/* A variable of the MPI's tools interface; `about` is its description. */
typedef void take_setting(const char *name, const char *value, const char *about);

struct mpi_layer {
    /* Looks up what is needed; false = the library lacks a function or symbol. */
    bool (*bind)(void *library);
    bool (*begin)(int *rank, int *size); /* MPI_Init */
    void (*end)(void);                   /* MPI_Finalize */
    void (*version)(char *text, size_t capacity);

    void (*send)(const void *data, int bytes, int to);
    void (*receive)(void *data, int bytes, int from);
    void (*start_send)(int slot, const void *data, int bytes, int to);
    void (*start_receive)(int slot, void *data, int bytes, int from);
    void (*start_barrier)(int slot);
    bool (*test)(int slot);
    void (*wait_all)(int count); /* slots 0 to count - 1 */
    void (*progress)(int from);  /* lets the MPI work, and takes no message */

    void (*gather_to_all)(const void *own, int bytes, void *all);
    void (*broadcast)(void *data, int bytes, int root);
    /* `bytes` is what this rank gives; of an alltoall, what it gives to each. */
    void (*collective)(enum collective what, const void *give, void *take, int bytes);
    const char *(*collective_name)(enum collective what);

    void (*each_setting)(take_setting *take);
};

extern const struct mpi_layer layer_openmpi, layer_mpich, layer_mpi5;

/* Waits for a slot without taking the processor from those that measure. */
void wait_quietly(const struct mpi_layer *mpi, int slot);
/* All ranks come here. */
void meet_quietly(const struct mpi_layer *mpi);

#endif
