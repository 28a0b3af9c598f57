/* What the launcher of the job says of it, and the notices that the ranks of a job leave with it.
 *
 * The launcher keeps texts by name for the MPI: each rank leaves where it can be reached, and reads
 * what the others have left. All that was left before MPI_Init is there for everybody after it. So
 * a notice that is not there then is not there for anybody. PMIx keeps them (Open MPI from version
 * 4 on, also under srun), and Hydra (MPICH, Intel MPI) by the protocol PMI-1.
 *
 * Called on the thread of MPI_Init, around the MPI's own. */
#ifndef MPROF_LAUNCHER_H
#define MPROF_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One way to leave notices. */
struct notices {
    /* This rank's own, before MPI_Init. False = there is no such way. */
    bool (*leave)(int own_rank, const char *notice);
    /* After it: "" = that rank has left none. */
    void (*read)(int rank, char *notice, size_t capacity);
};
extern const struct notices *pmix_notices; /* set before main(); NULL = there is no such way */

struct launcher {
    uint64_t job; /* only processes of this job on this node have this number */
    int rank;
    int ranks;       /* 0 = not known */
    int local_ranks; /* on this node; 0 = not known */
    const struct notices *notices;
};

/* Of the process: its state and when it began (in ticks since the boot), as its line in /proc has
 * it. False = there is none. */
bool read_process(uint32_t process, char *state, uint64_t *start);
uint64_t process_start(uint32_t process); /* 0 = not known */

uint64_t mix_number(uint64_t hash, uint64_t value);
uint64_t mix_text(uint64_t hash, const char *text);

/* A whole number in the environment. */
bool read_number(const char *variable, int *number);

/* False = it says nothing that is known here. */
bool launcher_ask(struct launcher *launcher);

#endif
