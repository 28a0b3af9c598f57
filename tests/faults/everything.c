/* Uses everything that libmprof records something of: threads, communicators, requests of all
 * kinds, regions, windows, files, names, sizes, many call paths, a Fortran library, fork(), and
 * sessions where the MPI has them (argument "sessions").
 *
 * It prints what it computed. It also prints for each rank and MPI function how often the rank
 * called it. So a run with mprof can be compared with what mprof says. */
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FUNCTIONS = 64, THREADS = 3, REQUESTS = 2000, COMMS = 20 };
static struct {
    const char *name;
    long calls;
} made[FUNCTIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread long changed_errno;

static void count(const char *name)
{
    pthread_mutex_lock(&lock);
    int i = 0;
    while (made[i].name != NULL && strcmp(made[i].name, name) != 0)
        i++;
    made[i].name = name;
    made[i].calls++;
    pthread_mutex_unlock(&lock);
}
#define CALL(function, ...) (count(#function), function(__VA_ARGS__))

static void note_errno(const char *function)
{
    if (errno != 77 && changed_errno++ == 0)
        printf("errno %d after %s\n", errno, function);
}

/* For functions that natively leave errno alone. */
#define QUIET_CALL(function, ...) \
    (count(#function), errno = 77, function(__VA_ARGS__), note_errno(#function))

static void *talk_to_myself(void *context)
{
    MPI_Comm comm = *(MPI_Comm *)context;
    int in = 0;
    MPI_Request request;
    for (int out = 0; out < 100; out++) {
        CALL(MPI_Irecv, &in, 1, MPI_INT, 0, 1, comm, &request);
        CALL(MPI_Send, &out, 1, MPI_INT, 0, 1, comm);
        CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void use_threads(int provided)
{
    MPI_Comm comms[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        CALL(MPI_Comm_dup, MPI_COMM_SELF, &comms[i]);
        if (provided == MPI_THREAD_MULTIPLE)
            pthread_create(&threads[i], NULL, talk_to_myself, &comms[i]);
        else
            talk_to_myself(&comms[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        if (provided == MPI_THREAD_MULTIPLE)
            pthread_join(threads[i], NULL);
        CALL(MPI_Comm_free, &comms[i]);
    }
}

static int use_requests(void)
{
    static MPI_Request requests[REQUESTS];
    static int values[REQUESTS];
    int sum = 0;
    for (int i = 0; i < REQUESTS; i++)
        QUIET_CALL(MPI_Irecv, &values[i], 1, MPI_INT, 0, i % 100, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < REQUESTS; i++)
        QUIET_CALL(MPI_Send, &i, 1, MPI_INT, 0, i % 100, MPI_COMM_SELF);
    QUIET_CALL(MPI_Waitall, REQUESTS, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < REQUESTS; i++)
        sum += values[i];
    MPI_Request persistent;
    QUIET_CALL(MPI_Recv_init, values, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &persistent);
    for (int i = 0; i < 10; i++) {
        QUIET_CALL(MPI_Start, &persistent);
        QUIET_CALL(MPI_Send, &i, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
        QUIET_CALL(MPI_Wait, &persistent, MPI_STATUS_IGNORE);
    }
    QUIET_CALL(MPI_Request_free, &persistent);
    return sum;
}

static int use_communicators(void)
{
    static MPI_Comm comms[COMMS];
    int sum = 0;
    for (int i = 0; i < COMMS; i++) {
        int one = i, all = 0;
        CALL(MPI_Comm_split, MPI_COMM_WORLD, i % 2, 0, &comms[i]);
        QUIET_CALL(MPI_Comm_set_name, comms[i], "one of many");
        CALL(MPI_Allreduce, &one, &all, 1, MPI_INT, MPI_SUM, comms[i]);
        MPI_Request request;
        CALL(MPI_Ibarrier, comms[i], &request);
        CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
        sum += all;
    }
    for (int i = 0; i < COMMS; i++)
        CALL(MPI_Comm_free, &comms[i]);
    return sum;
}

static int pass_around(int rank, int ranks)
{
    int in = 0;
    int sum = 0;
    for (int i = 0; i < 50; i++) {
        CALL(MPI_Sendrecv, &i, 1, MPI_INT, (rank + 1) % ranks, i, &in, 1, MPI_INT,
             (rank + ranks - 1) % ranks, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += in;
    }
    return sum;
}

static int use_windows_and_files(const char *folder)
{
    int *memory = NULL;
    MPI_Win window;
    CALL(MPI_Win_allocate, 64, 4, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &window);
    CALL(MPI_Win_fence, 0, window);
    int value = 7;
    QUIET_CALL(MPI_Put, &value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    CALL(MPI_Win_fence, 0, window);
    const int put = memory[0];
    CALL(MPI_Win_free, &window);
    char path[512];
    snprintf(path, sizeof path, "%s/file", folder);
    MPI_File file;
    CALL(MPI_File_open, MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
         &file);
    CALL(MPI_File_write, file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_close, &file);
    return put;
}

static void use_regions(void)
{
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "region %d", i);
        QUIET_CALL(MPI_Pcontrol, 1, name);
        QUIET_CALL(MPI_Barrier, MPI_COMM_SELF);
        QUIET_CALL(MPI_Pcontrol, -1, name);
    }
}

/* Sizes and paths enough for tables to grow. */
static void __attribute__((noinline)) go_down(int levels, int size)
{
    static char buffer[8192];
    if (levels == 0)
        QUIET_CALL(MPI_Bcast, buffer, size, MPI_CHAR, 0, MPI_COMM_SELF);
    else if (size % 2 == 0)
        go_down(levels - 1, size / 2);
    else
        go_down(levels - 1, (size + 1) / 2);
    __asm__ volatile("" ::: "memory"); /* no tail call */
}

/* libmprof looks around when a library is loaded, and changes the references of Fortran libraries.
 */
static void load_libraries(void)
{
    static const char *const names[] = {"libmpi_mpifh.so.40", "libmpichfort.so.12", "libutil.so.1"};
    for (int i = 0; i < 3; i++)
        (void)dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | (i == 2 ? RTLD_DEEPBIND : 0));
    (void)dlsym(RTLD_DEFAULT, "MPI_Send");
}

static int fork_a_child(void)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(7);
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

/* Around the world: MPICH 4.0 crashes in MPI_Init after the last session was finalized. */
#if MPI_VERSION >= 4
static MPI_Session session;

static void begin_session(void)
{
    MPI_Group group;
    MPI_Comm comm;
    CALL(MPI_Session_init, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    CALL(MPI_Group_from_session_pset, session, "mpi://SELF", &group);
    CALL(MPI_Comm_create_from_group, group, "here", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    for (int i = 0; i < 100; i++)
        CALL(MPI_Barrier, comm);
    CALL(MPI_Comm_free, &comm);
    CALL(MPI_Group_free, &group);
}

static void end_session(void)
{
    CALL(MPI_Session_finalize, &session);
}
#else
static void begin_session(void) {}

static void end_session(void) {}
#endif

/* The rank. */
static int use_world(const char *folder)
{
    int provided, rank, ranks;
    CALL(MPI_Init_thread, NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    QUIET_CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    QUIET_CALL(MPI_Comm_size, MPI_COMM_WORLD, &ranks);
    printf("%d requests %d\n", rank, use_requests());
    printf("%d communicators %d\n", rank, use_communicators());
    printf("%d passed %d\n", rank, pass_around(rank, ranks));
    use_threads(provided);
    if (rank == 0)
        printf("put %d\n", use_windows_and_files(folder));
    use_regions();
    for (int size = 0; size < 3000; size++)
        go_down(6, size);
    printf("%d child %d\n", rank, fork_a_child());
    CALL(MPI_Barrier, MPI_COMM_WORLD);
    CALL(MPI_Finalize);
    return rank;
}

int main(int argc, char **argv)
{
    const int with_session = argc > 2 && strcmp(argv[2], "sessions") == 0;
    load_libraries();
    if (with_session)
        begin_session();
    const int rank = use_world(argc > 1 ? argv[1] : ".");
    if (with_session)
        end_session();
    for (int i = 0; i < FUNCTIONS && made[i].name != NULL; i++)
        printf("calls %d %s %ld\n", rank, made[i].name, made[i].calls);
    return 0;
}
