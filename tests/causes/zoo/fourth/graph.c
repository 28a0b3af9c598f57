/* Zoo: codes that walk over graphs (../zoo.h, score.py). The twins: each rank has a walker of its
 * own, tickets are drawn by the thousand.
 *
 * zoo: one_walker in_turn rank any at walk_on|one_walker pipeline
 * zoo: tickets latency rank any at draw_ticket
 * zoo: two_levels healthy
 */
#include "zoo.h"

PLACE walk_on(double *state)
{
    compute_us(8000);
    state[0] += 1;
}

/* A walker goes from rank to rank; who does not have it waits. The twin's ranks have one each. */
PLACE one_walker(void)
{
    enum { STOPS = 140 };
    double state[32] = {0};
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int stop = 0; stop < STOPS; stop++) {
        if (mended) {
            if (stop % size == 0)
                walk_on(state);
            continue;
        }
        if (stop % size != rank)
            continue;
        if (stop > 0)
            MPI_Recv(state, 32, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        walk_on(state);
        if (stop + 1 < STOPS)
            MPI_Send(state, 32, MPI_DOUBLE, right, 5, MPI_COMM_WORLD);
    }
    sum_of_all(state[0]);
}

/* The next free number, from the counter of the first rank. */
PLACE draw_ticket(MPI_Win counter, long many, long *ticket)
{
    MPI_Fetch_and_op(&many, ticket, MPI_LONG, 0, 0, MPI_SUM, counter);
    MPI_Win_flush(0, counter);
}

static void tickets(void)
{
    long *next, ticket = 0;
    MPI_Win counter;
    MPI_Win_allocate(rank == 0 ? sizeof *next : 0, sizeof *next, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &next, &counter);
    if (rank == 0)
        *next = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, counter);
    for (int step = 0; step < 40; step++) {
        compute_us(24000 / size);
        for (int i = 0; i < 60000 / size; i += mended ? 1000 : 1)
            draw_ticket(counter, mended ? 1000 : 1, &ticket);
    }
    MPI_Win_unlock_all(counter);
    sum_of_all(ticket);
    MPI_Win_free(&counter);
}

/* Levels of a search whose sums travel while the next piece is expanded: nothing is to be gained.
 */
static void two_levels(void)
{
    double found = 1, all = 0;
    for (int level = 0; level < 60; level++) {
        MPI_Request sum;
        compute_us(10000 / size);
        MPI_Iallreduce(&found, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &sum);
        compute_us(30000 / size);
        MPI_Wait(&sum, MPI_STATUS_IGNORE);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"one_walker", one_walker}, {"tickets", tickets}, {"two_levels", two_levels}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
