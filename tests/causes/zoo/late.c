/* Zoo: a rank that comes late to MPI_Init, and two causes that hide each other (zoo.h, score.py).
 *
 * zoo: late_init start-up rank last
 * zoo: hide blocked+uneven rank any at read_archive|weigh_cells
 */
#include "zoo.h"
#include <time.h>

enum { STEPS = 40, STEP_US = 15000 };

/* Before MPI_Init a rank cannot know its number but by what its launcher says. */
static int launched_as(void)
{
    const char *names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    for (int i = 0; i < 3; i++)
        if (getenv(names[i]) != NULL)
            return atoi(getenv(names[i]));
    return 0;
}

static int launched_ranks(void)
{
    const char *names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (int i = 0; i < 2; i++)
        if (getenv(names[i]) != NULL)
            return atoi(getenv(names[i]));
    return 1;
}

static void late_init(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US / 3 * 2 / size);
        sum_of_all(1);
    }
}

PLACE read_archive(void)
{
    const struct timespec span = {0, 15000000};
    nanosleep(&span, NULL);
}

PLACE weigh_cells(long us)
{
    compute_us(us);
}

/* The last rank sleeps while rank 0 computes: nobody waits. Without both the run is half as long.
 */
static void hide(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (rank == 0)
            weigh_cells(STEP_US / (mended ? size : 1));
        else if (rank == size - 1 && !mended)
            read_archive();
        else
            weigh_cells(STEP_US / size);
        sum_of_all(1);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"late_init", late_init}, {"hide", hide}, {NULL, NULL}};
    if (count > 2 && strcmp(words[1], "late_init") == 0 && strcmp(words[2], "planted") == 0 &&
        launched_as() == launched_ranks() - 1)
        compute_us(1200000);
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
