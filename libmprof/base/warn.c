/* Capped warnings (warn.h). Until it is known which rank this is, lines are kept: rank 0 speaks for
 * all. */
#include "base/warn.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/harmless_write.h"
#include "base/lock.h"

enum { MOST_WARNINGS = 4, LINE_BYTES = 512 };

static struct {
    struct lock lock;
    bool rank_known;
    bool quiet;
    int count;
    char kept[MOST_WARNINGS][LINE_BYTES];
} warnings;

static void put_out(const char *line)
{
    (void)write_to_standard_error(line, strlen(line)); /* nowhere else to say it */
}

void warn_set_quiet(bool quiet)
{
    const bool is_taken = lock_take(&warnings.lock);
    for (int i = 0; !quiet && !warnings.rank_known && i < warnings.count; i++)
        put_out(warnings.kept[i]);
    warnings.rank_known = true;
    warnings.quiet = quiet;
    lock_give_if(&warnings.lock, is_taken);
}

void warn(const char *format, ...)
{
    int program_errno = errno;
    const bool is_taken = lock_take(&warnings.lock);
    if (is_taken && !warnings.quiet && warnings.count < MOST_WARNINGS) {
        char *line = warnings.kept[warnings.count++];
        int begin = snprintf(line, LINE_BYTES, "mprof: ");
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(line + begin, (size_t)(LINE_BYTES - begin - 1), format, arguments);
        va_end(arguments);
        memcpy(line + strlen(line), "\n", 2);
        if (warnings.rank_known)
            put_out(line);
    }
    lock_give_if(&warnings.lock, is_taken);
    errno = program_errno;
}

void warnings_forget(void)
{
    memset(&warnings, 0, sizeof warnings);
    warnings.lock = (struct lock){0};
}
