/* bench_peak FILE COMMAND...: runs a command and appends, in KiB, the largest resident set that it
 * had and the most of its memory that no other process shared, as far as looking every 10 ms finds
 * it, to FILE. For tests/bench/run, around each rank. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long private_kib(pid_t process)
{
    char line[256];
    long total = 0;
    long part;
    snprintf(line, sizeof line, "/proc/%d/smaps_rollup", (int)process);
    FILE *file = fopen(line, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Private_Clean: %ld", &part) == 1 ||
            sscanf(line, "Private_Dirty: %ld", &part) == 1)
            total += part;
    if (file != NULL)
        fclose(file);
    return total;
}

int main(int argc, char **argv)
{
    int status = 0;
    struct rusage usage;
    if (argc < 3)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0)
        return 2;
    long most_private = 0;
    for (pid_t ended = 0; ended == 0;) {
        long now = private_kib(child);
        most_private = now > most_private ? now : most_private;
        ended = wait4(child, &status, WNOHANG, &usage);
        if (ended < 0)
            return 2;
        if (ended == 0)
            usleep(10000);
    }
    FILE *file = fopen(argv[1], "a");
    if (file != NULL) {
        fprintf(file, "%ld %ld\n", usage.ru_maxrss, most_private);
        fclose(file);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
