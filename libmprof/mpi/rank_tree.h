/* The tree of ranks over which libmprof speaks with the others, and its messages, each wait with a
 * limit.
 *
 * A binomial tree: the parent of a rank is the rank without its lowest set bit, its child number i
 * is rank + 2^i. The MPIs' own broadcasts, reductions and barriers go along these edges, so most
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
enum topic { TOPIC_AGREEMENT, TOPIC_ARRIVAL, TOPIC_BASELINE, TOPIC_SUMMARY, TOPIC_FILES };

struct rank_tree {
    bool is_open; /* false: nobody can be asked anything, or somebody did not answer */
    int rank;
    int parent; /* -1 = this is rank 0 */
    int children;
};

extern struct rank_tree rank_tree;

/* In MPI_Init, by all ranks: makes the links, one after the other down the tree. */
void tree_open(int rank, int ranks);

/* When everything that was sent was received. */
void tree_close(void);

static inline int tree_child(int number)
{
    return rank_tree.rank + (1 << number);
}

/* From rank 0 to all; in MPI_Init. False = nothing came. */
bool tree_broadcast(void *data, int bytes);

uint64_t tree_deadline_ns(uint64_t patience_s);

/* One poll of many for the same thing. At first it does not wait at all: what takes microseconds is
 * timed, too (baseline.c). */
void tree_wait_a_little(uint64_t polls);

static inline bool tree_has_message(int link, enum topic topic)
{
    return mpi_services->is_message_there(link, (int)topic);
}

/* `data` must stay as it is until tree_finish_send() says true, or for ever. False = it is not
 * under way: a message before it is still pending on that link, or the MPI refused it. */
bool tree_start_send(int link, enum topic topic, const void *data, int bytes);

/* Each until the deadline; false = the other rank has not done its part. Then the message stays
 * pending, nothing more is sent that way, and its buffer may not be used for anything else. */
bool tree_finish_send(int link, uint64_t deadline_ns);
bool tree_send(int link, enum topic topic, const void *data, int bytes, uint64_t deadline_ns);
bool tree_receive(int link, enum topic topic, void *data, int capacity, uint64_t deadline_ns);

#endif
