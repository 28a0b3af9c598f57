/* The executable and the libraries that call paths lead through: from an address of this process to
 * (module, offset), which mean the same in every process.
 *
 * Called by callsites.c when it meets a new path, under its lock. What the loader has changes when
 * the program calls dlopen() or dlclose(): module_of() notices.
 */
#ifndef MPROF_MODULES_H
#define MPROF_MODULES_H

#include <stdbool.h>
#include <stdint.h>

struct place {
    uint32_t module; /* slot in the record; 0 = in no module: offset is the address itself */
    bool is_mpi;     /* belongs to the MPI library: what the program called, not what calls */
    bool is_c_library;
    bool is_loader;  /* the dynamic loader, which runs constructors */
    bool is_storage; /* HDF5 and its relatives: the line that matters is that which calls them */
    bool is_binding; /* leads from a script to C: mpi4py, ctypes */
    uint32_t script; /* slot in the record of the function of a script; 0 = it is compiled code */
    uint64_t offset; /* virtual address as in the module's file; of a script's function as in
                        mprof_callsite */
};

struct place module_of(uintptr_t address);

/* Is the address in the MPI, one of its plugins, or what starts its processes? False where only the
 * loader could tell. */
bool module_runs_mpi(uintptr_t address);

/* How often libraries were loaded into this process, and unloaded from it. An address may mean
 * something else after that. */
struct load_counts {
    uint64_t loads;
    uint64_t unloads;
};
struct load_counts modules_counts(void);

/* The loader was just asked (interpose/loader.c), as the program loads or looks up something. */
void modules_note(struct load_counts counts);

/* When a thread ends, or was left: it may have been in the loader. */
void modules_leave(void);

/* Calls `work` while no library can be unloaded. It must not call a function of this file. */
void modules_hold(void (*work)(void *context), void *context);

/* Around fork(). dl_iterate_phdr() takes a lock of the loader, which stays locked in a child if
 * another thread had it: the child would hang at its first new path, or at the first exception. So
 * no thread of libmprof is in there at a fork(). modules_unlock_in_child() is below. */
void modules_before_fork(void);
void modules_after_fork(void);

/* At fork(): no lock stays locked in the child. */
void modules_unlock_in_child(void);

/* In a child with a record of its own (attach.c). */
void modules_forget(void);

#endif
