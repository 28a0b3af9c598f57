/* Open MPI's own monitoring counts the messages of this program, and writes the counts to a file in
 * MPI_Finalize. Usage: monitored FILE */
#include "harmless.h"

enum { MESSAGES = 100 };

int main(int argc, char **argv)
{
    int rank, mine = 1, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    made("MPI_Sendrecv", MESSAGES);
    MPI_Finalize();
    if (rank != 0 || argc < 2)
        return 0;
    char line[1024];
    FILE *file = fopen(argv[1], "r");
    REQUIRE(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        if (strchr("EIC", line[0]) != NULL)
            printf("%.60s\n", line);
    fclose(file);
    return 0;
}
