/* The thread level that MPI gives a session when the program asks for none. MPICH 5.0.2 takes it
 * from the stack without writing it first: it is 0, MPI_THREAD_SINGLE, as long as nobody has left
 * something else there. Ranks of different levels choose different algorithms for a collective and
 * wait for each other for ever. */
#include "harmless.h"

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
int main(void)
{
    MPI_Session session;
    MPI_Info info;
    char level[MPI_MAX_INFO_VAL + 1] = "unknown";
    int known = 0;
    REQUIRE(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
    REQUIRE(MPI_Session_get_info(session, &info) == MPI_SUCCESS);
    MPI_Info_get(info, "thread_level", MPI_MAX_INFO_VAL, level, &known);
    if (strcmp(level, "MPI_THREAD_SINGLE") != 0)
        printf("%s\n", level);
    MPI_Info_free(&info);
    REQUIRE(MPI_Session_finalize(&session) == MPI_SUCCESS);
    made("MPI_Session_init", 1);
    made("MPI_Session_finalize", 1);
    return 0;
}
#else
int main(void)
{
    not_here("this MPI has no sessions");
}
#endif
