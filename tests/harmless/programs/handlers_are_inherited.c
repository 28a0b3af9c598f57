/* Who inherits which error handler. With MPICH a communicator without a handler of its own follows
 * MPI_COMM_WORLD, and so does its duplicate, until somebody sets one. The program prints what each
 * communicator has, and makes an error on a duplicate. It looks again when MPI_Finalize deletes the
 * attributes of MPI_COMM_SELF. */
#include "harmless.h"

static int rank;
static MPI_Errhandler own_handler;
static int handled;

static void handle_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
}

static void show(const char *what, MPI_Comm comm)
{
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(comm, &handler);
    printf("%s on %d: %s\n", what, rank,
           handler == MPI_ERRORS_ARE_FATAL ? "fatal"
           : handler == MPI_ERRORS_RETURN  ? "return"
           : handler == own_handler        ? "own"
                                           : "another");
    if (handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_RETURN)
        MPI_Errhandler_free(&handler);
}

static int delete_attribute(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)state;
    show("world in MPI_Finalize", MPI_COMM_WORLD);
    return MPI_SUCCESS;
}

static void fail(const char *what, MPI_Comm comm)
{
    int value = 0;
    int code = MPI_Send(&value, 1, MPI_INT, 12345, 0, comm);
    printf("%s on %d: %s, handled %d\n", what, rank, code != MPI_SUCCESS ? "an error" : "no error",
           handled);
}

int main(int argc, char **argv)
{
    MPI_Comm early, late;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int keyval, length;
    MPI_Init(&argc, &argv);
    MPI_Get_library_version(version, &length);
    /* Open MPI gives each communicator MPI_ERRORS_ARE_FATAL at the start. */
    const int follow_world = strstr(version, "Open MPI") == NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    show("world at first", MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &early);
    show("duplicate", early);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &late);
    fail("world", MPI_COMM_WORLD);
    fail("later duplicate", late);
    if (follow_world)
        fail("earlier duplicate", early);
    MPI_Comm_create_errhandler(handle_error, &own_handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own_handler);
    fail("world with a handler", MPI_COMM_WORLD);
    MPI_Comm_free(&early);
    MPI_Comm_free(&late);
    made("MPI_Send", follow_world ? 4 : 3);
    made("MPI_Comm_dup", 2);
    MPI_Finalize();
    return 0;
}
