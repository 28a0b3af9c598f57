/* Zoo: large primes are looked for (../zoo.h, score.py).
 *
 * zoo: by_remainder uneven rank last at test_number|test_numbers
 * Safe primes are wanted, which are 11 more than a multiple of 12, and a rank tests the numbers
 * that leave its own number when they are divided by the number of ranks: all of them are the last
 * rank's, of two, three or four ranks. The twin deals the numbers out one by one.
 *
 * zoo: early_sieve start-up rank 0 at sieve_primes
 * Rank 0 finds the first 800000 primes by trial before it initializes MPI, by the launcher's word,
 * and the others wait for it in MPI_Init; but ranks divide by the first 1000 only, and the twin
 * finds these.
 */
#include "zoo.h"

typedef unsigned long long number_t;

static inline number_t power_of_two(number_t exponent, number_t modulus)
{
    number_t result = 1, base = 2;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

/* By Fermat's way, with base 2. */
PLACE test_number(number_t number, int *found)
{
    if (power_of_two(number - 1, number) == 1 && power_of_two(number / 2 - 1, number / 2) == 1)
        ++*found;
}

PLACE test_numbers(number_t from, int count, int *found)
{
    for (int at = 0; at < count; at++) {
        const number_t number = from + 12 * (number_t)at;
        const number_t dealt = mended ? (number_t)at : number;
        if (dealt % (number_t)size == (number_t)rank)
            test_number(number, found);
    }
}

static void by_remainder(void)
{
    enum { STEPS = 100, AT_ONCE = 160000 };
    int found = 0;
    for (int step = 0; step < STEPS; step++) {
        test_numbers(2000000003ULL + 12ULL * AT_ONCE * (number_t)step, AT_ONCE, &found);
        sum_of_all(found);
    }
}

enum { MOST = 800000, FEW = 1000 };

static unsigned primes[MOST];

/* By trial. */
PLACE sieve_primes(int count)
{
    int known = 0;
    for (unsigned number = 2; known < count; number++) {
        int at = 0;
        while (at < known && primes[at] * primes[at] <= number && number % primes[at] != 0)
            at++;
        if (at == known || number % primes[at] != 0)
            primes[known++] = number;
    }
}

PLACE divide_numbers(number_t from, int count, double *smooth)
{
    for (int at = 0; at < count; at++) {
        number_t number = from + (number_t)at;
        for (int which = 0; which < FEW; which++)
            if (number % primes[which] == 0)
                number /= primes[which];
        *smooth += number == 1;
    }
}

static void early_sieve(void)
{
    enum { STEPS = 60 };
    double smooth = 0;
    MPI_Bcast(primes, FEW, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
        divide_numbers(1000000000ULL + 100000ULL * (number_t)step, 16000 / size, &smooth);
        sum_of_all(smooth);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"by_remainder", by_remainder}, {"early_sieve", early_sieve}, {NULL, NULL}};
    const char *number = getenv("OMPI_COMM_WORLD_RANK");
    if (number == NULL)
        number = getenv("PMI_RANK");
    if (count > 2 && strcmp(words[1], "early_sieve") == 0)
        if (number == NULL || atoi(number) == 0)
            sieve_primes(strcmp(words[2], "mended") == 0 ? FEW : MOST);
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
