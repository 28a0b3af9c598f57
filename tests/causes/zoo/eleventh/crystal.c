/* Zoo: frames of X-rays that a crystal has bent (../zoo.h, score.py).
 *
 * zoo: exposure blocked rank last at await_frame|exposure
 * The last rank has the detector. It asks for a frame when it has done all work on the one before,
 * and waits for the 12 ms that the detector takes for one, in each of 65 steps; all others wait for
 * it. The twin asks for the next frame before it works on this one.
 *
 * zoo: whole_frames bandwidth rank any at share_beam
 * Ranks scale their frames by how bright the beam was in all ranks' frames, which the first row of
 * a frame says; all frames go to all ranks for that, 8 MiB of each in each of 200 steps. The twin
 * sends the first rows.
 *
 * zoo: polled_transpose healthy
 * 1 MiB of a frame goes to all ranks, and they work on what they have. After each few rows, 0.2 ms
 * or so, MPI_Test lets the transfer go on; it is done long before the work is.
 */
#include "zoo.h"
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 1024, COLUMNS = 2048 };

static float frame[ROWS][COLUMNS];

static void new_frame(int number)
{
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            frame[row][column] = (float)((row * 31 + column * 17 + number) % 61);
}

/* What is much brighter than around it. -> how many are in the row */
PLACE find_peaks(int row, double *peaks)
{
    for (int column = 8; column < COLUMNS - 8; column++) {
        float around = 0;
        for (int near = column - 8; near <= column + 8; near++)
            around += frame[row][near];
        *peaks += frame[row][column] * 17 > 2 * around;
    }
}

static int to_detector[2], from_detector[2];

static void *expose(void *unused)
{
    static const struct timespec exposure_time = {0, 12000000};
    char word;
    while (read(to_detector[0], &word, 1) == 1 && word == 'f') {
        nanosleep(&exposure_time, NULL);
        if (write(from_detector[1], &word, 1) != 1)
            break;
    }
    return unused;
}

PLACE tell_detector(char word)
{
    if (write(to_detector[1], &word, 1) != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

PLACE await_frame(void)
{
    struct pollfd ready = {.fd = from_detector[0], .events = POLLIN};
    char word;
    if (poll(&ready, 1, -1) != 1 || read(from_detector[0], &word, 1) != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

PLACE exposure(void)
{
    enum { STEPS = 65 };
    const bool has_detector = rank == size - 1;
    double peaks = 0;
    pthread_t thread;
    if (has_detector && (pipe(to_detector) != 0 || pipe(from_detector) != 0 ||
                         pthread_create(&thread, NULL, expose, NULL) != 0))
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (has_detector && mended)
        tell_detector('f');
    for (int step = 0; step < STEPS; step++) {
        if (has_detector && !mended)
            tell_detector('f');
        if (has_detector)
            await_frame();
        if (has_detector && mended && step < STEPS - 1)
            tell_detector('f');
        for (int row = 0; row < 5 * ROWS / 2 / size; row++)
            find_peaks(row % ROWS, &peaks);
        sum_of_all(peaks);
    }
    if (has_detector) {
        tell_detector('q');
        pthread_join(thread, NULL);
    }
}

PLACE share_beam(float *others)
{
    const int count = mended ? COLUMNS : ROWS * COLUMNS;
    MPI_Allgather(frame, count, MPI_FLOAT, others, count, MPI_FLOAT, MPI_COMM_WORLD);
}

static void whole_frames(void)
{
    enum { STEPS = 200 };
    float *others = malloc((size_t)size * sizeof frame);
    double peaks = 0;
    if (others == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(others, 0, (size_t)size * sizeof frame);
    for (int step = 0; step < STEPS; step++) {
        share_beam(others);
        for (int row = 0; row < ROWS / 2 / size; row++)
            find_peaks(row, &peaks);
        frame[0][step] = others[(size_t)(size - 1) * (mended ? COLUMNS : ROWS * COLUMNS)] + 1;
    }
    sum_of_all(peaks);
    free(others);
}

PLACE polled_transpose(void)
{
    enum { STEPS = 110, AT_ONCE = 16, SENT = 1 << 18 };
    static float turned[SENT];
    const int share = SENT / size;
    double peaks = 0;
    for (int step = 0; step < STEPS; step++) {
        int is_done = 0;
        MPI_Request request;
        MPI_Ialltoall(frame, share, MPI_FLOAT, turned, share, MPI_FLOAT, MPI_COMM_WORLD, &request);
        for (int row = 0; row < 2 * ROWS / size; row++) {
            find_peaks(row, &peaks);
            if (row % AT_ONCE == AT_ONCE - 1 && !is_done)
                MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        frame[0][step] = turned[step] + 1;
    }
    sum_of_all(peaks);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"exposure", exposure},
                                            {"whole_frames", whole_frames},
                                            {"polled_transpose", polled_transpose},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    new_frame(1);
    return run_case(count, words, cases);
}
