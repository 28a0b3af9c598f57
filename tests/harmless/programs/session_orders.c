/* Sessions and the world model, opened and closed in an order that is given as words:
 *
 *   A B C    opens that session, or closes it if it is open
 *   W        MPI_Init, or MPI_Finalize
 *   a b c w  makes a communicator from that session or world, uses it and frees it
 *   0 to 9   only this rank does what follows, up to the next digit or '*'
 *   *        all ranks again
 */
#include <unistd.h>

#include "harmless.h"

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
static MPI_Session sessions[3];
static int is_open[3], world_is_open;
static long world_inits;
static long inits, finalizes, groups, barriers, sends, dups, comm_frees;

static void turn_session(int number)
{
    if (is_open[number]) {
        REQUIRE(MPI_Session_finalize(&sessions[number]) == MPI_SUCCESS);
        finalizes++;
    } else {
        REQUIRE(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &sessions[number]) ==
                MPI_SUCCESS);
        inits++;
    }
    is_open[number] = !is_open[number];
}

static void turn_world(void)
{
    if (world_is_open)
        MPI_Finalize();
    else
        MPI_Init(NULL, NULL);
    world_inits += !world_is_open;
    world_is_open = !world_is_open;
}

static void work(MPI_Comm comm)
{
    MPI_Comm copy;
    int rank, size, got = -1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 3; i++)
        MPI_Barrier(comm);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
    printf("%d of %d got %d\n", rank, size, got);
    MPI_Comm_dup(comm, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    barriers += 4;
    sends++;
    dups++;
    comm_frees++;
}

static void use_session(int number)
{
    MPI_Group group;
    MPI_Comm comm;
    char tag[8] = {(char)('a' + number)};
    REQUIRE(MPI_Group_from_session_pset(sessions[number], "mpi://WORLD", &group) == MPI_SUCCESS);
    REQUIRE(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
            MPI_SUCCESS);
    MPI_Group_free(&group);
    work(comm);
    MPI_Comm_free(&comm);
    groups++;
    comm_frees++;
}

static int own_rank(void)
{
    const char *names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (int i = 0; i < 3; i++)
        if (getenv(names[i]) != NULL)
            return atoi(getenv(names[i]));
    return 0;
}

/* MPICH 4.0.2 and Open MPI 5.0 cannot begin again when everything was closed. */
static int can_begin_again(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    return strstr(version, "Open MPI") == NULL && strstr(version, "4.0.2") == NULL;
}

int main(int argc, char **argv)
{
    const char *order = argc > 1 ? argv[1] : "AaA";
    int active = 1, closed = 0;
    for (const char *c = order; *c != '\0'; c++) {
        if (*c >= '0' && *c <= '9')
            active = *c - '0' == own_rank();
        else if (*c == '*')
            active = 1;
        if (!active)
            continue;
        if (*c >= 'A' && *c <= 'C')
            turn_session(*c - 'A');
        else if (*c == 'W')
            turn_world();
        else if (*c >= 'a' && *c <= 'c')
            use_session(*c - 'a');
        else if (*c == 'w')
            work(MPI_COMM_WORLD);
        closed = !world_is_open && !is_open[0] && !is_open[1] && !is_open[2];
        if (closed && inits + world_inits > 0 && c[1] != '\0' && c[1] != '*' &&
            !(c[1] >= '0' && c[1] <= '9') && !can_begin_again())
            not_here("this MPI cannot begin again when everything was closed");
    }
    if (argc <= 2) { /* else calls are made after MPI_Finalize, which are not recorded */
        made("MPI_Session_init", inits);
        made("MPI_Session_finalize", finalizes);
        made("MPI_Comm_create_from_group", groups);
        made("MPI_Comm_free", comm_frees);
    }
    made("MPI_Barrier", argc > 2 ? atol(argv[2]) : barriers);
    made("MPI_Sendrecv", argc > 2 ? atol(argv[3]) : sends);
    if (is_open[0] || is_open[1] || is_open[2]) {
        /* MPICH's launcher takes the end of this process for a failure, and ends the other rank,
         * which may not have printed its lines yet. */
        fflush(stdout);
        sleep(1);
    }
    return 0;
}
#else
int main(void)
{
    not_here("this MPI has no sessions");
}
#endif
