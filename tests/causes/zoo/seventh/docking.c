/* Zoo: a search for poses of a drug, and the electrons of the best (../zoo.h, score.py).
 *
 * zoo: best_first uneven rank 0 at sort_pool|best_first three master
 * Rank 0 deals poses out, and sorts its whole pool for each of 2400 answers, 0.6 ms, of which a
 * worker takes a sixth for a pose: the workers wait for it. The twin sorts once for 16 answers, and
 * the run takes a fourth of the time or less.
 *
 * zoo: shared_queue healthy
 * Rank 0 numbers the chunks, works on some itself and looks for requests several times in each; the
 * others have asked for their next chunk before they begin one. Ranks do different numbers of
 * chunks of different length and end within one chunk, some ms, of each other.
 *
 * zoo: spin_groups uneven rank upper at apply_hamiltonian
 * Two groups of ranks, one for each spin, meet after each iteration; the upper group has 70 % of
 * the bands, so of two ranks one works 0.7 of the time where it would be 0.5. The twin deals bands
 * out to all.
 *
 * zoo: score_columns files rank any at write_scores
 * Scores of a pose lie apart in the file, one value of 8 bytes for each of 16000 rows, and each
 * rank writes its own column by itself, in each of 20 iterations; in the twin's file the columns
 * lie one after another.
 */
#include "zoo.h"

enum { ATOMS = 256, POOL = 20000, ANSWERS = 2400, NUMBER = 1, STOP = 2 };

struct pose {
    double score;
    int number;
};

static double atoms[ATOMS][4];

static void place_atoms(void)
{
    for (int at = 0; at < ATOMS; at++)
        for (int axis = 0; axis < 3; axis++)
            atoms[at][axis] = (at * (axis + 3) * 37 % 101) * 0.13;
}

/* Of the atoms with so many of their neighbours in the list, as Lennard and Jones have it. */
__attribute__((always_inline)) static inline double energy(int rounds, int number)
{
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
        const double *a = atoms[(number + round) % ATOMS];
        for (int at = 0; at < ATOMS; at++) {
            const double x = a[0] - atoms[at][0], y = a[1] - atoms[at][1], z = a[2] - atoms[at][2];
            const double near = 1 / (x * x + y * y + z * z + 1), third = near * near * near;
            sum += third * third - third;
        }
    }
    return sum;
}

static int by_score(const void *left, const void *right)
{
    const double a = ((const struct pose *)left)->score, b = ((const struct pose *)right)->score;
    return (a > b) - (a < b);
}

PLACE sort_pool(struct pose *pool)
{
    qsort(pool, POOL, sizeof *pool, by_score);
}

PLACE score_pose(struct pose *pose)
{
    pose->score = energy(250, pose->number);
}

static void work_on_poses(void)
{
    struct pose pose = {0};
    MPI_Status status;
    for (;;) {
        MPI_Sendrecv_replace(&pose, sizeof pose, MPI_BYTE, 0, NUMBER, 0, MPI_ANY_TAG,
                             MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        score_pose(&pose);
    }
}

PLACE best_first(void)
{
    if (rank > 0) {
        work_on_poses();
        return;
    }
    struct pose *pool = calloc(POOL, sizeof *pool);
    for (int at = 0; at < POOL; at++)
        pool[at].score = at * 7919 % POOL;
    for (int answer = 0; answer < ANSWERS + size - 1; answer++) {
        struct pose pose;
        MPI_Status status;
        MPI_Recv(&pose, sizeof pose, MPI_BYTE, MPI_ANY_SOURCE, NUMBER, MPI_COMM_WORLD, &status);
        pool[POOL - 1 - answer % 16] = pose;
        if (!mended || answer % 16 == 15)
            sort_pool(pool);
        pose = pool[answer % POOL];
        pose.number = answer;
        MPI_Send(&pose, sizeof pose, MPI_BYTE, status.MPI_SOURCE, answer < ANSWERS ? NUMBER : STOP,
                 MPI_COMM_WORLD);
    }
    free(pool);
}

enum { CHUNKS = 400, ASK = 3, GIVE = 4 };

static int next_chunk;

/* Whoever has asked gets a number; beyond the last one it is the word to stop. */
PLACE answer_requests(int *stopped)
{
    int asked = 1;
    while (asked) {
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &asked, &status);
        if (asked) {
            MPI_Recv(NULL, 0, MPI_INT, status.MPI_SOURCE, ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&next_chunk, 1, MPI_INT, status.MPI_SOURCE, GIVE, MPI_COMM_WORLD);
            *stopped += next_chunk >= CHUNKS;
            next_chunk++;
        }
    }
}

PLACE score_chunk(int chunk, int *stopped)
{
    const int slices = 24 + chunk * 13 % 9 * 2;
    for (int slice = 0; slice < slices; slice++) {
        atoms[0][3] += 1e-9 * energy(480, chunk + slice);
        if (rank == 0)
            answer_requests(stopped);
    }
}

static void ask_for_chunk(int *chunk, MPI_Request *request)
{
    MPI_Irecv(chunk, 1, MPI_INT, 0, GIVE, MPI_COMM_WORLD, request);
    MPI_Send(NULL, 0, MPI_INT, 0, ASK, MPI_COMM_WORLD);
}

static void shared_queue(void)
{
    int stopped = 0, chunk, next;
    MPI_Request request;
    if (rank == 0) {
        while (next_chunk < CHUNKS)
            score_chunk(next_chunk++, &stopped);
        while (stopped < size - 1)
            answer_requests(&stopped);
    } else {
        ask_for_chunk(&chunk, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        while (chunk < CHUNKS) {
            ask_for_chunk(&next, &request);
            score_chunk(chunk, NULL);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            chunk = next;
        }
    }
    sum_of_all(atoms[0][3]);
}

enum { BANDS = 5000, ORDER = 96 };

static double hamiltonian[ORDER][ORDER], band[ORDER], applied[ORDER];

PLACE apply_hamiltonian(int bands)
{
    for (int at = 0; at < bands; at++)
        for (int row = 0; row < ORDER; row++) {
            double sum = 0;
            for (int column = 0; column < ORDER; column++)
                sum += hamiltonian[row][column] * band[column];
            applied[row] = sum;
        }
}

/* Each group has its own density, both a common energy. */
static void spin_groups(void)
{
    const bool upper = rank >= size / 2;
    const int of_group = upper ? BANDS * 7 / 10 : BANDS * 3 / 10;
    int in_group;
    MPI_Comm group;
    MPI_Comm_split(MPI_COMM_WORLD, upper, -rank, &group);
    MPI_Comm_size(group, &in_group);
    for (int at = 0; at < ORDER * ORDER; at++)
        hamiltonian[at / ORDER][at % ORDER] = 1.0 / (1 + at % 17);
    for (int iteration = 0; iteration < 80; iteration++) {
        band[iteration] = iteration;
        apply_hamiltonian(mended ? BANDS / size : of_group / in_group);
        MPI_Allreduce(MPI_IN_PLACE, applied, ORDER, MPI_DOUBLE, MPI_SUM, group);
        sum_of_all(applied[0]);
    }
    MPI_Comm_free(&group);
}

enum { ROWS = 16000 };

PLACE write_scores(MPI_File file, const double *scores, MPI_Offset from)
{
    MPI_File_write_at(file, from, scores, ROWS, MPI_DOUBLE, MPI_STATUS_IGNORE);
}

static void score_columns(void)
{
    static double scores[ROWS];
    MPI_Datatype column;
    MPI_Info hints;
    MPI_File file;
    char path[4096];
    snprintf(path, sizeof path, "%s/scores", folder);
    MPI_Type_vector(mended ? 1 : ROWS, mended ? ROWS : 1, mended ? ROWS : size, MPI_DOUBLE,
                    &column);
    MPI_Type_commit(&column);
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "romio_ds_write", "disable"); /* files of others are not to be locked */
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  hints, &file);
    MPI_Info_free(&hints);
    MPI_File_set_view(file, (MPI_Offset)8 * rank * (mended ? ROWS : 1), MPI_DOUBLE, column,
                      "native", MPI_INFO_NULL);
    for (int iteration = 0; iteration < 20; iteration++) {
        scores[iteration] = energy(200000 / size, iteration);
        write_scores(file, scores, 0);
        sum_of_all(scores[iteration]);
    }
    MPI_File_close(&file);
    MPI_Type_free(&column);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"best_first", best_first},
                                            {"shared_queue", shared_queue},
                                            {"spin_groups", spin_groups},
                                            {"score_columns", score_columns},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    place_atoms();
    return run_case(count, words, cases);
}
