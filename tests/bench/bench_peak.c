/* bench_peak FILE COMMAND...: runs a command and appends two figures in KiB to FILE. The first is
 * the largest resident set that the command had. The second is the largest part of it that was its
 * own. This leaves out the pages of libraries, which all ranks of a node share. It looks every
 * millisecond. For tests/bench/run, around each rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What no other process has: its anonymous pages, and all of its live file. */
static long own_kib(pid_t process)
{
    char path[64], line[4096];
    long kib = 0;
    int in_live_file = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps", (int)process);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *count = strchr(line, ':');
        if (strchr(line, '-') != NULL) /* the first line of a mapping */
            in_live_file = strstr(line, ".mprof") != NULL;
        else if (count != NULL && strncmp(line, in_live_file ? "Rss:" : "Anonymous:", 4) == 0)
            kib += strtol(count + 1, NULL, 10);
    }
    if (file != NULL)
        fclose(file);
    return kib;
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
    long largest = 0;
    pid_t ended;
    while ((ended = wait4(child, &status, WNOHANG, &usage)) == 0) {
        const long kib = own_kib(child);
        largest = kib > largest ? kib : largest;
        usleep(1000);
    }
    if (ended < 0)
        return 2;
    FILE *file = fopen(argv[1], "a");
    if (file != NULL) {
        fprintf(file, "%ld %ld\n", usage.ru_maxrss, largest);
        fclose(file);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
