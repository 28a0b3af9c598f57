/* The measurements of the program that `mprof machine` starts. machine_main.c calls them in order.
 *
 * What holds: one thread. Ranks that do not measure sleep, so that they take no processor from
 * those that do. Every loop ends at a number of repeats and at a time, whichever comes first. */
#ifndef MPROF_MEASURE_H
#define MPROF_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/mpi_layer.h"

enum { LARGEST_BYTES = 1 << 22, MOST_POINTS = 32, MOST_ROUNDS = 20, HOST_BYTES = 64 };

struct machine_run {
    const struct mpi_layer *mpi;
    int rank, size;
    uint64_t deadline_ns; /* no measurement begins after it */
    char *out, *in;       /* LARGEST_BYTES each */
};

/* ---- two ranks (ping_pong.c): one leads, the other answers until it is told to stop ---- */

struct point {
    int64_t bytes, repeats;
    int64_t best_ns, typical_ns; /* of a message, one way */
    int64_t stream_ns;           /* of a message among many that follow each other; 0 = not known */
};

struct eager_limit {
    int64_t bytes;    /* of the largest message that is sent before the receiver asks for it */
    int64_t below_ns; /* a message of that size, one way */
    int64_t above_ns; /* of one byte more */
    bool is_known;    /* there is such a limit, up to the largest size that was tried */
};

/* Returns how many points there are. */
int measure_curve(const struct machine_run *run, int partner, struct point points[MOST_POINTS]);
struct point measure_size(const struct machine_run *run, int partner, int bytes, int64_t budget_ns);
/* `points`: the curve to the same partner. */
struct eager_limit measure_eager(const struct machine_run *run, int partner,
                                 const struct point *points, int count);
void end_answers(const struct machine_run *run, int partner);
void give_answers(const struct machine_run *run, int partner);

/* ---- between nodes (node_links.c, link_rounds.c) ---- */

struct link {
    int32_t a, b; /* nodes */
    int64_t latency_ns;
    int64_t bytes, time_ns; /* of the large message */
    int64_t is_checked;     /* measured again, alone */
};

struct node {
    uint64_t mark;
    char host[HOST_BYTES];
    int32_t leader; /* its lowest rank */
    int32_t ranks;
};

struct node_table {
    struct node *nodes;
    int32_t count;
    int32_t own;
    int32_t *node_of_rank;
};

void find_nodes(const struct machine_run *run, struct node_table *table);
/* Measures and tells the links and the speed of each node. The two nodes of the most usual link go
 * to `usual`; false = there is one node only. */
bool measure_nodes(const struct machine_run *run, const struct node_table *table, int usual[2]);

/* Measures and tells what the memory of each node gives (memory_speed.c). */
void measure_memory(const struct machine_run *run, const struct node_table *table);

/* The partner of a node in a round, or -1. Up to 16 nodes everyone meets everyone, in `nodes` - 1
 * rounds; beyond, everyone meets log2 `nodes` others. */
int link_rounds(int nodes);
int link_partner(int node, int round, int nodes);

/* ---- inside a node (cpu_pairs.c) ---- */

struct cpu_pair {
    char distance[16];
    int32_t ranks[2];
    int32_t cpus[2]; /* to run on meanwhile; -1 = wherever they may */
};
enum { MOST_PAIRS = 4 };

/* One pair for each distance that there is on the first node with two ranks; returns how many. */
int find_cpu_pairs(const struct machine_run *run, const struct node_table *table,
                   struct cpu_pair pairs[MOST_PAIRS]);
void move_to_cpu(int cpu);
void move_back(void);

/* ---- all ranks (measure_collectives.c) ---- */

void measure_collectives(const struct machine_run *run);

/* ---- telling the mprof command (machine_main.c) ---- */

/* Lines on the standard output of rank 0, which every launcher hands on:
 *
 *   mprof-machine<TAB>WORD<TAB>VALUE...
 *
 * parser/machine/machine_figures.cc has the words and the values of each. A value ends at a tab;
 * tabs and line ends in a text become spaces. */
void answer_begin(const char *word);
void answer_text(const char *text);
void answer_number(long long number);
void answer_end(void);

/* ---- the MPI library ------------------------------------------------------------------------- */

/* Finds and opens the MPI library that belongs to the launcher, and says which ABI it has. */

struct machine_library {
    void *handle;
    char path[1024];
    const char *abi; /* a family of api/abi_facts.txt */
    const struct mpi_layer *layer;
};

/* `named`: the file that the user named, or NULL. `launcher`: where the launcher is, or NULL.
 * False, with a message on standard error, if there is none. */
bool open_machine_library(const char *named, const char *launcher, struct machine_library *library);

/* How many ranks the launcher says that it started; 0 = it does not say. And which one this is. */
int ranks_by_launcher(void);
int rank_by_launcher(void);

#endif
