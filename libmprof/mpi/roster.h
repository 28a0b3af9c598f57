/* The ranks of this job, before anybody may be asked: what the launcher says, and who has
 * libmprof.
 *
 * What the launcher says about the job, and the notices that the ranks of a job leave with it.
 *
 * The launcher keeps texts by name for the MPI: each rank leaves where it can be reached, and
 * reads what the others have left. All that was left before MPI_Init is there for everybody after
 * it. So a notice that is not there then is not there for anybody. PMIx keeps them (Open MPI from
 * version 4 on, also under srun), and Hydra (MPICH, Intel MPI) by the protocol PMI-1.
 *
 * Called on the thread of MPI_Init, around the MPI's own.
 */
#ifndef MPROF_ROSTER_H
#define MPROF_ROSTER_H

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

uint64_t mix_text(uint64_t hash, const char *text);

/* A whole number in the environment. */
bool read_number(const char *variable, int *number);

/* False = it says nothing that is known here. */
bool launcher_ask(struct launcher *launcher);

/* Which ranks of this job have libmprof? libmprof may talk to those ranks only: a rank without it,
 * or with another version, never answers.
 *
 * MPI_Init is left when all ranks have entered it. So each rank puts down its name before, and
 * reads the names after. A rank that is not there then is there for nobody: a name that comes later
 * does not count, whoever reads it. The names are in memory that the ranks of a node share, and if
 * there are more nodes with the launcher. Where neither exists, all ranks are
 * taken to have libmprof as this one does, except those that MPROF_RANKS leaves out.
 *
 * Each question to the launcher takes time, and a job may have 100,000 ranks. So with a launcher
 * the roster is at first a guess: all that should be there. rank_tree.c asks for the few ranks that
 * this one talks to, and all find out together whether the guess holds. If it does not, all names
 * are read.
 *
 * Called on the thread of MPI_Init and MPI_Finalize.
 */

/* Before the MPI's own MPI_Init. */
void roster_enter(void);

/* Has this node more ranks of the job than CPUs? Unknown: the launcher does not say, or the job has
 * one rank. */
enum roster_room { ROOM_UNKNOWN, ROOM_FOR_EACH, ROOM_LACKS };
enum roster_room roster_room(void);

/* After MPI_Init. From now on it is known who is there, or guessed. */
void roster_close(int rank, int ranks);

/* Asks the launcher for this rank. */
bool roster_is_guess(void);
bool roster_is_there(int rank);

/* What the guess is worth: it holds; it does not, and all names are read; or nobody can say, and
 * this rank is alone. */
enum guess { GUESS_HOLDS, GUESS_FAILS, GUESS_UNKNOWN };
void roster_settle(enum guess guess);

/* Is this rank one that MPROF_RANKS leaves out? Then there is nobody to talk to. */
bool roster_is_left_out(void);

/* The ranks that are there, in order: how many, the number of this one among them, and the rank
 * that has a number. */
bool roster_is_complete(void);
int roster_count(void);
int roster_own_number(void);
int roster_rank(int number);

/* The ranks that are not there, "1-3, 7"; "" = none. Of them those with another version. */
void roster_absent(char *ranges, size_t capacity);
int roster_other_versions(void);

/* Has this rank's process ended? Also false if nothing is known about it. */
bool roster_is_dead(int rank);

/* A rank of this node that has; -1 = none. */
int roster_find_dead(void);

/* This rank has all that it needs of the others: when its process ends, it has not died. */
void roster_leave(void);

/* In a child of fork() that begins anew. */
void roster_forget(void);

#endif
