/* The names of program and job (run_name.h). That of a script is the same as in the report
 * (parser/report/program_name.cc). */
#define _GNU_SOURCE
#include "file/run_name.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own_file.h"
#include "base/warn.h"

/* Also with a version: python3.11. */
static bool is_interpreter(const char *name)
{
    static const char *const names[] = {"python", "pypy", "julia", "Rscript", "octave", "perl"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 &&
            name[length + strspn(name + length, "0123456789.")] == '\0')
            return true;
    }
    return false;
}

/* Has this option of an interpreter its value in the next word? */
static bool takes_a_word(const char *word)
{
    static const char *const options[] = {"-W", "-X", "-L", "-I"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (strcmp(word, options[i]) == 0)
            return true;
    return false;
}

const char *run_name_script(const char *name, const char *words, size_t bytes)
{
    if (!is_interpreter(name))
        return NULL;
    const char *module = NULL;
    const char *const end = words + bytes;
    for (const char *word = words + strlen(words) + 1; word < end; word += strlen(word) + 1) {
        if (strcmp(word, "-c") == 0 || strcmp(word, "-e") == 0)
            break;
        if (module == NULL && strcmp(word, "-m") == 0) {
            word += strlen(word) + 1;
            module = word < end ? word : NULL;
            if (module == NULL || strcmp(module, "mpi4py") != 0) /* which runs a script, too */
                break;
        } else if (takes_a_word(word)) {
            word += strlen(word) + 1;
            if (word >= end)
                break;
        } else if (word[0] != '\0' && word[0] != '-') {
            return base_name(word);
        }
    }
    return module;
}

void run_name(char *name, size_t capacity)
{
    char words[4096];
    int program_errno = errno;
    size_t bytes = system_file_read("/proc/self/cmdline", words, sizeof words);
    const char *script = NULL;
    if (bytes > 0)
        script = run_name_script(program_invocation_short_name, words, bytes);
    if (script == NULL || *script == '\0')
        script = program_invocation_short_name;
    snprintf(name, capacity, "%s", script);
    errno = program_errno;
}

/* ---- its job --------------------------------------------------------------------------------- */

/* Out of the environment. It becomes part of a folder's name. */

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
