/* Zoo: waves of voltage that run through a heart's muscle (../zoo.h, score.py).
 *
 * zoo: each_layer latency rank any at swap_layer
 * The wall of the heart has 128 layers of fibres, and ranks have neighbours along the fibres. Each
 * layer's two ends, 8 bytes to either side, are an MPI_Neighbor_alltoall of their own, 128 in each
 * of 3000 steps, for an arithmetic of 0.4 us or so each; the twin swaps all layers' ends by one.
 *
 * zoo: guarded_rates kernel rank any at open_rates|close_rates|adapt_rates
 * A table of rates is kept from stray writes: mprotect() opens it before each change of one number
 * and closes it behind that, twice for each of 300000 fibres of all ranks, each of which has 0.8 us
 * or so of arithmetic. The twin opens it before a step's changes and closes it behind them.
 *
 * zoo: short_answer blocked rank 0 at read_pacemaker|short_answer
 * Rank 0 reads the answer of a pacemaker from a socket, to whose other end a thread writes 24
 * bytes at once. It wants 32, so it waits for the rest until the socket's time limit, 12 to 16 ms
 * in each of 60 steps, while all others wait for it; the twin wants 24.
 */
#include "zoo.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { LAYERS = 128, FIBRES = 128 };

static double voltage[LAYERS][FIBRES + 2], recovery[LAYERS][FIBRES + 2];

/* By FitzHugh and Nagumo's way. What is before the first fibre and behind the last is known. */
PLACE excite_layer(int layer, int fibres)
{
    double *high = voltage[layer], *low = recovery[layer];
    for (int at = 1; at <= fibres; at++) {
        const double come = high[at - 1] - 2 * high[at] + high[at + 1];
        const double value = high[at];
        low[at] += 0.01 * (value - 0.8 * low[at]);
        high[at] = value + 0.05 * (value * (1 - value) * (value - 0.1) - low[at] + come);
    }
}

/* To the ranks on both sides, and from them. */
PLACE swap_layer(MPI_Comm line, int layer, int fibres)
{
    double ends[2] = {voltage[layer][1], voltage[layer][fibres]};
    double come[2] = {ends[0], ends[1]};
    MPI_Neighbor_alltoall(ends, 1, MPI_DOUBLE, come, 1, MPI_DOUBLE, line);
    voltage[layer][0] = come[0];
    voltage[layer][fibres + 1] = come[1];
}

PLACE swap_layers(MPI_Comm line, int fibres)
{
    static double ends[2][LAYERS], come[2][LAYERS];
    for (int layer = 0; layer < LAYERS; layer++) {
        come[0][layer] = ends[0][layer] = voltage[layer][1];
        come[1][layer] = ends[1][layer] = voltage[layer][fibres];
    }
    MPI_Neighbor_alltoall(ends, LAYERS, MPI_DOUBLE, come, LAYERS, MPI_DOUBLE, line);
    for (int layer = 0; layer < LAYERS; layer++) {
        voltage[layer][0] = come[0][layer];
        voltage[layer][fibres + 1] = come[1][layer];
    }
}

static void each_layer(void)
{
    enum { STEPS = 3000 };
    const int is_ring = 0, fibres = FIBRES / size;
    MPI_Comm line;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_ring, 0, &line);
    voltage[0][1] = 1;
    for (int step = 0; step < STEPS; step++) {
        if (mended)
            swap_layers(line, fibres);
        for (int layer = 0; layer < LAYERS; layer++) {
            if (!mended)
                swap_layer(line, layer, fibres);
            excite_layer(layer, fibres);
        }
    }
    MPI_Comm_free(&line);
}

enum { RATES = 2048 };

static double *rates;

PLACE open_rates(void)
{
    if (mprotect(rates, RATES * sizeof *rates, PROT_READ | PROT_WRITE) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

PLACE close_rates(void)
{
    if (mprotect(rates, RATES * sizeof *rates, PROT_READ) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* How fast the gates of a fibre open now. */
PLACE solve_gate(int fibre, double *rate)
{
    double gate = 1e-4 * (fibre % 71) + rates[fibre % RATES];
    for (int iteration = 0; iteration < 100; iteration++)
        gate -= 0.1 * (gate * (0.7 + gate) - 0.4);
    *rate = gate;
}

PLACE adapt_rates(int fibres)
{
    double rate;
    if (mended)
        open_rates();
    for (int fibre = 0; fibre < fibres; fibre++) {
        solve_gate(fibre, &rate);
        if (!mended)
            open_rates();
        rates[fibre % RATES] = 0.5 * rate;
        if (!mended)
            close_rates();
    }
    if (mended)
        close_rates();
}

static void guarded_rates(void)
{
    enum { STEPS = 60, ALL = 5000 };
    rates = mmap(NULL, RATES * sizeof *rates, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
    if (rates == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(rates, 0, RATES * sizeof *rates);
    close_rates();
    for (int step = 0; step < STEPS; step++) {
        adapt_rates(ALL / size);
        sum_of_all(rates[step]);
    }
    munmap(rates, RATES * sizeof *rates);
}

struct answer {
    double phase, pulse, battery, unused;
};

enum { SENT = 3 * sizeof(double) };

static int sockets[2];

static void *be_pacemaker(void *unused)
{
    struct answer answer = {0.25, 1, 3, 0};
    char word;
    while (recv(sockets[1], &word, 1, 0) == 1 && word == 'p')
        if (send(sockets[1], &answer, SENT, 0) != SENT)
            break;
    return unused;
}

PLACE ask_pacemaker(char word)
{
    if (send(sockets[0], &word, 1, 0) != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

PLACE read_pacemaker(struct answer *answer)
{
    const size_t wanted = mended ? SENT : sizeof *answer;
    if (recv(sockets[0], answer, wanted, MSG_WAITALL) < (ssize_t)SENT)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

PLACE short_answer(void)
{
    enum { STEPS = 60 };
    static const struct timeval limit = {0, 12000};
    struct answer answer = {0, 0, 0, 0};
    pthread_t thread;
    if (rank == 0 && (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0 ||
                      setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0 ||
                      pthread_create(&thread, NULL, be_pacemaker, NULL) != 0))
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < STEPS; step++) {
        if (rank == 0) {
            ask_pacemaker('p');
            read_pacemaker(&answer);
        }
        MPI_Bcast(&answer, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (int layer = 0; layer < LAYERS; layer++)
            voltage[layer][FIBRES / size / 2] += 1e-3 * answer.pulse;
        for (int pass = 0; pass < 144; pass++)
            for (int layer = 0; layer < LAYERS; layer++)
                excite_layer(layer, FIBRES / size);
    }
    if (rank == 0) {
        ask_pacemaker('q');
        pthread_join(thread, NULL);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"each_layer", each_layer},
                                            {"guarded_rates", guarded_rates},
                                            {"short_answer", short_answer},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
