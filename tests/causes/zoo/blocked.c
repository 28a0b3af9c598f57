/* Zoo: ranks that are neither on a CPU nor want one (zoo.h, score.py). In the twin nothing blocks.
 *
 * Where a rank is blocked is seen between calls of MPI: the function that makes them is right, too.
 *
 * zoo: sleeping blocked rank 0 at wait_for_license|sleeping
 * zoo: syncing blocked rank 0 at write_log|syncing
 * zoo: helper blocked rank last at ask_helper|helper
 * zoo: lock blocked rank any at with_lock|lock
 */
#include "zoo.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 50, STEP_US = 20000 };

static void pause_us(long us)
{
    const struct timespec span = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&span, NULL);
}

PLACE wait_for_license(void)
{
    pause_us(20000);
}

PLACE sleeping(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (rank == 0 && !mended)
            wait_for_license();
        sum_of_all(1);
    }
}

PLACE write_log(int file, bool sync)
{
    static char line[4096];
    memset(line, 'x', sizeof line);
    for (int i = 0; i < 8; i++) {
        if (write(file, line, sizeof line) < 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        if (sync)
            fsync(file);
    }
}

PLACE syncing(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/log-%d", folder, rank);
    const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (rank == 0)
            write_log(file, !mended);
        sum_of_all(1);
    }
    close(file);
    unlink(path);
}

/* A child process that answers 15 ms after each question. */
static int start_helper(int ask[2], int answer[2])
{
    if (pipe(ask) != 0 || pipe(answer) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    const int child = fork();
    if (child == 0) {
        char byte;
        close(ask[1]);
        close(answer[0]);
        while (read(ask[0], &byte, 1) == 1) {
            pause_us(15000);
            if (write(answer[1], &byte, 1) != 1)
                break;
        }
        _exit(0);
    }
    close(ask[0]);
    close(answer[1]);
    return child;
}

PLACE ask_helper(int ask, int answer)
{
    char byte = 'q';
    if (write(ask, &byte, 1) != 1 || read(answer, &byte, 1) != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

PLACE helper(void)
{
    int ask[2], answer[2], child = 0;
    const bool asks = rank == size - 1;
    if (asks)
        child = start_helper(ask, answer);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (asks && (!mended || step == 0))
            ask_helper(ask[1], answer[0]);
        sum_of_all(1);
    }
    if (asks) {
        close(ask[1]);
        waitpid(child, NULL, 0);
    }
}

/* One rank at a time may hold the lock of a file, and waits for a disk meanwhile. */
PLACE with_lock(int file)
{
    flock(file, LOCK_EX);
    pause_us(10000);
    flock(file, LOCK_UN);
}

PLACE lock(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/lock", folder);
    const int file = open(path, O_CREAT | O_RDWR, 0600);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        if (!mended)
            with_lock(file);
        sum_of_all(1);
    }
    close(file);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"sleeping", sleeping},
                                            {"syncing", syncing},
                                            {"helper", helper},
                                            {"lock", lock},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
