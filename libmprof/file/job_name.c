/* The job's name (job_name.h), out of the environment. It becomes part of a folder's name. */
#define _GNU_SOURCE
#include "file/job_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL if it cannot be a part of a folder's name. */
static const char *word_of(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value != NULL && *value != '\0' && strchr(value, '/') == NULL ? value : NULL;
}

static bool number_of(const char *variable, unsigned long *number)
{
    const char *value = word_of(variable);
    char *end = NULL;
    if (value == NULL || !isdigit((unsigned char)*value))
        return false;
    *number = strtoul(value, &end, 10);
    return *end == '\0';
}

static bool is_array_task(void)
{
    unsigned long number;
    return word_of("SLURM_JOB_ID") != NULL && number_of("SLURM_ARRAY_JOB_ID", &number) &&
           number_of("SLURM_ARRAY_TASK_ID", &number);
}

bool job_name(char *name, size_t capacity)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID",    "LSB_JOBID",
                                        "FLUX_JOB_ID",  "COBALT_JOBID", "JOB_ID"};
    if (is_array_task()) {
        snprintf(name, capacity, "%s_%s", word_of("SLURM_ARRAY_JOB_ID"),
                 word_of("SLURM_ARRAY_TASK_ID"));
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (word_of(names[i]) != NULL) {
            snprintf(name, capacity, "%s", word_of(names[i]));
            return true;
        }
    return false;
}

/* mpirun starts its helpers as a step, too. So the variables may be of a step that is not the
 * program's: it has as many tasks as there are helpers. */
static bool is_step_of(int ranks, unsigned long *step)
{
    const unsigned long first_special = 0xfffffff0ul; /* the batch script, an interactive shell */
    unsigned long tasks;
    return word_of("SLURM_JOB_ID") != NULL && number_of("SLURM_STEP_ID", step) &&
           *step < first_special && number_of("SLURM_STEP_NUM_TASKS", &tasks) &&
           tasks == (unsigned long)ranks;
}

/* sbatch says so to its script, and srun hands it on. */
static bool is_batch_script(void)
{
    const char *kind = secure_getenv("ENVIRONMENT");
    return kind != NULL && strcmp(kind, "BATCH") == 0;
}

bool job_step_name(int ranks, char *name, size_t capacity)
{
    unsigned long step;
    if (!job_name(name, capacity))
        return false;
    const size_t length = strlen(name);
    if (is_step_of(ranks, &step) && (step > 0 || (is_batch_script() && !is_array_task())))
        snprintf(name + length, capacity - length, ".%lu", step);
    return true;
}
