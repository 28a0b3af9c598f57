/* The tree of ranks (rank_tree.h).
 *
 * A rank is known to have died when its process is gone on this node (roster.h), or when the MPI
 * refuses to look for its messages, as one does that tolerates faults. Nothing is sent to it.
 *
 * No operation is started that may never end, as far as that is possible. A receive is started only
 * for a message that has arrived, or for an answer. A message to a dead rank without a connection
 * (Open MPI over TCP) stays pending. That is harmless: MPICH's MPI_Finalize waits for pending
 * messages and Open MPI's does not, but only Open MPI's launcher lets the other ranks run on when a
 * rank has died (mpirun --enable-recovery). MPICH's launcher ends them all. */
#include "mpi/rank_tree.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/warn.h"
#include "mpi/roster.h"

/* Longer than any file system takes to make the profile's folder. */
enum { INIT_PATIENCE_S = 300 };

enum { LOOK_EVERY_NS = 100000000, QUICK_POLLS = 1000 };

struct rank_tree rank_tree;

static bool is_sending[SERVICE_LINKS];
static bool is_missing[SERVICE_LINKS]; /* that rank is not there */

static struct {
    uint64_t next_look_ns;
    int rank; /* one that has died, also without a link; -1 = none */
    bool is_lost[SERVICE_LINKS];
} deaths = {.rank = -1};

static int first_link(void)
{
    return rank_tree.parent >= 0 ? LINK_PARENT : LINK_CHILD;
}

static int rank_on(int link)
{
    return roster_rank(link == LINK_PARENT ? rank_tree.parent : tree_child(link - LINK_CHILD));
}

/* Nobody talks to a rank that is not there, though the roster guesses that it is. */
static bool open_link_to(int link)
{
    is_missing[link] = roster_is_guess() && !roster_is_there(rank_on(link));
    return is_missing[link] ||
           mpi_services->open_link(link, roster_rank(rank_tree.number), rank_on(link));
}

/* The child with the largest subtree comes first. */
static void open_links(void)
{
    if (rank_tree.parent >= 0 && !open_link_to(LINK_PARENT))
        return;
    for (int i = rank_tree.children - 1; i >= 0; i--)
        if (!open_link_to(LINK_CHILD + i))
            return;
    rank_tree.is_open = true;
}

void tree_open(int number, int count)
{
    memset(&deaths, 0, sizeof deaths);
    deaths.rank = -1;
    memset(is_missing, 0, sizeof is_missing);
    rank_tree = (struct rank_tree){
        .number = number, .count = count, .parent = number == 0 ? -1 : number & (number - 1)};
    const int lowest = number == 0 ? count : number & -number;
    while ((int64_t)1 << rank_tree.children < lowest &&
           number + ((int64_t)1 << rank_tree.children) < count)
        rank_tree.children++;
    open_links();
}

void tree_close(void)
{
    if (!rank_tree.is_open)
        return;
    for (int link = first_link(); link < LINK_CHILD + rank_tree.children; link++)
        if (!is_missing[link])
            mpi_services->close_link(link);
    rank_tree.is_open = false;
}

uint64_t tree_deadline_ns(uint64_t patience_s)
{
    return clock_monotonic_ns() + patience_s * 1000000000u;
}

void tree_wait_a_little(uint64_t polls)
{
    if (polls < 100)
        return;
    if (polls < QUICK_POLLS)
        sched_yield();
    else
        usleep(200);
}

static void look_for_dead(void)
{
    const uint64_t now_ns = clock_monotonic_ns();
    const bool is_first = deaths.next_look_ns == 0;
    if (now_ns < deaths.next_look_ns)
        return;
    deaths.next_look_ns = now_ns + LOOK_EVERY_NS;
    if (is_first || (deaths.rank < 0 && (deaths.rank = roster_find_dead()) < 0))
        return;
    for (int link = first_link(); link < LINK_CHILD + rank_tree.children; link++)
        deaths.is_lost[link] = deaths.is_lost[link] || roster_is_dead(rank_on(link));
}

bool tree_is_lost(int link)
{
    look_for_dead();
    return deaths.is_lost[link];
}

int tree_find_dead(void)
{
    look_for_dead();
    return deaths.rank;
}

bool tree_has_message(int link, enum topic topic)
{
    const enum probe found = mpi_services->probe(link, (int)topic);
    if (found == PROBE_FAILED) {
        deaths.is_lost[link] = true;
        deaths.rank = rank_on(link);
    }
    return found == PROBE_MESSAGE;
}

/* Is it useless to wait for a message about `topic`? A word about arrival, when something else is
 * expected, says that the rank leaves. */
static bool is_in_vain(int link, enum direction direction, enum topic topic)
{
    return tree_is_lost(link) || (direction == FROM_OTHER && topic != TOPIC_ARRIVAL &&
                                  tree_has_message(link, TOPIC_ARRIVAL));
}

static bool finish(int link, enum direction direction, enum topic topic, uint64_t deadline_ns)
{
    for (uint64_t polls = 0;; polls++) {
        const enum step step = mpi_services->poll(link, direction);
        if (step != STEP_PENDING)
            return step == STEP_ENDED;
        if (clock_monotonic_ns() >= deadline_ns ||
            (polls >= QUICK_POLLS && is_in_vain(link, direction, topic)))
            return false;
        tree_wait_a_little(polls);
    }
}

bool tree_start_send(int link, enum topic topic, const void *data, int bytes)
{
    if (is_sending[link] || deaths.is_lost[link])
        return false;
    is_sending[link] = mpi_services->start_send(link, (int)topic, data, bytes);
    return is_sending[link];
}

bool tree_finish_send(int link, uint64_t deadline_ns)
{
    if (!is_sending[link] || !finish(link, TO_OTHER, TOPIC_ARRIVAL, deadline_ns))
        return false;
    is_sending[link] = false;
    return true;
}

bool tree_send(int link, enum topic topic, const void *data, int bytes, uint64_t deadline_ns)
{
    return tree_start_send(link, topic, data, bytes) && tree_finish_send(link, deadline_ns);
}

bool tree_receive(int link, enum topic topic, void *data, int capacity, uint64_t deadline_ns)
{
    return mpi_services->start_receive(link, (int)topic, data, capacity) &&
           finish(link, FROM_OTHER, topic, deadline_ns);
}

/* Up the tree goes whether somebody is missing below, down again whether anybody is missing at all.
 * A rank without a parent, because that is missing, tells those below. */
static enum guess try_guess(void)
{
    static int32_t words[SERVICE_LINKS + 1];
    static int32_t *const verdict = &words[SERVICE_LINKS];
    const uint64_t deadline_ns = tree_deadline_ns(INIT_PATIENCE_S);
    *verdict = GUESS_HOLDS;
    for (int link = LINK_CHILD; link < LINK_CHILD + rank_tree.children; link++) {
        words[link] = GUESS_FAILS;
        if (!is_missing[link] &&
            !tree_receive(link, TOPIC_PRESENCE, &words[link], sizeof words[link], deadline_ns))
            return GUESS_UNKNOWN;
        if (words[link] != GUESS_HOLDS)
            *verdict = GUESS_FAILS;
    }
    if (rank_tree.parent >= 0 && is_missing[LINK_PARENT])
        *verdict = GUESS_FAILS;
    else if (rank_tree.parent >= 0 &&
             (!tree_send(LINK_PARENT, TOPIC_PRESENCE, verdict, sizeof *verdict, deadline_ns) ||
              !tree_receive(LINK_PARENT, TOPIC_PRESENCE, verdict, sizeof *verdict, deadline_ns)))
        return GUESS_UNKNOWN;
    for (int link = LINK_CHILD; link < LINK_CHILD + rank_tree.children; link++)
        if (!is_missing[link])
            tree_start_send(link, TOPIC_PRESENCE, verdict, sizeof *verdict);
    for (int link = LINK_CHILD; link < LINK_CHILD + rank_tree.children; link++)
        if (!is_missing[link] && !tree_finish_send(link, deadline_ns))
            return GUESS_UNKNOWN;
    return (enum guess) * verdict;
}

/* Links on which something is pending are left alone. */
static void settle_guess(void)
{
    const enum guess guess = rank_tree.is_open ? try_guess() : GUESS_FAILS;
    if (guess == GUESS_FAILS)
        tree_close();
    if (guess == GUESS_UNKNOWN)
        warn("another rank did not answer in MPI_Init within %d s; this one has a profile of its "
             "own",
             INIT_PATIENCE_S);
    roster_settle(guess);
    if (guess != GUESS_HOLDS)
        tree_open(roster_own_number(), roster_count());
}

void tree_meet(void)
{
    tree_open(roster_own_number(), roster_count());
    if (roster_is_guess())
        settle_guess();
}

bool tree_broadcast(void *data, int bytes)
{
    if (!rank_tree.is_open) /* some would not take part in it */
        return roster_is_complete() ? mpi_services->broadcast_from_0(data, bytes) : tree_is_first();
    const uint64_t deadline_ns = tree_deadline_ns(INIT_PATIENCE_S);
    if (rank_tree.parent >= 0 &&
        !tree_receive(LINK_PARENT, TOPIC_AGREEMENT, data, bytes, deadline_ns)) {
        warn("rank %d did not answer in MPI_Init within %d s; this rank leaves no profile",
             rank_on(LINK_PARENT), INIT_PATIENCE_S);
        rank_tree.is_open = false;
        return false;
    }
    for (int i = rank_tree.children - 1; i >= 0; i--)
        tree_start_send(LINK_CHILD + i, TOPIC_AGREEMENT, data, bytes);
    for (int i = rank_tree.children - 1; i >= 0; i--)
        tree_finish_send(LINK_CHILD + i, deadline_ns);
    return true;
}
