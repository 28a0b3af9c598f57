/* Zoo: where the wind takes a volcano's ash (../zoo.h, score.py).
 *
 * zoo: padded_puffs bandwidth rank any at swap_puffs
 * Puffs of ash that leave a rank's part of the sky go to their new ranks. There is room for all
 * puffs, 16 MiB of a rank, and all of the room is sent in each of 100 steps, though one in 64
 * places is taken; the twin says how many there are and sends these.
 *
 * zoo: written_aside healthy
 * A thread of each rank writes 128 KiB of the map into a file in each of 90 steps while the rank
 * lets the ash sink, which takes far longer; the rank finds the thread ready each time.
 *
 * zoo: wind_service blocked+uneven rank any at ask_wind|sink_columns|wind_service
 * The last rank asks a service for the wind over a rank's columns, which takes 30/size ms
 * in each of 50 steps, and it has an eighth of the columns that it would have without; the others
 * have these, so all take as long, and neither alone gains anything. In the twin nobody
 * waits for a service, and all ranks have as many columns.
 */
#include "zoo.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

enum { COLUMNS = 1600, LEVELS = 64 };

static double ash[COLUMNS][LEVELS], wind = 0.1;

PLACE sink_column(double *levels, int passes)
{
    double above = wind;
    for (int pass = 0; pass < passes; pass++)
        for (int level = 0; level < LEVELS; level++) {
            above = 0.9 * levels[level] + 0.1 * above;
            levels[level] = above;
        }
}

PLACE sink_columns(int count, int passes)
{
    for (int column = 0; column < count; column++)
        sink_column(ash[column], passes);
}

enum { PUFFS = 1 << 19, TAKEN = PUFFS / 64 };

struct puff {
    double x, y, mass, age;
};

enum { OF_PUFF = sizeof(struct puff) / sizeof(double) };

PLACE blow_puffs(struct puff *puffs, int count)
{
    for (int pass = 0; pass < 30; pass++)
        for (int number = 0; number < count; number++) {
            struct puff *puff = &puffs[number];
            puff->x += wind * puff->mass;
            puff->y += 0.1 * puff->x / (1 + puff->age);
            puff->mass *= 0.999;
            puff->age += 0.01;
        }
}

/* As many to each rank, first ones of the room for it. */
PLACE swap_puffs(const struct puff *out, struct puff *in, int room, int taken)
{
    if (mended) {
        int *counts = malloc(4 * (size_t)size * sizeof *counts);
        int *come = counts + size, *places = come + size;
        for (int other = 0; other < size; other++) {
            counts[other] = taken * OF_PUFF;
            places[other] = other * room * OF_PUFF;
        }
        MPI_Alltoall(counts, 1, MPI_INT, come, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, come, places, MPI_DOUBLE,
                      MPI_COMM_WORLD);
        free(counts);
    } else
        MPI_Alltoall(out, room * OF_PUFF, MPI_DOUBLE, in, room * OF_PUFF, MPI_DOUBLE,
                     MPI_COMM_WORLD);
}

static void padded_puffs(void)
{
    enum { STEPS = 100 };
    const int room = PUFFS / size, taken = TAKEN / size;
    struct puff *out = malloc(PUFFS * sizeof *out), *in = malloc(PUFFS * sizeof *in);
    if (out == NULL || in == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int number = 0; number < PUFFS; number++)
        in[number] = out[number] = (struct puff){number % 97, number % 89, 1, 0};
    for (int step = 0; step < STEPS; step++) {
        for (int other = 0; other < size; other++)
            blow_puffs(&out[other * room], taken / 2);
        swap_puffs(out, in, room, taken);
        for (int other = 0; other < size; other++)
            blow_puffs(&in[other * room], taken / 2);
        sum_of_all(in[0].mass);
    }
    free(out);
    free(in);
}

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_full, ends;
    int file;
    double map[16384];
} writer = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *write_maps(void *unused)
{
    pthread_mutex_lock(&writer.lock);
    for (off_t place = 0;;) {
        while (!writer.is_full && !writer.ends)
            pthread_cond_wait(&writer.changed, &writer.lock);
        if (!writer.is_full)
            break;
        pthread_mutex_unlock(&writer.lock);
        const ssize_t written = pwrite(writer.file, writer.map, sizeof writer.map, place);
        pthread_mutex_lock(&writer.lock);
        place += written > 0 ? written : 0;
        writer.is_full = false;
        pthread_cond_signal(&writer.changed);
    }
    pthread_mutex_unlock(&writer.lock);
    return unused;
}

PLACE hand_over_map(void)
{
    pthread_mutex_lock(&writer.lock);
    while (writer.is_full)
        pthread_cond_wait(&writer.changed, &writer.lock);
    memcpy(writer.map, ash, sizeof writer.map);
    writer.is_full = true;
    pthread_cond_signal(&writer.changed);
    pthread_mutex_unlock(&writer.lock);
}

static void written_aside(void)
{
    enum { STEPS = 90 };
    char path[4096];
    pthread_t thread;
    snprintf(path, sizeof path, "%s/ash%d", folder, rank);
    writer.file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (writer.file < 0 || pthread_create(&thread, NULL, write_maps, NULL) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < STEPS; step++) {
        sink_columns(COLUMNS / size, 90);
        hand_over_map();
        sum_of_all(ash[0][0]);
    }
    pthread_mutex_lock(&writer.lock);
    writer.ends = true;
    pthread_cond_signal(&writer.changed);
    pthread_mutex_unlock(&writer.lock);
    pthread_join(thread, NULL);
    close(writer.file);
    unlink(path);
}

/* It runs on another machine. */
PLACE ask_wind(void)
{
    struct timeval answer_time = {0, 30000 / size};
    if (!mended)
        select(0, NULL, NULL, NULL, &answer_time);
    wind = 0.1 + 1e-6 * ash[0][0];
}

PLACE wind_service(void)
{
    enum { STEPS = 50 };
    const int share = COLUMNS / size, less = share / 8, asks = size - 1;
    int count = share;
    if (!mended && size > 1)
        count = rank == asks ? less : (COLUMNS - less) / (size - 1);
    for (int step = 0; step < STEPS; step++) {
        if (rank == asks)
            ask_wind();
        sink_columns(count, 110);
        MPI_Bcast(&wind, 1, MPI_DOUBLE, asks, MPI_COMM_WORLD);
        sum_of_all(ash[0][LEVELS - 1]);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"padded_puffs", padded_puffs},
                                            {"written_aside", written_aside},
                                            {"wind_service", wind_service},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
