/* What a run is called: by its program, of an interpreter by its script, and by the batch system's
 * job.
 *
 * Any thread; allocates nothing. */
#ifndef MPROF_RUN_NAME_H
#define MPROF_RUN_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Without folders. */
void run_name(char *name, size_t capacity);

/* The script, or the module, in `words`: what an interpreter was started with, its own name first,
 * a NUL behind each, as in /proc/self/cmdline. Without folders. NULL: there is none, or the program
 * `name` is no interpreter of scripts. For the tests. */
const char *run_name_script(const char *name, const char *words, size_t bytes);

/* "4711"; "3_1" for task 1 of Slurm's job array 3. False: there is no batch system. */
bool job_name(char *name, size_t capacity);

/* The same with the step of Slurm that started these ranks, "6.0", where its number tells anything.
 * It does not if mpirun started the ranks. Nor does the number 0 if the job is one srun, or a task
 * of an array, which nearly always has one step. */
bool job_step_name(int ranks, char *name, size_t capacity);

#endif
