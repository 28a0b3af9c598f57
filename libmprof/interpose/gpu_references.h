/* Objects that are linked with a GPU's driver (gpu_driver.h): HIP's programs, and those of CUDA's
 * driver interface. Their references to its functions are redirected to the wrappers, as those of
 * an MPI's Fortran library are. */
#ifndef MPROF_GPU_REFERENCES_H
#define MPROF_GPU_REFERENCES_H

/* When libraries have appeared; by the thread that looks around (loader.h). */
void gpu_redirect_references(void);

#endif
