/* Between the program and its GPU's driver: CUDA's libcuda.so.1, HIP's libamdhip64.so.
 *
 * Programs hardly ever link with a driver. CUDA's runtime, shared or static, opens the library,
 * asks dlsym() for cuGetProcAddress() and that for all others, which may have several versions of a
 * name at different addresses. So a wrapper belongs to an address: what the program gets for a
 * function of api/gpu_functions.inc is a stub (gpu_*.S), always the same one for an address, and
 * the stub passes on all arguments as they are. The hook of dlsym() (loader.c) asks here, with
 * what the program would get; so does gpu_redirect_references(), for objects that are linked with a
 * driver.
 *
 * Nothing is exported under a name of a driver: other libraries look for CUDA by weak symbols.
 * Where there is no driver in the process, nothing here runs. From any thread. */
#ifndef MPROF_GPU_DRIVER_H
#define MPROF_GPU_DRIVER_H

#include <stdbool.h>

/* Could it be the name of a driver's function? Asked for each dlsym(), so it is quick. */
static inline bool is_gpu_name(const char *name)
{
    const char *word = name[0] == '_' && name[1] == '_' ? name + 2 : name;
    return (word[0] == 'c' && word[1] == 'u' && word[2] >= 'A' && word[2] <= 'Z') ||
           (word[0] == 'h' && word[1] == 'i' && word[2] == 'p' && word[3] >= 'A' && word[3] <= 'Z');
}

/* What `caller` gets in place of `function`, which is what it would get for this name. NULL: that,
 * because it is no function that is timed, or not of a driver, or asked by one. */
void *gpu_wrapper_of(const char *name, void *function, const void *caller);

/* The same of a function that is known to be a driver's. */
void *gpu_wrapper_for(const char *name, void *function);

/* Is a file of this path the library of a driver? */
bool is_gpu_driver(const char *path);

/* Of a wrapper, the driver's function; else the address itself. */
const void *gpu_without_wrapper(const void *address);

/* ---- objects that are linked with a driver --------------------------------------------------- */

/* Objects that are linked with a GPU's driver: HIP's programs, and those of CUDA's
 * driver interface. Their references to its functions are redirected to the wrappers, as those of
 * an MPI's Fortran library are. */

/* When libraries have appeared; by the thread that looks around (loader.h). */
void gpu_redirect_references(void);

#endif
