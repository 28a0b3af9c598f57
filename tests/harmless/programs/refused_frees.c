/* Objects that may not be freed, under MPI_ERRORS_RETURN. Each call fails, and everything works as
 * before. Each is tried twice, because mprof must not retire the same object again. */
#include "harmless.h"

static int rank, size;
static long sends, frees;

static void try_to_free(MPI_Comm comm, const char *what)
{
    MPI_Comm handle = comm;
    int code = MPI_Comm_free(&handle);
    frees++;
    printf("%s on %d: %s, the handle is %s\n", what, rank,
           code != MPI_SUCCESS ? "an error" : "no error", handle == comm ? "the same" : "another");
}

static void talk(MPI_Comm comm)
{
    int me, ranks, got = -1;
    MPI_Request request;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &ranks);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &request);
    MPI_Send(&rank, 1, MPI_INT, (me + 1) % ranks, 1, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sends++;
    printf("%d got %d\n", rank, got);
}

static int refuse(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm;
    (void)keyval;
    (void)state;
    int *refusals = value;
    return (*refusals)-- > 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* Its attribute does not want to be deleted at first. */
static void free_with_attribute(void)
{
    MPI_Comm copy, before;
    int keyval, refusals = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &keyval, NULL);
    MPI_Comm_set_attr(copy, keyval, &refusals);
    before = copy;
    int code = MPI_Comm_free(&copy);
    frees++;
    printf("with attribute on %d: %s\n", rank, code != MPI_SUCCESS ? "refused" : "freed");
    if (code != MPI_SUCCESS && copy == before) {
        talk(copy);
        MPI_Comm_free(&copy);
        frees++;
    }
}

int main(int argc, char **argv)
{
    MPI_Comm null = MPI_COMM_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        try_to_free(MPI_COMM_SELF, "self");
        try_to_free(MPI_COMM_WORLD, "world");
        try_to_free(null, "null");
        talk(MPI_COMM_SELF);
        talk(MPI_COMM_WORLD);
        MPI_Comm copies[40]; /* they would get the memory of what was retired */
        for (int c = 0; c < 40; c++)
            MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &copies[c]);
        talk(MPI_COMM_SELF);
        talk(copies[39]);
        for (int c = 0; c < 40; c++)
            MPI_Comm_free(&copies[c]);
        frees += 40;
    }
    free_with_attribute();
    talk(MPI_COMM_WORLD);
    made("MPI_Send", sends);
    made("MPI_Irecv", sends);
    made("MPI_Comm_free", frees);
    MPI_Finalize();
    return 0;
}
