/* Zoo: a volume out of pictures from all sides, by threads of one rank (../zoo.h, score.py).
 *
 * zoo: one_reader threads rank 0 at unpack_picture threads
 * POSIX threads, no OpenMP: the main one unpacks all pictures, 10 of 12 parts of the work, and puts
 * them into a queue; the others wait there and smear them over the volume, 2 parts. The twin's
 * threads, the main one too, do both: with two threads 6 parts instead of 10.
 *
 * zoo: depends_on_all threads rank 0 at correct_tile|correct_pictures threads
 * Three tasks for each tile of a picture, one after another; but each of them says that it depends
 * on the picture, not on the tile, so all 48 are done one after another. The twin's depend on their
 * tile, and with two threads it takes half the time.
 *
 * zoo: claimed_slices healthy rank any threads
 * Threads claim slices of a volume from a counter: some take a third longer than others, but there
 * are 200 in each of 20 volumes, so all end within a ms of each other.
 */
#include "zoo.h"
#include <pthread.h>
#include <stdatomic.h>

enum { PIXELS = 4096, PICTURES = 24, TURNS = 6, MOST = 64 };

static int threads = 1;

static void count_threads(void)
{
    const char *said = getenv("OMP_NUM_THREADS");
    threads = said != NULL ? atoi(said) : 2;
    threads = threads < 2 ? 2 : threads > MOST ? MOST : threads;
}

static void run_team(void *(*work)(void *), int count, void (*main_work)(void))
{
    static int numbers[MOST];
    pthread_t team[MOST];
    for (int thread = 0; thread < count; thread++) {
        numbers[thread] = thread;
        if (pthread_create(&team[thread], NULL, work, &numbers[thread]) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    main_work();
    for (int thread = 0; thread < count; thread++)
        pthread_join(team[thread], NULL);
}

static double pictures[PICTURES][PIXELS];

/* Each value follows from the one before. */
PLACE unpack_picture(double *picture)
{
    for (int pass = 0; pass < 400; pass++)
        for (int at = 1; at < PIXELS; at++)
            picture[at] = 0.6 * picture[at] + 0.3 * picture[at - 1] + 0.1;
}

PLACE smear_picture(const double *picture, double *volume)
{
    for (int pass = 0; pass < 80; pass++)
        for (int at = 1; at < PIXELS; at++)
            volume[at] = 0.9 * volume[at] + 0.05 * volume[at - 1] + 0.01 * picture[at];
}

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    int unpacked, taken;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

PLACE take_picture(int *number)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.taken == queue.unpacked && queue.taken < PICTURES)
        pthread_cond_wait(&queue.more, &queue.lock);
    *number = queue.taken < PICTURES ? queue.taken++ : -1;
    pthread_mutex_unlock(&queue.lock);
}

/* A volume for each thread, which are added up at the end. */
static double volumes[MOST + 1][PIXELS];

static void *smear_pictures(void *thread)
{
    int number;
    take_picture(&number);
    for (; number >= 0; take_picture(&number)) {
        if (mended)
            unpack_picture(pictures[number]);
        smear_picture(pictures[number], volumes[*(int *)thread]);
    }
    return NULL;
}

static void unpack_pictures(void)
{
    static int mine = MOST;
    for (int number = 0; number < PICTURES; number++) {
        if (!mended)
            unpack_picture(pictures[number]);
        pthread_mutex_lock(&queue.lock);
        queue.unpacked++;
        pthread_cond_broadcast(&queue.more);
        pthread_mutex_unlock(&queue.lock);
    }
    if (mended)
        smear_pictures(&mine);
}

static void one_reader(void)
{
    for (int turn = 0; turn < TURNS; turn++) {
        queue.unpacked = queue.taken = 0;
        run_team(smear_pictures, threads - 1, unpack_pictures);
        for (int thread = 0; thread < MOST; thread++)
            volumes[MOST][0] += volumes[thread][0];
        sum_of_all(volumes[MOST][0]);
    }
}

enum { TILES = 16, TILE = PIXELS / TILES };

PLACE correct_tile(double *tile, int stage)
{
    for (int pass = 0; pass < 500; pass++)
        for (int at = 1; at < TILE; at++)
            tile[at] = 0.7 * tile[at] + 0.2 * tile[at - 1] + 0.01 * stage;
}

PLACE correct_pictures(double *picture)
{
#pragma omp parallel
#pragma omp single
    for (int number = 0; number < TILES; number++) {
        double *tile = picture + number * TILE;
        for (int stage = 0; stage < 3; stage++)
#pragma omp task depend(inout : picture[mended ? number * TILE : 0])
            correct_tile(tile, stage);
    }
}

static void depends_on_all(void)
{
    for (int picture = 0; picture < 2 * PICTURES; picture++) {
        correct_pictures(pictures[picture % PICTURES]);
        sum_of_all(pictures[picture % PICTURES][1]);
    }
}

static atomic_int claimed;

PLACE work_slice(double *slice, int passes)
{
    for (int pass = 0; pass < passes; pass++)
        for (int at = 1; at < PIXELS; at++)
            slice[at] = 0.5 * slice[at] + 0.25 * slice[at - 1] + 0.1;
}

static void *work_slices(void *thread)
{
    int slice;
    while ((slice = atomic_fetch_add(&claimed, 1)) < 200)
        work_slice(volumes[*(int *)thread], 30 + slice * 37 % 11);
    return NULL;
}

static void work_too(void)
{
    static int mine = MOST;
    work_slices(&mine);
}

static void claimed_slices(void)
{
    for (int volume = 0; volume < 20; volume++) {
        claimed = 0;
        run_team(work_slices, threads - 1, work_too);
        sum_of_all(volumes[MOST][1]);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"one_reader", one_reader},
                                            {"depends_on_all", depends_on_all},
                                            {"claimed_slices", claimed_slices},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    count_threads();
    return run_case(count, words, cases);
}
