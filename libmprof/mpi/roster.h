/* Who of this job has libmprof? Only with those ranks may libmprof speak: one that has none, or
 * another version, never answers.
 *
 * MPI_Init is left when all ranks have entered it. So each rank puts down its name before, and
 * reads the names after. Who is not there then is not there for anybody: a name that comes later
 * does not count, whoever reads. The names are in memory that the ranks of a node share, and if
 * there are more nodes with the launcher (launcher.h). Where neither is to be had, all
 * ranks are taken to have libmprof as this one has, but for those that MPROF_RANKS leaves out.
 *
 * Each question to the launcher takes time, and a job may have 100,000 ranks. So with a launcher
 * the roster is at first a guess: all that should be there. rank_tree.c asks for the few ranks that
 * this one speaks with, and all find out together whether the guess holds. If it does not, all
 * names are read.
 *
 * Called on the thread of MPI_Init and MPI_Finalize. */
#ifndef MPROF_ROSTER_H
#define MPROF_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

/* Before the MPI's own MPI_Init. */
void roster_enter(void);

/* After it. From now on it is known who is there, or guessed. */
void roster_close(int rank, int ranks);

/* Asks the launcher for this rank. */
bool roster_is_guess(void);
bool roster_is_there(int rank);

/* What the guess is worth: it holds; it does not, and all names are read; or nobody can say, and
 * this rank is alone. */
enum guess { GUESS_HOLDS, GUESS_FAILS, GUESS_UNKNOWN };
void roster_settle(enum guess guess);

/* Is this rank one that MPROF_RANKS leaves out? Then there is nobody to speak with. */
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

/* Has this rank's process ended? False also if nothing is known of it. */
bool roster_is_dead(int rank);

/* A rank of this node that has; -1 = none. */
int roster_find_dead(void);

/* This rank has all that it needs of the others: when its process ends, it has not died. */
void roster_leave(void);

/* In a child of fork() that begins anew. */
void roster_forget(void);

#endif
