/* Zoo: groups of friends in a graph (../zoo.h, score.py).
 *
 * zoo: ticket_lock in_turn rank any at take_lock|weigh_moves
 * Whoever moves people between groups takes a ticket out of a window and waits until it is served,
 * and weighs the moves, 1 to 2 ms, meanwhile: one rank works at a time, 1000/size times each. The
 * twin weighs them before it takes a ticket.
 *
 * zoo: deep_search ended rank last at visit_person ends
 * A search that calls itself comes upon a chain of 400000 friends on the last rank at three
 * quarters of the run, and the stack of 8 MiB is too small: SIGSEGV. The twin keeps its own stack.
 *
 * zoo: level_by_level healthy
 * A search through a random graph, level by level: ranks have the same number of people and of
 * friendships within a hundredth, and each level is exchanged at once.
 */
#include "zoo.h"
#include <sched.h>
#include <sys/resource.h>

enum { PEOPLE = 1 << 17, FRIENDS = 8, CHAIN = 400000 };

static double weights[1024];

/* What modularity would gain by it. */
PLACE weigh_moves(int moves)
{
    double best = 0;
    for (int move = 0; move < moves; move++) {
        double gain = weights[move % 1024];
        for (int neighbour = 0; neighbour < 64; neighbour++)
            gain = gain * 0.98 + weights[(move + neighbour * neighbour) % 1024];
        best = gain > best ? gain : best;
    }
    weights[(int)best % 1024] += 1e-9;
}

enum { NEXT, SERVED };

PLACE take_lock(MPI_Win window)
{
    static const long one = 1, none = 0;
    long ticket, served;
    MPI_Fetch_and_op(&one, &ticket, MPI_LONG, 0, NEXT, MPI_SUM, window);
    MPI_Win_flush(0, window);
    for (;;) {
        MPI_Fetch_and_op(&none, &served, MPI_LONG, 0, SERVED, MPI_NO_OP, window);
        MPI_Win_flush(0, window);
        if (served == ticket)
            return;
        sched_yield();
    }
}

PLACE free_lock(MPI_Win window)
{
    static const long one = 1;
    long before;
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, SERVED, MPI_SUM, window);
    MPI_Win_flush(0, window);
}

static void ticket_lock(void)
{
    enum { MOVES = 20000, TURNS = 1000 };
    long *counters;
    MPI_Win window;
    MPI_Win_allocate(2 * sizeof *counters, sizeof *counters, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &counters, &window);
    counters[NEXT] = counters[SERVED] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (int turn = 0; turn < TURNS / size; turn++) {
        weigh_moves(mended ? MOVES : MOVES / 10);
        take_lock(window);
        if (!mended)
            weigh_moves(MOVES - MOVES / 10);
        weights[turn] += 1e-9;
        free_lock(window);
    }
    MPI_Win_unlock_all(window);
    sum_of_all(weights[0]);
    MPI_Win_free(&window);
}

static int *first_friend; /* of each person: the one after it in its group, or -1 */
static unsigned char *seen;

PLACE visit_person(int person, long *found)
{
    if (person < 0 || seen[person])
        return;
    seen[person] = 1;
    visit_person(first_friend[person], found);
    *found += 1 + person % 3;
}

PLACE visit_in_loop(int person, int *stack, long *found)
{
    long depth = 0;
    for (; person >= 0 && !seen[person]; person = first_friend[person]) {
        seen[person] = 1;
        stack[depth++] = person;
    }
    while (depth > 0)
        *found += 1 + stack[--depth] % 3;
}

/* Chains of 1000, or one of all. */
static void make_friends(bool one_chain)
{
    memset(seen, 0, CHAIN);
    for (int person = 0; person < CHAIN; person++)
        first_friend[person] = person % 1000 < 999 || one_chain ? person + 1 : -1;
    first_friend[CHAIN - 1] = -1;
}

static void deep_search(void)
{
    struct rlimit usual;
    int *stack = malloc(CHAIN * sizeof *stack);
    long found = 0;
    getrlimit(RLIMIT_STACK, &usual);
    usual.rlim_cur = 8 << 20;
    setrlimit(RLIMIT_STACK, &usual);
    first_friend = malloc(CHAIN * sizeof *first_friend);
    seen = malloc(CHAIN);
    for (int step = 0; step < 40; step++) {
        weigh_moves(700000 / size);
        make_friends(rank == size - 1 && step == 30);
        for (int person = 0; person < CHAIN; person++)
            if (!seen[person] && mended)
                visit_in_loop(person, stack, &found);
            else
                visit_person(person, &found);
        sum_of_all((double)found);
    }
    free(first_friend);
    free(seen);
    free(stack);
}

struct level {
    int count[64], *people; /* for each rank: as many as there is room for */
};

/* Who is a friend follows from a hash; how close, from some more of it. */
PLACE look_around(const int *frontier, int count, int room, struct level *next, double *closest)
{
    memset(next->count, 0, sizeof next->count);
    for (int at = 0; at < count; at++)
        for (unsigned long number = 0; number < FRIENDS; number++) {
            unsigned long key = ((unsigned long)frontier[at] << 3 | number) + 1;
            double close = 1;
            for (int term = 0; term < 16; term++) {
                key = (key ^ key >> 29) * 0xbf58476d1ce4e5b9UL;
                close = close * 0.5 + (double)(key >> 40);
            }
            const int person = (int)(key >> 33) % PEOPLE, to = person % size;
            *closest = close > *closest ? close : *closest;
            next->people[to * room + next->count[to]++] = person;
        }
}

/* -> how many are new, all ranks' */
PLACE exchange_level(struct level *next, int room, int *come, int *frontier, int *count)
{
    int from[64], got[64], to[64];
    long mine, all;
    MPI_Alltoall(next->count, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
    for (int other = 0; other < size; other++)
        from[other] = to[other] = other * room;
    MPI_Alltoallv(next->people, next->count, from, MPI_INT, come, got, to, MPI_INT, MPI_COMM_WORLD);
    *count = 0;
    for (int other = 0; other < size; other++)
        for (int at = 0; at < got[other]; at++) {
            const int person = come[other * room + at];
            if (!seen[person])
                frontier[(*count)++] = person;
            seen[person] = 1;
        }
    mine = *count;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    *count = all == 0 ? -1 : *count;
}

static void level_by_level(void)
{
    const int room = PEOPLE * FRIENDS / size;
    struct level next = {.people = malloc((size_t)size * (size_t)room * sizeof(int))};
    int *come = malloc((size_t)size * (size_t)room * sizeof *come);
    int *frontier = malloc(PEOPLE * sizeof *frontier);
    double closest = 0;
    seen = malloc(PEOPLE);
    for (int search = 0; search < 100; search++) {
        int count = search % size == rank;
        frontier[0] = search;
        memset(seen, 0, PEOPLE);
        while (count >= 0) {
            look_around(frontier, count, room, &next, &closest);
            exchange_level(&next, room, come, frontier, &count);
        }
    }
    sum_of_all(closest);
    free(next.people);
    free(come);
    free(frontier);
    free(seen);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"ticket_lock", ticket_lock},
                                            {"deep_search", deep_search},
                                            {"level_by_level", level_by_level},
                                            {NULL, NULL}};
    for (int at = 0; at < 1024; at++)
        weights[at] = 1.0 / (1 + at % 37);
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
