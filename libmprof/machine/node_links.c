/* The nodes, how fast they compute, and the links between them (measure.h).
 *
 * In a round every node measures with one other node, all pairs at the same time, so that the time
 * grows with the number of rounds and not with that of links. A link that looks slow is measured
 * again, alone: others, or somebody else's job, may have been in its way. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/topology.h"
#include "machine/measure.h"

enum { MOST_CHECKS = 16, CHECK_TURNS = 3, SMALL_BYTES = 8 };
static const int64_t LATENCY_NS = 10000000; /* for the small messages of a link */
static const int64_t LARGE_NS = 10000000;   /* a round trip that long tells what a byte costs */

/* ---- the nodes ---- */

struct rank_facts {
    uint64_t mark;
    char host[HOST_BYTES];
};

static int find_node(const struct node_table *table, uint64_t mark)
{
    /* Launchers mostly put neighbours on one node. */
    for (int node = table->count - 1; node >= 0; node--)
        if (table->nodes[node].mark == mark)
            return node;
    return -1;
}

void find_nodes(const struct machine_run *run, struct node_table *table)
{
    struct rank_facts own = {.mark = topology_node()};
    struct rank_facts *all = calloc((size_t)run->size, sizeof *all);
    table->nodes = calloc((size_t)run->size, sizeof *table->nodes);
    table->node_of_rank = calloc((size_t)run->size, sizeof *table->node_of_rank);
    if (all == NULL || table->nodes == NULL || table->node_of_rank == NULL)
        abort();
    gethostname(own.host, sizeof own.host - 1);
    run->mpi->gather_to_all(&own, sizeof own, all);
    for (int r = 0; r < run->size; r++) {
        int node = find_node(table, all[r].mark);
        if (node < 0) {
            node = table->count++;
            table->nodes[node] = (struct node){.mark = all[r].mark, .leader = r};
            memcpy(table->nodes[node].host, all[r].host, HOST_BYTES);
        }
        table->nodes[node].ranks++;
        table->node_of_rank[r] = node;
    }
    table->own = table->node_of_rank[run->rank];
    free(all);
}

/* ---- how fast a node computes ---- */

static int64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

/* By CPU time: somebody else on the processor does not make the node slow. */
static int64_t time_arithmetic(void)
{
    enum { TURNS = 20, STEPS = 500000 };
    int64_t best_ns = INT64_MAX;
    for (int turn = 0; turn < TURNS; turn++) {
        volatile uint64_t end;
        uint64_t value = 88172645463325252u;
        const int64_t begin_ns = cpu_ns();
        for (int i = 0; i < STEPS; i++) {
            value ^= value << 13;
            value ^= value >> 7;
            value ^= value << 17;
        }
        end = value;
        (void)end;
        const int64_t took_ns = cpu_ns() - begin_ns;
        best_ns = took_ns < best_ns ? took_ns : best_ns;
    }
    return best_ns;
}

static int64_t time_copy(const struct machine_run *run)
{
    enum { TURNS = 20 };
    int64_t best_ns = INT64_MAX;
    for (int turn = 0; turn < TURNS; turn++) {
        const int64_t begin_ns = cpu_ns();
        memcpy(run->in, run->out, LARGEST_BYTES);
        __asm__ volatile("" : : "r"(run->in) : "memory");
        const int64_t took_ns = cpu_ns() - begin_ns;
        best_ns = took_ns < best_ns ? took_ns : best_ns;
    }
    return best_ns;
}

/* ---- links ---- */

static double byte_ns(const struct link *link)
{
    return (double)link->time_ns / (double)link->bytes;
}

/* The better of both, in latency and in bandwidth. */
static void improve(struct link *link, const struct link *other)
{
    if (link->bytes == 0 || byte_ns(other) < byte_ns(link)) {
        link->bytes = other->bytes;
        link->time_ns = other->time_ns;
    }
    if (link->latency_ns == 0 || other->latency_ns < link->latency_ns)
        link->latency_ns = other->latency_ns;
}

/* The best of several turns. */
static struct link measure_link(const struct machine_run *run, const struct node_table *table,
                                int partner, int turns)
{
    const int rank = table->nodes[partner].leader;
    struct link best = {table->own, partner, 0, 0, 0, 0};
    measure_size(run, rank, SMALL_BYTES, 0); /* connects */
    for (int turn = 0; turn < turns; turn++) {
        struct point point = {0};
        for (int bytes = 1 << 16; bytes <= 1 << 20 && 2 * point.best_ns < LARGE_NS; bytes *= 2)
            point = measure_size(run, rank, bytes, LARGE_NS);
        const struct link link = {.latency_ns =
                                      measure_size(run, rank, SMALL_BYTES, LATENCY_NS).best_ns,
                                  .bytes = point.bytes,
                                  .time_ns = point.best_ns};
        improve(&best, &link);
    }
    end_answers(run, rank);
    return best;
}

/* What the leader of a node tells rank 0. */
struct node_answer {
    int64_t arithmetic_ns, copy_ns;
    int32_t link_count;
    struct link links[MOST_ROUNDS];
};

static void measure_rounds(const struct machine_run *run, const struct node_table *table,
                           struct node_answer *answer)
{
    const bool is_leader = table->nodes[table->own].leader == run->rank;
    for (int round = 0; round < link_rounds(table->count); round++) {
        const int partner = link_partner(table->own, round, table->count);
        if (is_leader && partner > table->own && clock_monotonic_ns() < run->deadline_ns)
            answer->links[answer->link_count++] = measure_link(run, table, partner, 1);
        else if (is_leader && partner > table->own)
            end_answers(run, table->nodes[partner].leader);
        else if (is_leader && partner >= 0)
            give_answers(run, table->nodes[partner].leader);
        meet_quietly(run->mpi);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const double one = *(const double *)a;
    const double other = *(const double *)b;
    return (one > other) - (one < other);
}

struct link_list {
    struct link *links;
    int count;
};

/* Rank 0: those that take longer than usual by a factor. Where one of four nodes is slow, half of
 * the links are: of two in the middle the faster one is the usual one. */
static int find_suspects(const struct link_list *list, int32_t suspects[MOST_CHECKS])
{
    static const double factor = 1.3;
    if (list->count == 0)
        return 0;
    double *sorted = calloc(2 * (size_t)list->count, sizeof *sorted);
    int count = 0;
    if (sorted == NULL)
        return 0;
    double *latencies = sorted + list->count;
    const int middle = (list->count - 1) / 2;
    for (int i = 0; i < list->count; i++) {
        sorted[i] = byte_ns(&list->links[i]);
        latencies[i] = (double)list->links[i].latency_ns;
    }
    qsort(sorted, (size_t)list->count, sizeof *sorted, compare_numbers);
    qsort(latencies, (size_t)list->count, sizeof *latencies, compare_numbers);
    for (int i = 0; i < list->count && count < MOST_CHECKS; i++)
        if (byte_ns(&list->links[i]) > factor * sorted[middle] ||
            (double)list->links[i].latency_ns > factor * latencies[middle])
            suspects[count++] = i;
    free(sorted);
    return count;
}

/* Rank 0 names the links, one after the other; all ranks come here. */
static void check_links(const struct machine_run *run, const struct node_table *table,
                        struct link_list *list)
{
    int32_t suspects[MOST_CHECKS] = {0};
    int32_t count = run->rank == 0 ? find_suspects(list, suspects) : 0;
    run->mpi->broadcast(&count, sizeof count, 0);
    for (int i = 0; i < count; i++) {
        struct link link = {0};
        if (run->rank == 0)
            link = list->links[suspects[i]];
        run->mpi->broadcast(&link, sizeof link, 0);
        const int leaders[2] = {table->nodes[link.a].leader, table->nodes[link.b].leader};
        if (run->rank == leaders[0]) {
            const struct link again = measure_link(run, table, link.b, CHECK_TURNS);
            improve(&link, &again);
            link.is_checked = 1;
        } else if (run->rank == leaders[1]) {
            give_answers(run, leaders[0]);
        }
        meet_quietly(run->mpi);
        run->mpi->broadcast(&link, sizeof link, leaders[0]);
        if (run->rank == 0)
            list->links[suspects[i]] = link;
    }
}

static void tell_nodes(const struct machine_run *run, const struct node_table *table,
                       struct node_answer *answer, struct link_list *list)
{
    for (int node = 0; node < table->count; node++) {
        if (table->nodes[node].leader != 0)
            run->mpi->receive(answer, sizeof *answer, table->nodes[node].leader);
        answer_begin("node");
        answer_text(table->nodes[node].host);
        answer_number(table->nodes[node].ranks);
        answer_number(answer->arithmetic_ns);
        answer_number(answer->copy_ns);
        answer_number(LARGEST_BYTES);
        answer_end();
        for (int i = 0; i < answer->link_count; i++)
            list->links[list->count++] = answer->links[i];
    }
}

static void tell_links(const struct link_list *list)
{
    for (int i = 0; i < list->count; i++) {
        const struct link *link = &list->links[i];
        answer_begin("link");
        answer_number(link->a);
        answer_number(link->b);
        answer_number(link->latency_ns);
        answer_number(link->bytes);
        answer_number(link->time_ns);
        answer_number(link->is_checked);
        answer_end();
    }
}

static void choose_usual(const struct link_list *list, int usual[2])
{
    const int middle = (list->count - 1) / 2; /* as find_suspects() has it */
    for (int i = 0; i < list->count; i++) {
        int faster = 0;
        int slower = 0;
        for (int j = 0; j < list->count; j++) {
            faster += byte_ns(&list->links[j]) < byte_ns(&list->links[i]);
            slower += byte_ns(&list->links[j]) > byte_ns(&list->links[i]);
        }
        if (faster <= middle && middle < list->count - slower) {
            usual[0] = list->links[i].a;
            usual[1] = list->links[i].b;
        }
    }
}

bool measure_nodes(const struct machine_run *run, const struct node_table *table, int usual[2])
{
    struct node_answer answer = {0};
    const bool is_leader = table->nodes[table->own].leader == run->rank;
    const size_t most = (size_t)table->count * MOST_ROUNDS;
    struct link_list list = {run->rank == 0 ? calloc(most, sizeof *list.links) : NULL, 0};
    if (run->rank == 0 && list.links == NULL)
        abort();
    if (is_leader) {
        answer.arithmetic_ns = time_arithmetic();
        answer.copy_ns = time_copy(run);
    }
    meet_quietly(run->mpi);
    measure_rounds(run, table, &answer);
    if (is_leader && run->rank != 0)
        run->mpi->send(&answer, sizeof answer, 0);
    if (run->rank == 0)
        tell_nodes(run, table, &answer, &list);
    if (table->count > 1)
        check_links(run, table, &list);
    if (run->rank == 0) {
        tell_links(&list);
        choose_usual(&list, usual);
    }
    int32_t chosen[2] = {usual[0], usual[1]};
    run->mpi->broadcast(chosen, sizeof chosen, 0);
    usual[0] = chosen[0];
    usual[1] = chosen[1];
    free(list.links);
    return table->count > 1;
}
