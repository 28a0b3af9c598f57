/* Zoo: goods on their way through warehouses (../zoo.h, score.py).
 *
 * zoo: first_pivot uneven rank last at sort_orders
 * Each rank sorts 12000/size orders by a quicksort of its own, which divides them at the first one.
 * The last rank's orders are sorted already, so each call takes away one order, and as many calls
 * are nested as there are orders. The twin divides them at the middle one.
 *
 * zoo: own_clock kernel rank any at read_clock|pick_order
 * The time of the CPU is asked of the kernel before and behind each of 800000 orders of all
 * ranks, which takes longer than the 0.3 us or so of an order; the twin asks once for all orders of
 * a step.
 *
 * zoo: polite_log blocked rank changes at limit_rate|log_line
 * One rank at a time keeps the log of a step, another in each. The log takes a line each 4 ms: who
 * writes one sleeps for as long behind it, three times in each of 60 steps, and all others wait.
 * The twin's log drops the line.
 */
#include "zoo.h"
#include <time.h>

enum { GOODS = 4096 };

static double stock[GOODS];

/* The cheapest way to fill up the shelves. */
PLACE plan_stock(int passes)
{
    for (int pass = 0; pass < passes; pass++)
        for (int at = 1; at < GOODS; at++)
            stock[at] = 0.6 * stock[at] + 0.39 * stock[at - 1] + 0.01;
}

struct order {
    unsigned due, good;
};

enum { ORDERS = 12000 };

static struct order orders[ORDERS];

static inline void swap_orders(struct order *one, struct order *other)
{
    const struct order kept_order = *one;
    *one = *other;
    *other = kept_order;
}

PLACE sort_orders(struct order *list, int count)
{
    if (count < 2)
        return;
    int less = 0;
    if (mended)
        swap_orders(&list[0], &list[count / 2]);
    for (int at = 1; at < count; at++)
        if (list[at].due < list[0].due)
            swap_orders(&list[++less], &list[at]);
    swap_orders(&list[0], &list[less]);
    sort_orders(list, less);
    sort_orders(list + less + 1, count - less - 1);
}

PLACE receive_orders(int count, int step)
{
    unsigned state = 88172645U + (unsigned)(rank * 7919 + step);
    for (int at = 0; at < count; at++) {
        state = state * 1664525 + 1013904223;
        const unsigned due = rank == size - 1 ? (unsigned)at * 16 : state >> 8;
        orders[at] = (struct order){due, state >> 20};
    }
}

static void first_pivot(void)
{
    enum { STEPS = 110 };
    for (int step = 0; step < STEPS; step++) {
        receive_orders(ORDERS / size, step);
        sort_orders(orders, ORDERS / size);
        stock[0] = 1e-9 * orders[0].due;
        plan_stock(300 / size);
        sum_of_all(stock[1]);
    }
}

PLACE read_clock(double *seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    *seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

PLACE walk_to_shelf(int number, double *way)
{
    double place = 1e-3 * (number % 79), speed = *way;
    for (int moment = 0; moment < 55; moment++) {
        speed += 0.05 * place;
        place = 0.99 * place - 0.05 * speed;
    }
    *way = 0.5 * speed;
}

PLACE pick_order(int number, double *way, double *used)
{
    double begin, end;
    if (!mended)
        read_clock(&begin);
    walk_to_shelf(number, way);
    if (!mended) {
        read_clock(&end);
        *used += end - begin;
    }
}

static void own_clock(void)
{
    enum { STEPS = 100, ALL = 8000 };
    double way = 0, used = 0, begin, end;
    for (int step = 0; step < STEPS; step++) {
        read_clock(&begin);
        for (int number = 0; number < ALL / size; number++)
            pick_order(number, &way, &used);
        read_clock(&end);
        if (mended)
            used += end - begin;
        sum_of_all(way);
    }
    kept = used;
}

/* Of a log that is read by people. */
PLACE limit_rate(void)
{
    static const struct timespec between = {0, 4000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &between, NULL);
}

PLACE log_line(const char *text, double value)
{
    static char lines[16][80];
    static int number, dropped;
    if (mended)
        dropped++;
    else {
        snprintf(lines[number++ % 16], sizeof lines[0], "%d: %s %g", rank, text, value);
        limit_rate();
    }
}

PLACE receive_goods(bool has_watch)
{
    plan_stock(500 / size);
    if (has_watch)
        log_line("received", stock[1]);
}

PLACE send_goods(bool has_watch)
{
    if (has_watch)
        log_line("sends", stock[2]);
    plan_stock(500 / size);
    if (has_watch)
        log_line("sent", stock[3]);
}

static void polite_log(void)
{
    enum { STEPS = 60 };
    for (int step = 0; step < STEPS; step++) {
        const bool has_watch = step % size == rank;
        receive_goods(has_watch);
        send_goods(has_watch);
        sum_of_all(stock[step]);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"first_pivot", first_pivot},
                                            {"own_clock", own_clock},
                                            {"polite_log", polite_log},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
