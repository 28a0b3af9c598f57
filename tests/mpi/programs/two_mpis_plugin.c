/* A library that is linked with an MPI, for run_two_mpis.py. */
#include <mpi.h>
#include <stdio.h>

const char *plugin_name(void)
{
    static char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(name, &length);
    name[6] = '\0'; /* enough to tell two MPIs apart */
    return name;
}

int plugin_is_initialized(void)
{
    int is_initialized = -1;
    MPI_Initialized(&is_initialized);
    return is_initialized;
}

/* The sum over 5 calls. */
int plugin_use(void)
{
    int one = 1, sum = 0, all = 0;
    MPI_Comm copy;
    MPI_Init(NULL, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    for (int i = 0; i < 5; i++) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
        all += sum;
    }
    MPI_Comm_free(&copy);
    return all;
}

int plugin_end(void)
{
    return MPI_Finalize();
}
