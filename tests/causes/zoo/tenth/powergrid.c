/* Zoo: what happens to a net of power lines if one of them fails (../zoo.h, score.py).
 *
 * zoo: sorted_again uneven rank 0 at sort_overloads|sorted_again three master
 * The master sorts all overloads that were found so far after each of 2400 outages, before it gives
 * the next outage to a worker: that soon takes longer than workers take for an outage. The twin
 * sorts them once, at the end.
 *
 * zoo: line_by_line files rank any at read_line
 * The data of each of 60000 lines, 48 bytes, are read by a call of MPI-IO of its own, by the rank
 * that has the line, in each of 30 steps; the twin's ranks read all of their lines at once.
 *
 * zoo: working_master healthy rank any
 * Rank 0 deals outages out, 40 at a time, and solves some itself: between two of them, each 0.7 ms
 * or so, it answers who has asked, so nobody waits for long.
 */
#include "zoo.h"

enum { BUSES = 500, FOUND = 16, MOST = 2400 };
enum { ASK = 1, WORK, STOP };

static int outages = 3600;

struct overload {
    double worth, line;
};

static double angle[BUSES + 2], power[BUSES + 2];

/* By Gauss and Seidel's way. -> the lines with the most power in them */
PLACE solve_outage(int outage, int sweeps, struct overload *found)
{
    const int failed = outage % BUSES;
    for (int bus = 0; bus < BUSES; bus++)
        power[bus] = 1e-3 * ((bus * 7 + outage) % 11 - 5);
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int bus = 1; bus <= BUSES; bus++) {
            const double right = bus == failed ? 0 : angle[bus + 1];
            angle[bus] = 0.5 * (angle[bus - 1] + right) + power[bus];
        }
    for (int number = 0; number < FOUND; number++) {
        const int line = (outage * 31 + number * 29) % BUSES;
        found[number].worth = angle[line + 1] - angle[line] + 1e-6 * (outage * 613 % 1009);
        found[number].line = line;
    }
}

static int worse_first(const void *one, const void *other)
{
    const double first = ((const struct overload *)one)->worth;
    const double second = ((const struct overload *)other)->worth;
    return (first < second) - (first > second);
}

PLACE sort_overloads(struct overload *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, worse_first);
}

/* -> whether there is more to do, from *from on */
static bool ask(const struct overload *found, int *from)
{
    MPI_Status status;
    MPI_Send(found, 2 * FOUND, MPI_DOUBLE, 0, ASK, MPI_COMM_WORLD);
    MPI_Recv(from, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    return status.MPI_TAG == WORK;
}

PLACE work_for_master(int at_once, int sweeps)
{
    struct overload found[FOUND] = {{0, 0}};
    int from;
    while (ask(found, &from))
        for (int outage = from; outage < from + at_once && outage < outages; outage++)
            solve_outage(outage, sweeps, found);
}

/* Takes what one worker has found, and gives it something to do. -> false: no more */
static bool answer(struct overload *found, int *next, int at_once)
{
    MPI_Status status;
    const bool has_more = *next < outages;
    MPI_Recv(found, 2 * FOUND, MPI_DOUBLE, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
    MPI_Send(next, 1, MPI_INT, status.MPI_SOURCE, has_more ? WORK : STOP, MPI_COMM_WORLD);
    *next += has_more ? at_once : 0;
    return has_more;
}

PLACE sorted_again(void)
{
    enum { SWEEPS = 200 };
    static struct overload list[(MOST + 1) * FOUND];
    int next = 0, count = 0, workers = size - 1;
    outages = 2400;
    if (rank > 0) {
        work_for_master(1, SWEEPS);
        return;
    }
    while (workers > 0) {
        MPI_Probe(MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!mended)
            sort_overloads(list, count);
        if (answer(&list[count], &next, 1))
            count += FOUND;
        else
            workers--;
    }
    sort_overloads(list, count);
    kept = list[0].worth;
}

enum { LINES = 60000, OF_LINE = 6 };

PLACE read_line(MPI_File file, int line, double *data)
{
    MPI_File_read_at(file, (MPI_Offset)line * OF_LINE * 8, data, OF_LINE, MPI_DOUBLE,
                     MPI_STATUS_IGNORE);
}

PLACE read_lines(MPI_File file, int first, int count, double *data)
{
    MPI_File_read_at(file, (MPI_Offset)first * OF_LINE * 8, data, OF_LINE * count, MPI_DOUBLE,
                     MPI_STATUS_IGNORE);
}

static void line_by_line(void)
{
    const int count = LINES / size, first = rank * count;
    double *data = calloc((size_t)LINES * OF_LINE, sizeof *data);
    struct overload found[FOUND];
    char path[4096];
    MPI_File file;
    snprintf(path, sizeof path, "%s/lines", folder);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, (MPI_Offset)first * OF_LINE * 8, data, count * OF_LINE, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
    for (int step = 0; step < 30; step++) {
        for (int outage = 0; outage < 50 / size; outage++)
            solve_outage(step * 50 + outage, 300, found);
        if (mended)
            read_lines(file, first, count, data);
        for (int line = 0; line < count && !mended; line++)
            read_line(file, first + line, &data[line * OF_LINE]);
        power[0] = data[step];
        sum_of_all(found[0].worth);
    }
    MPI_File_close(&file);
    free(data);
}

PLACE answer_who_asks(int *next, int at_once, int *workers)
{
    struct overload found[FOUND];
    int has_asked = 1;
    while (*workers > 0 && has_asked) {
        MPI_Iprobe(MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &has_asked, MPI_STATUS_IGNORE);
        if (has_asked && !answer(found, next, at_once))
            (*workers)--;
    }
}

PLACE working_master(void)
{
    enum { SWEEPS = 300, AT_ONCE = 40 };
    struct overload found[FOUND];
    int next = 0, workers = size - 1;
    if (rank > 0)
        work_for_master(AT_ONCE, SWEEPS);
    while (rank == 0 && next < outages) {
        solve_outage(next++, SWEEPS, found);
        answer_who_asks(&next, AT_ONCE, &workers);
    }
    while (rank == 0 && workers > 0)
        workers -= !answer(found, &next, AT_ONCE);
    sum_of_all(angle[1]);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"sorted_again", sorted_again},
                                            {"line_by_line", line_by_line},
                                            {"working_master", working_master},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
