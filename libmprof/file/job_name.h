/* What the batch system calls this job, as users know it.
 *
 * Any thread; allocates nothing. */
#ifndef MPROF_JOB_NAME_H
#define MPROF_JOB_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* "4711"; "3_1" for task 1 of Slurm's job array 3. False: there is no batch system. */
bool job_name(char *name, size_t capacity);

/* The same with the step of Slurm that started these ranks, "6.0", where its number tells anything.
 * It does not if mpirun started the ranks. Nor does the number 0 if the job is one srun, or a task
 * of an array, which nearly always has one step. */
bool job_step_name(int ranks, char *name, size_t capacity);

#endif
