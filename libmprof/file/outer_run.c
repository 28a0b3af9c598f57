/* A rank has its live record mapped (outer_run.h), so it shows among the mappings of the processes
 * above this one: the launcher of this program, a shell, the rank that started them. */
#define _GNU_SOURCE
#include "file/outer_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own_work.h"
#include "base/system_file.h"

enum { MOST_ABOVE = 32 };

/* "7fd6...-7fd7... rw-s 00000000 fe:00 1234   /home/ann/app.mprof/rank-0.mprof" */
static bool is_record(const char *line)
{
    static const char ending[] = ".mprof";
    const size_t length = strlen(line);
    return length > sizeof ending && strstr(line, " rw-s ") != NULL &&
           strcmp(line + length - (sizeof ending - 1), ending) == 0;
}

/* A line that is longer than the buffer is cut, and is no record. */
static bool has_record(int file)
{
    char text[8192];
    size_t used = 0;
    for (;;) {
        const ssize_t bytes = own_read(file, text + used, sizeof text - 1 - used);
        if (bytes <= 0)
            return false;
        used += (size_t)bytes;
        text[used] = '\0';
        char *line = text;
        for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            if (is_record(line))
                return true;
        }
        used -= (size_t)(line - text);
        memmove(text, line, used);
        if (used == sizeof text - 1)
            used = 0;
    }
}

static bool is_recorded(pid_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool found = has_record(file);
    close(file);
    return found;
}

static pid_t parent_of(pid_t process)
{
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    system_file_read(path, text, sizeof text);
    const char *line = strstr(text, "\nPPid:");
    return line != NULL ? (pid_t)strtol(line + sizeof "\nPPid:" - 1, NULL, 10) : 0;
}

bool is_inside_outer_run(void)
{
    const int program_errno = errno;
    bool found = false;
    pid_t process = getppid();
    for (int i = 0; !found && process > 1 && i < MOST_ABOVE; i++) {
        found = is_recorded(process);
        process = parent_of(process);
    }
    errno = program_errno;
    return found;
}
