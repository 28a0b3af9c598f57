/* Zoo: jobs that one rank ends, ranks that come late (../zoo.h, score.py).
 *
 * zoo: late_first start-up rank 0
 * zoo: aborts ended rank last at check_energy ends
 * zoo: exits ended rank 0 at read_namelist ends
 */
#include "zoo.h"

enum { STEPS = 40, STEP_US = 20000 };

static void late_first(void)
{
    for (int step = 0; step < STEPS / 4; step++) {
        compute_us(STEP_US * 2 / size);
        sum_of_all(1);
    }
}

PLACE check_energy(int step)
{
    if (rank == size - 1 && step == STEPS / 2)
        MPI_Abort(MPI_COMM_WORLD, 3);
}

static void aborts(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        check_energy(step);
        sum_of_all(1);
    }
}

PLACE read_namelist(int step)
{
    if (rank == 0 && step == STEPS / 2)
        exit(3);
}

static void exits(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        read_namelist(step);
        sum_of_all(1);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"late_first", late_first}, {"aborts", aborts}, {"exits", exits}, {NULL, NULL}};
    const char *number = getenv("OMPI_COMM_WORLD_RANK");
    if (number == NULL)
        number = getenv("PMI_RANK");
    if (count > 2 && strcmp(words[1], "late_first") == 0 && strcmp(words[2], "planted") == 0 &&
        number != NULL && strcmp(number, "0") == 0)
        compute_us(1500000);
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
