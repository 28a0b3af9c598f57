/* Which node measures with which in a round (measure.h). */
#include "machine/measure.h"

enum { MEET_ALL = 16 };

int link_rounds(int nodes)
{
    int rounds = 0;
    if (nodes <= MEET_ALL)
        return nodes < 2 ? 0 : nodes + nodes % 2 - 1;
    while (1 << rounds < nodes)
        rounds++;
    return rounds;
}

/* A tournament: the last one stays, the others move on by one place in each round. */
static int tournament_partner(int node, int round, int places)
{
    const int turning = places - 1;
    if (node == turning) {
        for (int other = 0; other < turning; other++)
            if (2 * other % turning == round)
                return other;
    }
    const int other = (round - node + turning) % turning;
    return other == node ? turning : other;
}

int link_partner(int node, int round, int nodes)
{
    const int partner = nodes <= MEET_ALL ? tournament_partner(node, round, nodes + nodes % 2)
                                          : node ^ (1 << round);
    return partner < nodes ? partner : -1;
}
