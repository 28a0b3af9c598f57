/* Zoo: applications that watch themselves (../zoo.h, score.py). The twins: the system is asked once
 * in a step, the input is short, the check passes.
 *
 * zoo: stopwatch kernel rank any at time_cells
 * zoo: early_input start-up rank last
 * zoo: mass_check ended rank last at check_mass ends
 */
#include "zoo.h"
#include <sys/resource.h>

enum { STEPS = 40, STEP_US = 20000 };

/* The CPU time of each cell, by asking the system before and after it. */
PLACE time_cells(int cells)
{
    struct rusage before, after;
    double spent = 0;
    for (int cell = 0; cell < cells; cell++) {
        if (!mended || cell == 0)
            getrusage(RUSAGE_SELF, &before);
        for (int i = 0; i < 20; i++)
            kept = kept * 0.5 + 1;
        if (!mended || cell == cells - 1) {
            getrusage(RUSAGE_SELF, &after);
            spent += (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec);
        }
    }
    kept += spent * 1e-9;
}

static void stopwatch(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        time_cells(30000 / size);
        sum_of_all(1);
    }
}

static int launcher_says(const char *openmpi, const char *mpich)
{
    const char *text = getenv(openmpi) != NULL ? getenv(openmpi) : getenv(mpich);
    return text != NULL ? atoi(text) : 0;
}

/* The last rank parses a long namelist before it joins the others. */
PLACE parse_namelist(void)
{
    for (int line = 0; line < 1000; line++)
        compute_us(1500);
}

static void early_input(void)
{
    for (int step = 0; step < STEPS / 3; step++) {
        compute_us(STEP_US * 2 / size);
        sum_of_all(1);
    }
}

PLACE check_mass(double mass)
{
    if (mass > 1.0 && rank == size - 1 && !mended) {
        fprintf(stderr, "mass is not conserved: %g\n", mass);
        abort();
    }
}

static void mass_check(void)
{
    double mass = 0;
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        sum_of_all(1);
        mass += 0.04;
        check_mass(mass);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"stopwatch", stopwatch},
                                            {"early_input", early_input},
                                            {"mass_check", mass_check},
                                            {NULL, NULL}};
    if (count > 2 && strcmp(words[1], "early_input") == 0 && strcmp(words[2], "planted") == 0 &&
        launcher_says("OMPI_COMM_WORLD_RANK", "PMI_RANK") ==
            launcher_says("OMPI_COMM_WORLD_SIZE", "PMI_SIZE") - 1)
        parse_namelist();
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
