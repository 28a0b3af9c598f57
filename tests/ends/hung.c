/* A program that hangs on purpose: one rank sleeps, the others are in a collective or wait for each
 * other. Used by run_hang.py, for 3 ranks.
 *
 * hung MODE FILE: when everything is set, every rank writes its process id into FILE (32 bits each,
 * by rank). MODE is one of the table at the end. */
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, mine = 1, sum;

static void allreduce(void)
{
    if (rank == ranks - 1)
        sleep(3600);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* the collective that hangs */
}

static void ring(void)
{
    MPI_Recv(&sum, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* So much that no MPI keeps it for a receiver that has not asked for it. */
static void send_ring(void)
{
    enum { LARGE = 1 << 22 };
    int *many = calloc(LARGE, sizeof *many);
    MPI_Send(many, LARGE, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
}

/* The last rank waits for a message that the first one would send after the barrier. */
static void without_last(void)
{
    if (rank == ranks - 1)
        MPI_Recv(&sum, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(300000u);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Healthy, and in MPI nearly all the time: every rank sends and then receives. */
static void healthy(void)
{
    enum { LARGE = 1 << 18 };
    static int many[LARGE], got[LARGE];
    const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    for (;;) {
        for (int i = 0; i < 20; i++) {
            MPI_Send(&mine, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
            MPI_Recv(&sum, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Request request;
        MPI_Irecv(got, LARGE, MPI_INT, left, 2, MPI_COMM_WORLD, &request);
        MPI_Send(many, LARGE, MPI_INT, right, 2, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* A communicator of all ranks, in another order, so that ranks in it are others than in the world.
 */
static MPI_Comm turned(const char *name)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Comm_set_name(comm, name);
    return comm;
}

static void barrier_on(const char *name)
{
    MPI_Comm comm = turned(name);
    if (rank == ranks - 1)
        sleep(3600);
    MPI_Barrier(comm);
}

static void named(void)
{
    barrier_on("rows of the grid");
}

/* ESC [ 2 J would clear the terminal. The name is longer than what is kept, and is cut off in the
 * middle of a character. */
static void garbled(void)
{
    barrier_on(
        "\033[2Jgr\303\266\303\237e \342\202\254\342\202\254\342\202\254\342\202\254\342\202"
        "\254\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254\342\202"
        "\254\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254");
}

static void tags(void)
{
    MPI_Comm comm = turned("turned");
    if (rank == 0)
        MPI_Ssend(&mine, 1, MPI_INT, ranks - 2, 1, comm);
    else if (rank == 1)
        MPI_Recv(&sum, 1, MPI_INT, ranks - 1, 2, comm, MPI_STATUS_IGNORE);
    sleep(3600);
}

static void two_communicators(void)
{
    MPI_Comm first = turned("first"), second = turned("second");
    if (rank == 2)
        sleep(3600);
    MPI_Barrier(rank == 0 ? first : second);
}

static void wait(void)
{
    MPI_Request request;
    if (rank == 0)
        MPI_Irecv(&sum, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
    else if (rank == 1)
        MPI_Issend(&mine, 1, MPI_INT, 2, 8, MPI_COMM_WORLD, &request);
    else
        sleep(3600);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void poll(void)
{
    MPI_Request request;
    int done = 0;
    if (rank == 0)
        MPI_Irecv(&sum, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &request);
    while (!done) {
        if (rank == 0)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        else if (rank == 1)
            MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
        else
            sleep(3600);
    }
}

/* Rank 2 has the lock of rank 0's memory when rank 1 asks for it. */
static void hold_lock(void)
{
    MPI_Win window;
    int *memory;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank == 1)
        MPI_Recv(&sum, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) /* inside MPI, or its memory cannot be reached with each MPI */
        MPI_Recv(&sum, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    if (rank == 2)
        MPI_Send(&mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    sleep(3600);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {{"allreduce", allreduce},   /* the last rank sleeps, the others are in MPI_Allreduce */
             {"ring", ring},             /* each receives from the next one */
             {"sends", send_ring},       /* each sends to the next one */
             {"without", without_last},  /* all but the last rank are in a barrier */
             {"healthy", healthy},       /* this one does not hang */
             {"named", named},           /* as allreduce, on a communicator that has a name */
             {"garbled", garbled},       /* the same with a name that would garble a terminal */
             {"tags", tags},             /* rank 0 sends tag 1 to rank 1, which receives tag 2 */
             {"two", two_communicators}, /* ranks 0 and 1 in barriers of two communicators */
             {"wait", wait},             /* rank 0 waits for 1, that for 2, which sleeps */
             {"poll", poll},             /* rank 0 and 1 poll, rank 2 sleeps */
             {"lock", hold_lock}};       /* rank 1 waits for a window that rank 2 has locked */

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    int file = open(argv[2], O_WRONLY);
    int process = (int)getpid();
    if (file < 0 || pwrite(file, &process, sizeof process, (off_t)sizeof process * rank) < 0)
        return 2;
    close(file);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(argv[1], modes[i].name) == 0)
            modes[i].run();
    return MPI_Finalize();
}
