/* Truth: random programs. The first argument is a seed: from it all ranks draw the same number of
 * threads, regions, communicators, and for each thread the same calls at random places, of random
 * sizes. Some have a thousand receives under way at once, which another thread may complete. What
 * each call is worth is counted beside it, also for its region and its communicator
 * (run_random_calls.py).
 *
 * Each thread talks on communicators of its own, so that the ranks' threads of one number need not
 * wait for others. Only the main thread makes and frees communicators, while it is alone. */
#include "truth.h"

#include <stdint.h>

#include "mprof/mprof.h"

enum { MOST_THREADS = 4, COMMS = 3, MOST_BYTES = 4096, DEEPEST = 6, NAMES = 24, NAME_BYTES = 24 };
enum { MOST_OPEN = 1024 };
enum { REGIONS_DEEP = 3, PATH_BYTES = REGIONS_DEEP * NAME_BYTES };

static char region_names[NAMES][NAME_BYTES];

struct comm {
    MPI_Comm comm;
    char name[NAME_BYTES];
    int rank, size;
    int members[64]; /* world ranks */
};

/* Receives that are under way over many steps. Whoever ends them need not be who began them. */
struct receives {
    MPI_Request requests[MOST_OPEN];
    int count, most;
    char (*data)[MOST_BYTES];
};

struct worker {
    uint64_t random;
    int number, steps, sizes, open; /* how many sizes there are; regions that are open */
    int regions[REGIONS_DEEP];      /* numbers of names */
    struct comm comms[COMMS];
    struct receives *receives;
};

static int region_count, regions_deep;

static int draw(struct worker *worker, int below)
{
    worker->random = worker->random * 6364136223846793005u + 1442695040888963407u;
    return (int)((worker->random >> 33) % (uint64_t)below);
}

/* For a call that is made now, `bytes` in all. */
static void count_part(const struct worker *worker, const struct comm *comm, long long calls,
                       long long bytes)
{
    char path[PATH_BYTES] = "";
    for (int i = 0; i < worker->open; i++) {
        strcat(path, i > 0 ? "/" : "");
        strcat(path, region_names[worker->regions[i]]);
    }
    if (region_count > 0) /* without any the report has no table of them */
        expect_part("regions", path, calls, bytes);
    if (comm != NULL)
        expect_part("communicators", comm->name, calls, bytes);
}

/* A call on `comm` that is worth so much, made now in the worker's region. */
static void count(const struct worker *worker, const struct comm *comm, const char *function,
                  long long size, long long calls)
{
    expect_size(function, size, calls);
    count_part(worker, comm, calls, size * calls);
}

/* Calls that carry no data. */
static void count_plain(const struct worker *worker, const struct comm *comm, const char *function,
                        long long calls)
{
    expect(function, calls, 0);
    count_part(worker, comm, calls, 0);
}

static void count_sent(const struct worker *worker, const struct comm *comm, const char *function,
                       int to, long long size)
{
    count(worker, comm, function, size, 1);
    expect_message(truth_rank, comm->members[to], 1, size);
}

/* ---- what one step may do, on one communicator, `size` bytes ----------------------------------
 */

static void shift(const struct worker *worker, const struct comm *comm, int size, int by)
{
    char out[MOST_BYTES] = {0}, in[MOST_BYTES];
    const int to = (comm->rank + by) % comm->size;
    const int from = (comm->rank + comm->size - by % comm->size) % comm->size;
    MPI_Sendrecv(out, size, MPI_CHAR, to, 1, in, MOST_BYTES, MPI_CHAR, from, 1, comm->comm,
                 MPI_STATUS_IGNORE);
    count_sent(worker, comm, "MPI_Sendrecv", to, size);
    expect_received("MPI_Sendrecv", size);
}

static void exchange(const struct worker *worker, const struct comm *comm, int size, int by)
{
    char out[MOST_BYTES] = {0}, in[MOST_BYTES];
    MPI_Request requests[2];
    const int to = (comm->rank + by) % comm->size;
    const int from = (comm->rank + comm->size - by % comm->size) % comm->size;
    MPI_Irecv(in, MOST_BYTES, MPI_CHAR, from, 2, comm->comm, &requests[0]);
    MPI_Isend(out, size, MPI_CHAR, to, 2, comm->comm, &requests[1]);
    count(worker, comm, "MPI_Irecv", size, 1);
    count_sent(worker, comm, "MPI_Isend", to, size);
    if (by % 2 == 0) {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        count_plain(worker, NULL, "MPI_Waitall", 1);
        return;
    }
    int done = 0, tests = 0;
    for (; !done; tests++)
        MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    count_plain(worker, NULL, "MPI_Testall", tests);
}

/* Pairs of neighbours; of an odd number the last one has none. */
static void pair(const struct worker *worker, const struct comm *comm, int size, int by)
{
    char data[MOST_BYTES] = {0};
    const int other = comm->rank ^ 1;
    if (other >= comm->size)
        return;
    if (comm->rank % 2 == by % 2) {
        MPI_Send(data, size, MPI_CHAR, other, 3, comm->comm);
        count_sent(worker, comm, "MPI_Send", other, size);
    } else {
        MPI_Recv(data, MOST_BYTES, MPI_CHAR, other, 3, comm->comm, MPI_STATUS_IGNORE);
        count(worker, comm, "MPI_Recv", size, 1);
    }
}

static void start_again(const struct worker *worker, const struct comm *comm, int size, int by)
{
    char out[MOST_BYTES] = {0}, in[MOST_BYTES];
    MPI_Request requests[2];
    const int to = (comm->rank + by) % comm->size, starts = by % 4;
    const int from = (comm->rank + comm->size - by % comm->size) % comm->size;
    MPI_Recv_init(in, MOST_BYTES, MPI_CHAR, from, 4, comm->comm, &requests[0]);
    MPI_Send_init(out, size, MPI_CHAR, to, 4, comm->comm, &requests[1]);
    count_plain(worker, comm, "MPI_Recv_init", 1);
    count_plain(worker, comm, "MPI_Send_init", 1);
    for (int start = 0; start < starts; start++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    expect_transfers("MPI_Recv_init", size, starts);
    expect_transfers("MPI_Send_init", size, starts);
    count_part(worker, comm, 0, 2LL * starts * size);
    expect_message(truth_rank, comm->members[to], starts, (long long)starts * size);
    count_plain(worker, NULL, "MPI_Startall", starts);
    count_plain(worker, NULL, "MPI_Waitall", starts);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    count_plain(worker, NULL, "MPI_Request_free", 2);
}

static void broadcast(const struct worker *worker, const struct comm *comm, int size, int by)
{
    char data[MOST_BYTES] = {0};
    MPI_Bcast(data, size, MPI_CHAR, by % comm->size, comm->comm);
    count(worker, comm, "MPI_Bcast", size, 1);
}

static void reduce(const struct worker *worker, const struct comm *comm, int size, int by)
{
    char out[MOST_BYTES] = {0}, in[MOST_BYTES];
    if (by % 2 == 0) {
        MPI_Allreduce(out, in, size, MPI_CHAR, MPI_MAX, comm->comm);
        count(worker, comm, "MPI_Allreduce", size, 1);
        return;
    }
    MPI_Request request;
    MPI_Iallreduce(out, in, size, MPI_CHAR, MPI_MAX, comm->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    count(worker, comm, "MPI_Iallreduce", size, 1);
    count_plain(worker, NULL, "MPI_Wait", 1);
}

static void meet(const struct worker *worker, const struct comm *comm, int size, int by)
{
    (void)size;
    (void)by;
    MPI_Barrier(comm->comm);
    count_plain(worker, comm, "MPI_Barrier", 1);
}

static void end_receives(const struct worker *worker)
{
    struct receives *receives = worker->receives;
    if (receives->count == 0)
        return;
    MPI_Waitall(receives->count, receives->requests, MPI_STATUSES_IGNORE);
    count_plain(worker, NULL, "MPI_Waitall", 1);
    receives->count = 0;
}

/* A receive that stays open, and what it receives. */
static void post(const struct worker *worker, const struct comm *comm, int size, int by)
{
    char out[MOST_BYTES] = {0};
    struct receives *receives = worker->receives;
    const int to = (comm->rank + by) % comm->size;
    const int from = (comm->rank + comm->size - by % comm->size) % comm->size;
    if (receives->count == receives->most)
        end_receives(worker);
    MPI_Irecv(receives->data[receives->count], MOST_BYTES, MPI_CHAR, from, 5, comm->comm,
              &receives->requests[receives->count]);
    receives->count++;
    MPI_Send(out, size, MPI_CHAR, to, 5, comm->comm);
    count(worker, comm, "MPI_Irecv", size, 1);
    count_sent(worker, comm, "MPI_Send", to, size);
}

typedef void operation(const struct worker *worker, const struct comm *comm, int size, int by);
static operation *const operations[] = {shift,  exchange, pair, start_again, broadcast,
                                        reduce, meet,     post, post};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* ---- places: each way down to an operation is a call path of its own ---------------------------
 */

struct step {
    operation *operation;
    const struct comm *comm;
    int size, by;
    unsigned way; /* two bits for each call on the way */
};

#define DOWN(name) \
    __attribute__((noinline)) static void name(struct worker *worker, struct step *step, int depth)
DOWN(go_0);
DOWN(go_1);
DOWN(go_2);
DOWN(go_3);

static void go(struct worker *worker, struct step *step, int depth)
{
    static void (*const ways[])(struct worker *, struct step *, int) = {go_0, go_1, go_2, go_3};
    if (depth == 0)
        step->operation(worker, step->comm, step->size, step->by);
    else
        ways[step->way >> 2 * (depth - 1) & 3](worker, step, depth - 1);
    __asm__ volatile("" ::: "memory"); /* no tail call */
}
#define GO(name)                                                                         \
    __attribute__((noinline)) static void name(struct worker *worker, struct step *step, \
                                               int depth)                                \
    {                                                                                    \
        go(worker, step, depth);                                                         \
        __asm__ volatile("" ::: "memory");                                               \
    }
GO(go_0)
GO(go_1)
GO(go_2)
GO(go_3)

/* ---- threads ----------------------------------------------------------------------------------
 */

static void change_region(struct worker *worker)
{
    if (worker->open > 0 && draw(worker, 2) == 0) {
        mprof_region_end(region_names[worker->regions[--worker->open]]);
        return;
    }
    const int number = draw(worker, NAMES) % (region_count > 0 ? region_count : 1);
    for (int i = 0; i < worker->open; i++)
        if (worker->regions[i] == number)
            return; /* to end the outer one would end both */
    if (worker->open == regions_deep || region_count == 0)
        return;
    worker->regions[worker->open++] = number;
    mprof_region_begin(region_names[number]);
}

/* Many receives under way at once, on all communicators and in many regions: none of the record's
 * rows for them can be given up. */
static void post_many(struct worker *worker)
{
    for (int i = 0; i < worker->receives->most; i++) {
        const int draws = draw(worker, 4);
        for (int j = 0; j < draws; j++)
            change_region(worker);
        post(worker, &worker->comms[draw(worker, COMMS)], draw(worker, 64), 1 + draw(worker, 8));
    }
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    if (worker->steps % 2 == 0)
        post_many(worker);
    for (int step = 0; step < worker->steps; step++) {
        if (draw(worker, 4) == 0)
            change_region(worker);
        struct step next = {.operation = operations[draw(worker, OPERATIONS)],
                            .comm = &worker->comms[draw(worker, COMMS)],
                            .size = draw(worker, worker->sizes) * (MOST_BYTES / worker->sizes),
                            .by = 1 + draw(worker, 8),
                            .way = (unsigned)draw(worker, 1 << 2 * DEEPEST)};
        go(worker, &next, draw(worker, DEEPEST + 1));
    }
    while (worker->open > 0)
        mprof_region_end(region_names[worker->regions[--worker->open]]);
    return NULL;
}

/* By the main thread. All calls here are in no region. */
static void name_comm(const struct worker *worker, struct comm *comm)
{
    MPI_Comm_set_name(comm->comm, comm->name);
    MPI_Comm_rank(comm->comm, &comm->rank);
    MPI_Comm_size(comm->comm, &comm->size);
    count_plain(worker, comm, "MPI_Comm_set_name", 1);
    count_plain(worker, comm, "MPI_Comm_rank", 1);
    count_plain(worker, comm, "MPI_Comm_size", 1);
}

static void make_comms(struct worker *worker)
{
    static struct comm world = {.name = "MPI_COMM_WORLD"};
    world.comm = MPI_COMM_WORLD;
    struct comm *all = &worker->comms[0], *half = &worker->comms[1], *self = &worker->comms[2];
    const int parts = 1 + draw(worker, 3);
    MPI_Comm_dup(MPI_COMM_WORLD, &all->comm);
    MPI_Comm_split(MPI_COMM_WORLD, truth_rank % parts, truth_rank, &half->comm);
    MPI_Comm_dup(MPI_COMM_SELF, &self->comm);
    count_plain(worker, &world, "MPI_Comm_dup", 1);
    count_plain(worker, &world, "MPI_Comm_split", 1);
    struct comm alone = {.name = "MPI_COMM_SELF"};
    count_plain(worker, &alone, "MPI_Comm_dup", 1);
    for (int i = 0; i < COMMS; i++) {
        static const char *const kinds[] = {"all", "half", "self"};
        snprintf(worker->comms[i].name, NAME_BYTES, "%s of %d", kinds[i], worker->number);
        name_comm(worker, &worker->comms[i]);
    }
    for (int rank = 0; rank < truth_ranks; rank++) {
        all->members[rank] = rank;
        half->members[rank / parts] =
            rank % parts == truth_rank % parts ? rank : half->members[rank / parts];
    }
    self->members[0] = truth_rank;
}

static void free_comms(struct worker *worker)
{
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_free(&worker->comms[i].comm);
        count_plain(worker, &worker->comms[i], "MPI_Comm_free", 1);
    }
}

static void run_round(struct worker *workers, int threads)
{
    pthread_t started[MOST_THREADS];
    for (int t = 0; t < threads; t++)
        make_comms(&workers[t]);
    for (int t = 1; t < threads; t++)
        CHECK(pthread_create(&started[t], NULL, work, &workers[t]) == 0);
    work(&workers[0]);
    for (int t = 1; t < threads; t++)
        pthread_join(started[t], NULL);
    for (int t = 0; t < threads; t++)
        end_receives(&workers[t]);
    for (int t = 0; t < threads; t++)
        free_comms(&workers[t]);
}

static struct receives *new_receives(int most)
{
    struct receives *receives = calloc(1, sizeof *receives);
    receives->data = calloc((size_t)most, sizeof *receives->data);
    receives->most = most;
    return receives;
}

int main(int argc, char **argv)
{
    static struct worker workers[MOST_THREADS];
    struct worker plan = {.random = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u};
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    expect("MPI_Init_thread", 1, 0);
    truth_start();
    region_count = draw(&plan, 3) == 0 ? 0 : 1 + draw(&plan, NAMES);
    regions_deep = 1 + draw(&plan, REGIONS_DEEP);
    for (int i = 0; i < region_count; i++)
        snprintf(region_names[i], NAME_BYTES, "part %d", i);
    const int rounds = 1 + draw(&plan, 3), threads = 1 + draw(&plan, MOST_THREADS);
    const int most_open = 1 << draw(&plan, 11);
    for (int t = 0; t < threads; t++)
        workers[t] = (struct worker){.number = t,
                                     .random = plan.random + (uint64_t)t * 7919,
                                     .receives = new_receives(most_open)};
    for (int round = 0; round < rounds; round++) {
        for (int t = 0; t < threads; t++) {
            workers[t].steps = draw(&plan, 400 / threads);
            workers[t].sizes = 1 << draw(&plan, 11);
        }
        run_round(workers, threads);
    }
    if (region_count > 0)
        expect_part("regions", "", 4, 0);                 /* Init, rank, size, Finalize */
    expect_part("communicators", "MPI_COMM_WORLD", 3, 0); /* rank, size, Finalize */
    return truth_end();
}
