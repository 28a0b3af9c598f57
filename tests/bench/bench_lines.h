/* Many lines of a program that send, and numbers in a mixed order that are the same in each run,
 * for bench_calls.c and bench_partners.c. */
#ifndef BENCH_LINES_H
#define BENCH_LINES_H

#include <mpi.h>
#include <stdlib.h>

enum { FIRST_LINE = 10, LINES = 200 };

/* A line of the program as MPI tools see it: a call with a return address of its own. */
#define LINE(n)                                                      \
    case n:                                                          \
        MPI_Send(buffer, size, MPI_CHAR, dest, tag, MPI_COMM_WORLD); \
        __asm__ volatile("nop # line " #n);                          \
        break;
/* It takes lists of macros for something else. */
/* clang-format off */
#define LINES_10(n)                                                                            \
    LINE(n##0) LINE(n##1) LINE(n##2) LINE(n##3) LINE(n##4) LINE(n##5) LINE(n##6) LINE(n##7) \
    LINE(n##8) LINE(n##9)

static void send_from_line(int line, const char *buffer, int size, int dest, int tag)
{
    switch (line) {
        LINES_10(1) LINES_10(2) LINES_10(3) LINES_10(4) LINES_10(5) LINES_10(6) LINES_10(7)
        LINES_10(8) LINES_10(9) LINES_10(10) LINES_10(11) LINES_10(12) LINES_10(13)
        LINES_10(14) LINES_10(15) LINES_10(16) LINES_10(17) LINES_10(18) LINES_10(19)
        LINES_10(20)
    default:
        abort();
    }
}
/* clang-format on */

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

#endif
