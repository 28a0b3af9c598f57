/* One of several receives is truncated. MPI_Waitall, MPI_Waitsome, MPI_Testall and MPI_Testsome
 * return MPI_ERR_IN_STATUS. The other receives bring their bytes. Prints how many bytes came well.
 */
#include "harmless.h"

enum { REQUESTS = 5, BAD = 2, INTS = 50 };

static int rank;
static long good_bytes, sends, receives;

static void look_at(MPI_Request *request, const MPI_Status *status)
{
    int count = 0;
    if (status->MPI_ERROR == MPI_ERR_PENDING && *request != MPI_REQUEST_NULL) {
        MPI_Status own;
        if (MPI_Wait(request, &own) == MPI_SUCCESS) {
            MPI_Get_count(&own, MPI_INT, &count);
            good_bytes += count * (long)sizeof(int);
        }
    } else if (status->MPI_ERROR == MPI_SUCCESS) {
        MPI_Get_count(status, MPI_INT, &count);
        good_bytes += count * (long)sizeof(int);
    }
}

static void complete(int how, MPI_Request requests[])
{
    MPI_Status statuses[REQUESTS];
    int indices[REQUESTS], count = 0, flag = 0, code = MPI_SUCCESS, done = 0, errors = 0;
    if (how == 0 || how == 2) {
        while (!flag) {
            code = how == 0 ? MPI_Waitall(REQUESTS, requests, statuses)
                            : MPI_Testall(REQUESTS, requests, &flag, statuses);
            flag = flag || how == 0 || code != MPI_SUCCESS;
        }
        errors = code != MPI_SUCCESS;
        for (int i = 0; i < REQUESTS; i++)
            look_at(&requests[i], &statuses[i]);
    }
    while (how % 2 != 0 && done < REQUESTS) {
        code = how == 1 ? MPI_Waitsome(REQUESTS, requests, &count, indices, statuses)
                        : MPI_Testsome(REQUESTS, requests, &count, indices, statuses);
        errors += code != MPI_SUCCESS;
        for (int i = 0; i < count; i++) {
            if (code == MPI_SUCCESS)
                statuses[i].MPI_ERROR = MPI_SUCCESS;
            look_at(&requests[indices[i]], &statuses[i]);
        }
        done += count > 0 ? count : 0;
    }
    printf("%d: %s\n", how, errors == 1 ? "one error" : "not one error");
}

static void round_of(int how)
{
    int buffers[REQUESTS][INTS] = {{0}};
    MPI_Request requests[REQUESTS];
    if (rank == 0)
        for (int i = 0; i < REQUESTS; i++)
            MPI_Irecv(buffers[i], i == BAD ? 1 : INTS, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        for (int i = 0; i < REQUESTS; i++)
            MPI_Send(buffers[i], 10 + i, MPI_INT, 0, i, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        complete(how, requests);
    sends += rank == 1 ? REQUESTS : 0;
    receives += rank == 0 ? REQUESTS : 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int how = 0; how < 4; how++)
        round_of(how);
    if (rank == 0)
        printf("good bytes %ld\n", good_bytes);
    made("MPI_Send", sends);
    made("MPI_Irecv", receives);
    MPI_Finalize();
    return 0;
}
