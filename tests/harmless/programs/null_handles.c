/* Null handles, and null pointers to handles, under MPI_ERRORS_RETURN. The MPI refuses each of
 * them. The argument says which one is tried, because some of them are a signal in the MPI. */
#include "harmless.h"

static int try(int number)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Win win = MPI_WIN_NULL;
    MPI_File file = MPI_FILE_NULL;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status, statuses[8];
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    int index, flag, count, indices[8], value = 0;
    /* clang-format off */
    switch (number) {
    case 0: return MPI_Request_free(NULL);
    case 1: return MPI_Request_free(&request);
    case 2: return MPI_Wait(NULL, &status);
    case 3: return MPI_Test(NULL, &flag, &status);
    case 4: return MPI_Waitall(3, NULL, statuses);
    case 5: return MPI_Waitany(3, NULL, &index, &status);
    case 6: return MPI_Waitsome(3, NULL, &count, indices, statuses);
    case 7: return MPI_Testall(3, NULL, &flag, statuses);
    case 8: return MPI_Testany(3, NULL, &index, &flag, &status);
    case 9: return MPI_Testsome(3, NULL, &count, indices, statuses);
    case 10: return MPI_Waitall(8, NULL, statuses);
    case 11: return MPI_Comm_free(NULL);
    case 12: return MPI_Comm_free(&comm);
    case 13: return MPI_Comm_disconnect(NULL);
    case 14: return MPI_Comm_disconnect(&comm);
    case 15: return MPI_Win_free(NULL);
    case 16: return MPI_Win_free(&win);
    case 17: return MPI_File_close(NULL);
    case 18: return MPI_File_close(&file);
    case 19: return MPI_Mrecv(&value, 1, MPI_INT, NULL, &status);
    case 20: return MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    case 21: return MPI_Imrecv(&value, 1, MPI_INT, NULL, &request);
    case 22: return MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    case 23: return MPI_Start(NULL);
    case 24: return MPI_Start(&request);
    case 25: return MPI_Startall(2, NULL);
    case 26: return MPI_Cancel(NULL);
    case 27: return MPI_Comm_dup(MPI_COMM_WORLD, NULL);
    case 28: return MPI_Comm_dup(MPI_COMM_NULL, &comm);
    case 29: return MPI_Comm_split(MPI_COMM_NULL, 0, 0, &comm);
    case 30: return MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL);
    case 31: return MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL);
    case 32: return MPI_Group_free(NULL);
    case 33: return MPI_Group_free(&group);
    case 34: return MPI_Type_free(NULL);
    case 35: return MPI_Type_free(&type);
    case 36: return MPI_Op_free(NULL);
    case 37: return MPI_Op_free(&op);
    case 38: return MPI_Info_free(NULL);
    case 39: return MPI_Info_free(&info);
    case 40: return MPI_Errhandler_free(NULL);
    case 41: return MPI_Errhandler_free(&errhandler);
    case 42: return MPI_Comm_set_name(MPI_COMM_WORLD, NULL);
    case 43: return MPI_Comm_set_name(MPI_COMM_NULL, "name");
    case 44: return MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win);
    case 45: return MPI_File_open(MPI_COMM_NULL, "x", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    case 46: return MPI_File_open(MPI_COMM_WORLD, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL,
                                  &file);
    case 47: return MPI_Mprobe(0, 0, MPI_COMM_NULL, &message, &status);
    case 48: return MPI_Comm_idup(MPI_COMM_NULL, &comm, &request);
    case 49: return MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &comm);
    case 50: return MPI_Cart_create(MPI_COMM_WORLD, 1, &(int){100}, &(int){0}, 0, &comm);
    case 51: return MPI_Sendrecv(&value, 1, MPI_INT, 99, 0, &value, 1, MPI_INT, 0, 0,
                                 MPI_COMM_WORLD, &status);
    case 52: return MPI_Type_contiguous(-1, MPI_INT, &type);
    case 53: return MPI_Ibarrier(MPI_COMM_NULL, &request);
    case 54: return MPI_Send_init(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, &request);
    case 55: return MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &comm);
    default: return -1;
    }
    /* clang-format on */
}

static void ignore(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

int main(int argc, char **argv)
{
    int sum = 0, code, handlers = argc > 2;
    MPI_Errhandler handler = MPI_ERRORS_RETURN;
    MPI_Init(&argc, &argv);
    if (handlers)
        MPI_Comm_create_errhandler(ignore, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    const char *numbers = argv[1];
    do {
        char *end;
        long first = strtol(numbers, &end, 10),
             last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        numbers = *end == ',' ? end + 1 : NULL;
        for (long number = first; number <= last; number++) {
            code = try((int)number);
            printf("%ld: %s\n", number, code == MPI_SUCCESS ? "no error" : "an error");
            fflush(stdout);
        }
    } while (numbers != NULL);
    MPI_Allreduce(&code, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    made("MPI_Allreduce", 1);
    MPI_Finalize();
    return 0;
}
