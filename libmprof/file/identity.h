/* Which run is this, which rank, and where does its file go? Agreed on right after MPI_Init by all
 * ranks that have libmprof (mpi/roster.h).
 *
 * The first of them, usually rank 0, chooses the folder and a random run id and tells the others
 * down the tree of ranks, with those of its options that must be the same for all: the only
 * communication that libmprof does before MPI_Finalize.
 */
#ifndef MPROF_IDENTITY_H
#define MPROF_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/own_file.h"

struct identity {
    uint64_t run_id;
    uint64_t session_run_id; /* on the first rank: of files that this job's other ranks may have
                                begun */
    uint32_t world;          /* 0, or the number of a spawned world */
    int rank;
    int ranks;
    int profiled;       /* of them, as far as is known */
    bool is_with_first; /* on the node of the first rank */
    bool is_one_file;   /* the first rank has MPROF_FILES=job, and there is a folder */
    bool has_summary;   /* as the options of the first rank say */
    bool has_baseline;
    char folder[2048]; /* absolute; "" = it could not be made */
    char path[2048 + 64];
    bool claimed; /* `path` is there already, empty, made by us as `mark` */
    struct file_mark mark;
    char command[512]; /* as one could type it, cut off when long */
};

/* By all ranks, each of which knows its `rank` and `ranks`; the tree of ranks is open. Some may
 * have an identity already (identity_alone): that of the first holds. */
void identity_agree(struct identity *identity);

/* For a program that has only sessions. Its rank and the number of ranks are known, but it can ask
 * no other rank. What all ranks must agree on comes from their launcher. With several nodes and no
 * batch system, only MPROF_OUTPUT ensures one folder. */
void identity_alone(struct identity *identity);

/* The TEXT section: command, host and so on. Fills in `command`. */
void identity_write_texts(struct identity *identity);

/* What is known only when MPI_Finalize is entered: the GPUs that are open, and how often the CPU
 * was too hot since MPI_Init. It is added to the same section, which has some room for it. */
void identity_write_late_texts(void);

/* What the summary says, in a few words, for mprof list. On the first rank, which prints it. */
void identity_write_summary(const char *words);

/* In a child of fork() that begins anew (calls/attach.c). */
void identity_forget(void);

/* What a run is called: by its program, of an interpreter by its script, and by the batch system's
 * job.
 *
 * Any thread; allocates nothing.
 */

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
