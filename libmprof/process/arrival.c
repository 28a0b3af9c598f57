/* Waiting for the other ranks (arrival.h): tokens up and down a tree.
 *
 * A rank whose children have all arrived tells its parent; rank 0, when it has heard of all, says
 * "go" down the tree. That is done twice: the second time all are known to be waiting, so it takes
 * no time, unless one of them has died meanwhile, whom nobody would hear of any more. A rank that
 * is out of patience says so to its parent and its children, and those who hear of it pass it on
 * and go their way; who comes later finds these tokens waiting. No request is ever pending: a
 * nonblocking barrier would be, when it is given up, and then MPICH's MPI_Finalize does not return.
 * And one that is not given up waits for ever where a launcher lets the others run on when a rank
 * has died (mpirun --enable-recovery of Open MPI). */
#include "arrival.h"

#include <sched.h>
#include <unistd.h>

#include "clock.h"
#include "mpi_services.h"
#include "options.h"

enum { CHILDREN = 16, ROUNDS = 2 };
enum token { LEAVING, ARRIVED, GO };

static struct {
    bool is_open;
    int rank;
    int parent; /* -1 = this is rank 0 */
    int first_child;
    int children;
} tree;

bool arrival_open(const struct identity *identity)
{
    tree.rank = identity->rank;
    tree.parent = tree.rank == 0 ? -1 : (tree.rank - 1) / CHILDREN;
    /* In 64 bits: the last ranks' children would be beyond what an int holds. */
    const int64_t first = (int64_t)tree.rank * CHILDREN + 1;
    const int64_t left = identity->ranks - first;
    tree.children = left < 0 ? 0 : left < CHILDREN ? (int)left : CHILDREN;
    tree.first_child = (int)first;
    tree.is_open = mpi_services->open_tokens();
    return tree.is_open;
}

static void tell_parent(enum token token)
{
    if (tree.parent >= 0)
        mpi_services->send_token(tree.parent, token);
}

/* At first not at all: what takes microseconds is timed, too (baseline.c). */
static void wait_a_little(uint64_t polls)
{
    if (polls < 100)
        return;
    if (polls < 1000)
        sched_yield();
    else
        usleep(200);
}

/* Until rank 0 says go (or on rank 0 all have arrived), somebody leaves, or patience is at an end.
 */
static enum token hear(uint64_t patience_s)
{
    const uint64_t end_ns = clock_monotonic_ns() + patience_s * 1000000000u;
    int arrived = 0;
    bool told = false;
    for (uint64_t polls = 0;; polls++) {
        int rank = 0;
        int token = LEAVING;
        if (mpi_services->receive_token(&rank, &token)) {
            if (token != ARRIVED)
                return (enum token)token;
            arrived++;
            continue;
        }
        if (arrived == tree.children && tree.parent < 0)
            return GO; /* and nobody has left meanwhile: no other token is there */
        if (arrived == tree.children && !told)
            tell_parent(ARRIVED);
        told = told || arrived == tree.children;
        if (clock_monotonic_ns() >= end_ns)
            return LEAVING;
        wait_a_little(polls);
    }
}

static enum token do_round(uint64_t patience_s)
{
    const enum token outcome = hear(patience_s);
    if (outcome == LEAVING)
        tell_parent(LEAVING);
    for (int i = 0; i < tree.children; i++)
        mpi_services->send_token(tree.first_child + i, outcome);
    return outcome;
}

bool arrival_wait(void)
{
    if (!tree.is_open)
        return false;
    if (tree.parent < 0 && tree.children == 0)
        return true;
    uint64_t patience_s = options.patience_s;
    for (int round = 0; round < ROUNDS; round++) {
        if (do_round(patience_s) != GO)
            return false;
        patience_s = options_short_patience_s();
    }
    return true;
}

void arrival_close(void)
{
    mpi_services->close_tokens();
    tree.is_open = false;
}

bool arrival_wait_for_step(bool started)
{
    const uint64_t end_ns = clock_monotonic_ns() + options_short_patience_s() * 1000000000u;
    for (uint64_t polls = 0; started; polls++) {
        if (mpi_services->poll())
            return true;
        if (clock_monotonic_ns() >= end_ns)
            return false;
        wait_a_little(polls);
    }
    return false;
}
