/* Zoo: tasks that are dealt out, stages, and what ranks and children share (../zoo.h, score.py).
 * The twins: tasks are dealt out one by one, stages work side by side, nothing blocks.
 *
 * zoo: long_tasks uneven rank last at follow_photon
 * zoo: stages in_turn rank any at process_item|stages pipeline
 * zoo: lock_file blocked rank any at take_lock|lock_file
 * zoo: full_pipe blocked rank 0 at send_picture|full_pipe
 */
#include "zoo.h"
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 40, STEP_US = 20000, PICTURE = 64 << 10 };

static void pause_us(long us)
{
    const struct timespec span = {0, us * 1000};
    nanosleep(&span, NULL);
}

/* The later a photon starts, the farther it goes. */
PLACE follow_photon(int number, int photons)
{
    compute_us(20L + 300L * number / photons * number / photons);
}

/* Each rank has a block of the photons, the last one the longest; the twin's are dealt out. */
static void long_tasks(void)
{
    enum { PHOTONS = 400 };
    for (int batch = 0; batch < 30; batch++) {
        for (int i = 0; i < PHOTONS / size; i++)
            follow_photon(mended ? i * size + rank : rank * (PHOTONS / size) + i, PHOTONS);
        sum_of_all(1);
    }
}

PLACE process_item(double *item)
{
    compute_us(30000 / size);
    item[0] += 1;
}

/* An item enters when the one before it has left the last stage; the twin's follow at once. */
PLACE stages(void)
{
    static double item[100];
    const int last = size - 1;
    for (int number = 0; number < STEPS; number++) {
        if (rank > 0)
            MPI_Recv(item, 100, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        process_item(item);
        if (rank < last)
            MPI_Send(item, 100, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
        if (mended || size == 1)
            continue;
        if (rank == last)
            MPI_Send(item, 100, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Recv(item, 100, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The file is there while a rank updates the catalogue. Who comes too late tries again in 20 ms. */
PLACE take_lock(const char *path)
{
    int file;
    while ((file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0)
        pause_us(20000);
    close(file);
}

PLACE lock_file(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/catalogue.lock-%d", folder, mended ? rank : 0);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        MPI_Barrier(MPI_COMM_WORLD);
        take_lock(path);
        compute_us(500);
        unlink(path);
        sum_of_all(1);
    }
}

/* The child that shows the pictures is slow: 32 ms each; the twin's is not. */
static void show_pictures(int from)
{
    static char part[PICTURE / 4];
    while (read(from, part, sizeof part) > 0)
        if (!mended)
            pause_us(8000);
    _exit(0);
}

PLACE send_picture(int viewer)
{
    static char picture[PICTURE];
    if (write(viewer, picture, PICTURE) != PICTURE)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

PLACE full_pipe(void)
{
    int ends[2];
    pid_t child = 0;
    if (rank == 0 && (pipe(ends) != 0 || (child = fork()) < 0))
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0 && child == 0) {
        close(ends[1]);
        show_pictures(ends[0]);
    }
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US / 2 * 2 / size);
        if (rank == 0)
            send_picture(ends[1]);
        sum_of_all(1);
    }
    if (rank == 0) {
        close(ends[0]);
        close(ends[1]);
        waitpid(child, NULL, 0);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"long_tasks", long_tasks},
                                            {"stages", stages},
                                            {"lock_file", lock_file},
                                            {"full_pipe", full_pipe},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
