/* Which two ranks can be how near to each other on a node (measure.h). Ranks that may run on
 * several CPUs are put on one each while they measure: so two ranks tell of every distance that
 * there is.
 *
 * The kernel lists the CPUs that share a core, a cache and a socket. A CPU's part is known by the
 * first CPU of its list. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own_file.h"
#include "machine/measure.h"

enum part { CORE, CACHE, SOCKET, PART_COUNT };
static const char *const distances[MOST_PAIRS] = {"same core", "same cache", "same socket",
                                                  "same node"};
enum { MOST_CPUS = 1024, MOST_TRIES = 2000000 };

static int parts[MOST_CPUS][PART_COUNT]; /* -1 = not known */

static void read_parts(int cpu)
{
    static const char *const files[PART_COUNT] = {"topology/thread_siblings_list",
                                                  "cache/index3/shared_cpu_list",
                                                  "topology/core_siblings_list"};
    for (int part = 0; part < PART_COUNT; part++) {
        char path[256];
        char list[64];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, files[part]);
        system_line_read(path, list, sizeof list);
        parts[cpu][part] = list[0] == '\0' ? -1 : atoi(list);
    }
}

/* Index of `distances`. */
static int distance_of(int one, int other)
{
    for (int part = 0; part < PART_COUNT; part++)
        if (parts[one][part] >= 0 && parts[one][part] == parts[other][part])
            return part;
    return MOST_PAIRS - 1;
}

static int next_cpu(const struct cpu_set *set, int cpu)
{
    while (++cpu < MOST_CPUS)
        if (cpu_is_in(set, (uint32_t)cpu))
            return cpu;
    return -1;
}

/* Ranks a and b of the node: the distances that their CPUs have and that no pair has yet. */
static void try_ranks(const struct cpu_set *masks, int a, int b, struct cpu_pair *found, int *tries)
{
    for (int x = next_cpu(&masks[a], -1); x >= 0; x = next_cpu(&masks[a], x))
        for (int y = next_cpu(&masks[b], -1); y >= 0 && *tries > 0; y = next_cpu(&masks[b], y)) {
            --*tries;
            struct cpu_pair *pair = &found[distance_of(x, y)];
            if (x == y || pair->distance[0] != '\0')
                continue;
            snprintf(pair->distance, sizeof pair->distance, "%s", distances[distance_of(x, y)]);
            pair->ranks[0] = a;
            pair->ranks[1] = b;
            pair->cpus[0] = x;
            pair->cpus[1] = y;
        }
}

/* On the leader of the node, which has the masks of all its ranks; their numbers count from 0 on
 * the node. Returns how many distances there are. */
static int choose_pairs(const struct cpu_set *masks, int ranks, struct cpu_pair pairs[MOST_PAIRS])
{
    struct cpu_pair found[MOST_PAIRS] = {{.distance = ""}};
    int tries = MOST_TRIES;
    int count = 0;
    for (int cpu = 0; cpu < MOST_CPUS; cpu++)
        for (int r = 0; r < ranks; r++)
            if (cpu_is_in(&masks[r], (uint32_t)cpu)) {
                read_parts(cpu);
                break;
            }
    for (int a = 0; a < ranks; a++)
        for (int b = a + 1; b < ranks; b++)
            try_ranks(masks, a, b, found, &tries);
    for (int i = 0; i < MOST_PAIRS; i++)
        if (found[i].distance[0] != '\0')
            pairs[count++] = found[i];
    if (count == 0) { /* they share one CPU, or the system does not tell */
        pairs[0] = (struct cpu_pair){"same node", {0, 1}, {-1, -1}};
        count = 1;
    }
    return count;
}

static int first_crowded_node(const struct node_table *table)
{
    for (int node = 0; node < table->count; node++)
        if (table->nodes[node].ranks > 1)
            return node;
    return -1;
}

int find_cpu_pairs(const struct machine_run *run, const struct node_table *table,
                   struct cpu_pair pairs[MOST_PAIRS])
{
    struct cpu_set own = {{0}};
    struct {
        struct cpu_pair pairs[MOST_PAIRS];
        int32_t count;
    } answer = {.count = 0};
    const int node = first_crowded_node(table);
    if (node < 0)
        return 0;
    const int leader = table->nodes[node].leader;
    const int ranks = table->nodes[node].ranks;
    cpus_of_thread(&own);
    if (table->own == node && run->rank != leader)
        run->mpi->send(&own, sizeof own, leader);
    if (run->rank == leader) {
        struct cpu_set *masks = calloc((size_t)ranks, sizeof *masks);
        int *numbers = calloc((size_t)ranks, sizeof *numbers);
        if (masks == NULL || numbers == NULL)
            abort();
        int count = 0;
        for (int r = 0; r < run->size; r++) {
            if (table->node_of_rank[r] != node)
                continue;
            if (r == leader)
                masks[count] = own;
            else
                run->mpi->receive(&masks[count], sizeof *masks, r);
            numbers[count++] = r;
        }
        answer.count = choose_pairs(masks, ranks, answer.pairs);
        for (int i = 0; i < answer.count; i++)
            for (int side = 0; side < 2; side++)
                answer.pairs[i].ranks[side] = numbers[answer.pairs[i].ranks[side]];
        free(masks);
        free(numbers);
    }
    run->mpi->broadcast(&answer, sizeof answer, leader);
    memcpy(pairs, answer.pairs, sizeof answer.pairs);
    return answer.count;
}

static cpu_set_t before;

void move_to_cpu(int cpu)
{
    cpu_set_t one;
    if (cpu < 0 || sched_getaffinity(0, sizeof before, &before) != 0)
        return;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

void move_back(void)
{
    if (CPU_COUNT(&before) > 0)
        sched_setaffinity(0, sizeof before, &before);
}
