/* What one MPI call costs, for ./dev bench: times a few cheap calls and prints, per case, the
 * shortest mean over many short windows in nanoseconds: "case ns". One rank; run with and without a
 * tool in front of MPI. */
#include <mpi.h>
#include <stdio.h>

enum { WINDOWS = 60, CALLS = 4000 };

static char buffer[2][64];

static void comm_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void iprobe(void)
{
    int found;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

static void send_to_nobody(void)
{
    MPI_Send(buffer[0], 8, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void allreduce_on_self(void)
{
    double in = 1;
    double out;
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

/* Three calls. */
static void exchange_with_self(void)
{
    MPI_Request requests[2];
    MPI_Irecv(buffer[1], 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(buffer[0], 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static const struct {
    const char *name;
    void (*call)(void);
} cases[] = {
    {"MPI_Comm_rank", comm_rank},
    {"MPI_Iprobe", iprobe},
    {"MPI_Send to MPI_PROC_NULL", send_to_nobody},
    {"MPI_Allreduce on MPI_COMM_SELF", allreduce_on_self},
    {"MPI_Irecv + MPI_Isend + MPI_Waitall", exchange_with_self},
};

static double shortest_ns(void (*call)(void))
{
    double shortest = 1e9;
    for (int window = 0; window < WINDOWS; window++) {
        double begin = MPI_Wtime();
        for (int i = 0; i < CALLS; i++)
            call();
        double ns = (MPI_Wtime() - begin) / CALLS * 1e9;
        if (ns < shortest)
            shortest = ns;
    }
    return shortest;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        printf("%s\t%.2f\n", cases[i].name, shortest_ns(cases[i].call));
    return MPI_Finalize();
}
