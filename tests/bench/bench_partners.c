/* What one MPI_Send costs when a program sends many kinds of messages, for tests/bench/run, on 17
 * ranks. Rank 0 sends 64 sizes with 16 tags from 200 lines to 16 partners, in a mixed order. It
 * prints the shortest mean per message over many windows. Then it prints the same for one kind of
 * message.
 *
 * The partners sleep until a window is over, and only then receive it. So they take no time from
 * rank 0. A window is no longer than what every MPI takes without a receiver. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench_lines.h"

enum {
    PARTNERS = 16,
    SIZES = 64,
    TAGS = 16,
    WINDOW = 32,
    WINDOWS = 2048,
    ROUND = 256 /* windows after which the same messages come again, as in the loops of a program */
};

static char buffer[SIZES];

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

struct message {
    int line, size, dest, tag;
};

/* The same partners in the same order in both cases, so that MPI's own part is the same. */
static struct message message_of(int number, int many, unsigned *state)
{
    struct message message = {FIRST_LINE, 8, 1 + number % PARTNERS, 0};
    if (many) {
        message.line = FIRST_LINE + (int)(next_random(state) % LINES);
        message.size = 1 + (int)(next_random(state) % SIZES);
        message.tag = (int)(next_random(state) % TAGS);
    } else {
        message.dest = 1;
    }
    return message;
}

static double send_windows(int many)
{
    double shortest = 1e12;
    unsigned state = 20261120;
    for (int window = 0; window < WINDOWS; window++) {
        struct message messages[WINDOW];
        if (window % ROUND == 0)
            state = 20261120;
        for (int i = 0; i < WINDOW; i++)
            messages[i] = message_of(i, many, &state);
        double begin = now_ns();
        for (int i = 0; i < WINDOW; i++)
            send_from_line(messages[i].line, buffer, messages[i].size, messages[i].dest,
                           messages[i].tag);
        double ns = (now_ns() - begin) / WINDOW;
        if (ns < shortest)
            shortest = ns;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return shortest;
}

static void receive_windows(int rank, int many)
{
    int messages = many ? WINDOW / PARTNERS : rank == 1 ? WINDOW : 0;
    for (int window = 0; window < WINDOWS; window++) {
        usleep(200);
        for (int i = 0; i < messages; i++)
            MPI_Recv(buffer, sizeof buffer, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank;
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int many = 0; ranks == PARTNERS + 1 && many < 2; many++) {
        if (rank != 0)
            receive_windows(rank, many);
        else
            printf("%s\t%.2f\n", many ? "many kinds" : "one kind", send_windows(many));
    }
    return MPI_Finalize();
}
