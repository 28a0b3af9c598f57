/* MPI through a session alone. There is no rank that mprof could ask where the files go. */
#include "harmless.h"

int main(void)
{
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int sum = 0;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS)
        not_here("no sessions");
    REQUIRE(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
    REQUIRE(MPI_Comm_create_from_group(group, "here", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm) ==
            MPI_SUCCESS);
    MPI_Group_free(&group);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("%d\n", sum);
    made("MPI_Allreduce", 10);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
#else
    not_here("no sessions");
#endif
    return 0;
}
