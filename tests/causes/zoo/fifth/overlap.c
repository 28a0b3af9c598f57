/* Zoo: large messages whose wait follows at once, and pipelines that hold one item at a time
 * (../zoo.h, score.py). The twins: the wait stands behind the work that needs no message; items
 * follow each other.
 *
 * zoo: wait_at_once in_turn rank any at exchange_halo|start_halo|wait_at_once no_overlap
 * zoo: wait_for_each in_turn rank any at hand_over|start_halo|wait_for_each no_overlap
 * zoo: one_item in_turn rank any at pass_item|one_item pipeline
 * zoo: stop_and_go in_turn rank any at pass_item|stop_and_go pipeline
 *
 * Not to be called so: messages whose wait stands behind the work, and a pipeline that is full.
 *
 * zoo: overlapped healthy rank any
 * zoo: full_pipeline healthy rank any
 *
 * Gain: ranks that are long in turn need not wait for each other in each step (a quarter of the
 * run); stages work side by side (half of the run, 2 ranks).
 */
#include "zoo.h"

enum { STEPS = 60, STEP_US = 8000, HALO = 32 << 10, ITEM = 64 };

static double left_halo[HALO], own_halo[HALO];

/* The inner cells need no halo. Which rank has more of them changes from step to step. MPIs move
 * data inside MPI calls, so who overlaps asks now and then. */
PLACE inner_cells(int step, int count, MPI_Request *requests)
{
    enum { SLICE_US = 500 };
    const int slices = ((step + rank) % 2 == 0 ? 3 : 1) * STEP_US / SLICE_US;
    for (int slice = 0; slice < slices; slice++) {
        int done;
        compute_us(SLICE_US);
        if (count > 0)
            MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    }
}

PLACE outer_cells(void)
{
    compute_us(STEP_US / 8);
}

PLACE start_halo(MPI_Request *requests)
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Irecv(left_halo, HALO, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(own_halo, HALO, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]);
}

PLACE exchange_halo(int step, bool overlaps)
{
    MPI_Request requests[2];
    start_halo(requests);
    if (overlaps)
        inner_cells(step, 2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (!overlaps)
        inner_cells(step, 0, NULL);
}

PLACE wait_at_once(void)
{
    for (int step = 0; step < STEPS; step++) {
        exchange_halo(step, mended);
        outer_cells();
    }
}

/* Pieces of the own halo, to and from the next rank in turn; each has its own wait. */
PLACE hand_over(int step, bool overlaps)
{
    enum { PIECES = 2 };
    MPI_Request requests[PIECES][2];
    for (int piece = 0; piece < PIECES; piece++) {
        start_halo(requests[piece]);
        if (overlaps)
            continue;
        MPI_Wait(&requests[piece][0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[piece][1], MPI_STATUS_IGNORE);
    }
    inner_cells(step, overlaps ? 2 * PIECES : 0, requests[0]);
    if (overlaps)
        MPI_Waitall(2 * PIECES, requests[0], MPI_STATUSES_IGNORE);
}

PLACE wait_for_each(void)
{
    for (int step = 0; step < STEPS; step++)
        hand_over(step, mended);
}

static void overlapped(void)
{
    for (int step = 0; step < STEPS; step++) {
        MPI_Request requests[2];
        start_halo(requests);
        compute_us(2L * STEP_US);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        outer_cells();
    }
}

/* Each rank is a stage: it takes an item from the rank before it and hands it on. */
PLACE pass_item(double *item, bool waits_for_next)
{
    if (rank > 0)
        MPI_Recv(item, ITEM, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute_us(2L * STEP_US);
    item[0] += 1;
    if (rank < size - 1)
        MPI_Send(item, ITEM, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    if (waits_for_next && rank < size - 1)
        MPI_Recv(item, 0, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (waits_for_next && rank > 0)
        MPI_Send(item, 0, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD);
}

/* The first rank begins the next item when the last one has the one before it. */
PLACE one_item(void)
{
    static double item[ITEM];
    for (int number = 0; number < STEPS; number++) {
        pass_item(item, false);
        if (mended || size == 1)
            continue;
        if (rank == size - 1)
            MPI_Send(item, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Recv(item, 1, MPI_DOUBLE, size - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Each rank hears from the next one when the item is through all that follow. */
PLACE stop_and_go(void)
{
    static double item[ITEM];
    for (int number = 0; number < STEPS; number++)
        pass_item(item, !mended);
}

static void full_pipeline(void)
{
    static double item[ITEM];
    for (int number = 0; number < 2 * STEPS; number++)
        pass_item(item, false);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"wait_at_once", wait_at_once},
                                            {"wait_for_each", wait_for_each},
                                            {"overlapped", overlapped},
                                            {"one_item", one_item},
                                            {"stop_and_go", stop_and_go},
                                            {"full_pipeline", full_pipeline},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
