/* Zoo: grains in a silo that is emptied (../zoo.h, score.py).
 *
 * zoo: moving_heap uneven rank changes at move_grains|move_cells
 * Grains slide in a quarter of the silo's cells, and they cost 20 times as much as others; the
 * slide wanders from the first cell to the last one, while each rank has as many cells all the
 * time. The twin cuts the cells in each step so that all ranks have as much work.
 *
 * zoo: saved_mask kernel rank any at solve_contact
 * What a contact does if its solver fails is said by sigsetjmp(), which is told to save the
 * signals' mask: it asks the kernel for that, once for each of 10 million contacts of all ranks,
 * each of which has 0.1 us or so of arithmetic. The twin's does not save it.
 *
 * zoo: small_contacts healthy
 * Each of 200 contacts at the border is a message of 64 bytes to the next rank; all are begun
 * before the inner grains move, which takes 14 ms with two ranks, and awaited behind that.
 */
#include "zoo.h"
#include <setjmp.h>

enum { CELLS = 24000, SLIDE = CELLS / 4, MANY = 60, FEW = 3 };

static double height[CELLS];

PLACE move_grains(int cell, int passes)
{
    double high = height[cell];
    for (int pass = 0; pass < passes; pass++)
        high = 0.99 * high + 0.01 * (high < 1 ? 1.5 : high);
    height[cell] = high;
}

/* Of those, the ones from first on slide. */
PLACE move_cells(int from, int until, int first)
{
    for (int cell = from; cell < until; cell++)
        move_grains(cell, cell >= first && cell < first + SLIDE ? MANY : FEW);
}

/* The cell before which so much of a step's work lies. */
static int cell_behind(long work, int first)
{
    const long before = (long)first * FEW, within = (long)SLIDE * MANY;
    if (work < before)
        return (int)(work / FEW);
    if (work < before + within)
        return first + (int)((work - before) / MANY);
    return first + SLIDE + (int)((work - before - within) / FEW);
}

static void moving_heap(void)
{
    enum { STEPS = 1600 };
    const long work = (long)SLIDE * MANY + (long)(CELLS - SLIDE) * FEW;
    for (int step = 0; step < STEPS; step++) {
        const int first = (int)((long)step * (CELLS - SLIDE) / (STEPS - 1));
        if (mended)
            move_cells(cell_behind(work * rank / size, first),
                       cell_behind(work * (rank + 1) / size, first), first);
        else
            move_cells(CELLS * rank / size, CELLS * (rank + 1) / size, first);
        sum_of_all(height[first]);
    }
}

static sigjmp_buf failed;

/* Presses two grains together until the forces on both are the same. */
PLACE solve_contact(int contact, double *force)
{
    if (sigsetjmp(failed, !mended) != 0) {
        *force = 0;
        return;
    }
    double gap = 1e-3 * (contact % 89);
    for (int iteration = 0; iteration < 40; iteration++)
        gap = gap - 0.1 * (gap * (1 + gap) - 0.5);
    if (gap > 10)
        siglongjmp(failed, 1);
    *force += gap;
}

static void saved_mask(void)
{
    enum { CONTACTS = 100000, STEPS = 100 };
    for (int step = 0; step < STEPS; step++) {
        for (int contact = 0; contact < CONTACTS / size; contact++)
            solve_contact(contact, &height[contact % CELLS]);
        sum_of_all(height[step]);
    }
}

enum { CONTACTS_OUT = 200, OF_CONTACT = 8 };

PLACE begin_contacts(double (*out)[OF_CONTACT], double (*in)[OF_CONTACT], MPI_Request *requests)
{
    const int before = (rank + size - 1) % size, behind = (rank + 1) % size;
    for (int contact = 0; contact < CONTACTS_OUT; contact++)
        MPI_Irecv(in[contact], OF_CONTACT, MPI_DOUBLE, before, contact, MPI_COMM_WORLD,
                  &requests[contact]);
    for (int contact = 0; contact < CONTACTS_OUT; contact++)
        MPI_Isend(out[contact], OF_CONTACT, MPI_DOUBLE, behind, contact, MPI_COMM_WORLD,
                  &requests[CONTACTS_OUT + contact]);
}

PLACE add_contacts(double (*in)[OF_CONTACT])
{
    for (int contact = 0; contact < CONTACTS_OUT; contact++)
        height[contact] += 1e-6 * in[contact][contact % OF_CONTACT];
}

static void small_contacts(void)
{
    enum { STEPS = 110 };
    static double out[CONTACTS_OUT][OF_CONTACT], in[CONTACTS_OUT][OF_CONTACT];
    MPI_Request requests[2 * CONTACTS_OUT];
    MPI_Status statuses[2 * CONTACTS_OUT];
    for (int step = 0; step < STEPS; step++) {
        begin_contacts(out, in, requests);
        for (int pass = 0; pass < 400; pass++)
            move_cells(0, CELLS / size, CELLS);
        MPI_Waitall(2 * CONTACTS_OUT, requests, statuses);
        add_contacts(in);
        for (int contact = 0; contact < CONTACTS_OUT; contact++)
            out[contact][0] = height[contact];
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"moving_heap", moving_heap},
                                            {"saved_mask", saved_mask},
                                            {"small_contacts", small_contacts},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
