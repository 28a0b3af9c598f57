/* How near a mistyped word is to one that exists: for "did you mean" of libmprof (variables,
 * counters) and of the commands (options, subcommands). A letter that is missing, too many, wrong,
 * or changed places with the next one is one mistake. No state; any thread. */
#ifndef MPROF_NEAR_WORD_H
#define MPROF_NEAR_WORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Longer words are nobody's option or counter. */
enum { MPROF_NEAR_WORD_LETTERS = 64 };

static inline size_t mprof_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The number of mistakes between two words; SIZE_MAX if one is too long. */
static inline size_t mprof_word_distance(const char *a, const char *b)
{
    size_t rows[3][MPROF_NEAR_WORD_LETTERS + 1];
    const size_t letters_a = strlen(a);
    const size_t letters_b = strlen(b);
    if (letters_a > MPROF_NEAR_WORD_LETTERS || letters_b > MPROF_NEAR_WORD_LETTERS)
        return SIZE_MAX;
    for (size_t j = 0; j <= letters_b; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= letters_a; i++) {
        size_t *now = rows[i % 3];
        const size_t *before = rows[(i - 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= letters_b; j++) {
            now[j] = mprof_least(mprof_least(before[j], now[j - 1]) + 1,
                                 before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = mprof_least(now[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[letters_a % 3][letters_b];
}

/* How many mistakes a word of this length may have to be taken for another one. */
static inline size_t mprof_most_mistakes(const char *word)
{
    const size_t share = strlen(word) / 3;
    return share > 1 ? share : 1;
}

#endif
