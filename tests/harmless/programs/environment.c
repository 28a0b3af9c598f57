/* The environment changes while the program runs. Argument 1 says how. "title": its strings move
 * elsewhere, and other text comes where they were, as setproctitle() does it. "unset": the
 * variables for a profiler go before the first MPI call. */
#include <unistd.h>

#include "harmless.h"

enum { CALLS = 10, LONGEST = 4096 };

extern char **environ;

/* What is longer than a name keeps its length. */
static void set_title(void)
{
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    REQUIRE(copy != NULL);
    for (size_t i = 0; i < count; i++) {
        copy[i] = strdup(environ[i]);
        memset(environ[i], 'x', strlen(environ[i]));
    }
    environ = copy;
}

static void unset(void)
{
    char name[LONGEST];
    for (char **variable = environ; *variable != NULL;) {
        size_t length = strcspn(*variable, "=");
        if (strncmp(*variable, "MPROF_", 6) == 0 && length < sizeof name) {
            memcpy(name, *variable, length);
            name[length] = '\0';
            unsetenv(name);
            variable = environ;
        } else {
            variable++;
        }
    }
}

int main(int argc, char **argv)
{
    int rank = 0;
    int sum = 0;
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "unset") == 0)
        unset();
    MPI_Init(NULL, NULL);
    if (strcmp(how, "title") == 0)
        set_title();
    for (int i = 0; i < CALLS; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    made("MPI_Allreduce", CALLS);
    MPI_Finalize();
    printf("a file of that name: %d\n", access("xxx", F_OK) == 0);
    return 0;
}
