/* The tree of ranks over which libmprof talks to the others, and its messages, each wait with a
 * limit.
 *
 * The ranks that are there have numbers (roster.h), which are their ranks if all are there. They
 * make a binomial tree: the parent of a rank has its number without the lowest set bit, its child i
 * the number + 2^i. The MPIs' own broadcasts, reductions and barriers go along these edges, so most
 * programs have these connections already. Everything that libmprof asks of other ranks, in
 * MPI_Init and in MPI_Finalize, goes along an edge of it: on 1,000 nodes each further connection
 * costs all of them, and a connection whose handshake has not ended can block the MPI's
 * MPI_Finalize for ever.
 *
 * All of it is called on the thread of MPI_Init and MPI_Finalize. */
#ifndef MPROF_RANK_TREE_H
#define MPROF_RANK_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_services.h"

/* Links of a rank: to its parent, and to its child number i. */
enum { LINK_PARENT = 0, LINK_CHILD = 1 };

/* What a message is about, as MPI's tag: messages of one topic never meet another's. */
enum topic {
    TOPIC_PRESENCE,
    TOPIC_AGREEMENT,
    TOPIC_ARRIVAL,
    TOPIC_BASELINE,
    TOPIC_SUMMARY,
    TOPIC_FILES
};

struct rank_tree {
    bool is_open; /* false: nobody can be asked anything, or somebody did not answer */
    int number;
    int count;  /* of the ranks that are there */
    int parent; /* its number; -1 = this is the first */
    int children;
};

extern struct rank_tree rank_tree;

/* In MPI_Init, by all ranks that are there: makes the links, one after the other down the tree. */
void tree_open(int number, int count);

/* The same with the ranks of the roster, when that is closed. A guess is settled. */
void tree_meet(void);

/* When everything that was sent was received. */
void tree_close(void);

/* The first rank that is there decides for all. */
static inline bool tree_is_first(void)
{
    return rank_tree.parent < 0;
}

static inline int tree_child(int i)
{
    return rank_tree.number + (1 << i);
}

/* From the first to all; in MPI_Init. False = nothing came. */
bool tree_broadcast(void *data, int bytes);

uint64_t tree_deadline_ns(uint64_t patience_s);

/* One poll of many for the same thing. At first it does not wait at all: what takes microseconds is
 * also timed (baseline.c). */
void tree_wait_a_little(uint64_t polls);

bool tree_has_message(int link, enum topic topic);

/* Will nothing more come on this link, because that rank has died? Asked while waiting: it looks
 * only now and then. */
bool tree_is_lost(int link);

/* A rank on this node or on a link that has died; -1 = none is known. In the same way. */
int tree_find_dead(void);

/* `data` must stay as it is until tree_finish_send() says true, or for ever. False = it is not
 * under way: a message before it is still pending on that link, or the MPI refused it. */
bool tree_start_send(int link, enum topic topic, const void *data, int bytes);

/* Each until the deadline; false = the other rank has not done its part. Then the message stays
 * pending, nothing more is sent that way, and its buffer may not be used for anything else. */
bool tree_finish_send(int link, uint64_t deadline_ns);
bool tree_send(int link, enum topic topic, const void *data, int bytes, uint64_t deadline_ns);
bool tree_receive(int link, enum topic topic, void *data, int capacity, uint64_t deadline_ns);

#endif
