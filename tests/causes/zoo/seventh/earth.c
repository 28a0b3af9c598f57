/* Zoo: an earth system model and its tools (../zoo.h, score.py).
 *
 * zoo: alternate_models in_turn rank any at step_ocean|step_air|send_fluxes|send_heat two_programs
 * The air waits for the sea's temperature of this step and the ocean for the air's fluxes of this
 * step, so one of the two models works at a time; the twin's models work with the fields of the
 * step before, side by side. Both have as much work: with two ranks the run takes half the time.
 *
 * zoo: steering blocked rank 0 at look_for_commands|steering
 * Rank 0 looks after each of 50 steps whether somebody has sent a command, and its socket gives up
 * after 16 ms only, 0.8 s in all, while the others wait; the twin's does not wait.
 *
 * zoo: forked_snapshot kernel rank last at update_tracers
 * A child of the last rank holds a snapshot in each of 12 steps, so each page of 96 MiB that the
 * rank writes then is copied by the kernel, 24576 faults of 1 to 4 us each in a step: 0.3 to 1.2 s
 * of one rank while the others wait; the twin takes no snapshot but the last.
 *
 * zoo: own_tables start-up rank any at fill_table
 * Each rank works out the whole table of optical depths before MPI_Init, about 0.8 s; the twin's
 * ranks work out 1/size of it after MPI_Init and share it.
 */
#include "zoo.h"
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CELLS = 4096, STEPS = 50, PASSES = 1400, TABLE = 8192 };

static double air[CELLS], sea[CELLS], table[TABLE];

/* So many passes over a row of cells, about 20 us each. */
__attribute__((always_inline)) static inline void diffuse(double *field, int passes)
{
    for (int pass = 0; pass < passes; pass++)
        for (int at = 1; at < CELLS - 1; at++)
            field[at] += 0.1 * (field[at - 1] - 2 * field[at] + field[at + 1]);
}

PLACE step_ocean(int passes)
{
    diffuse(sea, passes);
}

PLACE step_air(int passes)
{
    diffuse(air, passes);
}

/* Rank 0 of the ocean, which is the last rank by itself, tells all of the air. */
PLACE send_heat(MPI_Comm models, bool is_ocean)
{
    MPI_Bcast(sea, 512, MPI_DOUBLE, is_ocean ? MPI_ROOT : 0, models);
}

PLACE send_fluxes(MPI_Comm models, bool is_ocean)
{
    static double fluxes[64];
    MPI_Reduce(air, fluxes, 64, MPI_DOUBLE, MPI_SUM, is_ocean ? MPI_ROOT : 0, models);
    sea[1] += is_ocean ? 1e-9 * fluxes[1] : 0;
}

static void alternate_models(void)
{
    const bool is_ocean = rank == size - 1;
    MPI_Comm model, models;
    MPI_Comm_split(MPI_COMM_WORLD, is_ocean, rank, &model);
    MPI_Intercomm_create(model, 0, MPI_COMM_WORLD, is_ocean ? 0 : size - 1, 5, &models);
    for (int step = 0; step < STEPS; step++) {
        if (!is_ocean)
            step_air(PASSES / 2 / (size - 1));
        if (!mended)
            send_fluxes(models, is_ocean);
        if (is_ocean)
            step_ocean(PASSES / 2);
        if (mended)
            send_fluxes(models, is_ocean);
        send_heat(models, is_ocean);
    }
    MPI_Comm_free(&models);
    MPI_Comm_free(&model);
}

PLACE look_for_commands(int from)
{
    char command[64];
    if (recv(from, command, sizeof command, mended ? MSG_DONTWAIT : 0) > 0)
        fprintf(stderr, "commands are not known here\n");
}

static int open_commands(void)
{
    const struct timeval patience = {0, 16000};
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int commands = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (commands < 0 || bind(commands, (const struct sockaddr *)&any, sizeof any) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    setsockopt(commands, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return commands;
}

PLACE steering(void)
{
    const int commands = rank == 0 ? open_commands() : -1;
    for (int step = 0; step < STEPS; step++) {
        step_air(PASSES / size);
        if (rank == 0)
            look_for_commands(commands);
        MPI_Bcast(air, 64, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, sea, 64, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    if (rank == 0)
        close(commands);
}

PLACE update_tracers(double *tracers, size_t count)
{
    for (size_t at = 0; at < count; at += 64)
        tracers[at] = tracers[at] * 0.999 + 1;
}

/* A child that has the memory as it is now, until it is told to end. -> where to tell it */
static int take_snapshot(const double *tracers, pid_t *child)
{
    int ends[2];
    char told;
    if (pipe(ends) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    *child = fork();
    if (*child == 0) {
        close(ends[1]);
        _exit(read(ends[0], &told, 1) == 0 && tracers[0] >= 0 ? 0 : 1);
    }
    close(ends[0]);
    return ends[1];
}

static void forked_snapshot(void)
{
    enum { SNAPSHOTS = 12 };
    const size_t count = rank == size - 1 ? (size_t)12 << 20 : 1 << 16;
    double *tracers =
        mmap(NULL, 8 * count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (tracers == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    update_tracers(tracers, count);
    for (int step = 0; step < SNAPSHOTS; step++) {
        const bool snapshot = rank == size - 1 && (!mended || step == SNAPSHOTS - 1);
        pid_t child = 0;
        const int tell = snapshot ? take_snapshot(tracers, &child) : -1;
        step_air(PASSES * 4 / size);
        update_tracers(tracers, count);
        if (snapshot) {
            close(tell);
            waitpid(child, NULL, 0);
        }
        sum_of_all(tracers[0]);
    }
    munmap(tracers, 8 * count);
}

/* Optical depths by a sum over lines of absorption. */
PLACE fill_table(int first, int end)
{
    for (int at = first; at < end; at++) {
        double depth = 0;
        for (int line = 0; line < 75000; line++) {
            const double far = at - line * 0.09;
            depth += 1 / (1 + far * far);
        }
        table[at] = depth;
    }
}

static void own_tables(void)
{
    if (mended) {
        const int part = TABLE / size;
        fill_table(rank * part, (rank + 1) * part);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, table, part, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    for (int step = 0; step < STEPS / 2; step++) {
        air[step] += 1e-9 * table[step];
        step_air(PASSES / size);
        sum_of_all(air[step]);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"alternate_models", alternate_models},
                                            {"steering", steering},
                                            {"forked_snapshot", forked_snapshot},
                                            {"own_tables", own_tables},
                                            {NULL, NULL}};
    for (int at = 0; at < CELLS; at++)
        air[at] = sea[at] = at % 50;
    if (count > 2 && strcmp(words[1], "own_tables") == 0 && strcmp(words[2], "mended") != 0)
        fill_table(0, TABLE);
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
