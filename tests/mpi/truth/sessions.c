/* Truth: a program that never calls MPI_Init. It opens sessions (MPI 4), two of them at a time. It
 * makes communicators from the group of all ranks and of this rank alone. After the last session is
 * closed it opens no more, because MPICH 4.0.2 cannot begin again. */
#include "truth.h"

#if MPI_VERSION >= 4
static MPI_Session open_session(void)
{
    MPI_Session session;
    CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
    expect("MPI_Session_init", 1, 0);
    return session;
}

static void close_session(MPI_Session *session)
{
    MPI_Session_finalize(session);
    expect("MPI_Session_finalize", 1, 0);
}

static MPI_Comm comm_of_set(MPI_Session session, const char *set)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, set, &group);
    expect("MPI_Group_from_session_pset", 1, 0);
    MPI_Comm_create_from_group(group, set, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    expect("MPI_Comm_create_from_group", 1, 0);
    MPI_Group_free(&group);
    expect("MPI_Group_free", 1, 0);
    return comm;
}

static void release(MPI_Comm *comm)
{
    MPI_Comm_free(comm);
    expect("MPI_Comm_free", 1, 0);
}

/* A ring of rank + 1 ints, forwards and by nonblocking calls backwards, and a sum. */
static void work(MPI_Comm comm)
{
    int next = (truth_rank + 1) % truth_ranks, sum = 0, mine[64] = {truth_rank}, got[64];
    int previous = (truth_rank + truth_ranks - 1) % truth_ranks;
    MPI_Request requests[2];
    MPI_Sendrecv(mine, truth_rank + 1, MPI_INT, next, 1, got, 64, MPI_INT, MPI_ANY_SOURCE, 1, comm,
                 MPI_STATUS_IGNORE);
    expect_send("MPI_Sendrecv", next, (truth_rank + 1) * (long long)sizeof(int));
    expect_received("MPI_Sendrecv", (previous + 1) * (long long)sizeof(int));
    CHECK(got[0] == previous);
    MPI_Irecv(got, 64, MPI_INT, next, 2, comm, &requests[0]);
    expect_size("MPI_Irecv", (next + 1) * (long long)sizeof(int), 1);
    MPI_Isend(mine, truth_rank + 1, MPI_INT, previous, 2, comm, &requests[1]);
    expect_send("MPI_Isend", previous, (truth_rank + 1) * (long long)sizeof(int));
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect("MPI_Waitall", 1, 0);
    CHECK(got[0] == next);
    MPI_Allreduce(&truth_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect_size("MPI_Allreduce", sizeof(int), 1);
    CHECK(sum == truth_ranks * (truth_ranks - 1) / 2);
}

static void work_alone(MPI_Comm comm)
{
    int value = 5, got = 0;
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    expect_send("MPI_Sendrecv", truth_rank, sizeof(int));
    expect_received("MPI_Sendrecv", sizeof(int));
    CHECK(got == 5);
}

int main(void)
{
    MPI_Session session = open_session(), another = open_session();
    MPI_Comm all = comm_of_set(session, "mpi://WORLD"), self = comm_of_set(another, "mpi://SELF");
    MPI_Comm_rank(all, &truth_rank);
    expect("MPI_Comm_rank", 1, 0);
    MPI_Comm_size(all, &truth_ranks);
    expect("MPI_Comm_size", 1, 0);
    work(all);
    work_alone(self);
    release(&self);
    close_session(&another);
    work(all); /* one session is left */
    release(&all);
    another = open_session();
    self = comm_of_set(another, "mpi://SELF");
    work_alone(self);
    release(&self);
    close_session(&session);
    close_session(&another);
    truth_save();
    return truth_failures == 0 ? 0 : 1;
}
#else
int main(void)
{
    puts("skipped: this MPI has no sessions");
    return 77;
}
#endif
