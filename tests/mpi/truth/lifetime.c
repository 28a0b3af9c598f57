/* Truth: calls before MPI_Init and after MPI_Finalize, and the facts that a program asks for. The
 * calls after MPI_Finalize may be missing from the counts. */
#include "truth.h"

int main(int argc, char **argv)
{
    int flag = 1, version = 0, subversion = 0, length = 0, level = -1;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&flag);
    expect("MPI_Initialized", 1, 0);
    CHECK(!flag);
    MPI_Finalized(&flag);
    expect("MPI_Finalized", 1, 0);
    CHECK(!flag);
    for (int i = 0; i < 3; i++) {
        MPI_Get_version(&version, &subversion);
        expect("MPI_Get_version", 1, 0);
        CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION);
    }
    MPI_Get_library_version(text, &length);
    expect("MPI_Get_library_version", 1, 0);
    CHECK(length >= (int)strlen(text) && text[0] != '\0'); /* Open MPI 4 counts the final 0, too */

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    expect("MPI_Init_thread", 1, 0);
    CHECK(level >= MPI_THREAD_FUNNELED);
    truth_start();
    MPI_Initialized(&flag);
    expect("MPI_Initialized", 1, 0);
    CHECK(flag);
    MPI_Query_thread(&level);
    expect("MPI_Query_thread", 1, 0);
    CHECK(level >= MPI_THREAD_FUNNELED);
    MPI_Is_thread_main(&flag);
    expect("MPI_Is_thread_main", 1, 0);
    CHECK(flag);
    MPI_Get_processor_name(text, &length);
    expect("MPI_Get_processor_name", 1, 0);
    double before = MPI_Wtime();
    CHECK(MPI_Wtime() >= before);
    expect("MPI_Wtime", 2, 0);
    CHECK(MPI_Wtick() > 0);
    expect("MPI_Wtick", 1, 0);
    MPI_Pcontrol(1);
    expect("MPI_Pcontrol", 1, 0);
    expect_optional("MPI_Finalized", 1);
    expect_optional("MPI_Initialized", 1);
    expect_optional("MPI_Get_version", 1);

    int status = truth_end();
    MPI_Finalized(&flag);
    if (!flag)
        status = 1;
    MPI_Initialized(&flag);
    if (!flag)
        status = 1;
    MPI_Get_version(&version, &subversion);
    return status;
}
