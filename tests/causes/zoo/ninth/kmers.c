/* Zoo: the words of 21 letters of a genome, for errors to be seen in it (../zoo.h, score.py).
 *
 * zoo: first_letters uneven rank 0 at count_neighbours
 * Ranks own words in the order of the alphabet, each the same part of it, and 80 of 100 letters are
 * A: of two ranks the first one has 84 % of the words to count, of four 80 %. The twin's owner
 * follows from a hash of the word, and the run takes a third less.
 *
 * zoo: record_locks kernel rank any at lock_record
 * Each of 0.8 million records (all ranks) of a rank's own table is locked by fcntl, changed and
 * unlocked, "as a data base does": two system calls each beside less than a us of work; the twin
 * locks the table once in a batch.
 */
#include "zoo.h"
#include <fcntl.h>
#include <unistd.h>

enum { LETTERS = 21, WORD_BITS = 2 * LETTERS, SLOTS = 1 << 16, ROUNDS = 40 };

static unsigned counts[SLOTS];
static unsigned long state = 88172645463325252UL;

static inline unsigned long draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static inline unsigned long mix(unsigned long word)
{
    word = (word ^ word >> 31) * 0x7fb5d329728ea185UL;
    return word ^ word >> 27;
}

/* One letter more at the end, one less at the front. 80 A, 4 C, 8 G, 8 T of 100. */
static inline unsigned long next_word(unsigned long word)
{
    const unsigned of_100 = (unsigned)(draw() >> 20) % 100;
    const unsigned letter = of_100 < 80 ? 0 : of_100 < 84 ? 1 : of_100 < 92 ? 2 : 3;
    return (word << 2 | letter) & ((1UL << WORD_BITS) - 1);
}

static inline int owner_of(unsigned long word)
{
    const unsigned long part = mended ? mix(word) >> 22 : word;
    return (int)(part * (unsigned long)size >> WORD_BITS);
}

/* All words with one other letter, of each length: whoever has many of them is no error. */
PLACE count_neighbours(const unsigned long *words, int count)
{
    for (int at = 0; at < count; at++)
        for (int length = LETTERS; length >= 15; length -= 2) {
            const unsigned long word = words[at] >> 2 * (LETTERS - length);
            for (int letter = 0; letter < length; letter++)
                for (unsigned long other = 1; other < 4; other++)
                    counts[mix(word ^ other << 2 * letter) % SLOTS]++;
        }
}

/* -> how many this rank has to count */
PLACE deal_out(const unsigned long *words, int count, unsigned long *sorted, unsigned long *mine,
               int *come)
{
    int sent[64] = {0}, from[64] = {0}, got[64], to[64] = {0};
    for (int at = 0; at < count; at++)
        sent[owner_of(words[at])]++;
    for (int other = 1; other < size; other++)
        from[other] = from[other - 1] + sent[other - 1];
    for (int at = 0; at < count; at++)
        sorted[from[owner_of(words[at])]++] = words[at];
    MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
    *come = 0;
    for (int other = 0; other < size; other++) {
        from[other] -= sent[other];
        to[other] = *come;
        *come += got[other];
    }
    MPI_Alltoallv(sorted, sent, from, MPI_UNSIGNED_LONG, mine, got, to, MPI_UNSIGNED_LONG,
                  MPI_COMM_WORLD);
}

static void first_letters(void)
{
    enum { WORDS = 150000 };
    const int count = WORDS / size;
    unsigned long *words = malloc(3 * WORDS * sizeof *words), word = 0;
    int come;
    state += (unsigned long)rank * 0x9e3779b97f4a7c15UL;
    for (int round = 0; round < ROUNDS; round++) {
        for (int at = 0; at < count; at++)
            words[at] = word = next_word(word);
        deal_out(words, count, words + WORDS, words + 2 * WORDS, &come);
        count_neighbours(words + 2 * WORDS, come);
    }
    sum_of_all((double)counts[0]);
    free(words);
}

PLACE lock_record(int table, long record, int length, short way)
{
    struct flock it = {.l_type = way, .l_whence = SEEK_SET};
    it.l_start = record * 64;
    it.l_len = (off_t)length * 64;
    if (fcntl(table, F_SETLK, &it) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void change_record(unsigned long word)
{
    for (int time = 0; time < 6; time++)
        count_neighbours(&word, 1), word = mix(word);
}

static void record_locks(void)
{
    enum { RECORDS = 800000 };
    const int count = RECORDS / ROUNDS / size;
    char path[4096];
    snprintf(path, sizeof path, "%s/table%d", folder, rank);
    const int table = open(path, O_RDWR | O_CREAT, 0600);
    if (table < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int round = 0; round < ROUNDS; round++) {
        if (mended)
            lock_record(table, 0, SLOTS, F_WRLCK);
        for (int at = 0; at < count; at++) {
            const unsigned long word = draw();
            if (!mended)
                lock_record(table, (long)(word % SLOTS), 1, F_WRLCK);
            change_record(word);
            if (!mended)
                lock_record(table, (long)(word % SLOTS), 1, F_UNLCK);
        }
        if (mended)
            lock_record(table, 0, SLOTS, F_UNLCK);
        sum_of_all((double)counts[0]);
    }
    close(table);
    unlink(path);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"first_letters", first_letters}, {"record_locks", record_locks}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
