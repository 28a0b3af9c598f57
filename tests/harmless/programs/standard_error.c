/* Standard error is not what it was, or was never there. Descriptor 2 is then a file of the
 * program. It must hold what the program wrote. Argument 1 says how it comes there. */
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "harmless.h"

enum { ERROR = 2, CALLS = 10 };

static char name[64];

static bool is(const char *how, const char *wanted)
{
    return strcmp(how, wanted) == 0;
}

/* In descriptor 2 there is a file of the program afterwards. */
static void put_file_there(const char *how)
{
    if (is(how, "freopen")) {
        REQUIRE(freopen(name, "w", stderr) != NULL);
        return;
    }
    if (is(how, "close"))
        close(ERROR);
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    REQUIRE(file >= 0);
    if (is(how, "dup2")) {
        REQUIRE(dup2(file, ERROR) == ERROR);
        close(file);
    } else {
        REQUIRE(file == ERROR);
    }
}

static void work(void)
{
    int rank = 0;
    int sum = 0;
    for (int i = 0; i < CALLS; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    made("MPI_Allreduce", CALLS);
}

static void show_file(void)
{
    char text[4096];
    FILE *file = fopen(name, "r");
    REQUIRE(file != NULL);
    size_t bytes = fread(text, 1, sizeof text - 1, file);
    text[bytes] = '\0';
    fclose(file);
    unlink(name);
    printf("%zu bytes: %s\n", bytes, text);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    static const char line[] = "a line of the program's own\n";
    snprintf(name, sizeof name, "own.%ld", (long)getpid());
    if (is(how, "none")) {
        REQUIRE(fcntl(ERROR, F_GETFD) < 0);
        MPI_Init(&argc, &argv);
        work();
        MPI_Finalize();
        return 0;
    }
    bool late = argc > 2;
    int before = is(how, "restored") ? dup(ERROR) : -1;
    if (late)
        MPI_Init(&argc, &argv);
    put_file_there(before >= 0 ? "dup2" : how);
    REQUIRE(write(ERROR, line, sizeof line - 1) == sizeof line - 1);
    if (!late)
        MPI_Init(&argc, &argv);
    work();
    if (before >= 0)
        REQUIRE(dup2(before, ERROR) == ERROR);
    MPI_Finalize();
    show_file();
    return 0;
}
