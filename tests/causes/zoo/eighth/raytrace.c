/* Zoo: pictures of spheres (../zoo.h, score.py).
 *
 * zoo: large_chunks threads rank 0 at trace_rows threads
 * Rows of a picture are dealt out by 80 ("fewer chunks cost less"), and a picture has 96: one
 * thread has 80 of them, another one 16, the rest none. The twin's chunk is one row: with two
 * threads 48 instead of 80.
 *
 * zoo: waiting_tasks threads rank 0 at build_node|waiting_tasks threads
 * The tree over the spheres is built by tasks, but each node waits for its lower half before it
 * begins the upper one, so nothing is ever done side by side; the twin's halves are, and nobody
 * waits before the end of the tree.
 *
 * zoo: shown_frames blocked rank last at show_frame|shown_frames
 * The last rank puts each of 50 frames together and shows it for 16 ms before it goes on, as if
 * somebody looked, 0.8 s in all, while the others wait for the camera's next place; the twin's film
 * is not slowed down.
 */
#include "zoo.h"
#include <omp.h>
#include <time.h>

enum { SPHERES = 96, WIDTH = 160, ROWS = 96, LEAVES = 1 << 17 };

struct sphere {
    float x, y, z, radius;
};

static struct sphere spheres[SPHERES];
static float picture[ROWS * WIDTH];

static void place_spheres(void)
{
    for (int at = 0; at < SPHERES; at++)
        spheres[at] =
            (struct sphere){(float)(at * 37 % 101) * 0.02F - 1, (float)(at * 53 % 97) * 0.02F - 1,
                            2 + (float)at * 0.03F, 0.05F + (float)(at % 7) * 0.01F};
}

/* All rays of a row cost the same: each looks at each sphere. */
__attribute__((always_inline)) static inline void trace_row(int row, float turn)
{
    for (int column = 0; column < WIDTH; column++) {
        const float x = (float)column / WIDTH - 0.5F + turn, y = (float)row / ROWS - 0.5F;
        const float length = 1 / (1 + x * x + y * y);
        float nearest = 100;
        for (int at = 0; at < SPHERES; at++) {
            const struct sphere *ball = &spheres[at];
            const float along = (ball->x * x + ball->y * y + ball->z) * length;
            const float dx = ball->x - along * x, dy = ball->y - along * y, dz = ball->z - along;
            const float miss = dx * dx + dy * dy + dz * dz - ball->radius * ball->radius;
            nearest = miss < 0 && along < nearest ? along : nearest;
        }
        picture[row * WIDTH + column] = nearest;
    }
}

PLACE trace_rows(float turn)
{
    const int chunk = mended ? 1 : 80;
#pragma omp parallel for schedule(dynamic, chunk)
    for (int row = 0; row < ROWS; row++)
        trace_row(row, turn);
}

static void large_chunks(void)
{
    for (int frame = 0; frame < 400; frame++) {
        trace_rows((float)frame * 0.001F);
        sum_of_all(picture[frame % WIDTH]);
    }
}

static unsigned leaves[LEAVES];

/* Those before the middle one in its place are not larger, those behind it not smaller. */
__attribute__((always_inline)) static inline void part_at_middle(unsigned *part, long count)
{
    long low = 0, high = count - 1;
    while (low < high) {
        const unsigned middle = part[(low + high) / 2];
        long i = low, j = high;
        while (i <= j) {
            while (part[i] < middle)
                i++;
            while (part[j] > middle)
                j--;
            if (i <= j) {
                const unsigned swapped = part[i];
                part[i++] = part[j];
                part[j--] = swapped;
            }
        }
        if (count / 2 <= j)
            high = j;
        else if (count / 2 >= i)
            low = i;
        else
            return;
    }
}

PLACE build_node(unsigned *part, long count)
{
    if (count < 256) {
        for (long at = 0; at < count; at++)
            for (int round = 0; round < 24; round++)
                part[at] = part[at] * 1664525 + 1013904223;
        return;
    }
    part_at_middle(part, count);
#pragma omp task if (count > 2048)
    build_node(part, count / 2);
    if (!mended) {
#pragma omp taskwait
    }
    build_node(part + count / 2, count - count / 2);
}

PLACE waiting_tasks(void)
{
    for (unsigned tree = 0; tree < 130; tree++) {
        unsigned seed = tree;
#pragma omp parallel
        {
#pragma omp single
            {
                for (int at = 0; at < LEAVES; at++)
                    leaves[at] = seed = seed * 1664525 + 1013904223;
                build_node(leaves, LEAVES);
            }
        }
        sum_of_all(leaves[tree]);
    }
}

PLACE show_frame(const float *frame)
{
    const struct timespec shown = {0, 16000000};
    kept += frame[0];
    if (!mended)
        nanosleep(&shown, NULL);
}

/* Each rank has as many rows of a frame, and no threads. */
PLACE shown_frames(void)
{
    const int rows = ROWS / size, last = size - 1;
    float *frame = malloc(sizeof picture), turn = 0;
    for (int number = 0; number < 50; number++) {
        MPI_Bcast(&turn, 1, MPI_FLOAT, last, MPI_COMM_WORLD);
        for (int round = 0; round < 6; round++)
            for (int row = 0; row < rows; row++)
                trace_row(rank * rows + row, turn);
        MPI_Gather(picture + (size_t)rank * (size_t)rows * WIDTH, rows * WIDTH, MPI_FLOAT, frame,
                   rows * WIDTH, MPI_FLOAT, last, MPI_COMM_WORLD);
        if (rank == last)
            show_frame(frame);
        turn += 0.001F;
    }
    free(frame);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"large_chunks", large_chunks},
                                            {"waiting_tasks", waiting_tasks},
                                            {"shown_frames", shown_frames},
                                            {NULL, NULL}};
    int provided;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
    place_spheres();
    return run_case(count, words, cases);
}
