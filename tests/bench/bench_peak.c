/* bench_peak FILE COMMAND...: runs a command and appends the largest resident set that it had, in
 * KiB, to FILE. For tests/bench/run, around each rank. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
    if (child < 0 || wait4(child, &status, 0, &usage) < 0)
        return 2;
    FILE *file = fopen(argv[1], "a");
    if (file != NULL) {
        fprintf(file, "%ld\n", usage.ru_maxrss);
        fclose(file);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
