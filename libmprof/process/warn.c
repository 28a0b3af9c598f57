/* Capped warnings (warn.h). */
#include "warn.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_WARNINGS = 4 };

static bool quiet_rank;

void warn_set_quiet(bool quiet)
{
    quiet_rank = quiet;
}

void warn(const char *format, ...)
{
    static int count;
    int program_errno = errno;
    if (quiet_rank || __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) >= MOST_WARNINGS)
        return;
    char line[512] = "mprof: ";
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + 7, sizeof line - 8, format, arguments);
    va_end(arguments);
    size_t end = length < 0 ? 7 : 7 + (size_t)length;
    if (end > sizeof line - 2)
        end = sizeof line - 2;
    line[end] = '\n';
    ssize_t written = write(STDERR_FILENO, line, end + 1);
    (void)written; /* nowhere else to say it */
    errno = program_errno;
}
