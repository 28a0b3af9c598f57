/* Truth: one-sided communication. `bytes` is what is moved. The matrix has the one-sided traffic
 * apart from messages: for put and accumulate from the calling rank to the target, for get and for
 * what fetches the other way. */
#include "truth.h"

enum { LENGTH = 64 };

static MPI_Win window;
static int *memory;        /* of the window */
static int n, me, next;    /* in the window's group */
static const int *members; /* world ranks of the window's group */

static void expect_put(const char *function, long long size)
{
    expect_size(function, size, 1);
    expect_one_sided(truth_rank, members[next], 1, size);
}

static void expect_get(const char *function, long long size)
{
    expect_size(function, size, 1);
    expect_one_sided(members[next], truth_rank, 1, size);
}

static void fence(void)
{
    MPI_Win_fence(0, window);
    expect("MPI_Win_fence", 1, 0);
}

static void test_fence(void)
{
    int values[LENGTH], got[LENGTH] = {0}, previous = (me + n - 1) % n;
    for (int i = 0; i < LENGTH; i++)
        values[i] = me;
    fence();
    MPI_Put(values, 10, MPI_INT, next, 0, 10, MPI_INT, window);
    expect_put("MPI_Put", 10 * sizeof(int));
    MPI_Put(values, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
    expect_size("MPI_Put", 0, 1);
    fence();
    CHECK(memory[0] == previous && memory[9] == previous && memory[10] == -1);
    MPI_Get(got, 5, MPI_INT, next, 0, 5, MPI_INT, window);
    expect_get("MPI_Get", 5 * sizeof(int));
    fence();
    CHECK(got[4] == me);
    MPI_Accumulate(values, 7, MPI_INT, next, 0, 7, MPI_INT, MPI_SUM, window);
    expect_put("MPI_Accumulate", 7 * sizeof(int));
    fence();
    CHECK(memory[6] == 2 * previous && memory[7] == previous);
}

static void lock(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window);
    expect("MPI_Win_lock", 1, 0);
}

static void unlock(void)
{
    MPI_Win_unlock(next, window);
    expect("MPI_Win_unlock", 1, 0);
}

static void test_locks(void)
{
    int values[LENGTH] = {3, 3, 3}, got[LENGTH] = {0}, compare = 0;
    lock();
    MPI_Get_accumulate(values, 3, MPI_INT, got, 3, MPI_INT, next, 20, 3, MPI_INT, MPI_REPLACE,
                       window);
    expect_get("MPI_Get_accumulate", 3 * sizeof(int));
    unlock();
    CHECK(got[0] == -1 && got[2] == -1);
    lock();
    MPI_Fetch_and_op(values, got, MPI_INT, next, 20, MPI_SUM, window);
    expect_get("MPI_Fetch_and_op", sizeof(int));
    unlock();
    CHECK(got[0] == 3);
    lock();
    compare = 6;
    values[0] = 77;
    MPI_Compare_and_swap(values, &compare, got, MPI_INT, next, 20, window);
    expect_get("MPI_Compare_and_swap", sizeof(int));
    unlock();
    CHECK(got[0] == 6);
}

static void test_requests(void)
{
    int values[4] = {5, 5, 5, 5}, got[4] = {0};
    MPI_Request request;
    MPI_Win_lock_all(0, window);
    expect("MPI_Win_lock_all", 1, 0);
    MPI_Rput(values, 4, MPI_INT, next, 30, 4, MPI_INT, window, &request);
    expect_put("MPI_Rput", 4 * sizeof(int));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_Wait", 1, 0);
    MPI_Win_flush(next, window);
    expect("MPI_Win_flush", 1, 0);
    MPI_Rget(got, 4, MPI_INT, next, 30, 4, MPI_INT, window, &request);
    expect_get("MPI_Rget", 4 * sizeof(int));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_Wait", 1, 0);
    CHECK(got[3] == 5);
    MPI_Raccumulate(values, 2, MPI_INT, next, 30, 2, MPI_INT, MPI_SUM, window, &request);
    expect_put("MPI_Raccumulate", 2 * sizeof(int));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_Wait", 1, 0);
    MPI_Rget_accumulate(NULL, 0, MPI_INT, got, 3, MPI_INT, next, 30, 3, MPI_INT, MPI_NO_OP, window,
                        &request);
    expect_get("MPI_Rget_accumulate", 3 * sizeof(int));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_Wait", 1, 0);
    CHECK(got[0] == 10 && got[2] == 5);
    MPI_Win_unlock_all(window);
    expect("MPI_Win_unlock_all", 1, 0);
}

/* Post, start, complete, wait: everybody puts two columns of a matrix into the next rank. */
static void test_active_target(void)
{
    MPI_Group all, to, from;
    MPI_Datatype column;
    int values[4][4] = {{8, 8}, {8, 8}, {8, 8}, {8, 8}}, previous = (me + n - 1) % n;
    MPI_Win_get_group(window, &all);
    expect("MPI_Win_get_group", 1, 0);
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &previous, &from);
    expect("MPI_Group_incl", 2, 0);
    MPI_Type_vector(4, 2, 4, MPI_INT, &column);
    expect("MPI_Type_vector", 1, 0);
    MPI_Type_commit(&column);
    expect("MPI_Type_commit", 1, 0);
    MPI_Win_post(from, 0, window);
    expect("MPI_Win_post", 1, 0);
    MPI_Win_start(to, 0, window);
    expect("MPI_Win_start", 1, 0);
    MPI_Put(values, 1, column, next, 40, 8, MPI_INT, window);
    expect_put("MPI_Put", 8 * sizeof(int));
    MPI_Win_complete(window);
    expect("MPI_Win_complete", 1, 0);
    MPI_Win_wait(window);
    expect("MPI_Win_wait", 1, 0);
    CHECK(memory[40] == 8 && memory[47] == 8);
    MPI_Type_free(&column);
    expect("MPI_Type_free", 1, 0);
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    expect("MPI_Group_free", 3, 0);
}

/* The window belongs to `comm`, whose world ranks are `ranks`. */
static void test_window(MPI_Comm comm, int size, int rank, const int *ranks)
{
    n = size;
    me = rank;
    next = (rank + 1) % size;
    members = ranks;
    MPI_Win_allocate(LENGTH * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &window);
    expect("MPI_Win_allocate", 1, 0);
    for (int i = 0; i < LENGTH; i++)
        memory[i] = -1;
    MPI_Barrier(comm);
    expect_size("MPI_Barrier", 0, 1);
    test_fence();
    test_locks();
    test_requests();
    test_active_target();
    MPI_Win_free(&window);
    expect("MPI_Win_free", 1, 0);
}

int main(int argc, char **argv)
{
    int ranks[64];
    MPI_Comm reversed;
    truth_begin(&argc, &argv);
    for (int r = 0; r < truth_ranks; r++)
        ranks[r] = r;
    test_window(MPI_COMM_WORLD, truth_ranks, truth_rank, ranks);
    for (int r = 0; r < truth_ranks; r++)
        ranks[r] = truth_ranks - 1 - r;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -truth_rank, &reversed);
    expect("MPI_Comm_split", 1, 0);
    test_window(reversed, truth_ranks, truth_ranks - 1 - truth_rank, ranks);
    MPI_Comm_free(&reversed);
    expect("MPI_Comm_free", 1, 0);
    return truth_end();
}
